package catalog_test

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/search"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

const manifestFile = "api/v1/search.json"

// TestSearch finds the same from each kind of site; a function has only its snapshot.
func TestSearch(t *testing.T) {
	var first api.SearchResults
	for _, source := range []*catalog.Source{open(t, sampleFolder(t), nil),
		catalog.FromFS(samples(t).snapshot), overWeb(t)} {
		got, whole, err := load(t, source).Search(t.Context(),
			search.Parse("subscription to finalized heads ", "MIP"), catalog.Page{Limit: 2})
		if err != nil || !whole || got.Count < len(got.Hits) || len(got.Hits) == 0 ||
			got.Hits[0].ID.String() != "MIP-5" || got.IndexedAt == nil {
			t.Fatalf("%+v, %t, %v; want MIP-5 with its text", got, whole, err)
		}
		h := got.Hits[0]
		if h.Section == nil || !strings.HasSuffix(h.URL, "/mip/5/#"+h.Section.ID) ||
			h.Status != "Final" || h.Title == "" || h.Score == 0 || len(h.Excerpt) < 2 {
			t.Errorf("hit %+v", h)
		}
		if first.Hits == nil {
			first = got
		}
		if d := cmp.Diff(first, got, cmpopts.EquateComparable(mip.Time{})); d != "" {
			t.Errorf("another place, another answer:\n%s", d)
		}
	}
}

// TestSearchRefuses distinguishes a site without an index, or with one of an unknown version, from
// one that is being built.
func TestSearchRefuses(t *testing.T) {
	manifest := func(change func(*search.Manifest)) func(fstest.MapFS) {
		return func(files fstest.MapFS) { edit(t, files, manifestFile, change) }
	}
	parts := func(put func(files fstest.MapFS, name string)) func(fstest.MapFS) {
		return func(files fstest.MapFS) {
			for name := range maps.Clone(files) {
				if strings.HasPrefix(name, "assets/search.") {
					put(files, name)
				}
			}
		}
	}
	for name, tt := range map[string]struct {
		change func(fstest.MapFS)
		code   api.Code
	}{
		"no index": {func(files fstest.MapFS) {
			delete(files, manifestFile)
		}, api.NotFound},
		"another form": {manifest(func(m *search.Manifest) {
			m.Version++
		}), api.UpstreamUnavailable},
		"no stages": {manifest(func(m *search.Manifest) {
			m.Stages = ""
		}), api.UpstreamUnavailable},
		"no object": {func(files fstest.MapFS) {
			put(files, manifestFile, "null")
		}, api.UpstreamUnavailable},
		"too large": {func(files fstest.MapFS) {
			put(files, manifestFile, strings.Repeat(" ", 9<<20))
		}, api.UpstreamUnavailable},
		"odd addresses": {manifest(func(m *search.Manifest) {
			m.Shards[0].URL = "https://mips.example.org/../sidecar.json"
		}), api.UpstreamUnavailable},
		"no titles": {manifest(func(m *search.Manifest) {
			m.Titles = nil
		}), api.UpstreamUnavailable},
		"parts of another build": {parts(func(files fstest.MapFS, name string) {
			delete(files, name)
		}), api.NotReady},
		"parts of another form": {parts(func(files fstest.MapFS, name string) {
			put(files, name, string(packed(t, `{"version":1}`))+strings.Repeat(" ", 64<<10))
		}), api.UpstreamUnavailable},
		"parts beyond their files": {parts(func(files fstest.MapFS, name string) {
			put(files, name, "")
		}), api.UpstreamUnavailable},
		"parts that are not packed": {parts(func(files fstest.MapFS, name string) {
			put(files, name, strings.Repeat("<html>", 16<<10))
		}), api.UpstreamUnavailable},
		"titles without proposals": {func(files fstest.MapFS) {
			body := packed(t, `{"version":5,"proposals":[]}`)
			const name = "assets/search.00000000.bin"
			put(files, name, string(body))
			edit(t, files, manifestFile, func(m *search.Manifest) {
				for i := range m.Titles {
					m.Titles[i].URL = "/" + name + "#" + search.Range(0, len(body)-1)
				}
			})
		}, api.UpstreamUnavailable},
	} {
		files := sampleFiles(t)
		tt.change(files)
		x := load(t, catalog.FromFS(files))
		// Words at both ends of the alphabet, and all words of the first part.
		got, _, err := x.Search(t.Context(), search.Parse("0 fee transaction status:final ", "MIP"),
			catalog.Page{Limit: 50})
		e, ok := errors.AsType[*api.HTTPError](err)
		if !ok || e.Code != tt.code || strings.Contains(e.Detail, "assets/") {
			t.Errorf("%s: %+v, error %v; want the code %s", name, got, err, tt.code)
		}
	}
}

