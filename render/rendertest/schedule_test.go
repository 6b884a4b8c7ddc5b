package rendertest

import (
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Each sentence contradicts the truth at the time, or at some time.
func TestScheduleFaults(t *testing.T) {
	at := func(seconds int64) mip.Activation {
		return mip.Activation{Timestamp: &seconds, Time: new(mip.NewTime(time.Unix(seconds, 0)))}
	}
	s := Schedule{
		Networks: []mip.Network{{ID: "mainnet", Name: "Lantern"},
			{ID: "testnet", Name: "Lantern Testnet"}},
		Forks: []mip.HardFork{
			{Name: "OLD",
				Activation: map[string]mip.Activation{"mainnet": {}, "testnet": at(1700000000)}},
			{Name: "NEW",
				Activation: map[string]mip.Activation{"mainnet": at(1803045600),
					"testnet": at(1800370800)}},
			{Name: "FAR", Activation: map[string]mip.Activation{"mainnet": {}, "testnet": {}}},
		},
	}
	mip.Follow(s.Forks)
	before, after := new(time.Unix(1800000000, 0)), new(time.Unix(1900000000, 0))
	for _, tt := range []struct {
		text string
		now  *time.Time
		want int
	}{
		{"MIP-15 describes the hard fork NEW (mainnet has no time yet; testnet on 19 January " +
			"2027, 15:00 UTC).", nil, 1},
		{"MIP-15 describes the hard fork NEW (mainnet on 19 February 2027, 14:00 UTC; testnet on " +
			"20 January 2027, 15:00 UTC).", before, 1},
		{"NEW scheduled\nLantern\n19 Feb 2027, 14:00:00 UTC\nin 34 days\nLantern Testnet\n" +
			"19 Jan 2027, 15:00:00 UTC\nin 4 days", before, 0},
		{"NEW scheduled\nLantern\n19 Feb 2027, 14:00:00 UTC\nin 34 days\nLantern Testnet\n" +
			"19 Jan 2027, 15:00:00 UTC\nin 4 days", after, 3},
		{"NEW scheduled\nLantern\n19 Feb 2027, 14:00:00 UTC\nin 34 days\nLantern Testnet\n" +
			"19 Jan 2027, 15:00:00 UTC\nin 4 days", nil, 3},
		{"NEW\nNetwork\tChain id\nLantern\t5263610047\tno date yet\t\n" +
			"Lantern Testnet\t5263610048\t19 Jan 2027, 15:00:00 UTC\t1800370800", before, 1},
		{"The hard fork NEW. Action needed before the hard fork activates", before, 0},
		{"The hard fork NEW. Action needed before the hard fork activates", after, 1},
		{"Nodes have to run a release that knows the hard fork NEW before it activates", nil, 1},
		{"Action needed for NEW", before, 0},
		{"Action was needed for NEW", before, 1},
		{"Action needed for NEW", after, 1},
		{"A release that knows NEW\nLantern: needed by 19 Feb 2027, 14:00:00 UTC", nil, 0},
		{"A release that knows NEW\nLantern: was needed by 19 Feb 2027, 14:00:00 UTC", before, 1},
		{"A release that knows NEW\nLantern: needed by 19 Feb 2027, 14:00:00 UTC", after, 1},
		{"OLD active on testnet\nLantern no date yet", before, 0},
		{"OLD active on testnet\nLantern no date yet", after, 1},
		{"OLD\nLantern not on its own here", after, 0},
		{"OLD\nLantern not on its own here", nil, 1},
		{"OLD: Activation: mainnet no time of its own (NEW: 2027-02-19T14:00:00Z), testnet " +
			"2023-11-14T22:13:20Z.", nil, 0},
		{"OLD: Activation: mainnet no time yet, testnet 2023-11-14T22:13:21Z.", nil, 2},
		{"Next upgrade scheduled NEW", before, 0},
		{"Live on mainnet\nNEW", before, 1},
		{"Live on mainnet, testnet\nNEW", after, 0},
		{"Live on testnet\nNEW", nil, 1},
		{"Live on mainnet\nOLD", after, 0},
		{"NEW\nmainnet 19 Feb 2027\ntestnet 19 Jan 2027\t\t21 Nov 2026", before, 0},
		{"NEW\nmainnet 19 Feb 2027\ntestnet 20 Jan 2027\t\t21 Nov 2026", before, 1},
		{"Next upgrade active NEW", after, 1},
		{"FAR planned\nLantern no date yet", after, 0},
		{"FAR scheduled", before, 1},
		{"NEW. Made 1 Sep 2026, 02:03 UTC. Lantern Foundation. Created 8 Sep 2026, in 3 days",
			before, 0},
	} {
		if got := s.Faults(tt.text, tt.now); len(got) != tt.want {
			t.Errorf("at %v %q: %d faults %q, want %d", tt.now, tt.text, len(got), got, tt.want)
		}
	}
}
