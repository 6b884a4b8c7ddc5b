package ai

import (
	"context"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// noon is the time of every summary in the tests.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// canned is a model that gives one answer and keeps its prompt.
type canned struct {
	text  string
	err   error
	asked []Prompt
}

func (c *canned) Ask(_ context.Context, p Prompt) (Reply, error) {
	c.asked = append(c.asked, p)
	return Reply{Text: c.text, Model: "canned-1"}, c.err
}

// switches returns an activation at a time, unset for 0.
func switches(unix int64) mip.Activation {
	if unix == 0 {
		return mip.Activation{}
	}
	return mip.Activation{Timestamp: &unix, Time: new(mip.NewTime(time.Unix(unix, 0)))}
}

func argand() mip.HardFork {
	return mip.HardFork{
		Name: "ARGAND", Status: "scheduled", MetaMIP: new(15), BundledMIPs: []int{12, 14},
		Activation: map[string]mip.Activation{
			"mainnet": switches(0), "testnet": switches(1800370800),
		},
	}
}