// packed returns a part of an index as its file contains it.
func packed(t *testing.T, part string) []byte {
	t.Helper()
	out, err := search.NewPacker().Pack(json.RawMessage(part))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSearchWithoutTexts returns results from the index alone, and reports that they are
// incomplete. Phrases cannot be searched.
func TestSearchWithoutTexts(t *testing.T) {
	files := sampleFiles(t)
	for name, f := range files {
		first, _ := io.ReadAll(flate.NewReader(bytes.NewReader(f.Data)))
		if strings.HasPrefix(string(first), `{"version":5,"sections":[`) {
			delete(files, name)
		}
	}
	x := load(t, catalog.FromFS(files))
	got, whole, err := x.Search(t.Context(), search.Parse("mip 5", "MIP"), catalog.Page{Limit: 1})
	if err != nil || whole || len(got.Hits) != 1 || got.Hits[0].ID.Number != 5 ||
		got.Hits[0].Excerpt == nil || len(got.Hits[0].Excerpt) > 0 {
		t.Errorf("%+v, %t, %v; want MIP-5 without an excerpt", got, whole, err)
	}
	_, _, err = x.Search(t.Context(), search.Parse(`"fee of the"`, "MIP"), catalog.Page{Limit: 1})
	if e, ok := errors.AsType[*api.HTTPError](err); !ok || e.Code != api.NotReady {
		t.Errorf("a phrase without texts: %v, want the code %s", err, api.NotReady)
	}
}

// TestSearchEnds reads nothing for a caller that has left, cached or not.
func TestSearchEnds(t *testing.T) {
	x := load(t, catalog.FromFS(sampleFiles(t)))
	q := search.Parse("subscription ", "MIP")
	page := catalog.Page{Limit: 50}
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got, _, err := x.Search(ctx, q, page); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, error %v; want that it was cancelled", got, err)
		}
		if got, _, err := x.Search(t.Context(), q, page); err != nil || len(got.Hits) == 0 {
			t.Errorf("%+v, error %v; want what there is", got, err)
		}
	}
}

// TestSearchIsRemembered reads a part of the index once: its address changes with its content. The
// manifest is kept for a minute.
func TestSearchIsRemembered(t *testing.T) {
	site := samples(t).published
	synctest.Test(t, func(t *testing.T) {
		asked := map[string]int{}
		x := load(t, open(t, "https://mips.example.org",
			client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Path, "search") {
					asked[r.URL.Path]++ // needs no lock: one hit makes one request at a time
				}
				site.ServeHTTP(w, r)
			}))))
		find := func() {
			t.Helper()
			got, _, err := x.Search(t.Context(), search.Parse("subscription ", "MIP"),
				catalog.Page{Limit: 1})
			if err != nil || got.Count == 0 {
				t.Fatalf("%+v, %v", got, err)
			}
		}
		find()
		find()
		time.Sleep(2 * time.Minute)
		find()
		if len(asked) < 3 {
			t.Errorf("asked for %v", asked)
		}
		for path, n := range asked {
			if want := map[bool]int{true: 2, false: 1}[path == "/api/v1/search"]; n != want {
				t.Errorf("%s was asked for %d times, want %d", path, n, want)
			}
		}
	})
}
