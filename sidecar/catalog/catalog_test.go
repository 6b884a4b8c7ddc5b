package catalog_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/corpora"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// sampleSite is the site of the samples in the forms that tests read. Tests share it, since
// planning and publishing it takes longer than they do.
type sampleSite struct {
	site      *site.Site
	plan      *build.Plan
	published *build.Published
	snapshot  fstest.MapFS // the files of a function
}

// sample is made once and never changed.
var sample = sync.OnceValues(func() (out sampleSite, err error) {
	if out.site, err = site.Load("../../internal/samples/site.yaml"); err != nil {
		return out, err
	}
	if out.plan, err = buildtest.Plan(context.Background(), out.site, samplesFolder); err != nil {
		return out, err
	}
	out.published = out.plan.Publish()
	dir, err := os.MkdirTemp("", "snapshot-")
	if err != nil {
		return out, err
	}
	defer os.RemoveAll(dir)
	_, err = build.Snapshot(context.Background(), out.plan, filepath.Join(dir, "snapshot"))
	if err != nil {
		return out, err
	}
	out.snapshot, err = inMemory(filepath.Join(dir, "snapshot"))
	return out, err
})

const samplesFolder = "../../internal/samples/proposals"

func samples(t testing.TB) sampleSite {
	t.Helper()
	out, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sampleFiles returns a snapshot that a test may change.
func sampleFiles(t testing.TB) fstest.MapFS {
	t.Helper()
	return maps.Clone(samples(t).snapshot)
}

// sampleFolder returns a snapshot on disk.
func sampleFolder(t testing.TB) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "snapshot")
	if err := os.CopyFS(dir, samples(t).snapshot); err != nil {
		t.Fatal(err)
	}
	return dir
}

// overWeb serves the published site at an address.
func overWeb(t testing.TB) *catalog.Source {
	t.Helper()
	return open(t, "https://mips.example.org/", client(samples(t).published))
}

// renamed plans the samples as a site with another title.
func renamed(t testing.TB, title string) *build.Plan {
	t.Helper()
	other := *samples(t).site
	other.Title = title
	return plan(t, &other, samplesFolder)
}

func plan(t testing.TB, s *site.Site, folder string) *build.Plan {
	t.Helper()
	p, err := buildtest.Plan(t.Context(), s, folder)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// snapshot writes the files of a function.
func snapshot(t testing.TB, p *build.Plan) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "snapshot")
	if _, err := build.Snapshot(t.Context(), p, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// inMemory copies a folder into a file system that tests may change.
func inMemory(dir string) (fstest.MapFS, error) {
	m := fstest.MapFS{}
	return m, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		m[name] = &fstest.MapFile{Data: b, Mode: 0o644}
		return err
	})
}

func open(t testing.TB, site string, client *http.Client) *catalog.Source {
	t.Helper()
	s, err := catalog.Open(site, client)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func load(t testing.TB, s *catalog.Source) *catalog.Catalog {
	t.Helper()
	k, err := s.Load(t.Context())
	if err != nil || k == nil {
		t.Fatalf("Load = %v, %v; want a catalog", k, err)
	}
	return k
}

// unchanged checks that Load finds nothing new.
func unchanged(t testing.TB, s *catalog.Source, when string) {
	t.Helper()
	if k, err := s.Load(t.Context()); k != nil || err != nil {
		t.Errorf("Load %s = %v, %v; want nil and no error", when, k, err)
	}
}

var byValue = cmp.Comparer(func(a, b mip.Time) bool { return a == b })

// TestSameEverywhere loads one site from each kind of place.
func TestSameEverywhere(t *testing.T) {
	s := samples(t)
	want := load(t, catalog.FromFS(s.snapshot))
	if d := cmp.Diff(s.site.Networks, want.Endpoints); d != "" {
		t.Errorf("endpoints of a snapshot (-want +got):\n%s", d)
	}
	if len(want.List.MIPs) == 0 || len(want.HardForks) == 0 || want.Site.Title != s.site.Title {
		t.Errorf("the snapshot gives %d proposals, %d hard forks, title %q", len(want.List.MIPs),
			len(want.HardForks), want.Site.Title)
	}
	for name, c := range map[string]struct {
		source    *catalog.Source
		endpoints []mip.Endpoints
	}{
		"folder":    {open(t, sampleFolder(t), nil), want.Endpoints},
		"published": {catalog.FromFS(s.published), nil},
		"web":       {overWeb(t), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := load(t, c.source)
			expected := *want
			expected.Endpoints = c.endpoints
			d := cmp.Diff(&expected, got, byValue, cmpopts.IgnoreUnexported(catalog.Catalog{}))
			if d != "" {
				t.Errorf("not what the snapshot gives (-snapshot +got):\n%s", d)
			}
			unchanged(t, c.source, "again")
		})
	}
}

// edit decodes a document, changes it and encodes it again.
func edit[T any](t testing.TB, files fstest.MapFS, name string, change func(*T)) {
	t.Helper()
	var v T
	if err := json.Unmarshal(files[name].Data, &v); err != nil {
		t.Fatal(err)
	}
	change(&v)
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	put(files, name, string(b))
}

// put writes a file with a later time.
func put(files fstest.MapFS, name, text string) {
	f := &fstest.MapFile{Data: []byte(text)}
	if old, ok := files[name]; ok {
		f.ModTime = old.ModTime.Add(1e9)
	}
	files[name] = f
}

func BenchmarkLoad(b *testing.B) {
	benchmarkLoad(b, sampleFolder(b))
}

func BenchmarkLoadReal(b *testing.B) {
	s := &site.Site{Title: "EIPs", BaseURL: "https://eips.example.org", Prefix: "EIP"}
	benchmarkLoad(b, snapshot(b, plan(b, s, corpora.Need(b, "eips"))))
}

func benchmarkLoad(b *testing.B, dir string) {
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			load(b, open(b, dir, nil))
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		source := open(b, dir, nil)
		load(b, source)
		b.ReportAllocs()
		for b.Loop() {
			unchanged(b, source, "again")
		}
	})
}
