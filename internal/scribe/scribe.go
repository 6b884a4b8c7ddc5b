// Package scribe makes the summaries that are committed beside the proposals: with a model, or from the
// proposals' own sentences without one. It knows neither how a model is reached nor the environment,
// and publishes nothing.
package scribe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/assist"
)

const (
	// atOnce is how many summaries are made at a time.
	atOnce = 4
	// locale is the language of what is committed.
	locale = "en"
)

// Proposals is what summaries are made of.
type Proposals struct {
	Corpus    *corpus.Corpus
	Summaries []mip.Summary  // of the corpus's proposals, in their order, completed by the site
	Forks     []mip.HardFork // with their status
}

// Subject is what a summary of the i-th proposal speaks of: the proposal with its sections, the fork that
// it has to do with and, for a fork's meta proposal, what that bundles. Now is not set.
func (ps *Proposals) Subject(i int) assist.Subject {
	p := ps.read(i)
	s := assist.Subject{Proposal: p, Fork: assist.ForkOf(p.Summary, ps.Forks)}
	if !assist.IsMeta(p.Summary, s.Fork) {
		return s
	}
	for _, n := range s.Fork.BundledMIPs {
		k, ok := slices.BinarySearchFunc(ps.Summaries, n, func(m mip.Summary, n int) int { return cmp.Compare(m.Number, n) })
		if ok {
			s.Bundled = append(s.Bundled, ps.read(k))
		}
	}
	return s
}

func (ps *Proposals) read(i int) *mip.Proposal {
	p := ps.Corpus.Proposals[i]
	return &mip.Proposal{Summary: ps.Summaries[i], Translations: []mip.Translation{}, RawMarkdown: p.Raw, Sections: ps.Corpus.Read(p).Sections}
}

// Check says what the text of the i-th proposal does not bear out of a summary, as [assist.Check] does.
func (ps *Proposals) Check(sum *api.Summary, i int) error { return assist.Check(*sum, ps.Subject(i)) }

// Options says how summaries are made.
type Options struct {
	// Model writes the summaries. Nil: they are made of the proposals' own sentences.
	Model assist.Model
	// Name is the source of the model's summaries; one by another source is outdated. Required with Model.
	Name string
	// Now becomes generatedAt.
	Now time.Time
	// Progress, when set, is called after each proposal, from any goroutine.
	Progress func(done, total int)
	// Waiting, when set, is called when the model asks for a pause, from any goroutine.
	Waiting func(time.Duration)
}

// Report says what became of the proposals.
type Report struct {
	Written  []string      // files, as in problems, by proposal
	Problems []mip.Problem // one warning for each proposal that has no summary of its present text now, by proposal
}

// Write makes the summaries that are missing or outdated and puts each in its place as soon as it is
// made: a file is the old one or the new one, whole. A proposal whose summary is current, passes
// [assist.Check] and, with a model, is by that model is left alone, so that a second Write with the same
// input makes and writes nothing. What a model fails at is a problem of that proposal, whose file stays
// as it was, and the others go on. The error is for what is wrong with more than one: a file that cannot
// be written, or the end of ctx. The report is true then too.
func Write(ctx context.Context, ps *Proposals, committed *corpus.Committed, o Options) (Report, error) {
	s := &scribe{Options: o, proposals: ps, committed: committed}
	for i, p := range ps.Corpus.Proposals {
		if s.current(p) {
			continue
		}
		// The problem of a place that several files claim was found when they were read.
		if dir, name, ok := committed.SummaryFile(p); ok {
			s.tasks = append(s.tasks, task{index: i, proposal: p, dir: dir, name: name})
		}
	}
	if err := recoverFolders(s.tasks); err != nil {
		return Report{}, err
	}
	err := s.work(ctx)
	return s.report(), err
}

// scribe is the state of one Write.
type scribe struct {
	Options
	proposals *Proposals
	committed *corpus.Committed
	tasks     []task
}

// task is one summary to make, and what became of it.
type task struct {
	index     int // of the proposal
	proposal  *corpus.Proposal
	dir, name string

	written bool
	failed  error
}

// current reports whether the committed summary of a proposal can stay.
func (s *scribe) current(p *corpus.Proposal) bool {
	sum := s.committed.Summary(p.Number)
	return sum != nil && !sum.Stale && (s.Model == nil || sum.Source == s.Name)
}

// work does the tasks, a few at a time. The first error that concerns more than its own task ends them.
func (s *scribe) work(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, done atomic.Int64
	var workers sync.WaitGroup
	for range min(atOnce, len(s.tasks)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(s.tasks) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := s.do(ctx, &s.tasks[i]); err != nil {
					cancel(err)
					return
				}
				if s.Progress != nil {
					s.Progress(int(done.Add(1)), len(s.tasks))
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// do makes and writes one summary. What went wrong with this one alone is kept in the task.
func (s *scribe) do(ctx context.Context, t *task) error {
	subject := s.proposals.Subject(t.index)
	subject.Now = s.Now
	sum, err := s.summary(ctx, subject)
	switch {
	case ctx.Err() != nil: // a summary that was ready all the same is made again the next time
		return ctx.Err()
	case err != nil:
		t.failed = err
		return nil
	}
	if err := place(t.dir, t.name, sum); err != nil {
		return err
	}
	t.written = true
	return nil
}

func (s *scribe) summary(ctx context.Context, subject assist.Subject) (api.Summary, error) {
	if s.Model == nil {
		return assist.Extract(subject), nil
	}
	return s.ask(ctx, subject)
}

func (s *scribe) report() Report {
	var r Report
	for _, t := range s.tasks {
		switch {
		case t.written:
			r.Written = append(r.Written, file(t.dir, t.name))
		case t.failed != nil:
			r.Problems = append(r.Problems, mip.Problem{
				Level: mip.Warning, Code: "summary-failed", File: t.proposal.File, Message: fmt.Sprintf("no summary could be made: %v", t.failed),
			})
		}
	}
	return r
}

// ErrWrite is wrapped by the error of [Write] for a file that cannot be written. The error names it.
var ErrWrite = errors.New("the summary cannot be written")
