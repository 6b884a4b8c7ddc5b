package render

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/board"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// TestDisagreements checks the statements of pages about disagreements of texts and chains. They
// are true at any time, and contain the network's time for the script that hides those that do not
// hold now.
func TestDisagreements(t *testing.T) {
	p, all := newTestPages(t, pageInfo("https://example.org"), pageForks()), pageList()
	// The fork bundles 3, which is in Last Call, 4, which is Final, and 99, which is not published.
	// 6 defines it.
	all[5].StatedActivations = []mip.StatedActivation{{Network: "testnet", Text: "TBD <b>"},
		{Network: "mainnet", Text: ""}}
	all[2].StatedActivations = []mip.StatedActivation{{Network: "testnet", Text: "10 March 2026",
		Date: mip.Date{Year: 2026, Month: 3, Day: 10}}}
	all[8].Title = "No status"
	const (
		notFinal = "MIP-4 is Final; Été NINE, which bundles it, has no activation time on mainnet."
		differs  = "The text of MIP-6 says “TBD <b>” for testnet, where Été NINE activates on " +
			"10 Mar 2026, 14:30 UTC."
		notBundle = "Été NINE bundles MIP-99, which is not published here."
		nothing   = "Nothing found."
	)
	for name, tt := range map[string]struct {
		page func() ([]byte, error)
		want string
	}{
		"dashboard": {func() ([]byte, error) {
			return p.Dashboard(DashboardPage{Metadata: all})
		}, "MIP-3 Title code 3: takes comments until 3 Dec 2026|" + notFinal + "|" + differs + "|" +
			notBundle + "|MIP-4 Title code 4: requires MIP-77, which is not published|" +
			"MIP-6 Title code 6: is stagnant 6 Mar 2026|Nothing: no deadline for comments, " +
			"nothing stagnant, every summary matches its text, every required proposal is " +
			"published, and texts and chains agree."},
		"upgrade": {func() ([]byte, error) {
			return p.Upgrade(upgradePage(p.forks[1], all))
		}, notFinal + "|" + differs + "|" + nothing},
		"proposal": {func() ([]byte, error) { return p.Proposal(proposalPage(p, all, 3)) },
			""},
		"bundled proposal": {func() ([]byte, error) {
			return p.Proposal(ProposalPage{All: all, Index: 3, Fork: &p.forks[1]})
		}, notFinal + "|" + nothing},
		"meta proposal": {func() ([]byte, error) {
			return p.Proposal(ProposalPage{All: all, Index: 5, Fork: &p.forks[1]})
		}, differs + "|" + nothing},
		"calm proposal": {func() ([]byte, error) {
			return p.Proposal(ProposalPage{All: all, Index: 2, Fork: &p.forks[1]})
		}, ""},
	} {
		page, err := tt.page()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range pageFaults(t, page) {
			t.Errorf("%s: %s", name, f)
		}
		var got []string
		list := ""
		for _, head := range []string{"Needs attention</h2>", `text and chain disagree">`,
			"disagree</h2>"} {
			if _, after, found := strings.Cut(string(page), head); found {
				list, _, _ = strings.Cut(after, "</ul>")
				break
			}
		}
		for _, e := range pageElements(t, []byte(list)) {
			if e.tag == "li" {
				got = append(got, strings.Join(strings.Fields(e.text), " "))
			}
		}
		if g := strings.Join(got, "|"); g != tt.want {
			t.Errorf("%s: %s\nwant %s", name, g, tt.want)
		}
		const compared = "2 of 3 bundled proposals were compared."
		words := strings.Join(strings.Fields(string(page)), " ")
		if name == "dashboard" && !strings.Contains(words, compared) {
			t.Error("the dashboard does not say what was compared")
		}
	}
}

