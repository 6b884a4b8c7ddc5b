package render

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// impactPage is a proposal's page with a summary, whose texts are the worst that a file could hold.
func impactPage(t *testing.T, change func(*api.Summary)) []byte {
	t.Helper()
	p, all := newTestPages(t, pageInfo("https://example.org/p"), pageForks()), pageList()
	all[2].ContentHash = strings.Repeat("ab", 32)
	axis := func(name string, s api.Severity, action bool, evidence ...api.Evidence) api.Axis {
		x := api.Axis{Impact: pageHostile(name), Severity: s, Stated: evidence != nil, ActionRequired: action, Evidence: evidence}
		if action {
			x.ActionEvidence = &evidence[0]
		}
		return x
	}
	sum := &api.Summary{
		TLDR: pageHostile("tldr"), WhatsChanging: []string{pageHostile("change"), "a `code` b", "c"},
		Developers: axis("developers", api.High, true, api.Evidence{Section: "s-abstract", Quote: pageHostile("quote")}, api.Evidence{Section: "s-title", Quote: "q"}),
		Users:      axis("users", api.Low, false),
		Validators: axis("validators", api.Medium, false, api.Evidence{Section: "MIP-4#s-gas-cost", Quote: "q"}),
		Foundation: axis("foundation", api.Severity(pageHostile("severity")), false, api.Evidence{Section: pageHostile("section"), Quote: "q"}),
		// A moment that Go and the page write alike.
		GeneratedAt: mip.NewTime(time.Date(2026, 9, 1, 2, 3, 0, 0, time.UTC)), ContentHash: all[2].ContentHash, Locale: "en", Source: pageHostile("source"),
	}
	if change != nil {
		change(sum)
	}
	v := proposalPage(p, all, 2)
	v.Impact = sum
	page, err := p.Proposal(v)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// panelOf is the panel of a page, with the text of everything in it.
func panelOf(t *testing.T, page []byte) (*html.Node, string) {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Data == "section" && slices.Contains(n.Attr, html.Attribute{Key: "aria-labelledby", Val: "impact"}) {
			return n, rendertest.TextOf(n)
		}
	}
	t.Fatal("the page has no panel")
	return nil, ""
}

func TestImpactPanel(t *testing.T) {
	n, text := panelOf(t, impactPage(t, nil))
	for _, want := range []string{"AI-generated, not part of the proposal", "High impact", "Medium impact", "Low impact", "Action needed", "Not said whether action is needed", "Made 1 Sep 2026, 02:03 UTC by ", "Matches this text (abababa)", "2 quotes from the text", "1 quote from the text"} {
		if !strings.Contains(text, want) {
			t.Errorf("the panel does not say %q: %s", want, text)
		}
	}
	var links []string
	for c := range n.Descendants() {
		if c.Data == "a" && c.Type == html.ElementNode {
			links = append(links, c.Attr[0].Val+" "+rendertest.TextOf(c))
		}
	}
	// A section without a place on the page leads to the beginning of the text.
	want := []string{"#s-abstract Abstract", "#text Title", "#s-abstract Abstract", "/p/mip/4/#s-gas-cost MIP-4, gas cost"}
	if len(links) != 8 || !slices.Equal(links[:4], want) || links[7] != "/p/about/ai/ How it is made" {
		t.Errorf("links of the quotes %q, want %q", links, want)
	}
	for name, tt := range map[string]struct {
		change func(*api.Summary)
		want   string
		not    string
	}{
		"stale":        {func(s *api.Summary) { s.Stale = true }, "Older than the text (made from abababa)", "Matches"},
		"another hash": {func(s *api.Summary) { s.ContentHash = strings.Repeat("0", 64) }, "Older than the text (made from 0000000)", "Matches"},
		"by rules":     {func(s *api.Summary) { s.Source = "extractive" }, "Rules, no model", " by "},
	} {
		n, text := panelOf(t, impactPage(t, tt.change))
		footer := ""
		for c := range n.Descendants() {
			if c.Data == "footer" {
				footer = rendertest.TextOf(c)
			}
		}
		if !strings.Contains(text, tt.want) || strings.Contains(footer, tt.not) {
			t.Errorf("%s: want %q and no %q below the axes, got %s", name, tt.want, tt.not, text)
		}
	}
}

