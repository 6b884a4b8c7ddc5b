package sidecar_test

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// found returns the ids and sections of an answer.
func found(r api.SearchResults) (out []string) {
	for _, h := range r.Hits {
		section := ""
		if h.Section != nil {
			section = "#" + h.Section.ID
		}
		out = append(out, h.ID.String()+section)
	}
	return out
}

// TestSearch checks that filters in the text and in parameters are the same.
func TestSearch(t *testing.T) {
	withAI(t, aiSetup{}, func(w *aiWorld) {
		ask := func(query string) api.SearchResults {
			return read[api.SearchResults](w.world, w.get("/api/search?"+query))
		}
		one := ask("q=subscription+to+finalized+heads+")
		if h := one.Hits[0]; h.ID.String() != "MIP-5" || h.Status != "Final" ||
			!strings.HasPrefix(h.URL, w.known.Site.BaseURL+"/mip/5/#s-") ||
			one.Query != "subscription to finalized heads " ||
			one.Count < 1 || len(one.DidYouMean) != 0 || one.IndexedAt == nil ||
			*one.IndexedAt != *w.known.List.UpdatedAt {
			t.Errorf("%+v", one)
		}
		if got := found(ask("q=5")); len(got) == 0 || got[0] != "MIP-5" {
			t.Errorf("by number: %v", got)
		}
		if got := ask("q=subscripton+"); got.Count == 0 || len(got.DidYouMean) != 1 ||
			got.DidYouMean[0] != (api.Replacement{Word: "subscripton", Instead: "subscription"}) {
			t.Errorf("a slip: %+v", got)
		}
		all := ask("kind=mip&limit=50")
		if all.Count != w.known.List.Count || len(all.Hits) != all.Count ||
			all.Hits[0].ID.Number != 15 || all.Hits[0].Score != 0 || len(all.Hits[0].Excerpt) == 0 {
			t.Errorf("all: %d of %d, %v", all.Count, w.known.List.Count, found(all))
		}
		if got := ask("kind=MIP"); len(got.Hits) != 10 || got.Count != all.Count {
			t.Errorf("%d of %d without a limit", len(got.Hits), got.Count)
		}
		for text, beside := range map[string]string{
			"q=the+fee+status:final":                 "q=the+fee+&status=Final",
			"q=status:final+status:withdrawn":        "status=withdrawn&status=final",
			`q=type:"Standards+Track"+category:core`: "type=standards-track&category=Core",
			"q=author:lantern-aoife":                 "author=LANTERN-AOIFE",
			"q=status:final+category:interface+kind:mip": "kind=mip&category=interface" +
				"&status=final",
		} {
			a, b := ask(text+"&limit=50"), ask(beside+"&limit=50")
			if d := cmp.Diff(found(a), found(b)); d != "" || a.Count == 0 || a.Count == all.Count {
				t.Errorf("%s and %s: %d and %d\n%s", text, beside, a.Count, b.Count, d)
			}
		}
		if got := ask("q=fee&author=nobody-of-this-name&status=Finish"); got.Count != 0 ||
			got.Hits == nil || len(got.Unknown) != 2 ||
			!slices.Contains(got.Unknown[0].Known, "final") {
			t.Errorf("%+v", got)
		}
		// A phrase, and a phrase whose words are there but not adjacent.
		if got := ask("q=%22base+fee%22&limit=1"); len(got.Hits) != 1 ||
			!slices.ContainsFunc(got.Hits[0].Excerpt, func(f api.Fragment) bool {
				return f.Mark && strings.EqualFold(f.Text, "base fee")
			}) {
			t.Errorf("%+v", got)
		}
		if got := ask("q=%22fee+base%22"); got.Count != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// TestSearchText checks that a query is only text: bounded, repeated whole in the answer, and
// without invisible characters.
func TestSearchText(t *testing.T) {
	withAI(t, aiSetup{}, func(w *aiWorld) {
		for text, want := range map[string]string{
			"fee \u202e\u200b\x00<script>alert(1)</script>": "fee <script>alert(1)</script>",
			strings.Repeat("fee ", 100):                     strings.Repeat("fee ", 100),
			`"status:" fee \ / ' % _`:                       `"status:" fee \ / ' % _`,
		} {
			a := w.get("/api/search?q="+url.QueryEscape(text)).want(w.world, 200)
			got := read[api.SearchResults](w.world, a)
			if got.Query != want || a.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%q is %q", text, got.Query)
			}
		}
	})
}

// TestSearchIsKept checks that a CDN keeps an answer for some minutes, and a browser revalidates
// it.
func TestSearchIsKept(t *testing.T) {
	withAI(t, aiSetup{}, func(w *aiWorld) {
		a := w.get("/api/search?q=fee").want(w.world, 200)
		if cdn, vary := a.Header().Get("Netlify-CDN-Cache-Control"),
			a.Header().Get("Netlify-Vary"); !strings.HasSuffix(cdn,
			"max-age=300, stale-while-revalidate=300") ||
			vary != "query=q|limit|offset|status|type|category|kind|author" ||
			a.Header().Get("RateLimit") == "" {
			t.Errorf("%v", a.Header())
		}
		b := w.ask("GET", "/api/search?q=fee", "If-None-Match",
			a.Header().Get("ETag")).want(w.world, 304)
		if len(b.body) > 0 {
			t.Errorf("304 with %s", b.body)
		}
	})
}

// without is a site without the files of a prefix.
type without struct {
	fs.FS
	prefix string
}

func (w without) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, w.prefix) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return w.FS.Open(name)
}

