package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// TestTitles checks a title in the heading of its page: Markdown code spans are rendered, and
// nothing else.
func TestTitles(t *testing.T) {
	p := newTestPages(t, pageInfo("https://example.org"), nil)
	for in, want := range map[string]string{
		"plain":                 "plain",
		"Meta - `NINE` fork":    "Meta - <code>NINE</code> fork",
		"`a``b`":                "<code>a``b</code>",
		"``a`b``":               "<code>a`b</code>",
		"`open":                 "`open",
		"a ` b `` c":            "a ` b `` c",
		"` x `":                 "<code>x</code>",
		"`<b>` & <i>":           "<code>&lt;b&gt;</code> &amp; &lt;i&gt;",
		"*star* [link](x) &lt;": "*star* [link](x) &amp;lt;",
		"``":                    "``",
	} {
		all := pageList()
		all[0].Title = in
		page, err := p.Proposal(proposalPage(p, all, 0))
		if err != nil {
			t.Fatal(err)
		}
		if _, h1, _ := strings.Cut(between(string(page), "<h1>", "</h1>"), "</span> "); h1 != want {
			t.Errorf("the heading of %q is %q, want %q", in, h1, want)
		}
	}
}

// homeAndDashboard are the two pages that count and list all proposals.
func homeAndDashboard(t *testing.T, all []mip.Metadata) (home, dashboard string) {
	t.Helper()
	p := newTestPages(t, pageInfo("https://example.org"), nil)
	first, err := p.Home(all, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.Dashboard(DashboardPage{Metadata: all})
	if err != nil {
		t.Fatal(err)
	}
	return string(first), string(second)
}

// between is the text between two others, or "" if one of them is missing.
func between(s, begin, end string) string {
	_, s, _ = strings.Cut(s, begin)
	s, _, found := strings.Cut(s, end)
	if !found {
		return ""
	}
	return s
}

func TestSteps(t *testing.T) {
	type days = map[mip.Status]mip.Date
	deadline := mip.Date{Year: 2026, Month: 5, Day: 1}
	for _, tt := range []struct {
		status mip.Status
		until  mip.Date
		seen   days
		want   string
	}{
		{mip.Draft, mip.Date{}, nil, ""},
		{mip.Review, mip.Date{}, days{"": {}, mip.Draft: {}, mip.Review: {}},
			"Draft+ *Review LastCall Final"},
		{mip.Review, mip.Date{}, days{mip.Final: {}, mip.Review: {}},
			""},
		{mip.LastCall, deadline, days{mip.Draft: {}, mip.Review: {}},
			"Draft+ Review+ *LastCall Final"},
		{mip.Final, mip.Date{}, days{mip.LastCall: {}, mip.Review: {}, mip.Draft: {}},
			"Draft+ Review+ LastCall+ *Final+"},
		{mip.Final, deadline, days{mip.Draft: {}}, "Draft+ LastCall+ *Final+"},
		{mip.Final, mip.Date{}, days{mip.Review: {}}, "Review+ *Final+"},
		{mip.Final, mip.Date{}, nil, ""},
		{mip.Living, deadline, days{mip.Draft: {}}, ""},
		{mip.Withdrawn, mip.Date{}, nil, ""},
		{"Moved", mip.Date{}, nil, ""},
		{"", mip.Date{}, nil, ""},
	} {
		var got []string
		for _, s := range steps(nil,
			mip.Metadata{Standing: tt.status.Usual(), LastCallDeadline: tt.until}, tt.seen) {
			word := strings.ReplaceAll(string(s.Status), " ", "")
			if s.Now {
				word = "*" + word
			}
			if !s.Now && s.Class != "" || s.Settled() && s.Now {
				word += "+"
			}
			got = append(got, word)
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("steps(%q) after %q = %q, want %q", tt.status, tt.seen, g, tt.want)
		}
	}
}

// TestLastCalls checks that passed deadlines come first where something has to be done about them,
// and are missing where readers are asked for comments, by the days of the newest change, since
// pages have no time of their own.
func TestLastCalls(t *testing.T) {
	updated := mip.NewTime(time.Date(2026, 5, 10, 1, 0, 0, 0, time.UTC))
	call := func(n, day int) mip.Metadata {
		return mip.Metadata{
			Number: n, ID: mip.ID{Kind: "MIP", Number: n}, Title: "Title",
			Standing:         mip.LastCall.Usual(),
			LastCallDeadline: mip.Date{Year: 2026, Month: 5, Day: day}, Updated: &updated,
		}
	}
	draft, undated := call(6, 20), call(7, 20)
	draft.Standing, undated.LastCallDeadline = mip.Draft.Usual(), mip.Date{}
	all := []mip.Metadata{call(1, 30), call(2, 9), call(3, 10), call(4, 11), call(5, 1), draft,
		undated}
	home, dashboard := homeAndDashboard(t, all)
	for page, want := range map[string]string{
		between(home, "Open for comments", `class="calm" hidden`): "3 4 1",
		between(dashboard, "Needs attention", "</ul>"):            "5 2 3 4 1",
	} {
		var got []string
		for _, m := range regexp.MustCompile(`href="/mip/(\d+)/"`).FindAllStringSubmatch(page, -1) {
			got = append(got, m[1])
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("last calls %q, want %q in\n%s", g, want, page)
		}
	}
}

func TestTableOfContents(t *testing.T) {
	section := func(level int, id string) mip.Section {
		return mip.Section{ID: id, Level: level, Title: "T " + id}
	}
	for _, c := range []struct {
		name, body, want string
		sections         []mip.Section
	}{
		{"nested", `<h2 id="a"><h3 id="b"><h3 id="c"><h2 id="d">`, "a(b c) d",
			[]mip.Section{section(2, "a"), section(3, "b"), section(3, "c"), section(2, "d")}},
		{"starts deep", `<h3 id="a"><h2 id="b"><h3 id="c">`, "a b(c)",
			[]mip.Section{section(3, "a"), section(2, "b"), section(3, "c")}},
		{"title left out", `<span id="a"></span><h2 id="b"><h2 id="c">`, "b c",
			[]mip.Section{section(1, "a"), section(2, "b"), section(2, "c")}},
		{"level of the page counts", `<h2 id="a"><h3 id="b">`, "a(b)",
			[]mip.Section{section(1, "a"), section(2, "b")}},
		{"too deep", `<h2 id="a"><h4 id="b"><h2 id="c">`, "a c",
			[]mip.Section{section(2, "a"), section(4, "b"), section(2, "c")}},
		{"one entry is no table", `<h2 id="a">`, "", []mip.Section{section(2, "a")}},
		{"no body", ``, "", []mip.Section{section(2, "a"), section(2, "b")}},
	} {
		p := newTestPages(t, pageInfo("https://example.org"), nil)
		page, err := p.Proposal(ProposalPage{All: pageList(), Index: 0, Sections: c.sections,
			Body: []byte(c.body)})
		if err != nil {
			t.Fatal(err)
		}
		html := strings.TrimPrefix(strings.TrimSpace(between(string(page),
			`<nav class="toc" aria-label="On this page">`, "</nav>")), "<h2>On this page</h2>")
		html = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(html), "<ol>"), "</ol>")
		got := regexp.MustCompile(`\s*\n\s*`).ReplaceAllString(strings.TrimSpace(html), "")
		for _, id := range []string{"a", "b", "c", "d"} {
			got = strings.ReplaceAll(got, fmt.Sprintf(`<a href="#%s">T %s</a>`, id, id), id)
		}
		got = strings.NewReplacer("</li><li>", " ", "<ol><li>", "(", "</li></ol>", ")", "<li>", "",
			"</li>", "").Replace(got)
		if got != c.want {
			t.Errorf("%s: the contents of %s are %q, want %q", c.name, c.body, got, c.want)
		}
	}
}

