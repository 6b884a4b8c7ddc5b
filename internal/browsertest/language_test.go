package browsertest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/demo"
)

// panel is what the page of a proposal says of its summary.
type panel struct {
	Axes, Levels, Actions []string
	Label, Foot           string
	Quiet                 int
}

const readPanel = `(p => {
	const texts = s => [...p.querySelectorAll(s)].map(e => e.textContent);
	return { Axes: texts(".ax h3"), Levels: texts(".sev"), Actions: texts(".act"), Quiet: texts(".ax.quiet").length, Label: p.querySelector("header .tag").textContent, Foot: p.querySelector("footer").innerText };
})(document.querySelector("section.ai"))`

// check holds a panel to the text that it is of.
func (p panel) check(t *testing.T, r *served, n int) {
	t.Helper()
	text, _ := r.get(t, fmt.Sprintf("/mip/%d.md", n))
	sum := sha256.Sum256(text)
	if want := []string{"Developers", "Users", "Validators", "Foundation"}; !slices.Equal(p.Axes, want) {
		t.Errorf("groups %q, want %q", p.Axes, want)
	}
	for _, l := range p.Levels {
		if !slices.Contains([]string{"Low impact", "Medium impact", "High impact"}, l) {
			t.Errorf("a level says %q", l)
		}
	}
	for _, a := range p.Actions {
		if !slices.Contains([]string{"Action needed", "Action needed before the hard fork activates", "No action needed", "Not said whether action is needed"}, a) {
			t.Errorf("of what is to be done it says %q", a)
		}
	}
	if len(p.Levels)+p.Quiet != 4 || len(p.Actions) != 4 || p.Label == "" {
		t.Errorf("%d levels, %d sentences on action, label %q", len(p.Levels), len(p.Actions), p.Label)
	}
	if !strings.Contains(p.Foot, "Made ") || !strings.Contains(p.Foot, "Matches this text") || !strings.Contains(p.Foot, hex.EncodeToString(sum[:])[:7]) {
		t.Errorf("the panel's foot says %q", p.Foot)
	}
}

// older is a summary of an earlier text: one that is kept beside the proposal, and one that is asked for
// while the text that the page was made of has changed.
func older(t *testing.T, with *served) {
	changed := setup{sidecar: true, more: map[string]string{"MIP-5.md": "\nOne sentence more.\n"}}
	r := changed.serve(t)
	old := with.one(t, "/api/v1/mips/5").ContentHash
	if r.one(t, "/api/v1/mips/5").ContentHash == old {
		t.Fatal("the text is the same")
	}
	says := func(v View, tab *Tab, hash string) {
		t.Helper()
		got := Ask[struct {
			Foot        string
			Glyph, Same bool
		}](tab, `(e => ({
			Foot: e.innerText, Same: e.querySelector(".same") !== null,
			Glyph: !["", "none"].includes((s => s.maskImage || s.webkitMaskImage)(getComputedStyle(e.querySelector(".old"), "::before"))),
		}))(document.querySelector("section.ai footer"))`)
		if !strings.Contains(got.Foot, "Older than the text (made from "+hash[:7]+")") || got.Same || !got.Glyph {
			t.Errorf("%s: the panel's foot is %+v", v, got)
		}
	}
	still := View{Width: 320, NoScript: true}
	tab := with.tab(t, still)
	tab.Go("/mip/5/")
	Ask[panel](tab, readPanel).check(t, with, 5)
	tab = r.tab(t, still)
	tab.Go("/mip/5/")
	says(still, tab, old)
	const other = "0123456789abcdef"
	v := View{Early: `
		const real = window.fetch;
		window.fetch = async (to, ...more) => {
			const r = await real(to, ...more);
			return String(to.url ?? to).endsWith("ai-summary") ? Response.json({ ...await r.json(), contentHash: "` + other + `" }) : r;
		};
	`}
	tab = r.tab(t, v)
	tab.Go("/mip/4/")
	tab.Click("[data-offer=summaries]")
	tab.Wait(`document.querySelector("section.ai .axes")`)
	says(v, tab, other)
}

// summaries asks for a summary as often as a caller may, and once more.
func summaries(t *testing.T, with *served) {
	r := serve(t, true) // whose limit is its own to use up
	tab := r.tab(t, View{Width: 390})
	tab.Expect(failures)
	tab.Go("/mip/4/")
	tab.Click("[data-offer=summaries]")
	tab.Wait(`document.querySelector("section.ai .axes") && document.querySelector("#live").textContent !== "" && document.activeElement.id === "impact"`)
	Ask[panel](tab, readPanel).check(t, r, 4)
	tab.Go("/mip/7/")
	got := Ask[[]int](tab, `(async () => {
		const out = [];
		for (let i = 1; i < 10; i++) out.push((await fetch("/api/ai-summary", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"mipNumber":7}' })).status);
		return out;
	})()`)
	if slices.ContainsFunc(got, func(status int) bool { return status != 200 }) {
		t.Fatalf("answers %d", got)
	}
	tab.Click("[data-offer=summaries]")
	tab.Wait(`/^Too many requests\. Try again in (1 second|\d+ seconds|a minute)\.$/.test(document.querySelector("section.ai [role=status]").textContent)`)
}

