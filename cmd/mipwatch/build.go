package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// mostWarnings is how many problems that are no errors a build prints: more would push its result
// out of sight.
const mostWarnings = 20

// builder is one run of the build command.
type builder struct {
	*program
	input
	out, baseURL, snapshot string
	keepGoing, summaries   bool
	noAPIFallback          bool
	format                 *choice
	model                  func(env func(string) (string, bool)) (*summaries, error) // what writes summaries
	planned                func(*build.Plan)                                         // when set, is called with each plan before it is written
}

// buildReport is what --format json prints.
type buildReport struct {
	Published int           `json:"published"`
	Problems  []mip.Problem `json:"problems"`
	build.Report
	Out string `json:"out"`
}

func newBuild(p *program) *cobra.Command {
	b := &builder{program: p, format: newChoice("text", "json"), model: summariesFrom}
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Publish the proposals into a folder",
		Long: `Publish the proposals into a folder that a CDN can serve.

Only files whose bytes change are written. When a proposal is in error nothing
is published, the folder stays as it was, and the exit code is 1. With
--keep-going the sound proposals are published and the exit code is 0, so that a
deployment goes on; the others are listed in /api/v1/diagnostics.

--live puts the figures of a saved answer of GET /api/mip-watch into the pages: how
lively discussions were, block heights, and where texts and chains disagreed, each
with its time. mipwatch live asks for one. Without it the pages say that they have
none. What the file says of proposals is not believed.

--no-api-fallback is for a host that takes the rules of _redirects before its own,
as Netlify does: rules for the live routes would never be reached behind the one
for all of /api/. That host then needs such a rule of its own; netlify.toml has it.

--summaries first brings the committed summaries up to date: for each proposal
without one of its present text it writes summaries/MIP-7.json into the
proposal's folder, by the language model that the environment names, else made
of the proposal's own sentences. They are for review and to be committed. A
second run writes nothing.
` + epochHelp + modelHelp + `
` + exitHelp,
		Example: `  mipwatch build
  mipwatch build --proposals MIPs --proposals MRCs --out dist
  mipwatch build --summaries
  mipwatch live --out live.json && mipwatch build --live live.json
  mipwatch build --config examples/monad.yaml --base-url https://preview.example.org
  SOURCE_DATE_EPOCH=1773930600 mipwatch build --format json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return b.run(cmd.Context()) },
	}
	b.add(cmd)
	b.addLive(cmd)
	f := cmd.Flags()
	f.StringVar(&b.out, "out", "public", "`folder` to publish into; it must hold nothing else")
	f.StringVar(&b.baseURL, "base-url", "", "`address` of the site, instead of the one in site.yaml")
	f.StringVar(&b.snapshot, "snapshot", "", "also write what the sidecar must carry into this `folder`")
	f.BoolVar(&b.noAPIFallback, "no-api-fallback", false, "leave what answers unknown routes below /api/ out of _redirects")
	f.BoolVar(&b.keepGoing, "keep-going", false, "publish the sound proposals even if others are in error")
	f.BoolVar(&b.summaries, "summaries", false, "first write the summaries that are missing or outdated beside the proposals")
	b.format.add(cmd, "format", "how to print the result")
	return cmd
}

func (b *builder) run(ctx context.Context) error {
	o, err := b.options(b.env)
	if err != nil {
		return err
	}
	if err := b.checkFolders(o.Folders); err != nil {
		return exit(exitUsage, err)
	}
	if b.baseURL != "" {
		if o.Site.BaseURL, err = site.ParseBaseURL(b.baseURL); err != nil {
			return exit(exitUsage, fmt.Errorf("--base-url: %w", err))
		}
	}
	o.NoAPIFallback = b.noAPIFallback
	if o.Live, err = b.readFigures(); err != nil {
		return err
	}
	progress := newProgress(b.stderr)
	defer progress.clear()
	progress.doing("reading proposals…")
	c, err := b.corpus(ctx, o)
	if err != nil {
		return err
	}
	progress.done("read %s", plural(len(c.Proposals), "sound proposal"))
	var unsummarised []mip.Problem
	if b.summaries && (b.keepGoing || count(c.Problems).Errors == 0) {
		if c, unsummarised, err = b.summarise(ctx, c, o, progress); err != nil {
			writeText(b.stderr, unsummarised, -1)
			return err
		}
	}
	b.tell(progress, c, unsummarised)
	found := count(c.Problems)
	if found.Errors > 0 && (!b.keepGoing || len(c.Proposals) == 0) {
		progress.say("nothing is published: %s", found)
		return b.finish(exitProblems, buildReport{Problems: c.Problems, Out: b.out})
	}
	c, plan, report, err := b.publish(ctx, c, o, progress)
	if err != nil {
		return err
	}
	progress.clear()
	code := exitDone
	if len(unsummarised) > 0 && !b.keepGoing {
		code = exitProblems
	}
	problems := mip.SortProblems(slices.Concat(c.Problems, unsummarised, plan.Problems))
	return b.finish(code, buildReport{Published: len(c.Proposals), Problems: problems, Report: report, Out: b.out})
}

// publish plans and writes the site. With --keep-going it goes on without the proposals that cannot be rendered;
// it returns the content that is published.
func (b *builder) publish(ctx context.Context, c *build.Content, o build.Options, progress *progress) (*build.Content, *build.Plan, build.Report, error) {
	plan, err := build.NewPlan(c, o)
	if err != nil {
		return nil, nil, build.Report{}, exit(exitProblems, fmt.Errorf("plan the site: %w", err))
	}
	if b.planned != nil {
		b.planned(plan)
	}
	progress.done("planned %s", plural(len(plan.Artifacts), "file"))
	if b.format.word == "text" {
		progress.clear()
		writeText(b.stderr, plan.Problems, mostWarnings)
	}
	report, err := b.write(ctx, plan, o.Site, progress)
	failed, ok := errors.AsType[*build.MakeError](err)
	if !ok || !b.keepGoing || failed.Source == "" || o.Refused != nil {
		return c, plan, report, err
	}
	problems, err := plan.Trial(ctx)
	if err != nil {
		return nil, nil, report, writeError("--out", b.out, err)
	}
	o.Refused = map[string]mip.Problem{}
	for _, p := range problems {
		o.Refused[p.File] = p
	}
	progress.clear()
	writeText(b.stderr, problems, -1)
	if c, err = b.corpus(ctx, o); err != nil {
		return nil, nil, report, err
	}
	return b.publish(ctx, c, o, progress)
}

// tell prints what was found while reading, and which proposals have no summary although they should.
func (b *builder) tell(progress *progress, c *build.Content, unsummarised []mip.Problem) {
	if b.format.word == "text" {
		progress.clear()
		writeText(b.stderr, c.Problems, mostWarnings)
		writeText(b.stderr, unsummarised, -1)
	}
	if c.History == "none" {
		progress.say("no git history, so times of change are the headers' dates")
	}
	progress.future(c.Commit, c.Committed)
}

func (b *builder) write(ctx context.Context, plan *build.Plan, s *site.Site, progress *progress) (build.Report, error) {
	report, err := build.Sync(ctx, plan, b.out, build.SyncOptions{
		Waiting:  func() { progress.say("waiting for another build that writes into %s", b.out) },
		Progress: func(done, total int) { progress.doing("writing… %d %%", done*100/max(total, 1)) },
	})
	if err != nil {
		return report, writeError("--out", b.out, err)
	}
	if b.snapshot != "" {
		if _, err := build.Snapshot(ctx, plan, b.snapshot, s); err != nil {
			return report, writeError("--snapshot", b.snapshot, err)
		}
	}
	return report, nil
}

// failedToMake reports whether the input is at fault: an artifact cannot be made of it.
func failedToMake(err error) bool {
	_, ok := errors.AsType[*build.MakeError](err)
	return ok
}

// writeError gives an error of writing its exit code: a folder that is refused was named wrongly, and
// a proposal that cannot be rendered is no fault of the folder.
func writeError(flag, dir string, err error) error {
	switch {
	case errors.Is(err, build.ErrNotOurs):
		return exit(exitUsage, fmt.Errorf("%s: %w", flag, err))
	case failedToMake(err):
		return exit(exitProblems, err)
	}
	return exit(exitWrite, fmt.Errorf("publish into %s: %w", dir, err))
}

// finish prints the result and ends with the code.
func (b *builder) finish(code int, r buildReport) error {
	switch {
	case b.format.word == "json":
		if r.Problems == nil {
			r.Problems = []mip.Problem{}
		}
		if err := writeJSON(b.stdout, r); err != nil {
			return exit(exitWrite, nil) // told by run
		}
	case r.Published > 0:
		fmt.Fprintf(b.stdout, "published %s (%s): %s changed, %d unchanged, %d removed in %s\n",
			plural(r.Published, "proposal"), count(r.Problems), plural(r.Changed, "file"), r.Unchanged, r.Removed, visible(r.Out))
	}
	if code == exitDone {
		return nil
	}
	return exit(code, nil)
}

// checkFolders refuses, before anything is read, output folders that would mix with something else:
// a project, the proposals, or each other. A snapshot within the published folder would publish the
// addresses of nodes.
func (b *builder) checkFolders(proposals []string) error {
	if b.out == "" {
		return errors.New("--out: want a folder")
	}
	if err := build.CheckFolder(b.out); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if err := apart("--out", b.out, proposals); err != nil {
		return err
	}
	if b.snapshot == "" {
		return nil
	}
	if err := build.CheckFolder(b.snapshot); err != nil {
		return fmt.Errorf("--snapshot: %w", err)
	}
	if err := apart("--snapshot", b.snapshot, proposals); err != nil {
		return err
	}
	out, snapshot := resolved(b.out), resolved(b.snapshot)
	if within(out, snapshot) || within(snapshot, out) {
		return fmt.Errorf("--snapshot: %s and the published %s lie one within the other; what the sidecar must carry is not for publication", b.snapshot, b.out)
	}
	return nil
}

// apart refuses an output folder that holds proposals: a build removes what is no longer published. One
// below the proposals is fine, since sub-folders are not read.
func apart(flag, out string, proposals []string) error {
	for _, dir := range proposals {
		if within(resolved(dir), resolved(out)) {
			return fmt.Errorf("%s: %s holds the proposals folder %s; name a folder of its own", flag, out, dir)
		}
	}
	return nil
}

// resolved is a folder's absolute path without symbolic links, as far as it exists.
func resolved(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	rest := ""
	for at := abs; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return abs
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// within reports whether a folder is another one or lies in it.
func within(dir, parent string) bool {
	return dir == parent || strings.HasPrefix(dir, strings.TrimSuffix(parent, string(os.PathSeparator))+string(os.PathSeparator))
}

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
	c, errs := ai.Environment(func(name string) (string, bool) {
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
