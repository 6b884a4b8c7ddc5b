package corpus

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// What site.yaml may give a key as its meaning is what headers are read for: a word of one list alone would be accepted there
// and do nothing.
func TestHeaderKeysAreRead(t *testing.T) {
	if diff := cmp.Diff(slices.Sorted(maps.Keys(usual)), slices.Sorted(slices.Values(mip.HeaderKeys))); diff != "" {
		t.Errorf("meanings that are read, and that site.yaml may name (-read +named):\n%s", diff)
	}
}
