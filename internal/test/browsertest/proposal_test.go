package browsertest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// said compares the facts on the page of every proposal, and on the page of the API, with their
// JSON.
func said(t *testing.T, r *served) {
	type facts struct {
		Badges, Requires, RequiredBy, Files []string
	}
	tab := r.tab(t, View{})
	tab.Go("/")
	look := func(path, look string) string {
		return fmt.Sprintf(`fetch(%q).then(r => r.text()).then(text => (d => %s)(new DOMParser().parseFromString(text, "text/html")))`, path, look)
	}
	numbers := func(all []int) []string {
		out := []string{}
		for _, n := range all {
			out = append(out, fmt.Sprintf("/mip/%d/", n))
		}
		return out
	}
	for _, m := range r.proposals(t) {
		got := Ask[facts](tab, look(fmt.Sprintf("/mip/%d/", m.Number), `{
			const related = word => [...d.querySelectorAll(".side dl > div")].filter(e => e.querySelector("dt")?.textContent === word).flatMap(e => [...e.querySelectorAll("dd a")].map(a => a.getAttribute("href")));
			return {
				Badges: [...d.querySelectorAll(".phead .row > *")].map(e => e.textContent), Requires: related("Requires"), RequiredBy: related("Required by"),
				Files: [...d.querySelectorAll(".prose a[href$='.md']")].map(a => a.getAttribute("href")).filter(to => !to.startsWith("http")),
			};
		}`))
		want := []string{"No status"}
		if s, ok := m.Frontmatter["status"].(string); ok {
			want[0] = s
		}
		if m.Superseded() {
			want = append(want, "Superseded")
		}
		for _, v := range []*string{m.Type, m.Category} { // equal ones share a badge
			if v != nil && !slices.Contains(want, *v) {
				want = append(want, *v)
			}
		}
		if len(got.Badges) < len(want) || !slices.Equal(got.Badges[:len(want)], want) {
			t.Errorf("%s: badges %q, want %q", m.ID, got.Badges, want)
		}
		if !slices.Equal(got.Requires, numbers(m.Requires)) ||
			!slices.Equal(got.RequiredBy, numbers(m.RequiredBy)) {
			t.Errorf("%s requires %d and is required by %d, its page says %+v",
				m.ID, m.Requires, m.RequiredBy, got)
		}
		if len(got.Files) > 0 {
			t.Errorf("%s: links to files: %q", m.ID, got.Files)
		}
	}
	var doc struct{ Paths map[string]map[string]any }
	err := json.Unmarshal(r.get(t, "/openapi.json", "identity"), &doc)
	if err != nil || len(doc.Paths) == 0 {
		t.Fatal(err, doc)
	}
	operations := Ask[[]string](tab,
		look("/api/",
			`[...d.querySelectorAll(".op h3")].map(h => h.textContent.trim().replace(/\s+/g, " "))`))
	for path, methods := range doc.Paths {
		for method := range methods {
			if want := strings.ToUpper(method) + " " +
				path; !slices.ContainsFunc(operations, func(s string) bool {
				return strings.HasPrefix(s, want)
			}) {
				t.Errorf("the API's page lacks %s, has %q", want, operations)
			}
		}
	}
	diffs := 0
	for _, a := range r.plan.Artifacts {
		if a.Pattern != "/mip/{n}/history/" {
			continue
		}
		for _, d := range Ask[[]string](tab,
			look(a.Route, `[...d.querySelectorAll("pre.diff")].map(e => e.textContent)`)) {
			if diffs++; !strings.Contains(d, "\n+") && !strings.Contains(d, "\n-") {
				t.Errorf("%s: no line begins with + or -:\n%s", a.Route, d)
			}
		}
	}
	if diffs == 0 { // the depth of git's history depends on the checkout
		testenv.Missing(t, "history", "this clone holds no two versions of a proposal")
	}
}

