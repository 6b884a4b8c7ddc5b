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

// firstEvery is the interval of attempts until the site is first read: before that there is nothing
// to serve.
const firstEvery = 5 * time.Second

// Poller keeps a sidecar's [Catalog] up to date with its site. One goroutine at a time may use it,
// except for [Poller.Stats].
type Poller struct {
	// Source is the site. The poller sets the Endpoints of each Catalog.
	Source Loader
	// Timeout bounds one reading of the site. Zero means no limit.
	Timeout time.Duration
	// Sidecar receives each new Catalog. If it refuses one, the next Poll passes it again.
	Sidecar Updater
	// Lookup is like [os.LookupEnv] and returns RPC addresses from the environment. Nil means none.
	Lookup func(string) (string, bool)
	// Variables are the names of all variables of the environment, in which misspelled names of
	// networks are reported.
	Variables []string
	// Networks are the networks of site.yaml. Nil means that there is no such file.
	Networks []mip.Endpoints
	// Log gets a line for each new Catalog, for each network that is not as configured, and for
	// each error that differs from the last one.
	Log *slog.Logger

	// Stats counts the calls of Poll. It is safe for concurrent use.
	Stats Stats

	pending *Catalog // loaded, but not accepted
	ready   bool     // a Catalog was accepted
	logged  string   // the last error, empty after a success
}

// Loader is a site, such as a [Source]. Load returns nil without an error if nothing has changed.
type Loader interface {
	Load(ctx context.Context) (*Catalog, error)
}

// Updater serves a Catalog. After an error it goes on with the previous one.
type Updater interface {
	Update(c *Catalog) error
}

// Stats holds the counts of a [Poller]. The zero value is ready.
type Stats struct {
	Succeeded, Failed atomic.Uint64
	// SucceededAt is the last time at which the site was read, and ChangedAt the last time at which
	// a Catalog was accepted, in Unix seconds. Zero means never.
	SucceededAt, ChangedAt atomic.Int64
	// Unreadable reports that the last attempt to read the site failed.
	Unreadable atomic.Bool
	// Proposals is the number of proposals in the last accepted Catalog.
	Proposals atomic.Int64
}

// Ready reports whether a Catalog was accepted. It stays true if the site becomes unreadable.
func (p *Poller) Ready() bool { return p.ready }

// Run calls Poll at once and then at intervals, until ctx ends.
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

// Poll reads the site once and passes a new Catalog to Sidecar. If ctx ends meanwhile, it counts
// and logs neither success nor failure.
func (p *Poller) Poll(ctx context.Context) {
	// Load returns a Catalog once. Keep it until Update accepts it, or until there is a newer one.
	c, err := p.load(ctx)
	if c != nil {
		var warnings []error
		c.Endpoints, warnings = Endpoints(p.Lookup, c.Site.Networks, p.Networks, c.Endpoints)
		for _, w := range append(warnings, misspelled(p.Variables, c.Site.Networks)...) {
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

// updated counts and logs the pending Catalog after it was accepted.
func (p *Poller) updated() {
	commit := ""
	if p.pending.Site.Commit != nil {
		commit = *p.pending.Site.Commit
	}
	networks := []string{}
	for _, e := range p.pending.Endpoints {
		networks = append(networks, fmt.Sprintf("%s (%d RPC)", e.ID, len(e.RPC)))
	}
	p.Log.Info("site loaded", "proposals", p.pending.List.Count, "commit", commit, "networks",
		strings.Join(networks, ", "))
	p.Stats.ChangedAt.Store(time.Now().Unix())
	p.Stats.Proposals.Store(int64(p.pending.List.Count))
	p.pending, p.ready = nil, true
}

// Endpoints returns the published networks with their RPC addresses: from the variables that lookup
// finds, else from site.yaml, else from the snapshot. Each of the three may be nil. The warnings
// name networks that have no address or are otherwise not as configured.
func Endpoints(
	lookup func(string) (string, bool), published []mip.Network, file, snapshot []mip.Endpoints,
) (all []mip.Endpoints, warnings []error) {
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

// endpoint returns a network with its RPC addresses. Even with an error, the returned addresses may
// be used.
func endpoint(
	lookup func(string) (string, bool), n mip.Network, file, snapshot mip.Endpoints,
) (mip.Endpoints, error) {
	// Use no address: data of another chain would be shown under this one's name.
	if file.ID != "" && file.ChainID != n.ChainID {
		const text = "site.yaml has the chain id %d and the published site %d; it is not asked " +
			"until they agree"
		return mip.Endpoints{Network: n}, fmt.Errorf(text, file.ChainID, n.ChainID)
	}
	out := mip.Endpoints{Network: n, RPC: snapshot.RPC}
	out.BlockTime = cmp.Or(file.BlockTime, snapshot.BlockTime, n.BlockTime)
	if len(file.RPC) > 0 {
		out.RPC = file.RPC
	}
	// If a variable cannot be parsed, do not use other addresses than the operator intended.
	given, err := site.RPCAddresses(n.ID, lookup)
	switch {
	case err != nil:
		return out, err
	case given != nil:
		out.RPC = given
	case len(out.RPC) == 0:
		return out, fmt.Errorf("no RPC address; want some in site.yaml or in %s",
			site.RPCVariable(n.ID))
	}
	return out, nil
}

// misspelled returns an error for each variable with addresses of a network that the site does not
// have.
func misspelled(variables []string, networks []mip.Network) (errs []error) {
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

// byID returns the network with an id, or the zero value.
func byID(all []mip.Endpoints, id string) mip.Endpoints {
	if i := slices.IndexFunc(all, func(e mip.Endpoints) bool { return e.ID == id }); i >= 0 {
		return all[i]
	}
	return mip.Endpoints{}
}
