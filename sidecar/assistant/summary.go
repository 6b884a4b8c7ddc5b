package assistant

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/index"
)

// English is the language of proposals, of committed summaries, and of those that rules make.
const English = "en"

// extractive stands for the rules where a model would be named.
const extractive = "extractive"

// Summary says what a proposal means, in the language of locale, which is one of the site's or
// [English]. The first of these that there is:
//
//   - the committed summary of the present text;
//   - the model's, made now or earlier;
//   - the committed summary of an older text, marked stale;
//   - what rules take from the text, when there is no model or its budget is used up.
//
// A summary that is not what was asked for says why in its Fallback. A model that was asked and failed
// is an error unless a committed summary of an older text can stand in: nobody is to take rules for what
// an operator pays for. [Explain] says what an error means to a caller.
func (a *Assistant) Summary(ctx context.Context, k *index.Index, id mip.ID, locale string) (api.Summary, error) {
	m, err := listed(k, id)
	if err != nil {
		return api.Summary{}, err
	}
	older, err := a.committed(ctx, k, m, locale)
	if err != nil {
		return api.Summary{}, err
	}
	if older != nil && !older.Stale {
		return *older, nil
	}
	switch {
	case a.usable():
		sum, err := a.summarise(ctx, k, m, locale)
		if err == nil {
			return sum, nil
		}
		e := Explain(err)
		switch {
		case older != nil && e.Code != api.Internal && e.Code != api.NotFound:
			return standIn(*older, e), nil
		case e.Code == api.RateLimited:
			return a.fallBack(ctx, k, m, e)
		}
		return api.Summary{}, err
	case older != nil:
		if a.Unusable != nil {
			return standIn(*older, disabled(a.Unusable)), nil
		}
		return *older, nil
	case a.Unusable != nil:
		return api.Summary{}, disabled(a.Unusable)
	case locale != English:
		return a.fallBack(ctx, k, m, &api.HTTPError{Code: api.AIDisabled, Detail: "Without a language model there are summaries in English only."})
	}
	return a.extract(ctx, k, m)
}

// committed is the summary that the site publishes, nil when there is none in that language. It is marked
// stale when it speaks of another text than the listed one.
func (a *Assistant) committed(ctx context.Context, k *index.Index, m mip.Summary, locale string) (*api.Summary, error) {
	if locale != English || k.Source == nil {
		return nil, nil
	}
	sum, err := k.Source.Summary(ctx, m.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, a.noted(m.ID, siteError(err))
	}
	own := *sum
	own.Stale = own.ContentHash != m.ContentHash
	return &own, nil
}

// summarise asks the model, unless it was asked before.
func (a *Assistant) summarise(ctx context.Context, k *index.Index, m mip.Summary, locale string) (api.Summary, error) {
	about := a.about(k, m)
	key := about.key(locale, a.maker())
	ctx, cancel := a.patient(ctx)
	defer cancel()
	e, err := a.summaries.Get(ctx, key, func(ctx context.Context) (api.Summary, error) {
		return once(ctx, a.Shared, "summary", key, checkSummary, func(ctx context.Context) (api.Summary, error) {
			s, err := about.read(ctx, a.Now())
			if err != nil {
				return api.Summary{}, a.noted(m.ID, err)
			}
			sum, err := ai.Summarise(ctx, a.Model, s, locale)
			return sum, a.noted(m.ID, err)
		})
	})
	return e.Value, err
}

// extract makes a summary by rules, unless it was made before.
func (a *Assistant) extract(ctx context.Context, k *index.Index, m mip.Summary) (api.Summary, error) {
	about := a.about(k, m)
	e, err := a.summaries.Get(ctx, about.key(English, extractive), func(ctx context.Context) (api.Summary, error) {
		s, err := about.read(ctx, a.Now())
		if err != nil {
			return api.Summary{}, a.noted(m.ID, err)
		}
		return ai.Extract(s), nil
	})
	return e.Value, err
}

// fallBack is what rules make, with the reason why it is not more.
func (a *Assistant) fallBack(ctx context.Context, k *index.Index, m mip.Summary, why *api.HTTPError) (api.Summary, error) {
	sum, err := a.extract(ctx, k, m)
	return standIn(sum, why), err
}

// standIn is a summary with the reason why it is not the one that was asked for.
func standIn(sum api.Summary, why *api.HTTPError) api.Summary {
	sum.Fallback = &api.Fallback{Code: why.Code, Detail: why.Detail}
	if why.RetryAfter > 0 {
		sum.Fallback.RetryAfter = new(api.Seconds(why.RetryAfter))
	}
	return sum
}

// about is a proposal with what its summary depends on.
type about struct {
	known   *index.Index
	listed  mip.Summary
	fork    *mip.HardFork // with its status now
	bundled []mip.Summary // when it is the fork's meta proposal: what the fork bundles and the site publishes
}

func (a *Assistant) about(k *index.Index, m mip.Summary) about {
	out := about{known: k, listed: m}
	fork := ai.ForkOf(m, k.HardForks)
	if fork == nil {
		return out
	}
	own := *fork
	own.Status = own.StatusAt(k.Site.Networks, func(string) time.Time { return a.Now() })
	out.fork = &own
	if !ai.IsMeta(m, fork) {
		return out
	}
	for _, n := range own.BundledMIPs {
		if b, err := listed(k, out.listed.ID.Sibling(n)); err == nil && n != m.Number {
			out.bundled = append(out.bundled, b)
		}
	}
	return out
}

// key is that of a summary.
func (b about) key(locale, maker string) key {
	return key{site: b.known.Site.BaseURL, id: b.listed.ID, hash: b.listed.ContentHash, texts: b.texts(), locale: locale, maker: maker}
}

// texts is a hash of all that the summary depends on.
func (b about) texts() [32]byte {
	var s strings.Builder
	s.WriteString(b.listed.ContentHash)
	for _, m := range b.bundled {
		fmt.Fprintf(&s, " %d:%s", m.Number, m.ContentHash)
	}
	if b.fork != nil {
		fmt.Fprintf(&s, " %q %q", b.fork.Name, b.fork.Status)
	}
	return sha256.Sum256([]byte(s.String()))
}

// read reads the texts, side by side.
func (b about) read(ctx context.Context, now time.Time) (ai.Subject, error) {
	all := make([]*mip.Proposal, 1+len(b.bundled))
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	wg.Go(func() { all[0], errs[0] = read(ctx, b.known, b.listed.ID) })
	for i, m := range b.bundled {
		wg.Go(func() { all[i+1], errs[i+1] = read(ctx, b.known, m.ID) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return ai.Subject{}, err
	}
	return ai.Subject{Proposal: all[0], Bundled: all[1:], Fork: b.fork, Now: now}, nil
}

func sizeOfSummary(sum api.Summary) int64 {
	const rest = 1 << 10 // headers of strings and slices, times, hashes
	n := rest + len(sum.TLDR)
	for _, line := range sum.WhatsChanging {
		n += len(line)
	}
	for _, x := range []api.Axis{sum.Developers, sum.Users, sum.Validators, sum.Foundation} {
		n += len(x.Impact)
		for _, e := range x.Evidence {
			n += len(e.Section) + len(e.Quote)
		}
	}
	return int64(n)
}
