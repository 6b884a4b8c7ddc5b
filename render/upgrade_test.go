package render

import (
	"regexp"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// TestDisagreements holds what pages say of texts and chains that disagree. It is true at any time, and names the
// network's moment for the script that hides what does not hold yet or no more.
func TestDisagreements(t *testing.T) {
	p, all := newTestPages(t, pageInfo("https://example.org"), pageForks()), pageList()
	// The fork bundles 3, which is in Last Call, 4, which is Final, and 99, which is not published. 6 defines it.
	all[5].StatedActivations = []mip.StatedActivation{{Network: "testnet", Text: "TBD <b>"}, {Network: "mainnet", Text: ""}}
	all[2].StatedActivations = []mip.StatedActivation{{Network: "testnet", Text: "10 March 2026", Date: mip.Date{Year: 2026, Month: 3, Day: 10}}}
	all[8].Title = "No status"
	const (
		notFinal  = "MIP-4 is Final; Été NINE, which bundles it, has no activation time on Mainnet."
		differs   = "The text of MIP-6 says “TBD <b>” for Testnet, where Été NINE activates on 10 Mar 2026, 14:30 UTC."
		notBundle = "Été NINE bundles MIP-99, which is not published here."
		nothing   = "Nothing found."
	)
	for name, tt := range map[string]struct {
		page func() ([]byte, error)
		want string
	}{
		"dashboard":        {func() ([]byte, error) { return p.Dashboard(DashboardPage{Metadata: all}) }, notFinal + "|" + differs + "|" + notBundle + "|" + nothing},
		"upgrade":          {func() ([]byte, error) { return p.Upgrade(p.forks[1], all) }, notFinal + "|" + differs + "|" + nothing},
		"proposal":         {func() ([]byte, error) { return p.Proposal(proposalPage(p, all, 3)) }, ""},
		"bundled proposal": {func() ([]byte, error) { return p.Proposal(ProposalPage{All: all, Index: 3, Fork: &p.forks[1]}) }, notFinal + "|" + nothing},
		"meta proposal":    {func() ([]byte, error) { return p.Proposal(ProposalPage{All: all, Index: 5, Fork: &p.forks[1]}) }, differs + "|" + nothing},
		"calm proposal":    {func() ([]byte, error) { return p.Proposal(ProposalPage{All: all, Index: 2, Fork: &p.forks[1]}) }, ""},
	} {
		page, err := tt.page()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range pageFaults(t, page) {
			t.Errorf("%s: %s", name, f)
		}
		var got []string
		_, list, _ := strings.Cut(string(page), "disagree</h")
		list, _, _ = strings.Cut(list, "</ul>")
		for _, e := range pageElements(t, []byte(list)) {
			if e.tag == "li" {
				got = append(got, strings.Join(strings.Fields(e.text), " "))
			}
		}
		if g := strings.Join(got, "|"); g != tt.want {
			t.Errorf("%s: %s\nwant %s", name, g, tt.want)
		}
		if name == "dashboard" && !strings.Contains(regexp.MustCompile(`\s+`).ReplaceAllString(string(page), " "), "Compared: 3 proposals in hard forks. Published here: 2. Of these, with a status: 2.") {
			t.Error("the dashboard does not say what was compared")
		}
	}
}
