package summary

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// TestExtractGolden compares the summaries of small proposals with summaries that a person has read
// and approved.
func TestExtractGolden(t *testing.T) {
	const path = "testdata/extract.txtar"
	all := archived(t, path)
	glow := mip.HardFork{Name: "GLOW", Status: "scheduled", MetaMIP: new(4), BundledMIPs: []int{1,
		5},
		Activation: map[string]mip.Activation{"mainnet": switches(0),
			"testnet": switches(1800370800)}}
	var b strings.Builder
	for _, n := range slices.Sorted(maps.Keys(all)) {
		s := forked(all[n], all, glow)
		sum := Extract(s)
		if err := Check(sum, s); err != nil {
			t.Errorf("MIP-%d: %v", n, err)
		}
		fmt.Fprintf(&b, "%s\n", print(sum))
	}
	testenv.Golden(t, path, "want", []byte(b.String()))
}

// print returns a summary for a person to read.
func print(sum api.Summary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "MIP-%d: %s\n", sum.MIPNumber, sum.TLDR)
	for _, line := range sum.WhatsChanging {
		fmt.Fprintf(&b, "  - %s\n", line)
	}
	for a, x := range axes(&sum) {
		action := ""
		if x.ActionRequired {
			action = ", has to act"
		}
		switch {
		case !x.Stated:
			action += ", not stated"
		case x.ActionEvidence != nil && !x.ActionRequired:
			action += ", has nothing to do"
		}
		fmt.Fprintf(&b, "%s, %s%s: %s\n", axis(a), x.Severity, action, x.Impact)
		for _, e := range x.Evidence {
			mark := ' '
			if x.ActionEvidence != nil && *x.ActionEvidence == e {
				mark = '!'
			}
			fmt.Fprintf(&b, "  %c %s: %s\n", mark, e.Section, e.Quote)
		}
	}
	return b.String()
}
