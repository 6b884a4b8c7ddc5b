package ai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/atomicfile"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// ErrWrite is wrapped by the error of [WriteSummaries] for a file that cannot be written. The error names it.
var ErrWrite = errors.New("the summary cannot be written")

// Outdated is a committed summary that is missing or has to be made again.
type Outdated struct {
	File    string                 // the proposal's, as problems name it
	Dir     string                 // the folder of proposals
	Name    string                 // the summary's path within Dir
	Subject func() summary.Subject // reads what the summary speaks of; Now is set by WriteSummaries
}

// WriteOptions says how summaries are made.
type WriteOptions struct {
	Model    Model                 // writes the summaries; nil: they are made of the proposals' own sentences
	Now      time.Time             // becomes generatedAt
	Progress func(done, total int) // called after each proposal, from any goroutine; nil disables it
	Waiting  func(time.Duration)   // called when the model asks for a pause, from any goroutine; nil disables it
}

// WriteReport says what became of the proposals, in the order in which they were given.
type WriteReport struct {
	Written  []string      // files, as in problems
	Problems []mip.Problem // one warning for each proposal whose summary could not be made
}

// WriteSummaries makes summaries, a few at a time, and puts each in its place as soon as it is made: a file is
// the old one or the new one, whole, and never outside of its folder. What a model fails at is a problem of
// that proposal, whose file stays as it was, and the others go on. The error is for what is wrong with more than
// one: a file that cannot be written, or the end of ctx. The report is true then too.
func WriteSummaries(ctx context.Context, all []Outdated, o WriteOptions) (r WriteReport, err error) {
	const atOnce = 4 // summaries
	for _, out := range all {
		err := out.inRoot(func(root *os.Root) error {
			// These are of an earlier run that was killed. On an error there is no such folder, or writing into it fails
			// with the reason.
			_ = atomicfile.Recover(root, path.Dir(out.Name))
			return nil
		})
		if err != nil {
			return r, err
		}
	}
	written, failed := make([]bool, len(all)), make([]error, len(all))
	var done atomic.Int64
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(atOnce)
	for i, out := range all {
		workers.Go(func() error {
			sum, err := o.summarise(ctx, out)
			switch {
			case ctx.Err() != nil: // a summary that was ready all the same is made again the next time
				return ctx.Err()
			case err != nil:
				failed[i] = err
			default:
				if err := replaceSummary(out, sum); err != nil {
					return fmt.Errorf("write %s: %w: %w", summaryFile(out), ErrWrite, folder.Cause(err))
				}
				written[i] = true
			}
			if o.Progress != nil {
				o.Progress(int(done.Add(1)), len(all))
			}
			return nil
		})
	}
	err = workers.Wait()
	for i, out := range all {
		switch {
		case written[i]:
			r.Written = append(r.Written, summaryFile(out))
		case failed[i] != nil:
			r.Problems = append(r.Problems, mip.Problem{
				Level: mip.Warning, Code: "summary-failed", File: out.File, Message: fmt.Sprintf("no summary could be made: %v", failed[i]),
			})
		}
	}
	return r, err
}

// summarise makes one summary. When the model says that it will answer later, it waits: for a limit by the minute, not
// by the day.
func (o WriteOptions) summarise(ctx context.Context, out Outdated) (api.Summary, error) {
	const (
		longest = 10 * time.Minute
		most    = 20 // waits: others may take what was waited for
	)
	if ctx.Err() != nil {
		return api.Summary{}, ctx.Err()
	}
	subject := out.Subject()
	subject.Now = o.Now
	if o.Model == nil {
		return summary.Extract(subject), nil
	}
	for waits := 0; ; waits++ {
		sum, err := Summarise(ctx, o.Model, subject, "en")
		e, ok := errors.AsType[*api.HTTPError](err)
		if !ok || e.RetryAfter <= 0 || e.RetryAfter > longest || waits == most {
			return sum, err
		}
		if o.Waiting != nil {
			o.Waiting(e.RetryAfter)
		}
		select {
		case <-time.After(e.RetryAfter):
		case <-ctx.Done():
			return sum, ctx.Err()
		}
	}
}

// replaceSummary writes a summary into its folder of proposals.
func replaceSummary(out Outdated, sum api.Summary) error {
	var text bytes.Buffer // a line for each member, which people can review
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(sum); err != nil {
		return err
	}
	return out.inRoot(func(root *os.Root) error {
		if err := root.Mkdir(path.Dir(out.Name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return atomicfile.Write(root, out.Name, text.Bytes())
	})
}

// summaryFile is a summary's file as problems name it.
func summaryFile(out Outdated) string { return path.Join(filepath.ToSlash(out.Dir), out.Name) }

// inRoot calls f with the folder of proposals.
func (out Outdated) inRoot(f func(*os.Root) error) error {
	root, err := os.OpenRoot(out.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return f(root)
}