// A group of which the text does not speak has no severity, and what it has to do stands with the sentence that says so.
func TestImpactAnswers(t *testing.T) {
	says := []api.Evidence{{Section: "s-abstract", Quote: "It says so."}, {Section: "s-abstract", Quote: "More of it."}}
	for name, tt := range map[string]struct {
		axis api.Axis
		want string
	}{
		"needed": {api.Axis{Severity: api.High, Stated: true, ActionRequired: true, ActionEvidence: &says[0], Evidence: says},
			"Users High impact I 2 quotes from the text It says so. Abstract More of it. Abstract Action needed for Été NINE It says so. Abstract"},
		"nothing to do": {api.Axis{Severity: api.Low, Stated: true, ActionEvidence: &says[1], Evidence: says},
			"Users Low impact I 2 quotes from the text It says so. Abstract More of it. Abstract No action needed More of it. Abstract"},
		"not said": {api.Axis{Severity: api.Medium, Stated: true, Evidence: says[:1]},
			"Users Medium impact I 1 quote from the text It says so. Abstract Not said whether action is needed"},
		"not stated": {api.Axis{Severity: api.Medium, Evidence: []api.Evidence{}}, "Users I Not said whether action is needed"},
	} {
		tt.axis.Impact = "I"
		n, _ := panelOf(t, impactPage(t, func(s *api.Summary) { s.Users, s.Validators, s.Foundation = tt.axis, tt.axis, tt.axis }))
		var got []string
		for c := range n.Descendants() {
			if c.Data == "section" {
				got = append(got, strings.Join(strings.Fields(rendertest.TextOf(c)), " "))
			}
		}
		if got[1] != tt.want {
			t.Errorf("%s: the group's part says %q, want %q", name, got[1], tt.want)
		}
		// The upgrade asks something of those who run nodes and of those who steward, by dates that stay true.
		const asked = " Asked by the upgrade, not by the text %s Été NINE Mainnet: no date yet Testnet: needed by 10 Mar 2026, 14:30 UTC devnet: needed by 10 Mar 2026, 14:30 UTC"
		rest := strings.NewReplacer("Users ", "", " Not said whether action is needed", "", "No action needed", "The text asks for nothing").Replace(tt.want)
		for i, what := range map[int]string{2: "Validators|A release that knows", 3: "Foundation|The date and the releases of"} {
			group, what, _ := strings.Cut(what, "|")
			if want := group + " " + rest + fmt.Sprintf(asked, what); got[i] != want {
				t.Errorf("%s: the group's part says %q, want %q", name, got[i], want)
			}
		}
	}
}

// Without a summary the page has a button for one, and its place; a text that is not longer than a summary has none. The
// button reads the site's own summary until the sidecar has said that it asks a model.
func TestImpactButton(t *testing.T) {
	p, all := newTestPages(t, pageInfo("https://example.org/p"), pageForks()), pageList()
	v := proposalPage(p, all, 2)
	page, err := p.Proposal(v)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := panelOf(t, page)
	got := map[string]string{}
	for _, a := range n.Attr {
		got[a.Key] = a.Val
	}
	if got["class"] != "ai" || got["data-api"] != "/p/api/ai-summary" || got["data-number"] != "3" || got["data-pages"] != "/p/mip/" {
		t.Errorf("attributes of the panel %v", got)
	}
	status := false
	for c := range n.Descendants() {
		status = status || slices.Contains(c.Attr, html.Attribute{Key: "role", Val: "status"})
	}
	if _, hidden := got["hidden"]; !status || !hidden {
		t.Errorf("hidden %t, status line %t", hidden, status)
	}
	buttons := func(page []byte) (classes []string) {
		for _, e := range pageElements(t, page) {
			if e.attr["data-offer"] == "summaries" {
				classes = append(classes, e.attr["class"])
			}
		}
		return classes
	}
	if got := buttons(page); len(got) != 1 || !strings.HasSuffix(got[0], " js live file") {
		t.Errorf("buttons of classes %q", got)
	}
	v.Sections = []mip.Section{{Level: 0, Markdown: "This proposal has moved to another repository.\n"}}
	if page, err = p.Proposal(v); err != nil || len(buttons(page)) > 0 {
		t.Errorf("a stub: %v, buttons %q", err, buttons(page))
	}
}
