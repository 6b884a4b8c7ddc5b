package index

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Find returns a proposal of the site's list. The error for one that is not published is an [api.HTTPError].
func (x *Index) Find(id mip.ID) (mip.Summary, error) {
	m, ok := mip.Find(x.List.MIPs, id)
	if !ok {
		return mip.Summary{}, notPublished(fmt.Errorf("%s: no such proposal", id))
	}
	return m, nil
}

// Proposal reads a proposal with its text. Its errors are [api.HTTPError]: that it is not published, or that the site
// cannot be read.
func (x *Index) Proposal(ctx context.Context, id mip.ID) (*mip.Proposal, error) {
	if x.Source == nil {
		return nil, fmt.Errorf("%s: the index has no texts", id)
	}
	p, err := x.Source.Proposal(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notPublished(err) // the list has it, so it went away since
	}
	return p, siteError(err)
}

// Summary reads the committed summary of a listed proposal, marked stale when it is of another text than the listed
// one. It is nil for a proposal without one. An error is an [api.HTTPError].
func (x *Index) Summary(ctx context.Context, m mip.Summary) (*api.Summary, error) {
	if x.Source == nil {
		return nil, nil
	}
	published, err := x.Source.Summary(ctx, m.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, siteError(err)
	}
	sum := *published
	sum.Stale = sum.ContentHash != m.ContentHash
	return &sum, nil
}

// Translation reads the committed translation of a listed proposal. It is nil where there is none. An error is an
// [api.HTTPError].
func (x *Index) Translation(ctx context.Context, m mip.Summary, locale string) (*api.PublishedTranslation, error) {
	if x.Source == nil {
		return nil, nil
	}
	t, err := x.Source.Translation(ctx, m.ID, locale)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return t, siteError(err)
}

// notPublished says that the site has no proposal of a number.
func notPublished(err error) error {
	return &api.HTTPError{Code: api.NotFound, Detail: "No proposal of this number is published.", Err: err}
}

// siteError says that a document of the site cannot be read at the moment. It is nil without an error.
func siteError(err error) error {
	if err == nil {
		return nil
	}
	const again = 5 * time.Second
	e := &api.HTTPError{
		Code: api.UpstreamUnavailable, Detail: "The site's own documents cannot be read at the moment.",
		RetryAfter: again, Err: fmt.Errorf("the site cannot be read: %w", err),
	}
	if errors.Is(err, context.DeadlineExceeded) {
		e.Code, e.Detail = api.UpstreamTimeout, "The site's own documents could not be read in time."
	}
	return e
}

// Subject is all that a summary of a proposal follows from, before the texts are read. It is never changed.
type Subject struct {
	index   *Index
	listed  mip.Summary
	fork    *mip.HardFork // with its status at now
	bundled []mip.Summary // when the proposal is the fork's meta proposal: what the fork bundles and the site publishes
	now     time.Time
}

// Subject returns the subject of a listed proposal.
func (x *Index) Subject(m mip.Summary, now time.Time) Subject {
	s := Subject{index: x, listed: m, now: now}
	s.fork, s.bundled = summary.Context(m, x.List.MIPs, x.HardForks)
	if s.fork != nil {
		fork := *s.fork
		fork.Status = fork.StatusAt(x.Site.Networks, func(string) time.Time { return now })
		s.fork = &fork
	}
	return s
}

// Hash is another one whenever a listed text, the fork or its status is another one.
func (s Subject) Hash() [32]byte {
	var b strings.Builder
	b.WriteString(s.listed.ContentHash)
	for _, m := range s.bundled {
		fmt.Fprintf(&b, " %d:%s", m.Number, m.ContentHash)
	}
	if s.fork != nil {
		fmt.Fprintf(&b, " %q %q", s.fork.Name, s.fork.Status)
	}
	return sha256.Sum256([]byte(b.String()))
}

// Read reads the texts, side by side. Its errors are those of [Index.Proposal].
func (s Subject) Read(ctx context.Context) (summary.Subject, error) {
	all := make([]*mip.Proposal, 1+len(s.bundled))
	readers, ctx := errgroup.WithContext(ctx)
	for i, m := range append([]mip.Summary{s.listed}, s.bundled...) {
		readers.Go(func() (err error) {
			all[i], err = s.index.Proposal(ctx, m.ID)
			return err
		})
	}
	if err := readers.Wait(); err != nil {
		return summary.Subject{}, err
	}
	return summary.Subject{Proposal: all[0], Bundled: all[1:], Fork: s.fork, Now: s.now}, nil
}
