package browsertest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/browsertest"
)

// hostileText is what somebody may write who wants a script to run on the page; the name tells one text from
// another.
func hostileText(name string) string {
	return name + ` <img src="/x" onerror="hacked=1"><script>hacked=1</script><svg/onload=hacked=1> &lt;b&gt; javascript:hacked=1 "quoted" 'single' ${hacked=1}`
}

// hostileMarkdown is a translation by such a one.
func hostileMarkdown() string {
	return "# " + hostileText("heading") + "\n\n" + hostileText("paragraph") + "\n\n" +
		"[link](javascript:hacked=1) [entity](java&#115;cript:hacked=1) [data](data:text/html,<script>hacked=1</script>) <javascript:hacked=1> ![image](javascript:hacked=1)\n\n" +
		"| " + hostileText("cell") + " |\n|---|\n| x |\n\n- [ ] " + hostileText("task") + "\n\n```" + "html\n" + hostileText("code") + "\n```\n\n<iframe src=/x></iframe>\n"
}

// spoilText puts hostile texts in the place of all that people or a model wrote, at any depth.
func spoilText(answer map[string]any) {
	for key, v := range answer {
		switch v := v.(type) {
		case map[string]any:
			spoilText(v)
		case []any:
			for i := range v {
				switch item := v[i].(type) {
				case map[string]any:
					spoilText(item)
				case string:
					v[i] = hostileText(key)
				}
			}
		case string:
			switch key {
			case "title", "id", "message", "tldr", "impact", "quote", "section", "source", "description", "status":
				answer[key] = hostileText(key)
			case "markdown":
				answer[key] = hostileMarkdown()
			}
		}
	}
}

// hostileAnswers shows answers in which every text is hostile: of the forum, the networks and a model.
func hostileAnswers(t *testing.T, with run) {
	r := run{with.Browser, serve(t, true), with.clipboard}
	r.spoil = func(answer map[string]any) {
		if answer["code"] == "ai_disabled" { // no model is asked here: this is what one could say
			clear(answer)
			for _, key := range []string{"title", "description", "source", "markdown"} {
				answer[key] = ""
			}
			answer["mipNumber"], answer["locale"], answer["generatedAt"], answer["stale"] = 4, "tr", "2026-09-01T02:03:00Z", false
		}
		spoilText(answer)
		if topics, ok := answer["forum"].([]any); ok && len(topics) > 1 {
			topics[0].(map[string]any)["topicId"] = 999_999 // of no proposal: its own title is shown
			answer["discrepancies"] = []any{map[string]any{"message": hostileText("message")}}
		}
	}
	harmless := func(t *testing.T, tab *browsertest.Tab, within string, texts ...string) {
		t.Helper()
		if got := browsertest.Ask[[]string](tab, `[...document.querySelectorAll("img, iframe, object, embed, base, form:not([action^='/']), svg script, script:not([src]):not([type='application/ld+json']), [href^='javascript:' i], [href^='data:' i]:not(link)")].map(e => e.outerHTML)`); len(got) > 0 {
			t.Errorf("text became %q", got)
		}
		if got := browsertest.Ask[[]string](tab, `[...document.querySelectorAll("*")].flatMap(e => [...e.attributes].filter(a => a.name.startsWith("on") || a.name === "style").map(a => e.outerHTML))`); len(got) > 0 {
			t.Errorf("text became handlers: %q", got)
		}
		if browsertest.Ask[bool](tab, `"hacked" in window`) {
			t.Error("a script of the text ran")
		}
		text := browsertest.Ask[string](tab, fmt.Sprintf(`document.querySelector(%q).textContent`, within))
		for _, want := range texts {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not shown as written in %s", want, text)
			}
		}
	}
	t.Run("dashboard", func(t *testing.T) {
		tab := r.tab(t, browsertest.View{})
		tab.Go("/dashboard/")
		tab.Wait(pill("forum") + `.className === "ok"`)
		harmless(t, tab, "main", hostileText("title"), hostileText("message"), hostileText("status"))
		if got := browsertest.Ask[[]string](tab, `[...document.querySelectorAll("[data-topic]")].filter(r => r.checkVisibility()).map(r => r.querySelector("a").textContent).slice(0, 2)`); len(got) != 2 || got[0] != hostileText("title") || got[1] != hostileText("id")+" "+hostileText("title") {
			t.Errorf("topics %q", got)
		}
	})
	t.Run("summary", func(t *testing.T) {
		tab := r.tab(t, browsertest.View{})
		tab.Go("/mip/4/")
		tab.Click("section.ai [data-run]")
		tab.Wait(`document.querySelector("section.ai .axes")`)
		harmless(t, tab, "section.ai", hostileText("tldr"), hostileText("whatsChanging"), hostileText("impact"), hostileText("quote"), hostileText("source"))
	})
	t.Run("translation", func(t *testing.T) {
		tab := r.tab(t, browsertest.View{})
		tab.Go("/mip/4/")
		tab.Click(`.langs [data-run][lang="tr"]`)
		tab.Wait(`document.querySelector("#translated")`)
		resolved := func(name string) string { return strings.ReplaceAll(hostileText(name), "&lt;b&gt;", "<b>") } // as in any Markdown
		harmless(t, tab, "main", resolved("heading"), resolved("paragraph"), resolved("cell"), resolved("task"), hostileText("code"),
			"link entity ", "<iframe src=/x></iframe>", hostileText("title"), hostileText("description"), hostileText("source"))
	})
}
