package browsertest

import (
	_ "embed"
	"fmt"
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

// layout reports the faults of every page of a site, in two tabs.
func layout(t *testing.T, b *Browser, v *served) {
	all := v.pages()
	for i, paths := range [][]string{all[:len(all)/2], all[len(all)/2:]} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			tab := b.Open(t, v.base, View{})
			for _, path := range paths {
				tab.Go(path)
				for _, width := range layoutWidths {
					tab.Resize(width)
					if faults := Ask[[]string](tab, layoutFaults); len(faults) > 0 {
						t.Errorf("%s at %d px:\n%s", path, width, strings.Join(faults, "\n"))
					}
				}
			}
		})
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

// sheet reads a long text on a phone: a bar says which section it is, opens the contents, and leads to the top.
func sheet(t *testing.T, r run) {
	for _, dark := range []bool{false, true} {
		tab := r.tab(t, View{Width: 390, Dark: dark})
		tab.Media("prefers-reduced-motion", "reduce")
		tab.Go("/mip/4/")
		if Ask[bool](tab, `document.querySelector(".here").checkVisibility()`) {
			t.Error("the bar is there before the text is")
		}
		Ask[bool](tab, `(document.querySelector("#text h2:nth-of-type(3)").scrollIntoView(), true)`)
		tab.Wait(`document.querySelector(".here button span").textContent === document.querySelector(".mtoc li:nth-child(3) > a").textContent`)
		tab.Wait(`document.querySelector(".here progress").value > 0`)
		tab.Click(".here button")
		tab.Wait(`document.querySelector(".sheet").open`)
		if Ask[string](tab, `document.querySelector(".sheet [aria-current]").textContent`) != Ask[string](tab, `document.querySelector(".here span").textContent`) {
			t.Error("the contents do not mark the section that is read")
		}
		tab.Click(".sheet li:nth-child(2) > a")
		tab.Wait(`!document.querySelector(".sheet").open && location.hash === document.querySelector(".mtoc li:nth-child(2) > a").hash`)
		tab.Wait(`(h => h.top >= 0 && h.top < innerHeight / 4)(document.querySelector(location.hash).getBoundingClientRect())`)
		tab.Click(".here a")
		tab.Wait(`scrollY < 200 && !document.querySelector(".here").checkVisibility()`)
	}
}

// modes are those in which a browser changes colours, sizes or the medium.
func modes(t *testing.T, r run) {
	t.Run("theme color", func(t *testing.T) {
		tab := r.tab(t, View{})
		tab.Go("/mip/4/")
		const applied = `[...document.querySelectorAll("meta[name=theme-color]")].filter(m => matchMedia(m.media).matches).map(m => m.content).join()`
		light := Ask[string](tab, applied)
		tab.Click("label:has([name=theme][value=dark])")
		if dark := Ask[string](tab, applied); dark == light || strings.Contains(dark, ",") {
			t.Errorf("theme-color is %q, and %q after the dark theme was chosen", light, dark)
		}
		tab.Reload()
		if dark := Ask[string](tab, applied); dark == light {
			t.Errorf("theme-color is %q when the page is loaded again", dark)
		}
		tab.Click("label:has([name=theme][value=auto])")
		if got := Ask[string](tab, applied); got != light {
			t.Errorf("theme-color is %q when the system's theme is chosen again, was %q", got, light)
		}
	})
	t.Run("forced colors", func(t *testing.T) {
		tab := r.tab(t, View{})
		tab.Media("forced-colors", "active")
		tab.Go("/")
		for _, chosen := range []string{".nav [aria-current]", ".seg label:has(:checked)"} {
			if Ask[string](tab, `getComputedStyle(document.querySelector("`+chosen+`")).outlineStyle`) == "none" {
				t.Errorf("%s has no mark", chosen)
			}
		}
	})
	t.Run("paper", func(t *testing.T) {
		tab := r.tab(t, View{Width: 800})
		tab.Print()
		tab.Go("/mip/4/")
		if Ask[string](tab, `getComputedStyle(document.querySelector(".steps li"), "::after").printColorAdjust`) != "exact" {
			t.Error("the icons of the steps are left out")
		}
		if got := Ask[[]string](tab, `[...document.querySelectorAll(".prose a[href^='/']")].map(a => getComputedStyle(a, "::after").content).filter(c => c !== "none")`); len(got) > 0 {
			t.Errorf("links within the site are printed as %q", got)
		}
	})
	t.Run("large letters", func(t *testing.T) {
		tab := r.tab(t, View{Width: 390, Letters: 32})
		tab.Go("/")
		// A word that is broken has more lines than the words that it consists of.
		if lines := Ask[int](tab, `(e => Math.round(e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight)))(document.querySelector(".brand"))`); lines > 4 {
			t.Errorf("the title of the site has %d lines", lines)
		}
	})
	t.Run("underlines", func(t *testing.T) {
		tab := r.tab(t, View{})
		tab.Go("/mip/900/")
		if got := Ask[[]string](tab, `[...document.querySelectorAll("a:has(code)")].filter(a => parseFloat(getComputedStyle(a).textUnderlineOffset) < .3 * parseFloat(getComputedStyle(a).fontSize)).map(a => a.textContent)`); len(got) > 0 {
			t.Errorf("underscores vanish in %q", got)
		}
	})
}
