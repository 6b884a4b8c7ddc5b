package index

import (
	"fmt"
	"log/slog"
	"testing"
)

// TestPollerForgets holds that errors which never repeat do not pile up.
func TestPollerForgets(t *testing.T) {
	p := &Poller{Log: slog.New(slog.DiscardHandler)}
	for i := range 1000 {
		p.logError(fmt.Errorf("error %d", i))
	}
	if len(p.logged) == 0 || len(p.logged) > 100 {
		t.Errorf("%d errors are remembered, want from 1 to 100", len(p.logged))
	}
}
