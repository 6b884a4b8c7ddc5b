package index_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/index"
)

// The sample site has a summary and a Japanese translation of MIP-5.
const (
	summaryFile     = "api/v1/mips/5/summary.json"
	translationFile = "api/v1/mips/5/translations/ja.json"
)

func TestBeside(t *testing.T) {
	p, s := sample(t)
	for name, source := range map[string]*index.Source{
		"folder":   open(t, snapshot(t, p, s), nil),
		"embedded": index.FromFS(sampleFiles(t)),
		"web":      open(t, "https://mips.example.org", client(published(t, p))),
	} {
		sum, err := source.Summary(t.Context(), mip.ID{Kind: "MIP", Number: 5})
		if err != nil || sum.MIPNumber != 5 || sum.TLDR == "" || sum.Stale {
			t.Errorf("%s: Summary(5) = %+v, %v; want that of MIP-5", name, sum, err)
		}
		translation, err := source.Translation(t.Context(), mip.ID{Kind: "MIP", Number: 5}, "ja")
		if err != nil || translation.Locale != "ja" || translation.Stale || len(translation.Sections) == 0 || translation.Sections[0].ID != "s-abstract" {
			t.Errorf("%s: Translation(5, ja) = %+v, %v; want that of MIP-5", name, translation, err)
		}
		for _, n := range []int{-1, 1, 99} {
			if got, err := source.Summary(t.Context(), mip.ID{Kind: "MIP", Number: n}); got != nil || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: Summary(%d) = %v, %v; want fs.ErrNotExist", name, n, got, err)
			}
		}
		for _, locale := range []string{"", "de", "..", "../ja", "ja/..", "ja.json", "ja?x", "ja\x00", "a", strings.Repeat("ja-", 20) + "x"} {
			if got, err := source.Translation(t.Context(), mip.ID{Kind: "MIP", Number: 5}, locale); got != nil || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: Translation(5, %q) = %v, %v; want fs.ErrNotExist", name, locale, got, err)
			}
		}
	}
}

// A locale that is no tag is never asked for.
func TestTranslationAsksForTagsOnly(t *testing.T) {
	asked := 0
	source := open(t, "https://mips.example.org", &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
		asked++
		return nil, errors.New("asked")
	})})
	for _, locale := range []string{"..", "%2e%2e", "ja/../../5", "ja#x", "*"} {
		source.Translation(t.Context(), mip.ID{Kind: "MIP", Number: 5}, locale)
	}
	if asked != 0 {
		t.Errorf("%d requests for locales that are none", asked)
	}
}

