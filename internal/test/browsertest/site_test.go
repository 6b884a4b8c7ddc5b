package browsertest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// hosts are the upstream hosts of this repository's site.
var hosts = [...]string{"forum.example.org:443", "rpc.example.org:443",
	"rpc-backup.example.org:443"}

// served is a site as a CDN serves it, with a sidecar on the same origin or without.
type served struct {
	*built
	base    string
	handler http.Handler
	network *demo.Network
	later   atomic.Int64 // nanoseconds by which the clock of sidecar and hosts is ahead
	asked   atomic.Int64 // requests to live routes, with or without a sidecar
}

// built is a finished site. Tests with the same setup share it.
type built struct {
	plan   *build.Plan
	static *build.Published
	site   *site.Site
}

// setup is how a site differs from others. Without a sidecar its routes are 404 problems.
type setup struct {
	sidecar bool
	// answer of its routes instead: this status, or the connection is closed if negative
	down    int
	locale  string            // one more language; empty: none
	folders []string          // of proposals; nil: this repository's and a few more
	more    map[string]string // text to append to files in a copy of the first folder
	prefix  string            // of their ids; empty: this repository's
	bare    bool              // files are served whole and by their own names alone
	kinds   []string          // prefixes of several kinds, prefix first; nil: one kind
	config  string            // file of another configuration; empty: this repository's
	brand   *site.Brand       // nil: none
	model   *demo.Model       // behind the sidecar; nil: none
}

// serve builds and serves the site of this repository with a few more proposals until the test
// ends.
func serve(t testing.TB, withSidecar bool) *served { return setup{sidecar: withSidecar}.serve(t) }

func (with setup) serve(t testing.TB) *served {
	t.Helper()
	v := &served{built: with.build(t)}
	var live http.Handler = v.static
	switch {
	case with.down < 0:
		live = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		})
	case with.down > 0:
		live = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "<h1>Bad Gateway</h1>", with.down)
		})
	case with.sidecar:
		live = v.sidecar(t, with.model)
	}
	v.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if with.bare {
			r.Header.Del("Range")
			if strings.HasPrefix(r.URL.Path, "/api/") && path.Ext(r.URL.Path) == "" {
				http.NotFound(w, r)
				return
			}
		}
		if !slices.ContainsFunc(api.Routes(), func(route api.Route) bool {
			return route.Path == r.URL.Path
		}) {
			v.static.ServeHTTP(w, r)
			return
		}
		v.asked.Add(1)
		live.ServeHTTP(w, r)
	})
	server := httptest.NewServer(v.handler)
	t.Cleanup(server.Close)
	v.base = server.URL
	return v
}

// sites are the finished sites by their setup.
var sites struct {
	sync.Mutex
	made map[string]func() (*built, error)
}

// build makes the site, once for all tests.
func (with setup) build(t testing.TB) *built {
	t.Helper()
	key := fmt.Sprintf("%q %q %q %q %q %q %p",
		with.locale, with.folders, with.more, with.prefix, with.kinds, with.config, with.brand)
	sites.Lock()
	if sites.made == nil {
		sites.made = map[string]func() (*built, error){}
	}
	if sites.made[key] == nil {
		sites.made[key] = sync.OnceValues(with.make)
	}
	made := sites.made[key]
	sites.Unlock()
	v, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (with setup) make() (*built, error) {
	s, err := site.Load(cmp.Or(with.config, "../../samples/site.yaml"))
	if err != nil {
		return nil, err
	}
	s.Prefix = cmp.Or(with.prefix, s.Prefix)
	for _, prefix := range with.kinds {
		s.Kinds = append(s.Kinds, site.Kind{Prefix: prefix})
	}
	if with.locale != "" {
		s.Locales = append(s.Locales, with.locale)
	}
	if with.brand != nil {
		s.Brand = *with.brand
	}
	folders := slices.Clone(with.folders)
	if folders == nil {
		folders = []string{"../../samples/proposals", "testdata/proposals"}
	}
	if with.more != nil {
		if folders, err = with.add(folders); err != nil {
			return nil, err
		}
	}
	ctx := context.Background()
	v := &built{site: s}
	if v.plan, err = buildtest.Plan(ctx, s, folders...); err == nil {
		v.static = v.plan.Publish()
	}
	return v, err
}

// add copies the first folder, or makes one if there is none, and appends the texts to its files.
func (with setup) add(folders []string) ([]string, error) {
	copied, err := os.MkdirTemp(folder, "proposals")
	if err == nil && len(folders) > 0 {
		err = os.CopyFS(copied, os.DirFS(folders[0]))
		folders = folders[1:]
	}
	for name, text := range with.more {
		var file *os.File
		if err == nil {
			file, err = os.OpenFile(filepath.Join(copied, name),
				os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		}
		if err == nil {
			_, err = file.WriteString(text)
			err = errors.Join(err, file.Close())
		}
	}
	return append([]string{copied}, folders...), err
}

// tab opens a tab on the site.
func (v *served) tab(t *testing.T, view View) *Tab {
	t.Helper()
	return open(t, v.base, view)
}

// sidecar returns a sidecar of the site with invented hosts.
func (v *served) sidecar(t testing.TB, llm *demo.Model) *sidecar.Sidecar {
	t.Helper()
	k, err := catalog.FromFS(v.static).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	k.Endpoints = v.site.Networks
	now := func() time.Time { return time.Now().Add(time.Duration(v.later.Load())) }
	v.network = demo.NewNetwork()
	t.Cleanup(v.network.Close)
	v.network.Demo(now, k.Site.Site, k.List.MIPs, v.site.Networks)
	config := sidecar.Config{Transport: v.network, Now: now, RequestsPerMinute: 1_000_000}
	if llm != nil {
		const host, name = "model.example.org", "lantern-large"
		v.network.Serve(host, llm)
		m, err := ai.NewClient(ai.ClientConfig{Provider: "openai", Name: name,
			BaseURL: "https://" + host + "/v1", Key: "sk-of-nobody", Transport: v.network})
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

// get requests a path with a content coding, whole or some ranges of it.
func (v *served) get(t testing.TB, path, coding string, ranges ...string) []byte {
	t.Helper()
	r, w := httptest.NewRequest(http.MethodGet, path, nil), httptest.NewRecorder()
	r.Header.Set("Accept-Encoding", coding)
	r.Header["Range"] = ranges
	v.handler.ServeHTTP(w, r)
	if w.Code != http.StatusOK && w.Code != http.StatusPartialContent && path != "/404.html" {
		t.Fatalf("GET %s: %d", path, w.Code)
	}
	return w.Body.Bytes()
}

// read requests a path that answers JSON.
func read[T any](t testing.TB, v *served, path string) (into T) {
	t.Helper()
	if err := json.Unmarshal(v.get(t, path, "identity"), &into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return into
}

// proposals returns the site's proposals from its API.
func (v *served) proposals(t testing.TB) []mip.Metadata {
	t.Helper()
	return read[mip.List](t, v, "/api/v1/mips").MIPs
}
