package summary

import (
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// A summary by rules does not mention the time of a fork: a page computes it. It names the fork of
// the present configuration, whichever it was made with.
func TestNoSchedule(t *testing.T) {
	s := Subject{Proposal: lamp(), Now: noon, Fork: new(argand())}
	sum := Extract(s)
	s.Fork = nil
	without := Extract(s)
	if !slices.Equal(Texts(sum), Texts(without)) {
		t.Errorf("with a fork: %q, without: %q", Texts(sum), Texts(without))
	}
	for _, fork := range []*mip.HardFork{nil, new(beacon()), new(argand())} {
		s.Fork = fork
		if Complete(&sum, s); fork == nil && sum.Hardfork != nil || fork != nil &&
			*sum.Hardfork != fork.Name {
			t.Errorf("with the fork %v: %v", fork, sum.Hardfork)
		}
	}
	// A time from the prompt is not in the text, like any other number.
	sum = made()
	sum.TLDR = "Lamps get brighter on testnet from 19 January 2027 on."
	sum.Validators.Severity, sum.Foundation.Severity = api.High, api.Medium
	if err := Check(sum, s); err == nil || !strings.Contains(err.Error(), "mentions a number") {
		t.Errorf("a summary that names the time of the fork: %v", err)
	}
}

// The configuration and other headers change without the text: a committed summary by rules that
// contradicts them has to be made again. The words of a model are not read.
func TestOvertaken(t *testing.T) {
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
		t.Errorf("a summary of when the fork bundled one proposal, %q, not %q: %v", then.TLDR,
			now.TLDR, err)
	}

	s := Subject{Proposal: lamp(), Now: noon}
	s.Proposal.SupersededBy = []int{9}
	then = Extract(s)
	if err := Check(then, s); err != nil ||
		then.WhatsChanging[0] != "MIP-6 is superseded by MIP-9." {
		t.Errorf("%q: %v", then.WhatsChanging, err)
	}
	s.Proposal.SupersededBy, s.Proposal.ReplacedBy = nil, []int{9}
	if err := Check(then, s); err == nil || !strings.Contains(err.Error(),
		"successor that is none now") {
		t.Errorf("a summary of when it was superseded: %v", err)
	}
	sum := made()
	if !sum.Developers.ActionRequired {
		t.Error("developers do not have to act")
	}
	s.Proposal.Standing = mip.Withdrawn.Usual()
	if Complete(&sum, s); sum.Developers.ActionRequired || sum.Developers.ActionEvidence != nil {
		t.Errorf("for a proposal that was withdrawn since: %+v", sum.Developers)
	}
	s.Proposal.Standing = mip.Draft.Usual()
	sum = made()
	sum.TLDR, sum.WhatsChanging[0] = "It is obsolete: MIP-6 has been replaced.",
		"The fork is already active."
	if err := Accept(&sum, s); err != nil || sum.WhatsChanging[0] != "The fork is already active." {
		t.Errorf("a model's words: %q, %v", sum.WhatsChanging, err)
	}
}
