package follow

import (
	"fmt"
	"log/slog"
	"testing"
)

// TestForgets holds that errors which never repeat do not pile up.
func TestForgets(t *testing.T) {
	f := &Follower{Log: slog.New(slog.DiscardHandler)}
	for i := range 1000 {
		f.complain(fmt.Errorf("error %d", i))
	}
	if len(f.told) == 0 || len(f.told) > 100 {
		t.Errorf("%d errors are remembered, want from 1 to 100", len(f.told))
	}
}
