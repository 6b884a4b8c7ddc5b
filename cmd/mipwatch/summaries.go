package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/assistant"
)

// summaries makes what build --summaries commits beside the proposals.
type summaries struct {
	model ai.Model // nil: they are made of the proposals' own sentences
	name  string   // of the model
}

// newSummaries takes the model that writes the summaries and its name.
func newSummaries(m ai.Model, name string) *summaries {
	return &summaries{model: m, name: name}
}

const modelHelp = `
  AI_PROVIDER        openai, anthropic or ollama: the language model that writes
                     summaries; its other variables are those of the sidecar`

// buildPatience is how long the model may take for one summary where nobody waits for the answer.
const buildPatience = "1m"

// summariesFrom reads the model from the environment. Without one the summaries are made of the proposals'
// own sentences; one that cannot be used is an error, since that is not what was wanted.
func summariesFrom(env func(string) (string, bool)) (*summaries, error) {
	c, errs := assistant.Environment(func(name string) (string, bool) {
		value, ok := env(name)
		if name == "AI_TIMEOUT" && value == "" {
			return buildPatience, true
		}
		return value, ok
	})
	if c.Unusable != nil {
		errs = append(errs, c.Unusable)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("--summaries: %w", err)
	}
	return newSummaries(c.Model, c.Name), nil
}

// write makes the summaries that are missing or outdated, and tells of them as it goes. failed are the
// proposals that have none of their present text all the same. The error has an exit code.
func (s *summaries) write(ctx context.Context, c *build.Content, epoch *time.Time, progress *progress) (written int, failed []mip.Problem, err error) {
	now := time.Now()
	if epoch != nil {
		now = *epoch
	}
	report, err := ai.WriteSummaries(ctx, c.Subjects.Outdated(c.Beside, s.name), ai.WriteOptions{
		Model: s.model, Now: now,
		Progress: func(done, total int) { progress.doing("summarising… %d of %d", done, total) },
		Waiting:  func(d time.Duration) { progress.say("the model asks to wait for %s", d.Round(time.Second)) },
	})
	progress.done("wrote %s", counted(len(report.Written), "summary", "summaries"))
	switch {
	case errors.Is(err, ai.ErrWrite), errors.Is(err, context.Canceled):
		err = exit(exitWrite, err)
	case err != nil:
		err = exit(exitProblems, err)
	}
	return len(report.Written), report.Problems, err
}

// summarise brings the committed summaries up to date and reads everything again if that changed any.
func (b *builder) summarise(ctx context.Context, c *build.Content, o build.Options, progress *progress) (*build.Content, []mip.Problem, error) {
	s, err := b.model(b.env)
	if err != nil {
		return nil, nil, exit(exitUsage, err)
	}
	written, failed, err := s.write(ctx, c, o.Epoch, progress)
	if err != nil || written == 0 {
		return c, failed, err
	}
	c, err = b.corpus(ctx, o)
	return c, failed, err
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
