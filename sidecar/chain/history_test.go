package chain

import (
	"slices"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
)

// TestHistoryRecent holds that recent heads only rise, are bounded, and are never changed in the hands of
// who read them before.
func TestHistoryRecent(t *testing.T) {
	var h history
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	see := func(height uint64) []api.Head {
		return h.add(head{height: height, time: start.Add(time.Duration(height) * time.Second)}, start).recent
	}
	heights := func(heads []api.Head) (out []uint64) {
		for _, x := range heads {
			out = append(out, x.BlockHeight)
		}
		return out
	}
	see(10)
	first := see(12)
	see(12)
	if got := heights(see(13)); !slices.Equal(got, []uint64{10, 12, 13}) || !slices.Equal(heights(first), []uint64{10, 12}) {
		t.Errorf("heads %v, before %v", got, heights(first))
	}
	if got := heights(see(5)); !slices.Equal(got, []uint64{5}) {
		t.Errorf("heads %v after the chain fell back", got)
	}
	for n := range uint64(3 * maxRecent) {
		see(100 + n)
	}
	if got := heights(h.recent); len(got) != maxRecent || got[maxRecent-1] != 99+3*maxRecent || !slices.IsSorted(got) {
		t.Errorf("heads %v, want the %d latest", got, maxRecent)
	}
}
