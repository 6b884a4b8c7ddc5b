package index

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// firstEvery is how often a site is read until the first time that it can be: before that there is nothing to serve.
const firstEvery = 5 * time.Second

// Poller keeps a sidecar's [Index] that of its site. One goroutine uses it at a time, but for [Poller.Stats].
type Poller struct {
	// Load reads the site. It returns nil without an error when nothing has changed; see [Source.Load].
	Load func(context.Context) (*Index, error)
	// Update takes a new Index over. One that it refuses is given again by the next Poll.
	Update func(*Index) error
	// Lookup is like [os.LookupEnv] and has the RPC addresses of the environment. Nil means that it has none.
	Lookup func(string) (string, bool)
	// Networks are those of site.yaml. Nil means that there is no such file.
	Networks []mip.Endpoints
	// Log gets a line for each new Index, for each network that is not as configured, and for each error once until
	// all is well again.
	Log *slog.Logger

	// Stats counts the calls of Poll. It is safe for concurrent use.
	Stats Stats

	// pending is loaded, but not taken over.
	pending *Index
	// ready says that an Index was taken over.
	ready bool
	// logged has the errors since the last success.
	logged map[string]bool
}

// Stats are the counts of a [Poller]. The zero value is ready.
type Stats struct {
	Succeeded, Failed atomic.Uint64
	// SucceededAt is when the site could last be read, and ChangedAt is when an Index was last taken over, in Unix
	// seconds. Zero means never.
	SucceededAt, ChangedAt atomic.Int64
	// Proposals counts those of the Index that was last taken over.
	Proposals atomic.Int64
}

// Ready reports whether an Index was taken over. It stays so while the site cannot be read later on.
func (p *Poller) Ready() bool { return p.ready }

// Run calls Poll at once and then in intervals, until ctx ends.
func (p *Poller) Run(ctx context.Context, interval time.Duration) {
	for {
		p.Poll(ctx)
		wait := interval
		if !p.ready {
			wait = min(wait, firstEvery)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// Poll reads the site once and has an Index that is new taken over. It counts and logs neither success nor failure when
// ctx ends meanwhile.
func (p *Poller) Poll(ctx context.Context) {
	// Load returns an Index once. It is kept until Update has taken it, or until there is a newer one.
	x, err := p.Load(ctx)
	if x != nil {
		p.pending = p.withEndpoints(x)
	}
	loaded := err == nil
	if loaded && p.pending != nil {
		if err = p.Update(p.pending); err == nil {
			p.updated()
		}
	}
	if ctx.Err() != nil {
		return
	}
	if loaded {
		p.Stats.Succeeded.Add(1)
		p.Stats.SucceededAt.Store(time.Now().Unix())
	}
	if err != nil {
		p.Stats.Failed.Add(1)
		p.logError(err)
		return
	}
	// The next failure is a new one, even with the same text.
	clear(p.logged)
}

// withEndpoints returns x with the RPC addresses of [Endpoints].
func (p *Poller) withEndpoints(x *Index) *Index {
	// An Index is shared, so that it is copied before it is changed.
	own := *x
	var warnings []error
	own.Endpoints, warnings = Endpoints(p.Lookup, x.Site.Networks, p.Networks, x.Endpoints)
	for _, w := range warnings {
		p.Log.Warn("network not as configured", "error", w.Error())
	}
	return &own
}

// updated counts and logs the pending Index, which was taken over.
func (p *Poller) updated() {
	commit := ""
	if p.pending.Site.Commit != nil {
		commit = *p.pending.Site.Commit
	}
	p.Log.Info("site loaded", "proposals", p.pending.List.Count, "commit", commit)
	p.Stats.ChangedAt.Store(time.Now().Unix())
	p.Stats.Proposals.Store(int64(p.pending.List.Count))
	p.pending, p.ready = nil, true
}

// logError logs an error unless it is logged already: a site that fails fails at every Poll.
func (p *Poller) logError(err error) {
	const most = 100 // bounds the memory of errors that differ each time
	if p.logged == nil || len(p.logged) >= most {
		p.logged = map[string]bool{}
	}
	if text := err.Error(); !p.logged[text] {
		p.logged[text] = true
		p.Log.Error("site not loaded", "error", text, "known", p.ready)
	}
}