// TestStatuses checks the order of statuses (the process's, then others, then none), and that a
// choice is offered for each that occurs.
func TestStatuses(t *testing.T) {
	var all []mip.Metadata
	for i, s := range []mip.Status{"", "Moved", mip.Final, "Accepted", mip.Draft, "moved",
		mip.Final} {
		all = append(all,
			mip.Metadata{Number: i + 1, ID: mip.ID{Kind: "MIP", Number: i + 1}, Title: "Title",
				Standing: s.Usual()})
	}
	home, dashboard := homeAndDashboard(t, all)
	for _, c := range []struct{ part, pattern, want string }{
		{between(home, `<ul class="life" aria-label="Proposals by status">`, "</ul>"),
			`class="n">(\d+)</span><span class="c (.+?)">(.+?)<`,
			"Draft/s-draft/1, Final/s-final/2, Accepted/s-other/1, Moved/s-other/2, No " +
				"status/s-none/1"},
		{between(dashboard, `<ul class="legend">`, "</ul>"), `()class="c (.+?)" href=".+?">(.+?)<`,
			"Draft/s-draft/, Final/s-final/, Accepted/s-other/, Moved/s-other/, No status/s-none/"},
	} {
		var got []string
		for _, m := range regexp.MustCompile(c.pattern).FindAllStringSubmatch(c.part, -1) {
			got = append(got, m[3]+"/"+m[2]+"/"+m[1])
		}
		if g := strings.Join(got, ", "); g != c.want {
			t.Errorf("statuses %q, want %q", g, c.want)
		}
	}
}

