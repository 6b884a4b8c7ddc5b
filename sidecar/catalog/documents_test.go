package catalog_test

import (
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// summaryFile is a committed summary of the sample site, which also has a Japanese translation of
// MIP-5.
const summaryFile = "api/v1/mips/5/summary.json"

func TestBeside(t *testing.T) {
	for name, source := range map[string]*catalog.Source{"folder": open(t, sampleFolder(t), nil),
		"embedded": catalog.FromFS(samples(t).snapshot), "web": overWeb(t)} {
		x := load(t, source)
		sum, err := x.Summary(t.Context(), listed(t, x, 5))
		if err != nil || sum.MIPNumber != 5 || sum.TLDR == "" || sum.Stale {
			t.Errorf("%s: Summary(5) = %+v, %v; want that of MIP-5", name, sum, err)
		}
		translation, err := x.Translation(t.Context(), listed(t, x, 5), "ja")
		if err != nil || translation.Locale != "ja" || translation.Stale ||
			len(translation.Sections) == 0 || translation.Sections[0].ID != "s-abstract" {
			t.Errorf("%s: Translation(5, ja) = %+v, %v; want that of MIP-5", name, translation, err)
		}
		got, err := x.Summary(t.Context(), listed(t, x, 1))
		if err != nil || got.Source != "extractive" || got.Committed || !sum.Committed {
			t.Errorf("%s: Summary(1) = %v, %v; want one by rules", name, got, err)
		}
		if got, err := x.Translation(t.Context(), listed(t, x, 5), "de"); got != nil || err != nil {
			t.Errorf("%s: Translation(5, de) = %v, %v; want none", name, got, err)
		}
	}
}

// listed returns a proposal of the list.
func listed(t testing.TB, x *catalog.Catalog, n int) mip.Metadata {
	t.Helper()
	m, err := x.Find(mip.ID{Kind: "MIP", Number: n})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBesideRefuses(t *testing.T) {
	good := sampleFiles(t)
	for text, want := range map[string]string{"[]": "want a JSON object",
		strings.Repeat(" ", 1<<20+1): "more than the 1048576 bytes"} {
		files := maps.Clone(good)
		put(files, summaryFile, text)
		x := load(t, catalog.FromFS(files))
		_, err := x.Summary(t.Context(), listed(t, x, 5))
		e, ok := errors.AsType[*api.HTTPError](err)
		if !ok || e.Code != api.UpstreamUnavailable || !strings.Contains(err.Error(), want) {
			t.Errorf("%.9q: error %v, want one with %q", text, err, want)
		}
	}
}

// A document, or its absence, is kept for a minute; a failure is retried at once.
func TestBesideIsRemembered(t *testing.T) {
	site := samples(t).published
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex // a Load requests several documents at a time
		asked := map[string]int{}
		broken := false
		source := open(t, "https://mips.example.org",
			client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				asked[r.URL.Path]++
				mu.Unlock()
				if broken {
					w.WriteHeader(http.StatusBadGateway)
					return
				}
				site.ServeHTTP(w, r)
			})))
		x := load(t, source)
		five, one := listed(t, x, 5), listed(t, x, 1)
		read := func(times int) {
			for range times {
				x.Summary(t.Context(), five)
				x.Translation(t.Context(), five, "ja")
				x.Summary(t.Context(), one) // there is none
				x.Proposal(t.Context(), five.ID)
			}
		}
		want := func(when string, n int) {
			t.Helper()
			for _, path := range []string{"/api/v1/mips/5/summary",
				"/api/v1/mips/5/translations/ja", "/api/v1/mips/1/summary", "/api/v1/mips/5"} {
				if asked[path] != n {
					t.Errorf("%s: %s was asked for %d times, want %d", when, path, asked[path], n)
				}
			}
		}
		read(3)
		want("within a minute", 1)
		time.Sleep(time.Minute)
		read(3)
		want("a minute later", 2)
		time.Sleep(time.Minute)
		broken = true
		read(2)
		want("while the site fails", 4)
		broken = false
		if sum, err := x.Summary(t.Context(), five); err != nil || sum.MIPNumber != 5 {
			t.Errorf("Summary once the site is back = %v, %v", sum, err)
		}
	})
}

// A changed site is read again at once, before the minute ends.
func TestChangedSiteIsReadAnew(t *testing.T) {
	files := sampleFiles(t)
	source := catalog.FromFS(files)
	x := load(t, source)
	five := listed(t, x, 5)
	before, err := x.Summary(t.Context(), five)
	if err != nil {
		t.Fatal(err)
	}
	edit(t, files, summaryFile, func(s *api.Summary) { s.TLDR = "Another." })
	if same, err := x.Summary(t.Context(), five); err != nil || same.TLDR != before.TLDR {
		t.Errorf("Summary within a minute = %v, %v; want the kept one", same, err)
	}
	edit(t, files, "api/v1/site.json", func(s *mip.SiteInfo) { s.Title = "Another" })
	after, err := load(t, source).Summary(t.Context(), five)
	if err != nil || after.TLDR != "Another." {
		t.Errorf("Summary after a Load = %v, %v; want the new one", after, err)
	}
}
