package catalog_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

const (
	siteFile      = "api/v1/site.json"
	listFile      = "api/v1/mips.json"
	hardForksFile = "api/v1/hardforks.json"
	configFile    = "sidecar.json"
)

func TestLoadSeesChanges(t *testing.T) {
	files := sampleFiles(t)
	source := catalog.FromFS(files)
	load(t, source)
	unchanged(t, source, "again")

	put(files, listFile, string(files[listFile].Data))
	unchanged(t, source, "after a file was only touched")
	unchanged(t, source, "once more")

	edit(t, files, listFile, func(l *mip.List) { l.MIPs[0].Title = "Another title" })
	if got := load(t, source).List.MIPs[0].Title; got != "Another title" {
		t.Errorf("title after a change = %q", got)
	}
	edit(t, files, configFile, func(c *mip.SidecarConfig) {
		c.Networks[0].RPC = []string{"https://new.example.org"}
	})
	if got := load(t, source).Endpoints[0].RPC[0]; got != "https://new.example.org" {
		t.Errorf("RPC after a change = %q", got)
	}
	config := files[configFile]
	delete(files, configFile)
	if got := load(t, source).Endpoints; got != nil {
		t.Errorf("endpoints without sidecar.json = %v, want nil", got)
	}
	unchanged(t, source, "without sidecar.json")
	files[configFile] = config
	if got := load(t, source).Endpoints; len(got) != 2 {
		t.Errorf("endpoints with sidecar.json back = %v, want 2", got)
	}
	put(files, hardForksFile, strings.Replace(string(files[hardForksFile].Data), "{",
		`{"newer":[1],`, 1))
	load(t, source) // with a member of a later version
}

// TestLoadRefuses breaks a site in each way that check detects, with and without an earlier
// Catalog.
func TestLoadRefuses(t *testing.T) {
	good := sampleFiles(t)
	for name, c := range map[string]struct {
		breakIt func(*testing.T, fstest.MapFS)
		want    string // part of the message
	}{
		"list gone": {func(_ *testing.T, f fstest.MapFS) {
			delete(f, listFile)
		}, listFile + ": open"},
		"site empty": {func(_ *testing.T, f fstest.MapFS) {
			put(f, siteFile, "")
		}, siteFile + ": want a JSON object"},
		"site null": {func(_ *testing.T, f fstest.MapFS) {
			put(f, siteFile, "null")
		}, siteFile + ": want a JSON object"},
		"site of nothing": {func(_ *testing.T, f fstest.MapFS) {
			put(f, siteFile, "{}")
		}, siteFile + `: baseUrl is ""`},
		"list cut off": {func(_ *testing.T, f fstest.MapFS) {
			put(f, listFile, string(f[listFile].Data[:999]))
		}, listFile + ": unexpected end"},
		"two values": {func(_ *testing.T, f fstest.MapFS) {
			put(f, listFile, string(f[listFile].Data)+"{}")
		}, listFile + ": invalid character"},
		"wrong type": {func(_ *testing.T, f fstest.MapFS) {
			put(f, hardForksFile, `{"hardforks":7}`)
		}, hardForksFile + ": json:"},
		"too large": {func(_ *testing.T, f fstest.MapFS) {
			put(f, siteFile, "{"+strings.Repeat(" ", 1<<20)+"}")
		}, siteFile + ": it has more than the 1048576 bytes"},
		"another object": {func(_ *testing.T, f fstest.MapFS) {
			put(f, listFile, `{"error":"down"}`)
		}, listFile + ": it holds 0 proposals"},
		"list is a folder": {func(_ *testing.T, f fstest.MapFS) {
			f[listFile] = &fstest.MapFile{Mode: fs.ModeDir}
		}, listFile + ": it is no regular file"},
		"count": {func(t *testing.T, f fstest.MapFS) {
			edit(t, f, listFile, func(l *mip.List) { l.Count++ })
		}, listFile + ": it holds 15 proposals, its count is 16 and the site's 15"},
		"an older list": {func(t *testing.T, f fstest.MapFS) {
			edit(t, f, listFile, func(l *mip.List) { l.Count, l.MIPs = l.Count-1, l.MIPs[1:] })
		}, listFile + ": it holds 14 proposals, its count is 14 and the site's 15"},
		"a status of another build": {func(t *testing.T, f fstest.MapFS) {
			edit(t, f, listFile, func(l *mip.List) { l.MIPs[0].Standing = mip.Withdrawn.Usual() })
		}, listFile + ": statuses or categories"},
		"a category of another build": {func(t *testing.T, f fstest.MapFS) {
			edit(t, f, listFile, func(l *mip.List) { l.MIPs[0].Category = new("Interface") })
		}, listFile + ": statuses or categories"},
		"unknown network": {func(t *testing.T, f fstest.MapFS) {
			edit(t, f, hardForksFile, func(h *mip.HardForks) {
				h.HardForks[1].Activation["devnet"] = mip.Activation{}
			})
		}, hardForksFile + `: hard fork BEACON activates on "devnet"`},
		"a network less": {func(t *testing.T, f fstest.MapFS) {
			edit(t, f, siteFile, func(s *mip.SiteInfo) { s.Networks = s.Networks[:1] })
		}, hardForksFile + `: hard fork EMBER activates on "testnet"`},
	} {
		t.Run(name, func(t *testing.T) {
			files := maps.Clone(good)
			source := catalog.FromFS(files)
			load(t, source)
			c.breakIt(t, files)
			for _, s := range []*catalog.Source{source, source, catalog.FromFS(files)} {
				k, err := s.Load(t.Context())
				if k != nil || err == nil || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("Load = %v, %v; want an error with %q", k, err, c.want)
				}
			}
			for name := range good {
				put(files, name, string(good[name].Data))
			}
			if k, err := source.Load(t.Context()); err != nil {
				t.Errorf("Load of the mended site = %v, %v", k, err)
			}
		})
	}
}

