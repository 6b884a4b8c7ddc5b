package browsertest

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/corpora"
)

// layoutFaults is a script that returns what is wrong with the layout of a page.
//
//go:embed testdata/layout.js
var layoutFaults string

// widths of the windows, in pixels.
var layoutWidths = []int{280, 320, 390, 1024, 1200}

// TestLayout looks at every page of the samples and of Monad, and at those of 200 EIPs, in windows of five widths: no
// two texts overlap, nothing is cut without a sign, and nothing scrolls sideways but what may.
func TestLayout(t *testing.T) {
	b := Start(t)
	t.Run("samples", func(t *testing.T) {
		t.Parallel()
		layout(t, b, serve(t, true))
	})
	t.Run("monad", func(t *testing.T) {
		t.Parallel()
		layout(t, b, setup{folders: []string{corpora.Need(t, "monad-mips")}}.serve(t))
	})
	t.Run("eips", func(t *testing.T) {
		t.Parallel()
		folder := corpora.Need(t, "eips")
		layout(t, b, setup{folders: []string{some(t, folder, 200)}, prefix: "EIP"}.serve(t))
	})
}

// some copies n files of a folder, spread evenly over their order, into another one.
func some(t *testing.T, folder string, n int) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	for i := range n {
		file := files[i*len(files)/n]
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, filepath.Base(file)), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// layout reports the faults of every page of a site.
func layout(t *testing.T, b *Browser, v *served) {
	tab := b.Open(t, v.base, View{})
	for _, path := range v.pages() {
		tab.Go(path)
		for _, width := range layoutWidths {
			tab.Resize(width)
			if faults := Ask[[]string](tab, layoutFaults); len(faults) > 0 {
				t.Errorf("%s at %d px:\n%s", path, width, strings.Join(faults, "\n"))
			}
		}
	}
}

// pages are the paths of all pages of the site.
func (v *served) pages() (paths []string) {
	for _, a := range v.plan.Artifacts {
		if strings.HasPrefix(a.Type, "text/html") {
			paths = append(paths, a.Route)
		}
	}
	return paths
}

