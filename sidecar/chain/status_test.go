package chain_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/chain"
)

func TestHeightGrows(t *testing.T) {
	inBubble(t, 1, func(w *world) {
		c := w.open()
		first, next := c.Status(w.t.Context())
		w.want(first, api.NetworkOK, 0, "")
		now := mip.NewTime(time.Now())
		if *first.FetchedAt != now || *first.BlockTime != now ||
			!next.Equal(time.Now().Add(5*time.Second)) {
			t.Errorf("fetchedAt %v, blockTime %v, next %v; want now, now and 5 s later; now is %v",
				first.FetchedAt, first.BlockTime, next, now)
		}
		time.Sleep(time.Until(next) - 1)
		if d := cmp.Diff(text(first), text(w.status(c))); d != "" {
			t.Errorf("before its time the status is another (-first +second):\n%s", d)
		}
		if n := w.asked.Load(); n != 3 {
			t.Errorf("%d calls, want 3", n)
		}
		time.Sleep(time.Nanosecond)
		second := w.status(c)
		w.want(second, api.NetworkOK, 0, "")
		if *second.BlockHeight <= *first.BlockHeight || second.Regressed {
			t.Errorf("heights %d, then %d, regressed %t; want them to grow", *first.BlockHeight,
				*second.BlockHeight, second.Regressed)
		}
	})
}

// TestCallsAreSingle covers an endpoint that refuses batches, as demo.Chain does: it must get
// single concurrent calls.
func TestCallsAreSingle(t *testing.T) {
	inBubble(t, 1, func(w *world) {
		w.misbehave(0, demo.Delay(300*time.Millisecond))
		start := time.Now()
		w.want(w.status(w.open()), api.NetworkOK, 0, "")
		if took := time.Since(start); took != 300*time.Millisecond {
			t.Errorf("three calls of 300ms took %v, want them side by side", took)
		}
		d := cmp.Diff([]string{"POST /" + secret + "?key=" + secret},
			unique(w.scripts[0].Requests()))
		if d != "" {
			t.Errorf("requests (-want +got):\n%s", d)
		}
	})
}

func unique(s []string) (out []string) {
	for _, v := range s {
		if len(out) == 0 || out[len(out)-1] != v {
			out = append(out, v)
		}
	}
	return out
}

func TestNoEndpoint(t *testing.T) {
	inBubble(t, 0, func(w *world) {
		w.want(w.status(w.open()), api.NetworkUnavailable, -1, api.UpstreamUnavailable)
	})
}

func TestNewHidesAddresses(t *testing.T) {
	for _, address := range []string{secret, "ftp://" + secret + ".example.org", "https://",
		"https://a b/" + secret, "http://[::1/" + secret, "https://x.example.org/%zz" + secret} {
		c, err := chain.New(
			chain.Config{Endpoints: mip.Endpoints{Network: mip.Network{ID: "mainnet"},
				RPC: []string{"https://ok.example.org", address}}})
		if err == nil || strings.Contains(err.Error(), secret) ||
			!strings.Contains(err.Error(), "network mainnet: rpc 2 of 2: ") {
			t.Errorf("New with address %q = %v, %v; want an error that tells the position only",
				address, c, err)
		}
	}
}

func TestFinalizedIsOptional(t *testing.T) {
	for name, c := range map[string]struct {
		fault demo.Fault
		took  time.Duration
		want  func(latest uint64) *uint64
	}{
		"unknown block": {fault: demo.Answer(200, nil,
			`{"jsonrpc":"2.0","id":3,"error":{"code":-39001,"message":"Unknown block"}}`)},
		"unknown tag, 400": {fault: demo.Answer(400, nil,
			`{"jsonrpc":"2.0","id":3,"error":`+
				`{"code":-32602,"message":"hex string without 0x prefix"}}`)},
		"null": {fault: demo.Answer(200, nil,
			`{"jsonrpc":"2.0","id":3,"result":null}`)},
		"not a number": {fault: demo.Answer(200, nil,
			`{"jsonrpc":"2.0","id":3,"result":{"number":"finalized","timestamp":"0x1"}}`)},
		"HTML":  {fault: demo.HTML()},
		"500":   {fault: demo.Answer(500, nil, "{}")},
		"hangs": {fault: demo.Hang(), took: 500 * time.Millisecond},
		"ahead of latest": {
			fault: demo.Answer(200, nil,
				`{"jsonrpc":"2.0","id":3,"result":{"number":"0xffffff","timestamp":"0x1"}}`),
			want: func(latest uint64) *uint64 { return &latest },
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 1, func(w *world) {
				w.misbehave(0, on("finalized", c.fault))
				ch := w.open()
				for range 7 {
					start := time.Now()
					got := w.status(ch)
					if took := time.Since(start); took != c.took {
						t.Errorf("it took %v, want %v", took, c.took)
					}
					if got.Status != api.NetworkOK || got.Error != nil {
						t.Fatalf("status = %s, want ok", text(got))
					}
					var want *uint64
					if c.want != nil {
						want = c.want(*got.BlockHeight)
					}
					if d := cmp.Diff(want, got.FinalizedHeight); d != "" {
						t.Errorf("finalized (-want +got):\n%s", d)
					}
					time.Sleep(6 * time.Second)
				}
			})
		})
	}
}

