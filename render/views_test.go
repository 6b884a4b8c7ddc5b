package render

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

func TestTitleHTML(t *testing.T) {
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
		"":                      "",
	} {
		if got := string(titleHTML(in)); got != want {
			t.Errorf("titleHTML(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSteps(t *testing.T) {
	for status, want := range map[mip.Status]string{
		mip.Draft:     "*Draft Review LastCall Final",
		mip.Review:    "Draft+ *Review LastCall Final",
		mip.LastCall:  "Draft+ Review+ *LastCall Final",
		mip.Final:     "Draft+ Review+ LastCall+ *Final+",
		mip.Living:    "",
		mip.Withdrawn: "",
		"Moved":       "",
		"":            "",
	} {
		var got []string
		for _, s := range steps(mip.Summary{Status: status}) {
			word := strings.ReplaceAll(string(s.Status), " ", "")
			if s.Now {
				word = "*" + word
			}
			if strings.Contains(s.Class, "done") {
				word += "+"
			}
			got = append(got, word)
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("steps(%q) = %q, want %q", status, g, want)
		}
	}
}

func TestNamed(t *testing.T) {
	for _, c := range [][2]string{{"A `b` & c", "MIP-1 A <code>b</code> &amp; c"}, {"MIP-1", "MIP-1"}, {"", "MIP-1"}} {
		if got := string(namedHTML(mip.ID{Kind: "MIP", Number: 1}, c[0])); got != c[1] {
			t.Errorf("namedHTML(MIP-1, %q) = %q, want %q", c[0], got, c[1])
		}
	}
}

func TestLastCalls(t *testing.T) {
	updated := mip.NewTime(time.Date(2026, 5, 10, 1, 0, 0, 0, time.UTC))
	call := func(n, day int) mip.Summary {
		return mip.Summary{Number: n, Status: mip.LastCall, LastCallDeadline: mip.Date{Year: 2026, Month: 5, Day: day}, Updated: &updated}
	}
	draft, undated := call(6, 20), call(7, 20)
	draft.Status, undated.LastCallDeadline = mip.Draft, mip.Date{}
	all := []mip.Summary{call(1, 30), call(2, 9), call(3, 10), call(4, 11), call(5, 1), draft, undated}
	numbers := func(calls []mip.Summary) (out []int) {
		for _, c := range calls {
			out = append(out, c.Number)
		}
		return out
	}
	open, over := lastCalls(all)
	if got, want := numbers(open), []int{3, 4, 1}; !slices.Equal(got, want) {
		t.Errorf("open: got %v, want %v", got, want)
	}
	if got, want := numbers(over), []int{5, 2}; !slices.Equal(got, want) {
		t.Errorf("over: got %v, want %v", got, want)
	}
}

func TestTableOfContents(t *testing.T) {
	section := func(level int, id string) mip.Section { return mip.Section{ID: id, Level: level, Title: "T " + id} }
	for _, c := range []struct {
		name, body, want string
		sections         []mip.Section
	}{
		{"nested", `<h2 id="a"><h3 id="b"><h3 id="c"><h2 id="d">`, "a(b c) d", []mip.Section{section(2, "a"), section(3, "b"), section(3, "c"), section(2, "d")}},
		{"starts deep", `<h3 id="a"><h2 id="b"><h3 id="c">`, "a b(c)", []mip.Section{section(3, "a"), section(2, "b"), section(3, "c")}},
		{"title left out", `<span id="a"></span><h2 id="b"><h2 id="c">`, "b c", []mip.Section{section(1, "a"), section(2, "b"), section(2, "c")}},
		{"level of the page counts", `<h2 id="a"><h3 id="b">`, "a(b)", []mip.Section{section(1, "a"), section(2, "b")}},
		{"too deep", `<h2 id="a"><h4 id="b"><h2 id="c">`, "a c", []mip.Section{section(2, "a"), section(4, "b"), section(2, "c")}},
		{"one entry is no table", `<h2 id="a">`, "", []mip.Section{section(2, "a")}},
		{"no body", ``, "", []mip.Section{section(2, "a"), section(2, "b")}},
	} {
		html, err := newTestPages(t, pageInfo("https://example.org"), nil).tableOfContents(c.sections, []byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(string(html), "\n", "")
		for _, id := range []string{"a", "b", "c", "d"} {
			got = strings.ReplaceAll(got, fmt.Sprintf(`<a href="#%s">T %s</a>`, id, id), id)
		}
		got = strings.NewReplacer("</li><li>", " ", "<ol><li>", "(", "</li></ol>", ")", "<li>", "", "</li>", "").Replace(got)
		if got != c.want {
			t.Errorf("%s: tableOfContents(%s) = %q, want %q", c.name, c.body, got, c.want)
		}
	}
}

func TestStatusChoices(t *testing.T) {
	var all []mip.Summary
	for i, s := range []mip.Status{"", "Moved", mip.Final, "Accepted", mip.Draft, "moved", mip.Final} {
		all = append(all, mip.Summary{Number: i, Status: s})
	}
	var got []string
	for _, c := range statusChoices(all) {
		got = append(got, fmt.Sprintf("%s/%s/%d", c.Label, c.Class, c.Count))
	}
	want := []string{"Draft/s-draft/1", "Final/s-final/2", "Accepted/s-other/1", "Moved/s-other/2", "No status/s-none/1"}
	if !slices.Equal(got, want) {
		t.Errorf("statusChoices: got %q, want %q", got, want)
	}
}

func TestTiles(t *testing.T) {
	var got []string
	for _, c := range statusTiles([]mip.Summary{{Status: mip.Final}, {Status: "Moved"}, {}}) {
		got = append(got, fmt.Sprintf("%s/%d", c.Label, c.Count))
	}
	want := []string{"Draft/0", "Review/0", "Last Call/0", "Final/1", "Living/0", "Stagnant/0", "Withdrawn/0", "Moved/1", "No status/1"}
	if !slices.Equal(got, want) {
		t.Errorf("statusTiles: got %q, want %q", got, want)
	}
}

func TestUpgradesNewestFirst(t *testing.T) {
	forks := pageForks()
	forks = append(forks, mip.HardFork{Name: "PLANNED"})
	p := newTestPages(t, pageInfo("https://example.org"), forks)
	var got []string
	for _, u := range p.upgrades(nil) {
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
		"Mainnet 1 -, Testnet 2 2026-03-10T14:30:00Z 1773153000, devnet 0 2026-03-10T14:30:00Z 1773153000",
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
		"Static <b>.", "/api/v1/mips/{n}", "/api/x", "One proposal.", "The number.", "Found <b>.", "Nothing there.", "Answered by a program.",
		`curl -s 'https://example.org/p/api/v1/mips/7?q=a+b%2Cc'`,
		`curl -s -X POST -H 'Content-Type: application/json' -d '{"name":"it'\''s"}' 'https://example.org/p/api/x'`,
		"[\n  1\n]", "string or null", "list of Base", "map of integer", "Base or null", "string (uri)", "string: low, high", "A <level>.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
}

// manySummaries is a list as long as that of the EIPs.
func manySummaries() []mip.Summary {
	sample := pageSummaries()
	all := make([]mip.Summary, 949)
	for i := range all {
		all[i] = sample[i%len(sample)]
		all[i].Number, all[i].ID = i+1, mip.ID{Kind: "MIP", Number: i + 1}
		all[i].Title = fmt.Sprintf("A title of the usual length %d", i)
	}
	return all
}

func BenchmarkPagesHome(b *testing.B) {
	p, all := newTestPages(b, pageInfo("https://example.org"), pageForks()), manySummaries()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Home(all); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPagesProposal(b *testing.B) {
	p, all := newTestPages(b, pageInfo("https://example.org"), pageForks()), pageSummaries()
	v := proposalPage(p, all, 2)
	var body strings.Builder
	for i := range 20 {
		id := fmt.Sprintf("s-%d", i)
		fmt.Fprintf(&body, "<h2 id=%q><a class=\"h\" href=\"#%s\">Heading</a></h2>\n%s", id, id, strings.Repeat("<p>Some text of a proposal.</p>\n", 20))
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
