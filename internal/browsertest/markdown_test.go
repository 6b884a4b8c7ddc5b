package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// growth renders a text of 10 and one of 100 kB made of the same unit, as a translation is. Steps cannot be
// counted there, so times are compared, the best of several tries, as other tabs work as well: ten times the
// text may take some twenty times as long, and what is quick enough to wait for may take what it likes.
const growth = `(async unit => {
	const script = document.querySelector("[data-offer=summaries]").dataset.run;
	const [, path] = /from "\.\/(markdown[^"]*)"/.exec(await (await fetch(script)).text());
	const { render } = await import(new URL(path, new URL(script, location)).href);
	const text = size => unit.includes("*N") ? unit.replace(/\{(.*?)\}\*N/s, (_, u) => u.repeat(size / u.length)) : unit.repeat(size / unit.length);
	const took = s => { const start = performance.now(); render(s, () => null); return performance.now() - start };
	const large = text(100_000);
	let little = Infinity, much = Infinity;
	for (let i = 0; i < 6; i++) {
		little = Math.min(little, took(text(10_000)));
		much = Math.min(much, took(large));
		if (much < 200 || much < 20 * little) break;
	}
	const shown = render(large, () => null).nodes.map(n => n.textContent ?? n).join("\n");
	return [much < 200 || much < 20 * little ? "" : little + " ms become " + much, shown.replace(/\s+/g, "").slice(0, 40), shown.replace(/\s+/g, "").length];
})`

// longTranslations is that no text of a model, of those that are as long as one may be, holds the tab.
func longTranslations(t *testing.T, r run) {
	tab := r.tab(t, View{})
	tab.Go("/mip/4/")
	for _, unit := range []string{
		"![", "[", "[a](", "[a][", "*a ", "**a", "`a", "~~a", "$a", "$`", "\\!", "<http://", "a\n", "- a\n", "> ", "|a", "a|b\n-|-\n", " ",
		"# a{ }*Nx", "```{a}*N`", "~~~{~}*N`", "-|-\n-{ }*Nx", "```{ }*N`",
	} {
		got := Ask[[]any](tab, growth+fmt.Sprintf("(%q)", unit))
		if got[0] != "" {
			t.Errorf("%q: ten times the text: %v", unit, got[0])
		}
		// What is too long to be read as Markdown is there as it was written.
		if whole := strings.Repeat(unit, 100_000/len(unit)); unit == "![" && (got[1] != whole[:40] || got[2] != float64(len(whole))) {
			t.Errorf("%q: shown as %v of %v letters", unit, got[1], got[2])
		}
	}
}
