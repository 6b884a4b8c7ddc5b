package browsertest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// hostileText is the text of an attacker who wants to run a script on the page. The name
// distinguishes texts.
func hostileText(name string) string {
	return name + ` <img src="/x" onerror="hacked=1"><script>hacked=1</script><svg/onload=hacked=1> &lt;b&gt; javascript:hacked=1 "quoted" 'single' ${hacked=1}`
}

// hostileMarkdown is a translation by an attacker.
func hostileMarkdown() string {
	return "# " + hostileText("heading") + "\n\n" + hostileText("paragraph") +
		"\n\n[link](javascript:hacked=1) [entity](java&#115;cript:hacked=1) " +
		"[data](data:text/html,<script>hacked=1</script>) <javascript:hacked=1> " +
		"![image](javascript:hacked=1)\n\n" +
		"| " + hostileText("cell") + " |\n|---|\n| x |\n\n- [ ] " + hostileText("task") +
		"\n\n```" + "html\n" + hostileText("code") + "\n```\n\n<iframe src=/x></iframe>\n"
}

// spoil replaces all texts of people or a model in a live answer by hostile ones, at any depth,
// before the page gets it. It adds a topic without a proposal, so that its own title is shown, and
// the answers of a model, since there is none.
const spoil = `{
	const words = %s, ask = window.fetch;
	const spoiled = (v, key) => Array.isArray(v) ? v.map(x => spoiled(x, key))
		: v && typeof v === "object" ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, spoiled(x, k)]))
		: typeof v === "string" && Object.hasOwn(words, key) ? words[key] : v;
	window.fetch = async (...a) => {
		const answer = await ask(...a), path = new URL(answer.url).pathname;
		if (!["/api/ai-summary", "/api/ai-translate"].includes(path)) return answer;
		const translation = { mipNumber: 4, locale: "tr", title: "", description: "", markdown: "", source: "", contentHash: "", generatedAt: "2026-09-01T02:03:00Z", stale: false };
		const body = path.endsWith("translate") ? translation : await answer.json();
		return new Response(JSON.stringify(spoiled(body)), { headers: { "Content-Type": "application/json" } });
	};
	window.Worker = class extends Worker { // which asks for live figures
		set onmessage(tell) {
			super.onmessage = e => {
				const [status, body, ...more] = e.data;
				if (body?.forum) body.forum[0].proposals = [];
				if (body?.ai) body.ai = { summaries: true, translations: true };
				tell({ data: [status, spoiled(body), ...more] });
			};
		}
	};
}`

// hostileAnswers shows answers with only hostile texts: of the forum, the networks and a model.
func hostileAnswers(t *testing.T, r *served) {
	words := map[string]string{"markdown": hostileMarkdown()}
	for key := range strings.FieldsSeq("title id tldr whatsChanging impact quote section " +
		"source description status") {
		words[key] = hostileText(key)
	}
	b, err := json.Marshal(words)
	if err != nil {
		t.Fatal(err)
	}
	view := View{Early: fmt.Sprintf(spoil, b)}
	harmless := func(t *testing.T, tab *Tab, within string, texts ...string) {
		t.Helper()
		if got := Ask[[]string](tab, `[...document.querySelectorAll("img, iframe, object, embed, base, form:not([action^='/']), svg script, script:not([src]):not([type='application/ld+json']), [href^='javascript:' i], [href^='data:' i]:not(link)")].map(e => e.outerHTML)`); len(got) > 0 {
			t.Errorf("text became %q", got)
		}
		if got := Ask[[]string](tab, `[...document.querySelectorAll("*")].flatMap(e => [...e.attributes].filter(a => a.name.startsWith("on") || a.name === "style").map(a => e.outerHTML))`); len(got) > 0 {
			t.Errorf("text became handlers: %q", got)
		}
		if Ask[bool](tab, `"hacked" in window`) {
			t.Error("a script of the text ran")
		}
		text := Ask[string](tab, fmt.Sprintf(`document.querySelector(%q).textContent`, within))
		for _, want := range texts {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not shown as written in %s", want, text)
			}
		}
	}
	t.Run("dashboard", func(t *testing.T) {
		tab := r.tab(t, view)
		tab.Go("/dashboard/")
		tab.Wait(answered("forum"))
		harmless(t, tab, "main", hostileText("title"), hostileText("status"))
		if got := Ask[[]string](tab, `[...document.querySelectorAll("[data-topic]")].filter(r => r.checkVisibility()).map(r => r.querySelector("a").textContent).slice(0, 2)`); len(got) != 2 || got[0] != hostileText("title") || got[1] != hostileText("id")+" "+hostileText("title") {
			t.Errorf("topics %q", got)
		}
	})
	t.Run("summary", func(t *testing.T) {
		tab := r.tab(t, view)
		tab.Go("/mip/4/")
		tab.Click("[data-offer=summaries]")
		tab.Wait(`document.activeElement.id === "impact"`)
		harmless(t, tab, "section.ai", hostileText("tldr"), hostileText("whatsChanging"),
			hostileText("impact"), hostileText("quote"), hostileText("source"))
	})
	t.Run("translation", func(t *testing.T) {
		tab := r.tab(t, view)
		tab.Expect(failures) // the answer of a sidecar without a model about translations
		tab.Go("/mip/4/")
		tab.Click(`.langs [data-run][lang="tr"]`)
		tab.Wait(`document.querySelector("#translated")`)
		// as in any Markdown
		resolved := func(name string) string {
			return strings.ReplaceAll(hostileText(name), "&lt;b&gt;", "<b>")
		}
		harmless(t, tab, "main", resolved("heading"), resolved("paragraph"), resolved("cell"),
			resolved("task"), hostileText("code"),
			"link entity ", "<iframe src=/x></iframe>", hostileText("title"),
			hostileText("description"), hostileText("source"))
	})
}