// TestRunbook checks the duties on an upgrade's page: from the upgrade, apart from quotes of the
// texts, each once, and from the steps of the meta proposal. Groups without a duty are not named.
func TestRunbook(t *testing.T) {
	p, all := newTestPages(t, pageInfo("https://example.org/p"), pageForks()), pageList()
	duty := func(group string, number int, section, quote string) api.Claim {
		said := &api.Evidence{Section: section, Quote: quote}
		return api.Claim{Group: group, ID: mip.ID{Kind: "MIP", Number: number},
			Axis: api.Axis{ActionRequired: quote != "", ActionEvidence: said}}
	}
	in := upgradePage(p.forks[1], all)
	in.Claims = []api.Claim{
		duty("developers", 3, "s-backwards-compatibility",
			"Tools **must** check `x` < [the list](https://x.test/y)."),
		duty("validators", 3, "s-a", ""),
		duty("developers", 6, "MIP-3#s-backwards-compatibility",
			"Tools **must** check `x` < [the list](https://x.test/y)."),
		duty("foundation", 6, "s-b", "The date must be set."),
	}
	in.Titles = map[string]string{"MIP-3#s-backwards-compatibility": "Backwards Compatibility"}
	in.Tasks = []mip.Task{{Text: "Scope <agreed>", Done: true, Section: "s-steps"},
		{Text: "Mainnet date", Section: "s-steps"}}
	page, err := p.Upgrade(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range pageFaults(t, page) {
		t.Error(f)
	}
	asked := between(string(page), "What the upgrade asks", "<h2>Steps of") +
		between(string(page), "<h2>Steps of", `<div class="attn">`)
	text := strings.Join(strings.Fields(tags.ReplaceAllString(asked, " ")), " ")
	want := "Validators : a release that knows Été NINE. " +
		"Deadline on devnet: 10 Mar 2026, 14:30 UTC " +
		"Deadline on testnet: 10 Mar 2026, 14:30 UTC " +
		"Mainnet: no date yet What its texts ask Developers : Tools must check x &lt; the list. " +
		"MIP-3, Backwards Compatibility Foundation : The date must be set. MIP-6, b " +
		"MIP-6 1 of 2 done, as of 6 Mar 2026 . ☑ Done: Scope &lt;agreed&gt; ☐ Open: Mainnet date"
	if text != want {
		t.Errorf("the page says %q, want %q", text, want)
	}
	if !strings.Contains(string(page), `href="/p/mip/3/#s-backwards-compatibility"`) {
		t.Error("a quote does not lead to its section")
	}
}

// An upgrade whose proposals are not published here still asks validators for a release, and names
// the proposals.
func TestRunbookWithoutTexts(t *testing.T) {
	p, all := newTestPages(t, pageInfo("https://example.org/p"), pageForks()), pageList()
	page, err := p.Upgrade(upgradePage(p.forks[1], all))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(tags.ReplaceAllString(string(page), " ")), " ")
	for _, want := range []string{
		"One sentence. Bundled 3 With MIP-3 (Last Call until 3 Dec 2026 ), MIP-4 (Final), " +
			"MIP-99 (its text is not here) . Defined in MIP-6 (Stagnant).",
		"What the upgrade asks Validators : a release that knows Été NINE. Deadline on devnet: " +
			"10 Mar 2026, 14:30 UTC Deadline on testnet: 10 Mar " +
			"2026, 14:30 UTC Mainnet: no date yet Where texts and chains disagree",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q: %s", want, text)
		}
	}
}

