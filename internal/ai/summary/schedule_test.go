package summary

import (
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// A summary says nothing of the time of a fork or of a deadline, whoever made it and when: that is the configuration's,
// and the clock's. What the proposal says itself stays.
func TestNoSchedule(t *testing.T) {
	const own = "The upgrade has no date yet."
	s := Subject{Proposal: lamp(), Now: noon, Fork: new(argand())}
	s.Proposal.Sections[0].Markdown += own + "\n"
	for text, want := range map[string]string{
		"MIP-6 comes with the hard fork ARGAND (mainnet has no time yet; testnet on 19 January 2027, 15:00 UTC).":                                                       "",
		"MIP-6 came with the hard fork EMBER (mainnet from the first block; testnet from the first block).":                                                             "",
		"MIP-6 describes the hard fork ARGAND (planned).":                                                                                                               "",
		"MIP-6 comes with the hard fork ARGAND (mainnet has no time yet; testnet on…":                                                                                   "",
		"Its last call ends on 24 December 2026.":                                                                                                                       "",
		"Lamps burn. Nodes have to run a release that knows the hard fork ARGAND before it activates (mainnet has no time yet; testnet on 19 January 2027, 15:00 UTC).": "Lamps burn.",
		"Lamps burn. It activates with the hard fork TWO WORDS (mainnet has no time yet).":                                                                              "Lamps burn.",
		"Lamps burn. It came with the hard fork ARGAND, so nodes that follow the chain run it.":                                                                         "Lamps burn.",
		"Lamps burn. It came with the hard fork ARGAND.":                                                                                                                "Lamps burn.",
		"Lamps burn. It is about a hard fork: nodes have to run a release that knows it before it activates.":                                                           "Lamps burn.",
		"Lamps burn. The mainnet activation has no date yet.":                                                                                                           "Lamps burn.",
		"Lamps burn. No activation time has been set for mainnet.":                                                                                                      "Lamps burn.",
		"Lamps burn. The upgrade is not yet scheduled on mainnet.":                                                                                                      "Lamps burn.",
		"Lamps burn. The fork is already active. Contracts adapt.":                                                                                                      "Lamps burn. Contracts adapt.",
		"Lamps burn. " + own: "Lamps burn. " + own,
		// These speak of something else.
		"A lamp that has no time yet stays dark.":                        "A lamp that has no time yet stays dark.",
		"Nodes have to run at night. It activates with the first match.": "Nodes have to run at night. It activates with the first match.",
	} {
		sum := made()
		sum.TLDR, sum.WhatsChanging[1], sum.Users.Impact = "Lamps burn. "+text, text, "Lamps burn. "+text
		Settle(&sum, s)
		if got := sum.WhatsChanging; want != "" && got[1] != want || want == "" && slices.Contains(got, text) || len(got) < minChanges {
			t.Errorf("%q: points %q, want %q", text, got, want)
		}
		for _, got := range []string{sum.TLDR, sum.Users.Impact} {
			if want := strings.TrimSpace("Lamps burn. " + want); got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		}
		if sum.Hardfork == nil || *sum.Hardfork != "ARGAND" {
			t.Errorf("the summary names the fork %v", sum.Hardfork)
		}
	}
	// A file of an earlier version, which says of a group only what the fork asked.
	sum := made()
	sum.Hardfork = new("EMBER")
	sum.Validators.Severity, sum.Foundation = api.High, api.Axis{Severity: api.Medium, ActionRequired: true, Evidence: []api.Evidence{},
		Impact: "The text does not say what this means for this group. It activates with the hard fork ARGAND (mainnet has no time yet)."}
	Settle(&sum, s)
	if err := Check(sum, s); err != nil || sum.Foundation.ActionRequired || sum.Foundation.Stated {
		t.Errorf("a file of an earlier version: %v, %+v", err, sum.Foundation)
	}
	// The site's files change after it was made: the fork has a time, is gone, or is another one.
	for _, fork := range []*mip.HardFork{nil, new(beacon())} {
		s.Fork = fork
		if Settle(&sum, s); fork == nil && sum.Hardfork != nil || fork != nil && *sum.Hardfork != fork.Name {
			t.Errorf("with the fork %v: %v", fork, sum.Hardfork)
		}
	}
	// The fork bundles another proposal now.
	meta := Subject{Proposal: lamp(), Now: noon, Fork: &mip.HardFork{Name: "F", MetaMIP: new(6)}}
	for n := range 2 {
		other := lamp()
		other.Number, other.ID.Number = n+7, n+7
		meta.Bundled = append(meta.Bundled, other)
	}
	now := Extract(meta)
	if err := Check(now, meta); err != nil {
		t.Error(err)
	}
	meta.Bundled = meta.Bundled[:1]
	then := Extract(meta)
	meta.Bundled = append(meta.Bundled, lamp())
	if err := Check(then, meta); err == nil || !strings.Contains(err.Error(), "bundles now") {
		t.Errorf("a summary of when the fork bundled one proposal, %q, not %q: %v", then.TLDR, now.TLDR, err)
	}
	// A time that a model was told is no more of the text than any other number that is not there.
	s.Fork, sum = new(argand()), made()
	sum.TLDR = "Lamps get brighter on testnet from 19 January 2027 on."
	sum.Validators.Severity, sum.Foundation.Severity = api.High, api.Medium
	if err := Check(sum, s); err == nil || !strings.Contains(err.Error(), "mentions a number") {
		t.Errorf("a summary that names the time of the fork: %v", err)
	}
}

// A summary says that something took a proposal's place only while it did: the successor's status is not in the text
// that the summary was made of. The page names it by the headers of now.
func TestNoSuccessorThatIsNone(t *testing.T) {
	const own = "MIP-9 replaces the wicks of this proposal."
	for text, superseded := range map[string]bool{
		"MIP-6 is superseded by MIP-9.":                        false,
		"It has since been superseded by mip 009.":             false,
		"The proposal is obsolete.":                            false,
		"This MIP was replaced by a better one.":               false,
		"MIP-6 wird durch MIP-9 ersetzt.":                      false,
		"該提案已由MIP‑9取代。":                                        false,
		"MIP-9 takes its place.":                               false,
		own:                                                    true,
		"Each lamp is replaced by two candles.":                true,
		"It replaces the obsolete wick.":                       true,
		"MIP-90 burns longer.":                                 true,
		"The lamp is obsolete.":                                true,
		"Validators see that the superseded state is removed.": true,
	} {
		for _, final := range []bool{false, true} {
			s := Subject{Proposal: lamp(), Now: noon}
			s.Proposal.ReplacedBy = []int{9}
			s.Proposal.Sections[0].Markdown += own + "\n"
			if final {
				s.Proposal.SupersededBy = []int{9}
			}
			sum := made()
			sum.TLDR, sum.WhatsChanging[1], sum.Users.Impact = text, text, "Lamps burn. "+text
			Settle(&sum, s)
			said := []bool{sum.TLDR == text, slices.Contains(sum.WhatsChanging, text), sum.Users.Impact != "Lamps burn."}
			if want := superseded || final; slices.Contains(said, !want) || sum.TLDR == "" || len(sum.WhatsChanging) < minChanges {
				t.Errorf("%q, superseded %v: kept %v in %+v", text, final, said, sum)
			}
		}
	}
	// A group of which nothing else was said.
	s, sum := Subject{Proposal: lamp(), Now: noon}, made()
	sum.Users.Impact = "The proposal is obsolete."
	Settle(&sum, s)
	if err := Check(sum, s); err != nil || sum.Users.Stated {
		t.Errorf("%v: %+v", err, sum.Users)
	}
}
