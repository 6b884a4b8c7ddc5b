package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// longTranslations renders texts with which a model could block the tab, each ten times as long as
// the limit. A parser with quadratic time would not end.
func longTranslations(t *testing.T, r *served) {
	tab := r.tab(t, View{})
	tab.Go("/mip/4/")
	const length = 1_000_000
	for _, unit := range []string{
		"![", "[", "[a](", "[a][", "*a ", "**a", "`a", "~~a", "$a", "$`", "\\!", "<http://", "a\n",
		"- a\n", "> ", "|a", "a|b\n-|-\n", " ",
		"# a{ }*Nx", "```{a}*N`", "~~~{~}*N`", "-|-\n-{ }*Nx", "```{ }*N`",
	} {
		got := Ask[string](tab, fmt.Sprintf(`(async (unit, length) => {
			const script = document.querySelector("[data-offer=summaries]").dataset.run;
			const [, path] = /from "\.\/(markdown[^"]*)"/.exec(await (await fetch(script)).text());
			const { render } = await import(new URL(path, new URL(script, location)).href);
			const text = unit.includes("*N") ? unit.replace(/\{(.*?)\}\*N/s, (_, u) => u.repeat(length / u.length)) : unit.repeat(length / unit.length);
			return render(text, () => null).nodes.map(n => n.textContent ?? n).join("\n").replace(/\s+/g, "");
		})(%q, %d)`, unit, length))
		// A text that is too long for the Markdown parser is shown as written.
		if unit == "![" && got != strings.Repeat(unit, length/len(unit)) {
			t.Errorf("%q: shown as %.40q of %d letters", unit, got, len(got))
		}
	}
}