func TestBesideRefuses(t *testing.T) {
	good := sampleFiles(t)
	for name, c := range map[string]struct {
		change func(fstest.MapFS)
		want   string
	}{
		"summary of another":          {func(f fstest.MapFS) { edit(t, f, summaryFile, func(s *api.Summary) { s.MIPNumber = 4 }) }, "summary of proposal 4"},
		"summary in another language": {func(f fstest.MapFS) { edit(t, f, summaryFile, func(s *api.Summary) { s.Locale = "ja" }) }, `in "ja"`},
		"summary without hash":        {func(f fstest.MapFS) { edit(t, f, summaryFile, func(s *api.Summary) { s.ContentHash = "0" }) }, `contentHash "0"`},
		"summary without points":      {func(f fstest.MapFS) { edit(t, f, summaryFile, func(s *api.Summary) { s.WhatsChanging = nil }) }, "null where a list"},
		"summary without evidence":    {func(f fstest.MapFS) { edit(t, f, summaryFile, func(s *api.Summary) { s.Users.Evidence = nil }) }, "null where a list"},
		"summary that is a list":      {func(f fstest.MapFS) { put(f, summaryFile, "[]") }, "want a JSON object"},
		"translation of another": {func(f fstest.MapFS) {
			edit(t, f, translationFile, func(s *api.PublishedTranslation) { s.MIPNumber = 4 })
		}, "holds proposal 4"},
		"translation elsewhere": {func(f fstest.MapFS) {
			edit(t, f, translationFile, func(s *api.PublishedTranslation) { s.Locale = "tr" })
		}, `in "tr"`},
		"translation without sections": {func(f fstest.MapFS) {
			edit(t, f, translationFile, func(s *api.PublishedTranslation) { s.Sections = nil })
		}, "null where a list"},
		"summary too large": {func(f fstest.MapFS) { f[summaryFile] = &fstest.MapFile{Data: make([]byte, 1<<20+1)} }, "are more than the 1048576"},
	} {
		files := maps.Clone(good)
		c.change(files)
		source := index.FromFS(files)
		_, err := source.Summary(t.Context(), mip.ID{Kind: "MIP", Number: 5})
		if strings.HasPrefix(name, "translation") {
			_, err = source.Translation(t.Context(), mip.ID{Kind: "MIP", Number: 5}, "ja")
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

// What was read, and that there is nothing, holds for a minute; a failure is tried again at once.
func TestBesideIsRemembered(t *testing.T) {
	p, _ := sample(t)
	site := published(t, p)
	synctest.Test(t, func(t *testing.T) {
		asked := map[string]int{}
		broken := false
		source := open(t, "https://mips.example.org", client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked[r.URL.Path]++
			if broken {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			site.ServeHTTP(w, r)
		})))
		read := func(times int) {
			for range times {
				source.Summary(t.Context(), mip.ID{Kind: "MIP", Number: 5})
				source.Translation(t.Context(), mip.ID{Kind: "MIP", Number: 5}, "ja")
				source.Summary(t.Context(), mip.ID{Kind: "MIP", Number: 1}) // has none
				source.Proposal(t.Context(), mip.ID{Kind: "MIP", Number: 5})
			}
		}
		want := func(when string, n int) {
			t.Helper()
			for _, path := range []string{"/api/v1/mips/5/summary", "/api/v1/mips/5/translations/ja", "/api/v1/mips/1/summary", "/api/v1/mips/5"} {
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
		if sum, err := source.Summary(t.Context(), mip.ID{Kind: "MIP", Number: 5}); err != nil || sum.MIPNumber != 5 {
			t.Errorf("Summary once the site is back = %v, %v", sum, err)
		}
	})
}

// A changed site is read anew, without waiting for the minute to end.
func TestChangedSiteIsReadAnew(t *testing.T) {
	files := sampleFiles(t)
	source := index.FromFS(files)
	load(t, source)
	before, err := source.Summary(t.Context(), mip.ID{Kind: "MIP", Number: 5})
	if err != nil {
		t.Fatal(err)
	}
	edit(t, files, summaryFile, func(s *api.Summary) { s.TLDR = "Another." })
	if same, err := source.Summary(t.Context(), mip.ID{Kind: "MIP", Number: 5}); err != nil || same.TLDR != before.TLDR {
		t.Errorf("Summary within a minute = %v, %v; want the remembered one", same, err)
	}
	edit(t, files, "api/v1/site.json", func(s *mip.SiteInfo) { s.Title = "Another" })
	load(t, source)
	if after, err := source.Summary(t.Context(), mip.ID{Kind: "MIP", Number: 5}); err != nil || after.TLDR != "Another." {
		t.Errorf("Summary after a Load = %v, %v; want the new one", after, err)
	}
}

// Many readers of one document share one request, and one that hangs up takes it from nobody.
func TestReadersShareOneRead(t *testing.T) {
	p, _ := sample(t)
	site := published(t, p)
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		asked := 0
		source := open(t, "https://mips.example.org", &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			asked++
			mu.Unlock()
			select {
			case <-time.After(time.Second):
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
			w := httptest.NewRecorder()
			site.ServeHTTP(w, r)
			resp := w.Result()
			resp.Request = r
			return resp, nil
		})})
		first, hangUp := context.WithCancel(t.Context())
		var readers sync.WaitGroup
		readers.Go(func() {
			if _, err := source.Translation(first, mip.ID{Kind: "MIP", Number: 5}, "ja"); !errors.Is(err, context.Canceled) {
				t.Errorf("the reader that hung up got %v", err)
			}
		})
		synctest.Wait()
		for range 50 {
			readers.Go(func() {
				if got, err := source.Translation(t.Context(), mip.ID{Kind: "MIP", Number: 5}, "ja"); err != nil || got.MIPNumber != 5 {
					t.Errorf("Translation = %v, %v", got, err)
				}
			})
		}
		synctest.Wait()
		hangUp()
		readers.Wait()
		if asked != 1 {
			t.Errorf("51 readers made %d requests, want 1", asked)
		}
	})
}