func TestUpgradesNewestFirst(t *testing.T) {
	forks := pageForks()
	forks = append(forks, mip.HardFork{Name: "PLANNED"})
	p := newTestPages(t, pageInfo("https://example.org"), forks)
	var got []string
	for _, u := range p.upgrades(p.forks, nil) {
		got = append(got, u.Name)
	}
	if want := []string{"PLANNED", "Été NINE", "ONE"}; !slices.Equal(got, want) {
		t.Errorf("upgrades: got %q, want %q", got, want)
	}
}

func TestActivation(t *testing.T) {
	p := newTestPages(t, pageInfo("https://example.org"), nil)
	for i, want := range []string{
		"Mainnet 1 1970-01-01T00:00:00Z 0, Testnet 2 1970-01-01T00:00:00Z 0",
		"Mainnet 1 -, Testnet 2 2026-03-10T14:30:00Z 1773153000, devnet 0 2026-03-10T14:30:00Z " +
			"1773153000",
	} {
		var got []string
		for _, r := range p.activation(pageForks()[i]) {
			when := "-"
			if r.Time != nil {
				when = fmt.Sprint(r.Time, " ", *r.Timestamp)
			}
			got = append(got, fmt.Sprint(r.Name, " ", r.ChainID, " ", when))
		}
		if g := strings.Join(got, ", "); g != want {
			t.Errorf("activation of %s: got %q, want %q", pageForks()[i].Name, g, want)
		}
	}
}

func TestAPIPage(t *testing.T) {
	p := newTestPages(t, pageInfo("https://example.org/p"), nil)
	page, err := p.API(pageAPI())
	if err != nil {
		t.Fatal(err)
	}
	var text string
	for _, e := range pageElements(t, page) {
		if e.tag == "main" {
			text = e.text
		}
	}
	for _, want := range []string{
		"Static <b>.", "/api/v1/mips/{n}", "/api/x", "One proposal.", "The number.", "Found <b>.",
		"Nothing there.", "Answered by a program.",
		`curl -s 'https://example.org/p/api/v1/mips/7?q=a+b%2Cc'`,
		`curl -s -X POST -H 'Content-Type: application/json' -d '{"name":"it'\''s"}' 'https://example.org/p/api/x'`,
		"[\n  1\n]", "string or null", "list of Base", "map of integer", "Base or null",
		"string (uri)", "string: low, high", "A <level>.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
}

// manyList is a list as long as the EIPs.
func manyList() []mip.Metadata {
	sample := pageList()
	all := make([]mip.Metadata, 949)
	for i := range all {
		all[i] = sample[i%len(sample)]
		all[i].Number, all[i].ID = i+1, mip.ID{Kind: "MIP", Number: i + 1}
		all[i].Title = fmt.Sprintf("A title of the usual length %d", i)
	}
	return all
}

func BenchmarkPagesHome(b *testing.B) {
	p, all := newTestPages(b, pageInfo("https://example.org"), pageForks()), manyList()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Home(all, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPagesProposal(b *testing.B) {
	p, all := newTestPages(b, pageInfo("https://example.org"), pageForks()), pageList()
	v := proposalPage(p, all, 2)
	var body strings.Builder
	for i := range 20 {
		id := fmt.Sprintf("s-%d", i)
		fmt.Fprintf(&body, "<h2 id=%q><a class=\"h\" href=\"#%s\">Heading</a></h2>\n%s", id, id,
			strings.Repeat("<p>Some text of a proposal.</p>\n", 20))
		v.Sections = append(v.Sections, mip.Section{ID: id, Level: 2, Title: "Heading"})
	}
	v.Body = []byte(body.String())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Proposal(v); err != nil {
			b.Fatal(err)
		}
	}
}
