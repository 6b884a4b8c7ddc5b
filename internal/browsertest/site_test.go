package browsertest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/snapshot"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/index"
)

// hosts are those that the site of this repository looks at.
var hosts = [...]string{"forum.example.org:443", "rpc.example.org:443", "rpc-backup.example.org:443"}

// served is the site of this repository and a few proposals more, as a CDN serves it, with a sidecar on
// the same origin or without.
type served struct {
	base    string
	plan    *build.Plan
	network *demo.Network
	later   atomic.Int64  // by how many nanoseconds the clock of sidecar and hosts is ahead
	asked   atomic.Int64  // how often a live route was asked for, the sidecar's or none
	moment  *api.MIPWatch // whose figures the pages hold; nil: none
}

// setup is what differs between sites. Without a sidecar its routes are 404 problems.
type setup struct {
	sidecar bool
	down    int           // what its routes answer instead: this status, or less than 0: the connection is closed
	moment  *api.MIPWatch // whose figures the pages hold; nil: none
	locale  string        // one more language; empty: none
	folders []string      // of proposals; nil: those of this repository and a few more
	prefix  string        // of their ids; empty: that of this repository
	config  string        // file of another configuration; empty: that of this repository
	edit    func(string)  // changes the first folder, or rather a copy; nil: none
	model   *demo.Model   // behind the sidecar; nil: none
}

// serve builds and serves the site until the test ends.
func serve(t testing.TB, withSidecar bool) *served { return setup{sidecar: withSidecar}.serve(t) }

// serveFigures is serve with pages that hold the figures of a moment before. change, when not nil, has a
// say in them.
func serveFigures(t testing.TB, withSidecar bool, change func(*api.MIPWatch)) *served {
	t.Helper()
	w := moment(t)
	if change != nil {
		change(w)
	}
	return setup{sidecar: withSidecar, moment: w}.serve(t)
}

// moment is what the invented hosts say three hours and 7 minutes ago.
func moment(t testing.TB) *api.MIPWatch {
	t.Helper()
	v := &served{base: "https://mips.example.org"}
	v.later.Store(-int64(3*time.Hour + 7*time.Minute))
	static, s := setup{}.build(t, v)
	live := v.sidecar(t, static, s.Networks, nil)
	for end := time.Now().Add(patience); time.Now().Before(end); { // an upstream may be late on a busy machine, even in memory
		w, err := live.Watch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(w.Errors) == 0 {
			return w
		}
	}
	t.Fatal("the invented hosts do not answer")
	return nil
}

func (with setup) serve(t testing.TB) *served {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	v := &served{base: "http://" + listener.Addr().String(), moment: with.moment}
	static, s := with.build(t, v)
	var h http.Handler = static
	if with.sidecar {
		live := v.sidecar(t, static, s.Networks, with.model)
		h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if isLive(r) {
				live.ServeHTTP(w, r)
				return
			}
			static.ServeHTTP(w, r)
		})
	}
	if with.down != 0 {
		h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case !isLive(r):
				static.ServeHTTP(w, r)
			case with.down < 0:
				panic(http.ErrAbortHandler)
			default:
				http.Error(w, "<h1>Bad Gateway</h1>", with.down)
			}
		})
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isLive(r) {
			v.asked.Add(1)
		}
		h.ServeHTTP(w, r)
	})}}
	server.Start()
	t.Cleanup(server.Close)
	return v
}

func isLive(r *http.Request) bool {
	return slices.ContainsFunc(api.Routes(), func(route api.Route) bool { return route.Path == r.URL.Path })
}

// build makes the site at the address of v.
func (with setup) build(t testing.TB, v *served) (*build.Published, *site.Site) {
	t.Helper()
	s, err := site.Load(cmp.Or(with.config, "../samples/site.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s.BaseURL = v.base
	s.Prefix = cmp.Or(with.prefix, s.Prefix)
	if with.locale != "" {
		s.Locales = append(s.Locales, with.locale)
	}
	o := build.Options{Site: s, Folders: with.folders}
	if o.Folders == nil {
		o.Folders = []string{"../samples/proposals", "testdata/proposals"}
	}
	if with.edit != nil {
		copied := t.TempDir()
		if err := os.CopyFS(copied, os.DirFS(o.Folders[0])); err != nil {
			t.Fatal(err)
		}
		with.edit(copied)
		o.Folders[0] = copied
	}
	if with.moment != nil {
		body, err := api.JSON(with.moment)
		if err != nil {
			t.Fatal(err)
		}
		if o.Live, err = snapshot.Read("live.json", bytes.NewReader(body)); err != nil {
			t.Fatal(err)
		}
	}
	c, err := build.Load(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if v.plan, err = build.NewPlan(c, o); err != nil {
		t.Fatal(err)
	}
	static, err := v.plan.Publish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return static, s
}

// appendTo changes the text of a proposal.
func appendTo(t testing.TB, folder, name string) {
	t.Helper()
	file := filepath.Join(folder, name)
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, append(text, "\nOne sentence more.\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// sidecar is one that knows the site, on invented hosts.
func (v *served) sidecar(t testing.TB, static *build.Published, networks []mip.Endpoints, llm *demo.Model) *sidecar.Sidecar {
	t.Helper()
	k, err := index.FromFS(static).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	k.Endpoints = networks
	now := func() time.Time { return time.Now().Add(time.Duration(v.later.Load())) }
	v.network = demo.NewNetwork()
	t.Cleanup(v.network.Close)
	v.network.Demo(now, k.Site, k.List.MIPs, networks)
	config := sidecar.Config{Transport: v.network, Now: now, RequestsPerMinute: 1_000_000}
	if llm != nil {
		const host, name = "model.example.org", "lantern-large"
		v.network.Serve(host, llm)
		m, err := ai.NewClient(ai.ClientConfig{Provider: "openai", Name: name, BaseURL: "https://" + host + "/v1", Key: "sk-of-nobody", Transport: v.network})
		if err != nil {
			t.Fatal(err)
		}
		config.AI = ai.Configured{Model: ai.NewBudget(m, ai.Limits{}), Name: name}
	}
	live := sidecar.New(config)
	t.Cleanup(func() { live.Close() })
	if err := live.Update(k); err != nil {
		t.Fatal(err)
	}
	return live
}

// get asks for a path as a program does.
func (v *served) get(t testing.TB, path string) (body []byte, mediaType string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err = io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %d, %v", path, r.StatusCode, err)
	}
	return body, r.Header.Get("Content-Type")
}

// proposals are those of the site, as its API tells them.
func (v *served) proposals(t testing.TB) []mip.Summary {
	t.Helper()
	var list mip.List
	b, _ := v.get(t, "/api/v1/mips")
	if err := json.Unmarshal(b, &list); err != nil {
		t.Fatal(err)
	}
	return list.MIPs
}

// one is a proposal with its text.
func (v *served) one(t testing.TB, path string) mip.Proposal {
	t.Helper()
	var p mip.Proposal
	b, _ := v.get(t, path)
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatal(err)
	}
	return p
}
