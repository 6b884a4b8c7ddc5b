// Package follow keeps a sidecar's knowledge that of its site, one look at a time. It does not know when
// to look: a server looks by the clock, a function when it is asked.
package follow

import (
	"context"
	"log/slog"

	"github.com/mipwatch/mipwatch/sidecar/knowledge"
)

// Follower is used by one goroutine at a time.
type Follower struct {
	// Load reads the site; nil and no error: nothing is new. See [knowledge.Source.Load].
	Load func(context.Context) (*knowledge.Knowledge, error)
	// Know takes over what was read. What it refuses is offered again at the next look.
	Know func(*knowledge.Knowledge) error
	// Log is told of each new state, and of each error once until all is well.
	Log *slog.Logger

	pending *knowledge.Knowledge // loaded, but not taken over yet
	known   bool                 // something was
	told    map[string]bool      // errors that are in the log, since the last success
}

// Known reports whether something was taken over. It stays while later looks fail.
func (f *Follower) Known() bool { return f.known }

// Look reads the site, has what is new taken over, and logs both. When ctx ends meanwhile nothing is said.
func (f *Follower) Look(ctx context.Context) {
	k, err := f.Load(ctx)
	if k != nil {
		f.pending = k
	}
	if err == nil && f.pending != nil {
		if err = f.Know(f.pending); err == nil {
			f.say(f.pending)
			f.pending, f.known = nil, true
		}
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		f.complain(err)
	default:
		clear(f.told)
	}
}

func (f *Follower) say(k *knowledge.Knowledge) {
	commit := ""
	if k.Site.Commit != nil {
		commit = *k.Site.Commit
	}
	f.Log.Info("site loaded", "proposals", k.List.Count, "commit", commit)
}

// complain logs an error unless the log has it: what fails now fails again at the next look.
func (f *Follower) complain(err error) {
	const most = 100 // errors that differ all the time are no use in memory
	if f.told == nil || len(f.told) >= most {
		f.told = map[string]bool{}
	}
	if text := err.Error(); !f.told[text] {
		f.told[text] = true
		f.Log.Error("site not loaded", "error", text, "known", f.known)
	}
}