func contents(t *testing.T, r *served) {
	tab := r.tab(t, View{})
	tab.Go("/mip/4/")
	for _, n := range []int{2, 4, 3} {
		entry := fmt.Sprintf(".toc > ol > li:nth-child(%d) > a", n)
		tab.Click(entry)
		link := fmt.Sprintf("document.querySelector(%q)", entry)
		heading := "document.getElementById(decodeURIComponent(" + link + ".hash.slice(1)))"
		tab.Wait(`location.hash === ` + link + `.hash && ` + link +
			`.getAttribute("aria-current") === "true"`)
		tab.Wait(`(h => h.top >= document.querySelector("header.top").getBoundingClientRect().bottom && h.bottom < innerHeight)(` + heading + `.getBoundingClientRect())`)
	}
	if n := Ask[int](tab, `document.querySelectorAll(".toc [aria-current]").length`); n != 1 {
		t.Errorf("%d entries are current", n)
	}
}

func headingLink(t *testing.T, r *served) {
	tab := r.tab(t, View{})
	tab.Go("/mip/4/")
	tab.Click(".prose h2[id] a.h")
	tab.Wait(`location.hash === "#" + document.querySelector(".prose h2[id]").id`)
	clipboard.Lock()
	defer clipboard.Unlock()
	tab.Click(".prose h2[id] ~ h2[id] [data-copy]")
	tab.Wait(`document.querySelector("#live").textContent === "Copied"`)
	want := Ask[string](tab, `location.href.split("#")[0] + "#" + document.querySelector(".prose h2[id] ~ h2[id]").id`)
	if got := Ask[string](tab, `navigator.clipboard.readText()`); got != want {
		t.Errorf("copied %q, want %q", got, want)
	}
}

// wide checks content that is wider than a narrow window: each scrolls in a box of its own, which
// the keyboard can focus. Copied code is as written.
func wide(t *testing.T, r *served) {
	tab := r.tab(t, View{Width: 320, Dark: true})
	tab.Go("/mip/900/")
	if got := Ask[[]string](tab,
		`[...document.querySelectorAll(".prose p a")].map(a => a.pathname + a.hash).slice(0, 2)`); !slices.Equal(got, []string{"/mip/4/#s-specification", "/mip/5/"}) {
		t.Errorf("links of the text lead to %q", got)
	}
	for _, box := range []string{".prose .scroll", "figure.code pre", ".prose div.math:has(math)",
		".prose .maths:has(mtext)"} {
		box = fmt.Sprintf("document.querySelector(%q)", box)
		if !Ask[bool](tab, `(e => { e.scrollIntoView(); e.focus(); return document.activeElement === e && !!e.ariaLabel && e.scrollWidth > e.clientWidth })(`+box+`)`) {
			t.Errorf("%s is no named box that takes the focus and scrolls", box)
		}
		tab.Press(kb.ArrowRight)
		tab.Wait(box + `.scrollLeft > 0`)
	}
	clipboard.Lock()
	defer clipboard.Unlock()
	tab.Click("figure.code [data-copy]")
	tab.Wait(`document.querySelector("#live").textContent === "Copied"`)
	got := Ask[string](tab, `navigator.clipboard.readText()`)
	if !strings.Contains(read[mip.Proposal](t, r, "/api/v1/mips/900").RawMarkdown,
		"```text\n"+strings.TrimSuffix(got, "\n")+"\n```") {
		t.Errorf("copied %q, which is not the source", got)
	}
}

// formulas checks the browser's layout of formulas: a fraction is higher than a letter, and no
// source is visible.
func formulas(t *testing.T, r *served) {
	tab := r.tab(t, View{Dark: true})
	tab.Go("/mip/900/")
	got := Ask[struct {
		Formulas, High int
		Seen, Shown    string
		Same           bool
	}](tab, `(all => ({
		Formulas: all.length,
		High: all.filter(m => m.querySelector("mfrac") && m.getBoundingClientRect().height > 1.5 * document.querySelector(".prose h3 math").getBoundingClientRect().height).length,
		Seen: [...document.querySelectorAll("annotation")].filter(e => e.checkVisibility()).map(e => e.textContent).join(),
		Shown: document.querySelector("code.math").innerText,
		Same: all.every(m => getComputedStyle(m).color === getComputedStyle(m.parentElement).color),
	}))([...document.querySelectorAll(".prose math")])`)
	if got.Formulas != 4 || got.High != 2 || got.Seen != "" || got.Shown != `\unknown{w}` ||
		!got.Same {
		t.Errorf("%+v", got)
	}
	text := Ask[string](tab, `document.querySelector("article").innerText`)
	if !strings.Contains(text, "price of $5 or $6, bounds") {
		t.Errorf("prices are no formula:\n%s", text)
	}
}
