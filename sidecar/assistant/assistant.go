// Package assistant says what a proposal means and how it reads in another language, from the cheapest
// source that knows: what is committed, what was asked before, a model, rules. It does not know HTTP, who
// asks, or the environment.
package assistant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/index"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

const (
	// forever is longer than any process: an answer stays right as long as its key is asked for.
	forever = 100 * 365 * 24 * time.Hour

	defaultBytes = 64 << 20
)

// Config is what an Assistant needs. The zero value has no model: summaries are made by rules, and
// translations are those that are committed.
type Config struct {
	// Model is asked when nothing cheaper knows; nil: there is none. Its own bounds of time and cost are
	// its business.
	Model ai.Model
	// Name is the model's, as [ai.Reply] has it. Answers are kept by it.
	Name string
	// Unusable is why the model that is configured cannot be asked, such as a missing key, in words for
	// whoever runs the site. Its text is shown to callers, so it holds no value of any setting. Nil: it
	// can, or there is none.
	Unusable error
	// Detached lets an answer that takes too long for its caller be finished for the next one. A process
	// that is frozen after each answer must not.
	Detached bool
	// Bytes bounds what is kept of summaries, of translations and of their pieces, each; 0: 64 MiB.
	Bytes int64
	// Log is told of every answer that could not be made, without a word of what a model said; nil: silent.
	Log *slog.Logger
	// Now is the wall clock; nil: time.Now.
	Now func() time.Time
	// Shared keeps what several processes have from the same model. Nil: this one is alone.
	Shared Shared
	// Stats counts what is asked for, and what of the model; nil: nobody is told.
	Stats *Stats
	// Budget is what bounds Model, for who wants to know what was spent; nil: that is not known.
	Budget *ai.Budget
}

// Stats counts what an Assistant is asked and what it asks. The zero value is ready.
type Stats struct {
	Summaries, Translations cache.Stats
	Model                   fetch.Stats
}

// Assistant answers. It is safe for concurrent use: equal questions at one time are one. Whoever makes it
// closes it.
type Assistant struct {
	Config
	summaries    *cache.Cache[key, api.Summary]
	translations *cache.Cache[key, translation] // put together of pieces, as they were asked for
	pieces       *cache.Cache[key, ai.Passages]
}

// key is all that a model's answer follows from. The texts are those of the moment at which they were
// listed.
type key struct {
	site   string // base address of the site
	id     mip.ID
	hash   string   // the proposal's contentHash
	texts  [32]byte // hash of all texts, and of the fork for a summary; of the passages for a piece
	locale string
	maker  string // the model with the version of the rules, or extractive
	part   string // positions of the sections of a translation; empty: all
	count  int    // of the passages of a piece
}

// New makes an Assistant.
func New(c Config) *Assistant {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Stats == nil {
		c.Stats = &Stats{}
	}
	c.Bytes = cmp.Or(c.Bytes, defaultBytes)
	return &Assistant{
		Config:       c,
		summaries:    kept(c, sizeOfSummary, &c.Stats.Summaries),
		translations: kept(c, sizeOfTranslation, &c.Stats.Translations),
		pieces:       kept(c, sizeOfPiece, nil),
	}
}

func kept[V any](c Config, size func(V) int64, stats *cache.Stats) *cache.Cache[key, V] {
	timeout := timing.DetachedModel
	if !c.Detached {
		timeout = timing.Model
	}
	return cache.New[key](cache.Config[V]{
		Fresh: forever, Timeout: timeout, Detached: c.Detached,
		Bytes: c.Bytes, Size: size, Retry: pause, Now: c.Now, Stats: stats,
	})
}

// patient is ctx with the time that a caller waits for a model. Where answers do not go on without their callers,
// the cache bounds them by that time itself, so that one which takes longer counts as a failure.
func (a *Assistant) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	if !a.Detached {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, timing.Model)
}

// Close ends every question to the model and waits until all have ended.
func (a *Assistant) Close() {
	a.summaries.Close()
	a.translations.Close()
	a.pieces.Close()
}

// listed finds a proposal in the site's list, which is sorted.
func listed(k *index.Index, id mip.ID) (mip.Summary, error) {
	m, ok := mip.Find(k.List.MIPs, id)
	if !ok {
		return mip.Summary{}, notPublished(fmt.Errorf("%s: no such proposal", id))
	}
	return m, nil
}

// read reads a proposal's text.
func read(ctx context.Context, k *index.Index, id mip.ID) (*mip.Proposal, error) {
	if k.Source == nil {
		return nil, fmt.Errorf("%s: the site's texts are not at hand", id)
	}
	p, err := k.Source.Proposal(ctx, id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// The list knows it, so it went away since.
		return nil, notPublished(err)
	case err != nil:
		return nil, siteError(err)
	}
	return p, nil
}

// usable reports whether the model can be asked.
func (a *Assistant) usable() bool { return a.Model != nil && a.Unusable == nil }

// noted is an error that was told to the log. What a budget refuses was not asked, and who leaves has no
// use for an answer.
func (a *Assistant) noted(id mip.ID, err error) error {
	if err != nil && !errors.Is(err, ai.ErrExhausted) && !errors.Is(err, context.Canceled) {
		a.Log.Warn("no answer", "proposal", id, "error", err.Error())
	}
	return err
}

// maker is the model and the rules that its answers are held to.
func (a *Assistant) maker() string { return a.Name + " " + ai.PromptVersion }