// language reads a translation that is kept beside a proposal.
func language(t *testing.T, r *served) {
	p := r.one(t, "/api/v1/mips/5")
	for _, v := range []View{{}, {Width: 320, NoScript: true}} {
		tab := r.tab(t, v)
		tab.Go("/mip/5/")
		english := Ask[string](tab, `document.querySelector("article").innerText`)
		if v.NoScript {
			tab.Go(Ask[string](tab, `document.querySelector('main a[hreflang="ja"]').pathname`))
		} else {
			tab.Click(`main a[hreflang="ja"]`)
			tab.Wait(`location.pathname === "/mip/5/ja/" && document.readyState === "complete"`)
		}
		got := Ask[struct{ Page, Text, Lang, Title, Note, Code string }](tab, `(a => ({
			Page: document.documentElement.lang, Lang: a.lang, Text: a.innerText, Title: document.querySelector("h1").textContent,
			Note: [...document.querySelectorAll("aside.note")].map(e => e.innerText).join("\n"), Code: a.querySelector("pre")?.textContent ?? "",
		}))(document.querySelector("article"))`)
		if got.Page != "en" || got.Lang != "ja" || got.Text == english || !strings.HasPrefix(got.Title, p.ID.String()) || !strings.Contains(got.Note, "The English text is authoritative") {
			t.Errorf("%s: page %s, article %s, title %q, note %q", v, got.Page, got.Lang, got.Title, got.Note)
		}
		if got.Code == "" || !strings.Contains(p.RawMarkdown, strings.TrimSuffix(got.Code, "\n")) {
			t.Errorf("%s: code of the translation is not that of the text: %q", v, got.Code)
		}
		if v.NoScript {
			continue
		}
		tab.Click(`aside.note a[hreflang="en"]`)
		tab.Wait(`location.pathname === "/mip/5/" && document.querySelector("article").innerText === ` + fmt.Sprintf("%q", english))
	}
}

// live asks a model for a language, and comes back.
func live(t *testing.T, with *served) {
	const word = "번역문"
	m := demo.NewModel(func(q demo.ModelRequest) demo.ModelReply {
		// The passages are one JSON object; each gets a word before it.
		var passages map[string]string
		if from, to := strings.Index(q.User, "{"), strings.LastIndex(q.User, "}"); from < 0 || json.Unmarshal([]byte(q.User[from:to+1]), &passages) != nil {
			t.Errorf("the question holds no passages: %.300s", q.User)
		}
		for k, v := range passages {
			passages[k] = word + " " + v
		}
		b, err := json.Marshal(passages)
		if err != nil {
			t.Error(err)
		}
		return demo.ModelReply{Text: string(b)}
	})
	r := setup{sidecar: true, locale: "ko", model: m}.serve(t)
	type state struct {
		Page, Lang, Title, Text, Note, Code, Math, Current string
	}
	const look = `(a => ({
		Page: document.documentElement.lang, Lang: a.lang, Title: document.querySelector("h1").textContent, Text: a.innerText,
		Note: document.querySelector("#translated")?.innerText ?? "", Code: a.querySelector("pre code").textContent,
		Math: [...a.querySelectorAll("annotation, code.math")].map(e => e.textContent.trim()).join("\n"),
		Current: document.querySelector(".langs [aria-current]").textContent,
	}))(document.querySelector("article"))`
	for _, v := range []View{{}, {Width: 320, Dark: true}} {
		tab := r.tab(t, v)
		tab.Go("/mip/900/")
		before := Ask[state](tab, look)
		tab.Click(`.langs [data-run][lang="ko"]`)
		tab.Wait(`document.querySelector("article").lang === "ko" && document.querySelector(".langs [role=status]").textContent.startsWith("The translation is shown")`)
		got := Ask[state](tab, look)
		if got.Page != "en" || got.Title != before.Title || got.Code != before.Code || got.Math != before.Math || before.Math == "" {
			t.Errorf("%s: what stays English is\n%+v\nwant\n%+v", v, got, before)
		}
		if n := strings.Count(got.Text, word); n < 10 || strings.Contains(before.Text, word) || got.Current == before.Current {
			t.Errorf("%s: the text is %q, current %q, before %q", v, got.Text, got.Current, before.Current)
		}
		if !strings.Contains(got.Note, "Machine translation by lantern-large") || !strings.Contains(got.Note, "The English text is authoritative") {
			t.Errorf("%s: the note says %q", v, got.Note)
		}
		if wide := Ask[bool](tab, `document.documentElement.scrollWidth > document.documentElement.clientWidth`); wide {
			t.Errorf("%s: the page scrolls sideways", v)
		}
		tab.Click(".langs a[aria-current], .langs a")
		tab.Wait(`!document.querySelector("#translated")`)
		if after := Ask[state](tab, look); after != before {
			t.Errorf("%s: back in English it is\n%+v\nwant\n%+v", v, after, before)
		}
	}
}
