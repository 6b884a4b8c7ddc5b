package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/knowledge"
)

// How often the site is looked at. An address is somebody's server, which need not be asked more often
// than proposals change; until it has answered once there is nothing to serve.
const (
	folderEvery  = 2 * time.Second
	addressEvery = time.Minute
	firstEvery   = 5 * time.Second
)

// follower keeps a sidecar's knowledge that of its site. One goroutine runs it.
type follower struct {
	every time.Duration
	load  func(context.Context) (*knowledge.Knowledge, error) // nil and no error: nothing is new
	know  func(*knowledge.Knowledge) error
	log   *slog.Logger

	pending *knowledge.Knowledge // loaded, but not taken over yet
	known   bool                 // something was
	told    map[string]bool      // errors that are in the log, since the last success
	counts  siteCounts
}

// run looks at the site at once and then again and again, until ctx ends. What is known stays while
// that fails.
func (f *follower) run(ctx context.Context) {
	for {
		f.look(ctx)
		wait := f.every
		if !f.known {
			wait = min(wait, firstEvery)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

func (f *follower) look(ctx context.Context) {
	k, err := f.load(ctx)
	if k != nil {
		f.pending = k
	}
	if err == nil && f.pending != nil {
		if err = f.know(f.pending); err == nil {
			f.say(f.pending)
			f.counts.take(f.pending.List.Count)
			f.pending, f.known = nil, true
		}
	}
	if ctx.Err() != nil {
		return
	}
	f.counts.look(err)
	if err != nil {
		f.complain(err)
		return
	}
	clear(f.told)
}

func (f *follower) say(k *knowledge.Knowledge) {
	commit := ""
	if k.Site.Commit != nil {
		commit = *k.Site.Commit
	}
	f.log.Info("site loaded", "proposals", k.List.Count, "commit", commit)
}

// complain logs an error unless the log has it: what fails now fails again at the next look.
func (f *follower) complain(err error) {
	const most = 100 // errors that differ all the time are no use in memory
	if f.told == nil || len(f.told) >= most {
		f.told = map[string]bool{}
	}
	if text := err.Error(); !f.told[text] {
		f.told[text] = true
		f.log.Error("site not loaded", "error", text, "known", f.known)
	}
}
