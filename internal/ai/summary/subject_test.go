package summary

import (
	"testing"

	"github.com/mipwatch/mipwatch/internal/mip"
)

func TestForkOf(t *testing.T) {
	twin := argand()
	twin.Name, twin.BundledMIPs = "TWIN", []int{3, 12}
	forks := []mip.HardFork{beacon(), argand(), twin}
	for _, tt := range []struct {
		name   string
		number int
		fork   *string // in the summary
		want   string
	}{
		{"bundled", 4, nil, "BEACON"},
		{"meta proposal", 8, nil, "BEACON"},
		{"none", 1, nil, ""},
		{"of several the first", 12, nil, "ARGAND"},
		{"of several the one that is named", 12, new("TWIN"), "TWIN"},
		{"a name that has nothing to do with it", 4, new("ARGAND"), "BEACON"},
		{"a name of no fork", 3, new("DUSK"), "BEACON"},
	} {
		got := ""
		if f := ForkOf("", mip.Metadata{Number: tt.number, Hardfork: tt.fork}, forks); f != nil {
			got = f.Name
		}
		if got != tt.want {
			t.Errorf("%s: ForkOf(%d) = %q, want %q", tt.name, tt.number, got, tt.want)
		}
	}
	if !IsMeta(mip.Metadata{Number: 8}, &forks[0]) || IsMeta(mip.Metadata{Number: 3}, &forks[0]) ||
		IsMeta(mip.Metadata{Number: 8}, nil) {
		t.Error("IsMeta: MIP-8 alone is the meta proposal of BEACON")
	}
}
