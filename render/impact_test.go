package render

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// impactPage is a proposal's page with a summary of hostile texts.
func impactPage(t *testing.T, change func(*api.Summary)) []byte {
	t.Helper()
	p, all := newTestPages(t, pageInfo("https://example.org/p"), pageForks()), pageList()
	all[2].ContentHash = strings.Repeat("ab", 32)
	axis := func(name string, s api.Severity, action bool, evidence ...api.Evidence) api.Axis {
		x := api.Axis{Impact: pageHostile(name), Severity: s, Stated: evidence != nil,
			ActionRequired: action, Evidence: evidence}
		if action {
			x.ActionEvidence = &evidence[0]
		}
		return x
	}
	sum := &api.Summary{
		TLDR:          pageHostile("tldr"),
		WhatsChanging: []string{pageHostile("change"), "a `code` b", "c"},
		Developers: axis("developers", api.High, true,
			api.Evidence{Section: "s-abstract", Quote: pageHostile("quote")},
			api.Evidence{Section: "s-title", Quote: "q"}),
		Users: axis("users", api.Low, false),
		Validators: axis("validators", api.Medium, false,
			api.Evidence{Section: "MIP-4#s-gas-cost", Quote: "q"}),
		Foundation: axis("foundation", api.Severity(pageHostile("severity")), false,
			api.Evidence{Section: pageHostile("section"), Quote: "q"}),
		// A time that Go and the page format in the same way.
		GeneratedAt: mip.NewTime(time.Date(2026, 9, 1, 2, 3, 0, 0, time.UTC)),
		ContentHash: all[2].ContentHash, Locale: "en", Source: pageHostile("source"),
	}
	if change != nil {
		change(sum)
	}
	v := proposalPage(p, all, 2)
	v.All[2].SupersededBy = nil // it goes on
	v.Summary = sum
	page, err := p.Proposal(v)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// panelOf returns the panel of a page, with its text.
func panelOf(t *testing.T, page []byte) (*html.Node, string) {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Data == "section" && slices.Contains(n.Attr,
			html.Attribute{Key: "aria-labelledby", Val: "impact"}) {
			return n, rendertest.TextOf(n)
		}
	}
	t.Fatal("the page has no panel")
	return nil, ""
}