func TestErrorsHideAddresses(t *testing.T) {
	const key = "s3cret"
	files := sampleFiles(t)
	for name, text := range map[string]string{
		"wrong type": `{"networks":"https://rpc.example.org/` + key + `"}`,
		"no object":  `"https://rpc.example.org/` + key + `"`,
		"cut off":    `{"networks":[{"id":"mainnet","rpc":["https://rpc.example.org/` + key,
	} {
		put(files, configFile, text)
		_, err := catalog.FromFS(files).Load(t.Context())
		if err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%s: error %v, want one without %q", name, err, key)
		}
	}
}

func TestFolder(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "public")
	_, err := open(t, missing, nil).Load(t.Context())
	if !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), filepath.ToSlash(missing)+"/"+siteFile) ||
		!strings.Contains(err.Error(), "mipwatch build") {
		t.Errorf("Load of a missing folder: %v; want it to name the file and what writes it", err)
	}
	dir := sampleFolder(t)
	source := open(t, dir, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := source.Load(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Load with an ended context: %v", err)
	}
	load(t, source)
	// A deployment switches a link to another folder.
	link := filepath.Join(t.TempDir(), "current")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	linked := open(t, link, nil)
	load(t, linked)
	other := snapshot(t, renamed(t, "Renamed"))
	if err := errors.Join(os.Remove(link), os.Symlink(other, link)); err != nil {
		t.Fatal(err)
	}
	if got := load(t, linked).Site.Title; got != "Renamed" {
		t.Errorf("title behind the swung link = %q", got)
	}
}

func TestOpen(t *testing.T) {
	for site, want := range map[string]string{
		"":                                  "no site is named",
		"ftp://mips.example.org":            "want a folder, or an http(s) address",
		"https://":                          "want a folder, or an http(s) address",
		"https://mips.example.org/?x=1":     "nothing after its path",
		"https://a:s3cret@mips example.org": "cannot be parsed",
	} {
		_, err := catalog.Open(site, nil)
		if err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "s3cret") {
			t.Errorf("Open(%q) = %v; want an error with %q and no password", site, err, want)
		}
	}
}