// TestBoard checks the proposals of an upgrade by stage: the counts on the first screen, the rows
// with the known facts of each, the newest moves, and separately the proposals that are not in it.
func TestBoard(t *testing.T) {
	day := func(day int) mip.Date { return mip.Date{Year: 2026, Month: 5, Day: day} }
	listed := func(id string, stage mip.Inclusion, since mip.Date, commit string) mip.ForkProposal {
		of := mip.ForkProposal{ID: rendertest.Must[mip.ID](t)(mip.ParseID(id)), Stage: stage,
			Since: since}
		if commit != "" {
			of.Commit = &commit
		}
		return of
	}
	const first, second = "1111111aaaa", "2222222bbbb"
	f := mip.HardFork{Name: "NEXT", Status: "planned", MetaMIP: new(6), BundledMIPs: []int{3, 4},
		Proposals: []mip.ForkProposal{
			listed("MIP-4", mip.Declined, day(1), first),
			listed("MIP-3", mip.Scheduled, day(2), second),
			listed("ERC-20", mip.Considered, day(2), second),
			listed("XIP-1", mip.Scheduled, day(1), first),
			listed("MIP-99", mip.Scheduled, mip.Date{}, ""),
			listed("MIP-1", mip.Scheduled, day(1), first),
			listed("MIP-2", mip.Unlisted, day(1), "3333333"),
		}}
	for i := range 4 {
		at := fmt.Sprintf("400000%d", i)
		f.Proposals = append(f.Proposals,
			listed(fmt.Sprintf("XIP-%d", 10+i), mip.Proposed, day(10+i), at))
	}
	f.Proposals[1].Before = new(mip.Considered)
	p, all := newTestPages(t, pageInfo("https://example.org/p"), []mip.HardFork{f}), pageList()
	asked := func(group string, act bool) api.Claim {
		return api.Claim{Group: group, ID: all[2].ID, Axis: api.Axis{ActionRequired: act,
			ActionEvidence: &api.Evidence{Section: "s-a", Quote: "Act."}}}
	}
	claims := []api.Claim{asked("developers", true), asked("users", false),
		asked("validators", true)}
	var moves []mip.ForkProposal
	for _, i := range []int{10, 9, 8, 7, 1, 2, 3, 5, 0, 6} {
		moves = append(moves, f.Proposals[i])
	}
	moves = append(moves, listed("MIP-3", mip.Considered, day(1), "0000000"))
	page, err := p.Upgrade(UpgradePage{Fork: f, Texts: board.Texts{Kind: "MIP", All: all,
		Claims: claims, References: mip.References{"ERC": "https://ercs.example.net/{n}"},
		Moves: moves, Versions: []string{second}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range pageFaults(t, page) {
		t.Error(f)
	}
	const history = `href="/p/mip/6/history/#v-2222222bbbb"`
	for _, want := range []string{`href="https://ercs.example.net/20"`, history,
		`href="/p/upgrade/next.md"`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(string(page), "/history/"); n != strings.Count(string(page), history) {
		t.Errorf("%d links lead to versions, some of them to one that is not shown", n)
	}
	body := between(string(page), "<h1>", "What to run")
	text := strings.Join(strings.Fields(tags.ReplaceAllString(body, " ")), " ")
	want := "NEXT One sentence. Scheduled 4 Considered 1 Proposed 4 Declined 1 Withdrawn 1 " +
		"With MIP-3 (Last Call until 3 Dec 2026 ), MIP-4 (Final). " +
		"Defined in MIP-6 (Stagnant). Last move: XIP-13, proposed 13 May 2026 at 4000003 . " +
		"No activation time is recorded. For validators: a release that knows NEXT . " +
		"What is in it " +
		"Scheduled 4 MIP-3 Last Call until 3 Dec 2026 Asks developers, validators " +
		"Title code 3 since 2 May 2026 at 2222222 , considered before " +
		"XIP-1 its text is not here since 1 May 2026 at 1111111 " +
		"MIP-99 its text is not here MIP-1 Draft Title code 1 since 1 May 2026 at 1111111 " +
		"Considered 1 ERC-20 its text is not here ercs.example.net since 2 May 2026 at 2222222 " +
		"Proposed 4 XIP-10 its text is not here since 10 May 2026 at 4000000 " +
		"XIP-11 its text is not here since 11 May 2026 at 4000001 " +
		"XIP-12 its text is not here since 12 May 2026 at 4000002 " +
		"XIP-13 its text is not here since 13 May 2026 at 4000003 " +
		"What moved last 13 May 2026 at 4000003 Proposed: XIP-13 " +
		"12 May 2026 at 4000002 Proposed: XIP-12 11 May 2026 at 4000001 Proposed: XIP-11 " +
		"10 May 2026 at 4000000 Proposed: XIP-10 2 May 2026 at 2222222 Scheduled: MIP-3 " +
		"Earlier moves 5 2 May 2026 at 2222222 Considered: ERC-20 " +
		"1 May 2026 at 1111111 Scheduled: XIP-1, MIP-1 1 May 2026 at 1111111 Declined: MIP-4 " +
		"1 May 2026 at 3333333 Withdrawn: MIP-2 1 May 2026 at 0000000 Considered: MIP-3 " +
		"What is not in it Declined 1 MIP-4 Final Title code 4 " +
		"since 1 May 2026 at 1111111 Withdrawn 1 MIP-2 Review Title code 2 " +
		"since 1 May 2026 at 3333333"
	if d := cmp.Diff(strings.Split(want, ". "), strings.Split(text, ". ")); d != "" {
		t.Errorf("the page (-want +got):\n%s", d)
	}
}

// The head of the page has the statuses of few proposals, the ids of more, and the number of the
// rest.
func TestHeadOfAnUpgrade(t *testing.T) {
	all := pageList()
	for n, want := range map[int]string{
		0:  "No meta proposal",
		1:  "With MIP-1 (Draft). No meta",
		8:  "MIP-7 (Withdrawn), MIP-8 (Peer Review). No meta",
		9:  "With MIP-1, MIP-2, MIP-3, MIP-4, MIP-5, MIP-6, MIP-7, MIP-8, MIP-9. No meta",
		24: "MIP-24 (its text is not here). No meta",
		25: "MIP-24 (its text is not here) and 1 more. No meta",
	} {
		f := mip.HardFork{Name: "NEXT", Status: "planned"}
		for i := range n {
			f.BundledMIPs = append(f.BundledMIPs, i+1)
		}
		p := newTestPages(t, pageInfo("https://example.org/p"), []mip.HardFork{f})
		page, err := p.Upgrade(UpgradePage{Fork: f, Texts: board.Texts{Kind: "MIP", All: all}})
		if err != nil {
			t.Fatal(err)
		}
		head := tags.ReplaceAllString(between(string(page), "<h1>", "What is in it"), "")
		if head = strings.Join(strings.Fields(head), " "); !strings.Contains(head, want) {
			t.Errorf("the head for %d proposals lacks %q: %s", n, want, head)
		}
	}
}

// tags matches HTML tags.
var tags = regexp.MustCompile(`<[^>]*>`)

// The next upgrade asks validators for a new release, even if no text mentions them, and asks
// nothing of developers.
func TestRoleOfAnUpgrade(t *testing.T) {
	p, all := newTestPages(t, pageInfo("https://example.org/p"), pageForks()), pageList()
	for role, want := range map[string]bool{"validators": true, "developers": false,
		"users": false} {
		doc := api.Role{Role: role}
		if asks := api.Asks(role, &p.forks[1], p.info.Networks); asks != nil {
			doc.Upgrades = []api.Request{{Hardfork: p.forks[1].Name, Asks: *asks}}
		}
		page, err := p.Role(RolePage{Role: doc, All: all})
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(tags.ReplaceAllString(string(page), " ")), " ")
		got := strings.Contains(text,
			"Devnet 10 Mar 2026, 14:30 UTC The upgrade asks for a release that knows Été NINE.")
		silent := strings.Contains(text, "was a sentence about "+role+" found.")
		if silent == want {
			t.Errorf("%s: the page is empty: %t", role, silent)
		}
		if got != want {
			t.Errorf("%s: asked for a release %t, want %t: %s", role, got, want, text)
		}
	}
}