func TestImpactPanel(t *testing.T) {
	n, text := panelOf(t, impactPage(t, nil))
	for _, want := range []string{"AI-generated, not part of the proposal", "High impact",
		"Medium impact", "Low impact", "Action needed", "Made 1 Sep 2026, 02:03 UTC by ",
		"Matches this text (abababa)", "1 more quote from the text", "1 quote from the text"} {
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
	// A section without a place on the page links to the beginning of the text. Groups that have to
	// act come first, whether the text or the upgrade's release asks them to.
	const upgrade = "/p/upgrade/ete-nine/ Été NINE"
	want := []string{"/p/mip/4/#s-gas-cost MIP-4, gas cost", upgrade, "#s-abstract Abstract",
		"#text Title"}
	if len(links) != 8 || !slices.Equal(links[:4], want) || links[5] != upgrade ||
		links[7] != "/p/about/ai/ How it is made" {
		t.Errorf("links of the quotes %q, want at their beginning %q", links, want)
	}
	for name, tt := range map[string]struct {
		change func(*api.Summary)
		want   string
		not    string
	}{
		"stale": {func(s *api.Summary) { s.Stale = true },
			"Older than the text (made from abababa)", "Matches"},
		"another hash": {func(s *api.Summary) { s.ContentHash = strings.Repeat("0", 64) },
			"Older than the text (made from 0000000)", "Matches"},
		"by rules": {func(s *api.Summary) { s.Source = "extractive" }, "Picked by rules",
			" by "},
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

// A group's duty has its sentence as evidence. By rules a group has only quotes. Groups that
// neither the text nor the upgrade mentions are left out.
func TestImpactAnswers(t *testing.T) {
	says := []api.Evidence{{Section: "s-abstract", Quote: "It says so."},
		{Section: "s-abstract", Quote: "More of it."}}
	for name, tt := range map[string]struct {
		axis          api.Axis
		source, group string // empty: the text does not mention the group
	}{
		"needed": {api.Axis{Severity: api.High, Stated: true, ActionRequired: true,
			ActionEvidence: &says[0], Evidence: says}, "m",
			"High impact Action needed for Été NINE It says so. Abstract I 1 more quote from the " +
				"text More of it. Abstract"},
		"nothing to do": {api.Axis{Severity: api.Low, Stated: true, ActionEvidence: &says[1],
			Evidence: says}, "m",
			"Low impact No action needed More of it. Abstract I 1 more quote from the text It " +
				"says so. Abstract"},
		"not said": {api.Axis{Severity: api.Medium, Stated: true, Evidence: says}, "m",
			"Medium impact I 2 quotes from the text It says so. Abstract More of it. Abstract"},
		"not stated": {api.Axis{Severity: api.Medium, Evidence: []api.Evidence{}}, "m", ""},
		"needed, by rules": {api.Axis{Severity: api.High, Stated: true, ActionRequired: true,
			ActionEvidence: &says[1], Evidence: says}, api.Extractive,
			"High impact Action needed for Été NINE More of it. Abstract 1 more quote from the " +
				"text It says so. Abstract"},
		"not said, by rules": {api.Axis{Severity: api.Low, Stated: true, Evidence: says[:1]},
			api.Extractive,
			"Low impact It says so. Abstract"},
	} {
		tt.axis.Impact = "I"
		n, text := panelOf(t, impactPage(t, func(s *api.Summary) {
			s.Source, s.Users, s.Validators, s.Foundation = tt.source, tt.axis, tt.axis, tt.axis
		}))
		got := map[string]string{}
		for c := range n.Descendants() {
			if c.Data == "section" {
				name, rest, _ := strings.Cut(strings.Join(strings.Fields(rendertest.TextOf(c)),
					" "), " ")
				got[name] = rest
			}
		}
		delete(got, "Developers")
		// The upgrade has requests to those who run nodes and those who steward, with fixed dates.
		const asked = "Asked by the upgrade, not by the text %s Été NINE Mainnet: no date yet " +
			"Deadline on testnet: 10 Mar 2026, 14:30 UTC Deadline on devnet: 10 Mar 2026, 14:30 UTC"
		want := map[string]string{}
		if tt.group != "" {
			want["Users"] = tt.group
		}
		spoken := strings.ReplaceAll(tt.group, "No action needed", "The text asks for nothing")
		for name, what := range map[string]string{"Validators": "A release that knows",
			"Foundation": "The date and the releases of"} {
			want[name] = strings.TrimSpace(spoken + " " + fmt.Sprintf(asked, what))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: the groups' parts (-want +got):\n%s", name, diff)
		}
		if text = strings.Join(strings.Fields(text), " "); strings.Contains(text, "not sa") {
			t.Errorf("%s: silence is told: %s", name, text)
		}
	}
}

// The panel by rules has a button that asks a model, hidden until the sidecar reports a model. A
// committed summary has none, and a text not longer than its summary has no panel.
func TestImpactButton(t *testing.T) {
	p, all := newTestPages(t, pageInfo("https://example.org/p"), pageForks()), pageList()
	v := proposalPage(p, all, 2)
	show := func() (page []byte, classes []string) {
		page, err := p.Proposal(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range pageElements(t, page) {
			if e.attr["data-offer"] == "summaries" {
				classes = append(classes, e.attr["class"])
			}
		}
		return page, classes
	}
	page, buttons := show()
	if len(buttons) != 1 || !strings.HasSuffix(buttons[0], " js live") {
		t.Errorf("buttons of classes %q", buttons)
	}
	n, _ := panelOf(t, page)
	got, status := map[string]string{}, false
	for _, a := range n.Attr {
		got[a.Key] = a.Val
	}
	for c := range n.Descendants() {
		status = status || slices.Contains(c.Attr, html.Attribute{Key: "role", Val: "status"})
	}
	if got["data-api"] != "/p/api/ai-summary" || got["data-number"] != "3" ||
		got["data-pages"] != "/p/mip/" || got["data-proposal"] != "/p/api/v1/mips/3" || !status {
		t.Errorf("attributes of the panel %v, status line %t", got, status)
	}
	v.Summary.Committed = true
	if _, buttons = show(); len(buttons) > 0 {
		t.Errorf("a committed summary: buttons %q", buttons)
	}
	v.Summary.Committed, v.Sections = false,
		[]mip.Section{{Level: 0, Markdown: "This proposal has moved to another repository.\n"}}
	if page, buttons = show(); len(buttons) > 0 ||
		bytes.Contains(page, []byte("What it means for you")) {
		t.Errorf("a stub has a panel, with buttons %q", buttons)
	}
}

// One line above the text names the groups, by its summary and its upgrade, those who have to act
// first. A past upgrade is in the past tense, and silent groups are left out.
func TestWhomLine(t *testing.T) {
	p, all := newTestPages(t, pageInfo("https://example.org/p"), pageForks()), pageList()
	said := api.Evidence{Section: "s-abstract", Quote: "q"}
	touched := api.Axis{Stated: true, Evidence: []api.Evidence{said}}
	acts, spared := touched, touched
	acts.ActionRequired, acts.ActionEvidence, spared.ActionEvidence = true, &said, &said
	silent := api.Axis{Impact: "The text does not say.", Severity: api.High}
	for _, c := range []struct {
		name              string
		developers, users api.Axis
		stage             mip.Status
		fork              *mip.HardFork
		want, past        string // past: once every network has the upgrade
	}{
		{"nobody", silent, silent, mip.Draft, nil, "", ""},
		{"by the text", acts, spared, mip.Review, nil,
			"Asks developers to act. Also touches users.", ""},
		{"by the text, all", acts, acts, mip.Draft, nil, "Asks developers and users to act.", ""},
		{"by the upgrade", touched, spared, mip.Review, &p.forks[1],
			"Asks validators to act. Also touches developers and users.",
			"It asked validators to adapt. It also touched developers and users."},
		{"by both", acts, touched, mip.Final, &p.forks[1],
			"Asks validators and developers to act. Also touches users.",
			"It asked validators and developers to adapt. It also touched users."},
		{"from the first block", touched, silent, mip.Review, &p.forks[0], "Touches developers.",
			"It touched developers."},
		{"final without an upgrade", acts, touched, mip.Final, nil,
			"It asked developers to adapt. It also touched users.", ""},
		{"living", acts, silent, mip.Living, nil, "Asks developers to act.", ""},
		{"withdrawn", touched, silent, mip.Withdrawn, nil, "It touched developers.", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := proposalPage(p, all, 2)
			v.All[2].SupersededBy, v.All[2].Standing = nil, c.stage.Usual()
			v.Fork, v.Summary = c.fork,
				&api.Summary{Committed: true, Developers: c.developers, Users: c.users}
			page, err := p.Proposal(v)
			if err != nil {
				t.Fatal(err)
			}
			line := between(string(page), "<p data-who>", "</p>")
			text := strings.Join(strings.Fields(tags.ReplaceAllString(line, "")), " ")
			var past []string
			for _, e := range pageElements(t, []byte(line)) {
				if e.attr["data-past"] != "" {
					past = append(past, e.attr["data-past"])
				}
			}
			if got := strings.Join(past, " "); text != c.want || got != c.past {
				t.Errorf("the page says %q, later %q, want %q and %q", text, got, c.want, c.past)
			}
			red := strings.Contains(string(page), `<section class="ai past"`)
			if want := strings.HasPrefix(c.want, "It "); red != want {
				t.Errorf("without red: %t, want %t", red, want)
			}
			if c.name == "nobody" && strings.Contains(string(page), "does not say") {
				t.Error("silence is told")
			}
		})
	}
}

// Beside the text each group has its strongest sentence: the duty, else the first. It is cut at a
// semicolon.
func TestStrongestSentence(t *testing.T) {
	for quote, want := range map[string]string{
		"Nodes MUST stop; they MAY start.": "“Nodes MUST stop …”",
		"Call `a; b` first.":               "“Call a; b first.”",
		"One sentence.":                    "“One sentence.”",
	} {
		page := string(impactPage(t, func(s *api.Summary) {
			said := api.Evidence{Section: "s-abstract", Quote: quote}
			s.Users = api.Axis{Stated: true, ActionRequired: true, ActionEvidence: &said,
				Severity: api.Low, Evidence: []api.Evidence{{Quote: "First."}, said}}
		}))
		for _, where := range []string{`<details class="brief"`, `<section class="brief"`} {
			part := between(page, where, "All quotes")
			text := strings.Join(strings.Fields(tags.ReplaceAllString(part, "")), " ")
			if !strings.Contains(text, "Users Low impact "+want) {
				t.Errorf("%s: %q, want %q", where, text, want)
			}
		}
	}
}

// TestLeadingSentences checks the order of a group's sentences: a duty leads, then a demand. A
// group repeats no other group's sentence.
func TestLeadingSentences(t *testing.T) {
	p, all := newTestPages(t, pageInfo("https://example.org/p"), pageForks()), pageList()
	e := func(quote string) api.Evidence {
		return api.Evidence{Section: "s-abstract", Quote: quote}
	}
	shared, demand, duty := e("A lamp is lit."), e("It MUST burn."), e("Wallets have to change.")
	of := func(all ...api.Evidence) api.Axis { return api.Axis{Stated: true, Evidence: all} }
	acts := of(shared, demand, duty)
	acts.ActionRequired, acts.ActionEvidence = true, &duty
	for _, tt := range []struct {
		name                          string
		validators, developers, users api.Axis
		want                          string
	}{
		{"none shared", of(shared), of(duty), api.Axis{},
			"“A lamp is lit.” “Wallets have to change.”"},
		{"a demand", of(shared, demand), api.Axis{}, api.Axis{}, "“It MUST burn.”"},
		{"a duty", acts, api.Axis{}, api.Axis{}, "“Wallets have to change.”"},
		{"one shared of two", of(shared), of(shared, duty), api.Axis{},
			"“A lamp is lit.” “Wallets have to change.”"},
		{"the only one", of(shared), of(shared), of(shared),
			"“A lamp is lit.” As for validators. As for validators."},
	} {
		v := proposalPage(p, all, 2)
		v.All[2].SupersededBy, v.All[2].Standing = nil, mip.Draft.Usual()
		v.Fork, v.Summary = nil, &api.Summary{Source: api.Extractive, Validators: tt.validators,
			Developers: tt.developers, Users: tt.users}
		page, err := p.Proposal(v)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		list := between(string(page), `<ul class="groups`, "</ul>")
		for _, item := range strings.Split(list, "<p>")[1:] {
			text, _, _ := strings.Cut(item, "</p>")
			got = append(got, html.UnescapeString(tags.ReplaceAllString(text, "")))
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s: the page says %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The panel by rules begins with the first change, unless a group's first statement is the same.
func TestPanelOpens(t *testing.T) {
	for quote, want := range map[string]bool{"A **new** opcode.": false, "Another.": true} {
		_, text := panelOf(t, impactPage(t, func(s *api.Summary) {
			s.Source, s.WhatsChanging = api.Extractive,
				[]string{"A new opcode.", "A second change."}
			s.Developers.ActionEvidence.Quote, s.Developers.Evidence[0].Quote = quote, quote
		}))
		text = strings.Join(strings.Fields(text), " ")
		got := strings.Contains(text, "Picked by rules A new opcode.")
		if got != want || !strings.Contains(text, "What else changes A second change.") {
			t.Errorf("with the quote %q the panel says %q; the first change at its "+
				"beginning: want %t", quote, text, want)
		}
	}
	_, text := panelOf(t, impactPage(t, func(s *api.Summary) {
		s.Source, s.TLDR, s.WhatsChanging = api.Extractive, "One sentence. It adds an opcode.",
			[]string{"A new opcode."}
	}))
	if text = strings.Join(strings.Fields(text), " "); !strings.Contains(text,
		"Picked by rules It adds an opcode. Validators") ||
		!strings.Contains(text, "What else changes A new opcode.") {
		t.Errorf("what rules say beside the description does not begin the panel: %q", text)
	}
}
