package catalog

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// firstEvery is how often a site is read until the first time that it can be: before that there is nothing to serve.
const firstEvery = 5 * time.Second

// Poller keeps a sidecar's [Catalog] that of its site. One goroutine uses it at a time, but for [Poller.Stats].
type Poller struct {
	// Source is the site. The poller sets the Endpoints of what it loads.
	Source Loader
	// Timeout bounds one reading of the site. Zero means that it ends by itself.
	Timeout time.Duration
	// Sidecar takes a new Catalog over. One that it refuses is given again by the next Poll.
	Sidecar Updater
	// Lookup is like [os.LookupEnv] and has the RPC addresses of the environment. Nil means that it has none.
	Lookup func(string) (string, bool)
	// Variables are the names of all variables of the environment, among which names of networks may be misspelt.
	Variables []string
	// Networks are those of site.yaml. Nil means that there is no such file.
	Networks []mip.Endpoints
	// Log gets a line for each new Catalog, for each network that is not as configured, and for each error that is not
	// the last one again.
	Log *slog.Logger

	// Stats counts the calls of Poll. It is safe for concurrent use.
	Stats Stats

	pending *Catalog // loaded, but not taken over
	ready   bool     // a Catalog was taken over
	logged  string   // the last error, empty after a success
}

// Loader is a site, such as a [Source]. Load returns nil without an error when nothing has changed.
type Loader interface {
	Load(ctx context.Context) (*Catalog, error)
}

// Updater answers by a Catalog. After an error it goes on by the one before.
type Updater interface {
	Update(c *Catalog) error
}

// Stats are the counts of a [Poller]. The zero value is ready.
type Stats struct {
	Succeeded, Failed atomic.Uint64
	// SucceededAt is when the site could last be read, and ChangedAt is when a Catalog was last taken over, in Unix
	// seconds. Zero means never.
	SucceededAt, ChangedAt atomic.Int64
	// Unreadable says that the site could not be read when that was tried last.
	Unreadable atomic.Bool
	// Proposals counts those of the Catalog that was last taken over.
	Proposals atomic.Int64
}

// Ready reports whether a Catalog was taken over. It stays so while the site cannot be read later on.
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

// Poll reads the site once and has a Catalog that is new taken over. It counts and logs neither success nor failure when
// ctx ends meanwhile.
func (p *Poller) Poll(ctx context.Context) {
	// Load returns a Catalog once. It is kept until Update has taken it, or until there is a newer one.
	c, err := p.load(ctx)
	if c != nil {
		var warnings []error
		c.Endpoints, warnings = Endpoints(p.Lookup, c.Site.Networks, p.Networks, c.Endpoints)
		for _, w := range append(warnings, misspelt(p.Variables, c.Site.Networks)...) {
			p.Log.Warn("network not as configured", "error", w.Error())
		}
		p.pending = c
	}
	loaded := err == nil
	if ctx.Err() == nil {
		p.Stats.Unreadable.Store(!loaded)
	}
	if loaded && p.pending != nil {
		if err = p.Sidecar.Update(p.pending); err == nil {
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
		if text := err.Error(); text != p.logged {
			p.logged = text
			p.Log.Error("site not loaded", "error", text, "known", p.ready)
		}
		return
	}
	p.logged = ""
}

// load reads the site within the Timeout.
func (p *Poller) load(ctx context.Context) (*Catalog, error) {
	if p.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.Timeout)
		defer cancel()
	}
	return p.Source.Load(ctx)
}

// updated counts and logs the pending Catalog, which was taken over.
func (p *Poller) updated() {
	commit := ""
	if p.pending.Site.Commit != nil {
		commit = *p.pending.Site.Commit
	}
	networks := []string{}
	for _, e := range p.pending.Endpoints {
		networks = append(networks, fmt.Sprintf("%s (%d RPC)", e.ID, len(e.RPC)))
	}
	p.Log.Info("site loaded", "proposals", p.pending.List.Count, "commit", commit, "networks", strings.Join(networks, ", "))
	p.Stats.ChangedAt.Store(time.Now().Unix())
	p.Stats.Proposals.Store(int64(p.pending.List.Count))
	p.pending, p.ready = nil, true
}

// Endpoints returns the published networks with their RPC addresses: those of the variables that lookup finds, else
// those of site.yaml, else those of the snapshot. Each of the three may be nil. The warnings name the networks that
// have no address or are otherwise not as configured.
func Endpoints(lookup func(string) (string, bool), published []mip.Network, file, snapshot []mip.Endpoints) (
	all []mip.Endpoints, warnings []error) {
	if lookup == nil {
		lookup = func(string) (string, bool) { return "", false }
	}
	for _, n := range published {
		e, err := endpoint(lookup, n, byID(file, n.ID), byID(snapshot, n.ID))
		if err != nil {
			warnings = append(warnings, fmt.Errorf("network %s: %w", n.ID, err))
		}
		all = append(all, e)
	}
	for _, f := range file {
		if byID(all, f.ID).ID == "" {
			const text = "network %s: it is in site.yaml, but the site does not publish it"
			warnings = append(warnings, fmt.Errorf(text, f.ID))
		}
	}
	return all, warnings
}

// endpoint returns a network with its RPC addresses. After an error it has those that may be asked all the same.
func endpoint(lookup func(string) (string, bool), n mip.Network, file, snapshot mip.Endpoints) (mip.Endpoints, error) {
	// Ask nobody: figures of another chain would be shown under this one's name.
	if file.ID != "" && file.ChainID != n.ChainID {
		const text = "site.yaml has the chain id %d and the published site %d; it is not asked until they agree"
		return mip.Endpoints{Network: n}, fmt.Errorf(text, file.ChainID, n.ChainID)
	}
	out := mip.Endpoints{Network: n, RPC: snapshot.RPC}
	out.BlockTime = cmp.Or(file.BlockTime, snapshot.BlockTime, n.BlockTime)
	if len(file.RPC) > 0 {
		out.RPC = file.RPC
	}
	// A variable that cannot be read is no reason to ask other addresses than its operator has meant.
	given, err := site.RPCAddresses(n.ID, lookup)
	switch {
	case err != nil:
		return out, err
	case given != nil:
		out.RPC = given
	case len(out.RPC) == 0:
		return out, fmt.Errorf("no RPC address; want some in site.yaml or in %s", site.RPCVariable(n.ID))
	}
	return out, nil
}

// misspelt returns an error for each variable with the addresses of a network that the site does not have.
func misspelt(variables []string, networks []mip.Network) (errs []error) {
	var known []string
	for _, n := range networks {
		known = append(known, site.RPCVariable(n.ID))
	}
	for _, name := range variables {
		if strings.HasPrefix(name, "RPC_") && !slices.Contains(known, name) {
			const text = "%s is the variable of no network of this site; want one of %s"
			errs = append(errs, fmt.Errorf(text, name, cmp.Or(strings.Join(known, ", "), "none")))
		}
	}
	return errs
}

// byID returns the network of an id, or the zero value.
func byID(all []mip.Endpoints, id string) mip.Endpoints {
	if i := slices.IndexFunc(all, func(e mip.Endpoints) bool { return e.ID == id }); i >= 0 {
		return all[i]
	}
	return mip.Endpoints{}
}
