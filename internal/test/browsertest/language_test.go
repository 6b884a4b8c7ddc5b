package browsertest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// asksModel makes the sidecar report that it has a model. Without a model it answers by rules.
const asksModel = `window.Worker = class extends Worker {
	set onmessage(tell) { super.onmessage = e => { if (e.data[1]?.ai) e.data[1].ai.summaries = true; tell(e) } }
};`

// summaries requests a summary, then one of a text that has changed since the page was made, and
// then as many as the limit allows, and one more.
func summaries(t *testing.T, _ *served) {
	r := serve(t, true)
	type foot struct {
		Text        string
		Same, Glyph bool
	}
	ask := func(v View) foot {
		tab := r.tab(t, v)
		tab.Go("/mip/4/")
		tab.Click("[data-offer=summaries]")
		tab.Wait(`document.querySelector("#live").textContent !== "" && document.activeElement.id === "impact"`)
		return Ask[foot](tab, `(e => ({
			Text: e.innerText, Same: e.querySelector(".same") !== null,
			Glyph: !["", "none"].includes((s => s.maskImage || s.webkitMaskImage)(getComputedStyle(e.querySelector(".old, .same"), "::before"))),
		}))(document.querySelector("section.ai footer"))`)
	}
	hash := read[mip.Proposal](t, r, "/api/v1/mips/4").ContentHash[:7]
	if got := ask(View{Width: 390, Early: asksModel}); !strings.Contains(got.Text,
		"Matches this text") || !strings.Contains(got.Text, hash) || !got.Same || !got.Glyph {
		t.Errorf("the panel's foot is %+v", got)
	}
	got := ask(View{Early: asksModel + `
		const real = window.fetch;
		window.fetch = async (to, ...more) => {
			const r = await real(to, ...more);
			return String(to.url ?? to).endsWith("ai-summary") ? Response.json({ ...await r.json(), contentHash: "0123456789abcdef" }) : r;
		};
	`})
	if !strings.Contains(got.Text, "Older than the text (made from 0123456)") || got.Same ||
		!got.Glyph {
		t.Errorf("the panel's foot is %+v, of another text", got)
	}
	tab := r.tab(t, View{Width: 390, Early: asksModel + `window.fetch = async () => Response.json({ code: "rate_limited" }, { status: 429, headers: { "Retry-After": "7" } })`})
	tab.Go("/mip/7/")
	tab.Click("[data-offer=summaries]")
	tab.Wait(`document.querySelector("section.ai [role=status]").textContent === "Too many requests. Try again in 7 seconds."`)
}

// language reads a committed translation of a proposal, and returns.
func language(t *testing.T, r *served) {
	tab := r.tab(t, View{})
	tab.Go("/mip/5/")
	const text = `document.querySelector("article").innerText`
	english := Ask[string](tab, text)
	tab.Click(`main a[hreflang="ja"]`)
	tab.Wait(`location.pathname === "/mip/5/ja/" && document.readyState === "complete"`)
	got := Ask[string](tab,
		`document.documentElement.lang + document.querySelector("article").lang`)
	if got != "enja" || Ask[string](tab, text) == english {
		t.Errorf("the page and its article are in %s", got)
	}
	tab.Click(`aside.note a[hreflang="en"]`)
	tab.Wait(`location.pathname === "/mip/5/" && ` + text + ` === ` + fmt.Sprintf("%q", english))
}

// live requests a translation from a model, and returns.
func live(t *testing.T, with *served) {
	const word = "번역문"
	m := demo.NewModel(func(q demo.ModelRequest) demo.ModelReply {
		// The passages are one JSON object. Each gets a word before it.
		var passages map[string]string
		from, to := strings.Index(q.User, "{"), strings.LastIndex(q.User, "}")
		if from < 0 || json.Unmarshal([]byte(q.User[from:to+1]), &passages) != nil {
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
	tab := r.tab(t, View{Width: 320, Dark: true})
	tab.Go("/mip/900/")
	before := Ask[state](tab, look)
	tab.Click(`.langs [data-run][lang="ko"]`)
	tab.Wait(`document.querySelector("article").lang === "ko" && document.querySelector(".langs [role=status]").textContent.startsWith("The translation is shown")`)
	got := Ask[state](tab, look)
	if got.Page != "en" || got.Title != before.Title || got.Code != before.Code ||
		got.Math != before.Math || before.Math == "" {
		t.Errorf("what stays English is\n%+v\nwant\n%+v", got, before)
	}
	if n := strings.Count(got.Text, word); n < 10 || strings.Contains(before.Text, word) ||
		got.Current == before.Current {
		t.Errorf("the text is %q, current %q, before %q", got.Text, got.Current, before.Current)
	}
	if !strings.Contains(got.Note, "Machine translation by lantern-large") ||
		!strings.Contains(got.Note, "The English text is authoritative") {
		t.Errorf("the note says %q", got.Note)
	}
	wide := Ask[bool](tab,
		`document.documentElement.scrollWidth > document.documentElement.clientWidth`)
	if wide {
		t.Error("the page scrolls sideways")
	}
	tab.Click(".langs a[aria-current], .langs a")
	tab.Wait(`!document.querySelector("#translated")`)
	if after := Ask[state](tab, look); after != before {
		t.Errorf("back in English it is\n%+v\nwant\n%+v", after, before)
	}
}
