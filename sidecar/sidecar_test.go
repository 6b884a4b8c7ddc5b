package sidecar_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/openapitest"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

const (
	forumHost = "forum.example.org"
	baseURL   = "https://mips.example.org"
	someone   = "192.0.2.1:4711"
)

func TestMain(m *testing.M) {
	if err := describe(); err != nil {
		fmt.Fprintln(os.Stderr, "describe the sample site:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

var (
	// samples is the sample site.
	samples *build.Published
	// described is the samples' openapi.json. Every answer of these tests is validated by it.
	described *openapitest.Document
)

func describe() error {
	s, err := site.Load("../internal/samples/site.yaml")
	if err != nil {
		return err
	}
	if samples, err = publish(context.Background(), s,
		"../internal/samples/proposals"); err != nil {
		return err
	}
	b, err := fs.ReadFile(samples, "openapi.json")
	if err != nil {
		return err
	}
	described, err = openapitest.Read(b)
	return err
}

func publish(ctx context.Context, s *site.Site, folder string) (*build.Published, error) {
	p, err := buildtest.Plan(ctx, s, folder)
	if err != nil {
		return nil, err
	}
	return p.Publish(), nil
}

// world is a sidecar with its upstream hosts. In a bubble its clock is the bubble's.
type world struct {
	testing.TB
	sidecar *sidecar.Sidecar
	net     *demo.Network
	forum   *demo.Script
	topics  *demo.Discourse
	main    *chainHost
	test    *chainHost
	known   *catalog.Catalog
	log     *syncBuffer
	from    string // the caller's address
}

// chainHost is one node with faults on demand.
type chainHost struct {
	*demo.Script
	chain *demo.Chain
}

// newWorld has two networks, a forum with the topics 399 to 401 and 500, and the proposals of
// known.
func newWorld(t testing.TB, change ...func(*sidecar.Config)) *world {
	t.Helper()
	w := &world{TB: t, net: demo.NewNetwork(), known: known(), log: &syncBuffer{}, from: someone}
	genesis := time.Now().Add(-1000 * time.Second)
	node := func(host string, id uint64) *chainHost {
		c := demo.NewChain(demo.ChainConfig{ChainID: id, BlockTime: time.Second, Genesis: genesis,
			Now: time.Now})
		s := demo.NewScript(c)
		w.net.Serve(host, s)
		return &chainHost{s, c}
	}
	w.main, w.test = node("rpc.example.org", 143), node("rpc-test.example.org", 10143)
	w.topics = demo.NewDiscourse(time.Now)
	for i, id := range []int{399, 400, 401, 500} {
		w.topics.Set(demo.Topic{ID: id, Title: fmt.Sprint("Topic ", id),
			Slug: fmt.Sprint("topic-", id), Posts: 10 * (i + 1), Participants: 3, Likes: 5,
			Views:   100,
			Created: time.Now().AddDate(0, -1, 0), LastPosted: time.Now().Add(-time.Hour)})
	}
	w.forum = demo.NewScript(w.topics)
	w.net.Serve(forumHost, w.forum)
	c := sidecar.Config{Transport: w.net, Log: slog.New(slog.NewJSONHandler(w.log, nil)),
		Version: "v1", Revision: "badc0de"}
	for _, f := range change {
		f(&c)
	}
	w.sidecar = sidecar.New(c)
	t.Cleanup(w.close)
	return w
}

// close must run in the bubble, before it ends.
func (w *world) close() {
	w.sidecar.Close()
	w.net.Close()
}

func (w *world) know() {
	w.Helper()
	if err := w.sidecar.Update(w.known); err != nil {
		w.Fatal(err)
	}
}

// known is a site with three proposals: MIP-1 with a topic, MIP-2 with a link by slug, MIP-3
// without a link.
func known() *catalog.Catalog {
	forum, commit := "https://"+forumHost, "c0ffee"
	words := forum + "/t/topic-401"
	changed := mip.NewTime(time.Date(1999, 12, 1, 0, 0, 0, 0, time.UTC))
	summary := func(n int, status mip.Status) mip.Metadata {
		return mip.Metadata{Number: n, ID: mip.ID{Kind: "MIP", Number: n}, Title: "T",
			Authors: []mip.Author{}, Standing: status.Usual(), Updated: &changed,
			Requires: []int{}, RequiredBy: []int{}, Replaces: []int{}, ReplacedBy: []int{},
			SupersededBy: []int{}, Activations: []mip.NetworkActivation{},
			StatedActivations: []mip.StatedActivation{}, Discussions: []string{},
			External: []mip.External{}, Frontmatter: mip.Frontmatter{}, Inferred: []string{}}
	}
	one, two, three := summary(1, mip.Review), summary(2, mip.Final), summary(3, mip.LastCall)
	one.ForumTopicID, two.DiscussionsTo = new(399), &words
	at := func(seconds int64) mip.Activation {
		t := mip.NewTime(time.Unix(seconds, 0))
		return mip.Activation{Timestamp: &seconds, Time: &t}
	}
	y2k := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Unix() // bubbles begin then
	networks := []mip.Network{{ID: "mainnet", Name: "Main", ChainID: 143, BlockTime: 1},
		{ID: "testnet", Name: "Test", ChainID: 10143, BlockTime: 1}}
	return &catalog.Catalog{
		Site: mip.SiteInfo{
			Site: mip.Site{Title: "T", Prefix: "MIP", BaseURL: baseURL, Networks: networks,
				Forum: &forum, Locales: []string{}},
			Commit: &commit,
			Counts: mip.SiteCounts{Total: 3, ByStatus: map[string]int{},
				ByCategory: map[string]int{}}, History: "full",
		},
		List: mip.List{Count: 3, UpdatedAt: &changed, MIPs: []mip.Metadata{one, two, three}},
		HardForks: []mip.HardFork{{Name: "NINE", Status: "scheduled", BundledMIPs: []int{1, 2},
			Activation: map[string]mip.Activation{
				"mainnet": at(y2k + 100), "testnet": at(y2k - 100)}}},
		Endpoints: []mip.Endpoints{
			{Network: networks[0], RPC: []string{"https://rpc.example.org/A-KEY"}},
			{Network: networks[1], RPC: []string{"https://rpc-test.example.org"}},
		},
	}
}

// reply is an answer that openapi.json allows.
type reply struct {
	*httptest.ResponseRecorder
	body []byte
}

// ask sends a request and validates the answer: routes of the API by openapi.json, every failure by
// the form of a problem.
func (w *world) ask(method, target string, fields ...string) *reply {
	w.Helper()
	r := httptest.NewRequest(method, target, nil)
	r.RemoteAddr = w.from
	for i := 0; i < len(fields); i += 2 {
		r.Header.Add(fields[i], fields[i+1])
	}
	return w.send(r)
}

func (w *world) get(target string) *reply { w.Helper(); return w.ask(http.MethodGet, target) }

func (w *world) send(r *http.Request) *reply {
	w.Helper()
	rec := httptest.NewRecorder()
	w.sidecar.ServeHTTP(rec, r)
	a := &reply{rec, rec.Body.Bytes()}
	if a.Header().Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(rec.Body)
		if err != nil {
			w.Fatal(err)
		}
		if a.body, err = io.ReadAll(z); err != nil {
			w.Fatal(err)
		}
	}
	if a.Header().Get("X-Request-Id") == "" ||
		a.Header().Get("Access-Control-Allow-Origin") != "*" {
		w.Errorf("%s %s: %d with the fields %v, want X-Request-Id and Access-Control-Allow-Origin",
			r.Method, r.URL, a.Code, a.Header())
	}
	if a.Code >= 400 && r.Method != http.MethodHead {
		var p api.Problem
		d := json.NewDecoder(bytes.NewReader(a.body))
		d.DisallowUnknownFields()
		if err := d.Decode(&p); err != nil || p.Status != a.Code || p.Code.Status() != a.Code ||
			p.Detail == "" || p.Instance != "/"+strings.TrimLeft(r.URL.EscapedPath(), "/") ||
			p.RequestID != a.Header().Get("X-Request-Id") ||
			a.Header().Get("Cache-Control") != "no-store" {
			w.Errorf("%s %s: %d is no sound problem (%v): %s", r.Method, r.URL, a.Code, err, a.body)
		}
	}
	for _, route := range api.Routes() {
		if route.Path == r.URL.Path && (route.Method == r.Method ||
			route.Method == http.MethodGet && r.Method == http.MethodHead) {
			if err := described.Check(r.Method, r.URL.Path, a.Code, a.Header(),
				a.body); err != nil {
				w.Error(err)
			}
		}
	}
	return a
}

// want checks the status and returns the reply.
func (a *reply) want(w *world, status int) *reply {
	w.Helper()
	if a.Code != status {
		w.Fatalf("status %d, want %d: %s", a.Code, status, a.body)
	}
	return a
}

// problem checks that the answer is a problem with a code.
func (a *reply) problem(w *world, c api.Code) *reply {
	w.Helper()
	var p api.Problem
	if err := json.Unmarshal(a.body, &p); err != nil || p.Code != c {
		w.Errorf("%d %s, want the code %s", a.Code, a.body, c)
	}
	return a
}

func read[T any](w *world, a *reply) T {
	w.Helper()
	var v T
	d := json.NewDecoder(bytes.NewReader(a.want(w, http.StatusOK).body))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		w.Fatalf("%v in %s", err, a.body)
	}
	return v
}

// syncBuffer is a log that several goroutines write.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// lines returns the log's lines with a message.
func (s *syncBuffer) lines(message string) []string {
	var out []string
	for line := range strings.Lines(s.String()) {
		if strings.Contains(line, `"msg":"`+message+`"`) {
			out = append(out, line)
		}
	}
	return out
}
