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
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// ErrWrite is wrapped by the error of [WriteSummaries] for a file that cannot be written. The error
// names the file.
var ErrWrite = errors.New("the summary cannot be written")

// Outdated is a committed summary that is missing or has to be made again.
type Outdated struct {
	// File is the proposal's name in problems.
	File string
	// Dir is the folder of proposals.
	Dir string
	// Name is the summary's path within Dir.
	Name string
	// Subject returns the subject of the summary. WriteSummaries sets its Now.
	Subject func() summary.Subject
}

// WriteOptions configures [WriteSummaries].
type WriteOptions struct {
	// Model writes the summaries. Nil means summaries by rules.
	Model Model
	// Now becomes generatedAt.
	Now time.Time
	// Progress is called after each proposal, one call at a time. Nil disables it.
	Progress func(done, total int)
	// Waiting is called when the model asks for a pause, from any goroutine. Nil disables it.
	Waiting func(time.Duration)
}

// WriteReport is the outcome of [WriteSummaries], in the order of the proposals' files.
type WriteReport struct {
	// Written are files, named as in problems.
	Written []string
	// Problems has one warning for each proposal without a new summary.
	Problems []mip.Problem
}

// WriteSummaries makes summaries, a few at a time, and writes each as soon as it is made: a file is
// the old one or the new one, whole, and never outside of its folder. If the model fails at a
// proposal, the report has a problem, the proposal's file stays, and the others go on. The error is
// for more than one proposal: a file that cannot be written, or the end of ctx. The report is valid
// then too.
func WriteSummaries(
	ctx context.Context, all []Outdated, o WriteOptions,
) (r WriteReport, err error) {
	const atOnce = 4 // summaries
	for _, out := range all {
		root, err := os.OpenRoot(out.Dir)
		if err != nil {
			return r, err
		}
		// Files of an earlier run that was killed. If there is no such folder, writing into it
		// fails with the reason.
		_ = folder.Recover(root, path.Dir(out.Name))
		root.Close()
	}
	var mu sync.Mutex
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(atOnce)
	for _, out := range all {
		workers.Go(func() error {
			file := path.Join(filepath.ToSlash(out.Dir), out.Name)
			sum, failed := o.summarise(ctx, out)
			if ctx.Err() != nil { // a summary that is lost here is made again by the next run
				return ctx.Err()
			}
			if failed == nil {
				if err := replaceSummary(out, sum); err != nil {
					return fmt.Errorf("write %s: %w: %w", file, ErrWrite, folder.Cause(err))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if failed == nil {
				r.Written = append(r.Written, file)
			} else {
				r.Problems = append(r.Problems, mip.Problem{
					Level: mip.Warning, Code: "summary-failed", File: out.File,
					Message: fmt.Sprintf("no summary could be made: %v", failed),
				})
			}
			if o.Progress != nil {
				o.Progress(len(r.Written)+len(r.Problems), len(all))
			}
			return nil
		})
	}
	err = workers.Wait()
	slices.Sort(r.Written)
	r.Problems = mip.SortProblems(r.Problems)
	return r, err
}

// summarise makes one summary. If the model asks for a pause, it waits: for a limit by the minute,
// not by the day.
func (o WriteOptions) summarise(ctx context.Context, out Outdated) (api.Summary, error) {
	const (
		longest = 10 * time.Minute
		most    = 20 // waits: others may take the budget first
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
	var text bytes.Buffer // one line for each member, for reviews
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(sum); err != nil {
		return err
	}
	root, err := os.OpenRoot(out.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Mkdir(path.Dir(out.Name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return folder.Write(root, out.Name, text.Bytes())
}
