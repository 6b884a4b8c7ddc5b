package build_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/render/plain"
)

// activationsOfEthereum are the activations of the main network by the meta proposals, and the
// number of networks that each names. They are copied by hand.
var activationsOfEthereum = []string{
	"Homestead: block 1,150,000, of 3 networks",
	"Spurious Dragon: block 2,675,000, of 2 networks",
	"Tangerine Whistle: block 2,463,000, of 1 networks",
	"Byzantium: block 4,370,000, of 2 networks",
	"Constantinople: block 7,280,000, of 4 networks",
	"Istanbul: block 9,069,000, of 5 networks",
	"Muir Glacier: block 9,200,000, of 5 networks",
	"Dencun: 13 Mar 2024, 13:55 UTC, epoch 269568, of 4 networks",
	"Pectra: 7 May 2025, 10:05 UTC, epoch 364032, of 4 networks",
	"Fusaka: 3 Dec 2025, 21:49 UTC, epoch 411392, of 4 networks",
	"Glamsterdam: no time yet, of 3 networks",
	"Hegotá: no time yet, of 3 networks",
}

// checkActivations compares the upgrades of Ethereum with their known activations.
func checkActivations(t *testing.T, b built) {
	var got []string
	for _, f := range b.corpus.Forks {
		main := "none"
		for _, a := range f.Schedule {
			if strings.HasSuffix(strings.ToLower(a.Network), "mainnet") {
				main = plain.Stated(a)
			}
		}
		got = append(got, fmt.Sprintf("%s: %s, of %d networks", f.Name, main, len(f.Schedule)))
	}
	is, want := strings.Join(got, "\n"), strings.Join(activationsOfEthereum, "\n")
	if is != want {
		t.Errorf("activations are\n%s\nwant\n%s", is, want)
	}
}