func TestWrongChain(t *testing.T) {
	inBubble(t, 1, func(w *world) {
		w.chains[0].SetChainID(chainID + 1)
		c := w.open()
		w.want(w.status(c), api.NetworkUnavailable, -1, api.UpstreamUnavailable)
		if !strings.Contains(w.log.String(), "it is chain 144, want 143") ||
			!strings.Contains(w.log.String(), `endpoint="rpc 1 of 1"`) ||
			!strings.Contains(w.log.String(), "network=mainnet") {
			t.Errorf("log = %s; want it to tell both chain ids, the position and the network",
				w.log.String())
		}
		w.chains[0].SetChainID(chainID)
		time.Sleep(5 * time.Second)
		good := w.status(c)
		w.want(good, api.NetworkOK, 0, "")

		// The endpoint now answers for another chain: its data is not shown, the earlier data is.
		w.chains[0].SetChainID(chainID + 1)
		w.chains[0].Reset(7)
		time.Sleep(5 * time.Second)
		stale := w.status(c)
		if stale.Status != api.NetworkStale || *stale.BlockHeight != *good.BlockHeight ||
			*stale.FetchedAt != *good.FetchedAt || *stale.Error != string(api.UpstreamUnavailable) {
			t.Errorf(
				"status with another chain behind the address = %s, want the older figures %s as "+
					"stale",
				text(stale), text(good))
		}
		time.Sleep(24 * time.Hour)
		w.want(w.status(c), api.NetworkUnavailable, -1, api.UpstreamUnavailable)
	})
}

func TestHeightFalls(t *testing.T) {
	inBubble(t, 1, func(w *world) {
		c := w.open()
		w.status(c)
		w.chains[0].Reset(10)
		time.Sleep(6 * time.Second)
		fallen := w.status(c)
		w.want(fallen, api.NetworkOK, 0, "")
		if !fallen.Regressed || *fallen.BlockHeight != 25 {
			t.Errorf("status after a reset = %s, want height 25 and regressed", text(fallen))
		}
		time.Sleep(time.Minute)
		if s := w.status(c); !s.Regressed || s.Status != api.NetworkOK {
			t.Errorf("status while it grows again = %s, want it still regressed", text(s))
		}
		w.chains[0].Reset(20) // lower than the heights after the first reset
		time.Sleep(24*time.Hour - 60*time.Second)
		if s := w.status(c); s.Regressed {
			t.Errorf("status a day after the heights were seen = %s, want regressed no more",
				text(s))
		}
		w.chains[0].Reset(1_000_000)
		time.Sleep(6 * time.Second)
		if s := w.status(c); s.Regressed {
			t.Errorf("status above all that was seen = %s, want it not regressed", text(s))
		}
	})
}

// TestRecent checks that recent heads only rise, are bounded, start anew when a chain falls back,
// and are never changed for earlier readers.
func TestRecent(t *testing.T) {
	inBubble(t, 1, func(w *world) {
		c := w.open()
		look := func() []uint64 {
			time.Sleep(6 * time.Second)
			return heights(w.status(c))
		}
		first := w.status(c)
		look()
		time.Sleep(time.Second)
		w.chains[0].Stall()
		still := look()
		got := look()
		if len(got) != 3 || !slices.Equal(got, still) || !slices.IsSorted(got) ||
			len(heights(first)) != 1 {
			t.Errorf(
				"heads %v after two looks at a chain that stands still, %v after one, %v at first",
				got, still, heights(first))
		}
		w.chains[0].Resume()
		w.chains[0].Reset(10)
		if got := look(); !slices.Equal(got, []uint64{25}) {
			t.Errorf("heads %v after the chain fell back, want that of now", got)
		}
		for range 100 {
			look()
		}
		before := look()
		kept := slices.Clone(before)
		got = look()
		if len(got) != 40 || !slices.Equal(got[:39], before[1:]) || got[39] <= before[39] ||
			!slices.Equal(before, kept) {
			t.Errorf("heads %v, then %v, want the 40 latest", before, got)
		}
	})
}

// heights returns the heights of a status' recent heads.
func heights(s api.NetworkStatus) (out []uint64) {
	for _, h := range s.Recent {
		out = append(out, h.BlockHeight)
	}
	return out
}