// withoutTexts is a site whose index is there and whose texts are missing.
type withoutTexts struct{ fs.FS }

func (w withoutTexts) Open(name string) (fs.File, error) {
	data, err := fs.ReadFile(w.FS, name)
	first, _ := io.ReadAll(flate.NewReader(bytes.NewReader(data)))
	if err == nil && bytes.HasPrefix(first, []byte(`{"version":5,"sections":[`)) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return w.FS.Open(name)
}

// TestSearchIgnores checks that the answer lists the words of a long query that did not count.
func TestSearchIgnores(t *testing.T) {
	withAI(t, aiSetup{}, func(w *aiWorld) {
		const words = "one two three four five six seven eight nine ten eleven twelve thirteen " +
			"fourteen fifteen sixteen "
		for more, want := range map[string]string{"": "[]", "fees": "[fee]",
			"fees \"big phrase\"": "[fifteen sixteen fee]"} {
			got := read[api.SearchResults](w.world,
				w.get("/api/search?q="+url.QueryEscape(words+more)).want(w.world, 200))
			if fmt.Sprint(got.Ignored) != want || got.Ignored == nil {
				t.Errorf("with %q ignored are %v, want %s", more, got.Ignored, want)
			}
		}
	})
}

// slow is a site whose index takes long to read.
type slow struct {
	fs.FS
	takes *time.Duration
}

func (s slow) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, "assets/") {
		time.Sleep(*s.takes)
	}
	return s.FS.Open(name)
}

// TestSearchesAtOnce runs as many searches as there are processors. The others wait for some time.
func TestSearchesAtOnce(t *testing.T) {
	withAI(t, aiSetup{}, func(w *aiWorld) {
		takes := 10 * time.Second
		k, err := catalog.FromFS(slow{w.site, &takes}).Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.known = k
		w.know()
		answers := make([]*reply, runtime.GOMAXPROCS(0)+2)
		var clients sync.WaitGroup
		for i := range answers {
			clients.Go(func() { answers[i] = w.get("/api/search?q=fee") })
		}
		clients.Wait()
		codes := map[int]int{}
		for _, a := range answers {
			if codes[a.Code]++; a.Code == 503 {
				if a.problem(w.world, api.NotReady); a.Header().Get("Retry-After") != "1" {
					t.Errorf("%v", a.Header())
				}
			}
		}
		if codes[503] != 2 || codes[504] != len(answers)-2 {
			t.Errorf("%v, want two that had no place", codes)
		}
		takes = time.Millisecond
		for i := range answers {
			clients.Go(func() { answers[i] = w.get("/api/search?q=fee").want(w.world, 200) })
		}
		clients.Wait()
	})
}

// TestSearchWithoutIndex searches a site of another build: search fails with a code, and the other
// routes work.
func TestSearchWithoutIndex(t *testing.T) {
	for prefix, code := range map[string]api.Code{"api/v1/search": api.NotFound,
		"assets/": api.NotReady} {
		withAI(t, aiSetup{}, func(w *aiWorld) {
			k, err := catalog.FromFS(without{w.site, prefix}).Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			w.known = k
			w.know()
			w.get("/api/search?q=fee").want(w.world, code.Status()).problem(w.world, code)
			w.get("/api/mip-watch").want(w.world, 200)
		})
	}
	withAI(t, aiSetup{}, func(w *aiWorld) {
		k, err := catalog.FromFS(withoutTexts{w.site}).Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.known = k
		w.know()
		a := w.get("/api/search?q=fee").want(w.world, 200)
		got := read[api.SearchResults](w.world, a)
		if len(got.Hits) == 0 ||
			!strings.HasSuffix(a.Header().Get("Netlify-CDN-Cache-Control"), "max-age=5") {
			t.Errorf("without texts: %v %+v", a.Header(), got)
		}
	})
}

// BenchmarkSearch searches a corpus with a new query each time.
func BenchmarkSearch(b *testing.B) {
	w := newAIWorld(b, aiSetup{})
	for i := 0; b.Loop(); i++ {
		w.get(fmt.Sprintf("/api/search?q=fee+%d&limit=50", i)).want(w.world, 200)
	}
}