func TestHeadStandsStill(t *testing.T) {
	for name, c := range map[string]struct {
		blockTime float64
		after     time.Duration
	}{
		"short block time": {blockTime.Seconds(), 30 * time.Second},
		"unknown":          {0, 30 * time.Second},
		"a minute":         {60, 180 * time.Second},
		"nonsense":         {-1e300, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 1, func(w *world) {
				w.config.Endpoints.BlockTime = c.blockTime
				ch := w.open()
				w.chains[0].Stall()
				start := time.Now()
				for time.Since(start) < c.after {
					w.want(w.status(ch), api.NetworkOK, 0, "")
					time.Sleep(5 * time.Second)
				}
				w.want(w.status(ch), api.NetworkStale, 0, "")
				// A new process detects it by the block's time stamp.
				time.Sleep(time.Second)
				w.want(w.status(w.open()), api.NetworkStale, 0, "")
				w.chains[0].Resume()
				time.Sleep(5 * time.Second)
				w.want(w.status(ch), api.NetworkOK, 0, "")
			})
		})
	}
}

// TestStandsStillWithNewTimestamps covers a node that returns the same height with ever newer
// times.
func TestStandsStillWithNewTimestamps(t *testing.T) {
	inBubble(t, 1, func(w *world) {
		w.config.Now = func() time.Time { return time.Now().Add(-365 * 24 * time.Hour) }
		c := w.open()
		w.chains[0].Stall()
		for range 6 {
			w.want(w.status(c), api.NetworkOK, 0, "")
			time.Sleep(5 * time.Second)
		}
		w.want(w.status(c), api.NetworkStale, 0, "")
	})
}

// TestClock covers a process that was frozen and one whose clock was set back.
func TestClock(t *testing.T) {
	inBubble(t, 1, func(w *world) {
		offset := time.Duration(0)
		w.config.Now = func() time.Time { return time.Now().Add(offset) }
		c := w.open()
		before := w.status(c)
		offset = -time.Hour
		s := w.status(c)
		if s.Status == api.NetworkUnavailable || s.FetchedAt.UTC().After(time.Now().Add(offset)) {
			t.Errorf("status with the clock set back = %s", text(s))
		}
		offset = time.Hour
		if s := w.status(c); s.Status != api.NetworkStale || *s.BlockHeight != *before.BlockHeight {
			t.Errorf(
				"status with the clock an hour ahead of the chain = %s, want the same height, "+
					"stale by its time stamp",
				text(s))
		}
		offset = 0
		time.Sleep(6 * time.Second)
		w.want(w.status(c), api.NetworkOK, 0, "")
	})
}

// TestNothingRunsAfterTheAnswer covers a function, which is frozen after its answer.
func TestNothingRunsAfterTheAnswer(t *testing.T) {
	inBubble(t, 3, func(w *world) {
		w.config.Background = false
		for i := range w.scripts {
			w.misbehave(i, demo.Hang())
		}
		c := w.open()
		w.want(w.status(c), api.NetworkUnavailable, -1, api.UpstreamTimeout)
		if n := w.under.Load(); n != 0 {
			t.Errorf("%d calls under way after the answer", n)
		}
		time.Sleep(6 * time.Second)
		ctx, cancel := context.WithTimeout(w.t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		s, _ := c.Status(ctx)
		if s.Status != api.NetworkUnavailable || time.Since(start) != time.Second {
			t.Errorf("status for a caller who waits a second = %s after %v", text(s),
				time.Since(start))
		}
		if n := w.under.Load(); n != 0 {
			t.Errorf("%d calls under way after a caller left", n)
		}
		// The winner's rivals end with the answer, too.
		w.misbehave(2, nil)
		time.Sleep(time.Minute)
		w.want(w.status(c), api.NetworkOK, 2, "")
		if n := w.under.Load(); n != 0 {
			t.Errorf("%d calls under way after the third endpoint won", n)
		}
	})
}

func TestClose(t *testing.T) {
	inBubble(t, 2, func(w *world) {
		w.misbehave(0, demo.Hang())
		w.misbehave(1, demo.Hang())
		c := w.open()
		var caller sync.WaitGroup
		caller.Go(func() {
			w.want(w.status(c), api.NetworkUnavailable, -1, api.UpstreamUnavailable)
		})
		time.Sleep(1500 * time.Millisecond)
		c.Close()
		if n := w.under.Load(); n != 0 {
			t.Errorf("%d calls under way after Close", n)
		}
		caller.Wait()
		asked := w.asked.Load()
		w.want(w.status(c), api.NetworkUnavailable, -1, api.UpstreamUnavailable)
		if w.asked.Load() != asked {
			t.Error("a closed chain asks")
		}
	})
}
