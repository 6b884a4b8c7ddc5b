package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// builder is one run of the build command.
type builder struct {
	*program
	input
	out, baseURL, snapshot string
	keepGoing, summaries   bool
	noAPIFallback          bool
	format                 *choice
	// model returns the language model that writes summaries and its name. A nil model stands for summaries of the
	// proposals' own sentences.
	model func(env func(string) (string, bool)) (ai.Model, string, error)
	// planned, when set, is called with each plan before it is written.
	planned func(*build.Plan)
}

// buildReport is the output of --format json.
type buildReport struct {
	Published int           `json:"published"`
	Problems  []mip.Problem `json:"problems"`
	build.Report
	Out string `json:"out"`
}

// newBuild returns the command mipwatch build.
func newBuild(p *program) *cobra.Command {
	b := &builder{program: p, format: newChoice("text", "json"), model: modelFrom}
	cmd := newCommand("build", "Publish the proposals into a folder", b.run)
	b.add(cmd)
	b.addSnapshot(cmd)
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

// run reads the proposals, with --summaries writes the summaries that they lack, and publishes the site. Problems
// go to standard error and the result to standard output; with --format json both are in the result. The error has an
// exit code.
func (b *builder) run(ctx context.Context, _ []string) error {
	o, err := b.options(b.env)
	if err != nil {
		return err
	}
	// A wrong flag is reported before the proposals are read, which takes longer.
	if err := b.checkFolders(o.Folders); err != nil {
		return exit(exitUsage, err)
	}
	if b.baseURL != "" {
		if o.Site.BaseURL, err = site.ParseBaseURL(b.baseURL); err != nil {
			return exit(exitUsage, fmt.Errorf("--base-url: %w", err))
		}
	}
	o.NoAPIFallback = b.noAPIFallback
	// The flag is read before the proposals as well.
	if o.Live, err = b.readSnapshot(); err != nil {
		return err
	}
	// From here on the run takes time and shows its steps.
	progress := newProgress(b.stderr)
	defer progress.clear()
	progress.doing("reading proposals…")
	c, err := b.load(ctx, o)
	if err != nil {
		return err
	}
	progress.done("read %s", plural(len(c.Proposals), "sound proposal"))
	var unsummarised []mip.Problem // proposals without a summary of their present text
	// A site that will not be published needs no summaries, and questions to a model cost money.
	if b.summaries && (b.keepGoing || count(c.Problems).Errors == 0) {
		if c, unsummarised, err = b.summarise(ctx, c, o, progress); err != nil {
			writeText(b.stderr, unsummarised, -1)
			return err
		}
	}
	// With --format json the result holds the problems, and standard error stays free for errors.
	b.print(progress, c.Problems, mostWarnings)
	b.print(progress, unsummarised, -1)
	if c.History == "none" {
		progress.say("no git history, so times of change are the headers' dates")
	}
	progress.future(c.Commit, c.Committed)
	// Without --keep-going one proposal in error keeps the whole site as it was: a reader never finds a list that names
	// a proposal without a page.
	if found := count(c.Problems); found.Errors > 0 && (!b.keepGoing || len(c.Proposals) == 0) {
		progress.say("nothing is published: %s", found)
		return b.finish(exitProblems, buildReport{Problems: c.Problems, Out: b.out})
	}
	c, plan, report, err := b.publish(ctx, c, o, progress)
	if err != nil {
		return err
	}
	progress.clear()
	// A proposal without a summary is published all the same; only --keep-going makes a success of it.
	code := exitDone
	if len(unsummarised) > 0 && !b.keepGoing {
		code = exitProblems
	}
	// The result has the problems of every step in the order of their files.
	problems := mip.SortProblems(slices.Concat(c.Problems, unsummarised, plan.Problems))
	return b.finish(code, buildReport{Published: len(c.Proposals), Problems: problems, Report: report, Out: b.out})
}

// print lists problems on standard error, unless the report on standard output has them.
func (b *builder) print(progress *progress, problems []mip.Problem, most int) {
	if b.format.word == "text" {
		progress.clear()
		writeText(b.stderr, problems, most)
	}
}

// publish plans and writes the site. With --keep-going it goes on without the proposals that cannot be rendered;
// it returns the content that is published.
func (b *builder) publish(ctx context.Context, c *build.Content, o build.Options, progress *progress) (
	*build.Content, *build.Plan, build.Report, error,
) {
	plan, err := build.NewPlan(c, o)
	if err != nil {
		return nil, nil, build.Report{}, exit(exitProblems, fmt.Errorf("plan the site: %w", err))
	}
	if b.planned != nil {
		b.planned(plan)
	}
	// Planning reads no files, and is quick even for thousands of proposals.
	progress.done("planned %s", plural(len(plan.Artifacts), "file"))
	b.print(progress, plan.Problems, mostWarnings)
	report, err := b.write(ctx, plan, o.Site, progress)
	return c, plan, report, err
}

// write brings the folder to the plan, and then the folder of --snapshot if there is one. Its error has an exit code.
func (b *builder) write(ctx context.Context, plan *build.Plan, s *site.Site, progress *progress) (build.Report, error) {
	// Another build of the same folder is waited for, after one line on standard error.
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

// writeError gives an error of writing its exit code: a folder that is refused was named wrongly, and
// a proposal that cannot be rendered is no fault of the folder.
func writeError(flag, dir string, err error) error {
	// The order matters: a folder that is refused is an error of writing as well.
	_, unmakable := errors.AsType[*build.MakeError](err)
	switch {
	case errors.Is(err, build.ErrNotOurs):
		return exit(exitUsage, fmt.Errorf("%s: %w", flag, err))
	case unmakable:
		return exit(exitProblems, err)
	}
	return exit(exitWrite, fmt.Errorf("publish into %s: %w", dir, err))
}

// finish prints the result and ends with the code.
func (b *builder) finish(code int, r buildReport) error {
	if b.format.word == "json" {
		if r.Problems == nil {
			r.Problems = []mip.Problem{}
		}
		if err := writeJSON(b.stdout, r); err != nil {
			return exit(exitWrite, nil) // run prints it
		}
	} else if r.Published > 0 {
		fmt.Fprintf(b.stdout, "published %s (%s): %s changed, %d unchanged, %d removed in %s\n", plural(r.Published, "proposal"),
			count(r.Problems), plural(r.Changed, "file"), r.Unchanged, r.Removed, visible(r.Out))
	}
	// An exitError without an error says all there is to say.
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
	outputs := []struct{ flag, dir string }{{"--out", b.out}}
	if b.snapshot != "" {
		outputs = append(outputs, struct{ flag, dir string }{"--snapshot", b.snapshot})
	}
	for _, o := range outputs {
		// The folder must be empty, or hold what an earlier build wrote.
		if err := build.CheckFolder(o.dir); err != nil {
			return fmt.Errorf("%s: %w", o.flag, err)
		}
		// A build removes what is no longer published. A folder below the proposals is fine: sub-folders are not read.
		for _, dir := range proposals {
			if within(resolved(dir), resolved(o.dir)) {
				return fmt.Errorf("%s: %s holds the proposals folder %s; name a folder of its own", o.flag, o.dir, dir)
			}
		}
	}
	if b.snapshot == "" {
		return nil
	}
	// A snapshot names the addresses of nodes, which may hold keys.
	out, snapshot := resolved(b.out), resolved(b.snapshot)
	if within(out, snapshot) || within(snapshot, out) {
		return fmt.Errorf("--snapshot: %s and the published %s lie one within the other; what the sidecar must carry is not for publication", b.snapshot, b.out)
	}
	return nil
}

// resolved is a folder's absolute path without symbolic links, as far as it exists.
func resolved(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	// The part that is not there yet is put back behind the part that is.
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
	rel, err := filepath.Rel(parent, dir)
	return err == nil && filepath.IsLocal(rel)
}

// summaryTimeout is how long the model may take for one summary where nobody waits for the answer.
const summaryTimeout = "1m"

// modelFrom reads the model from the environment. One that cannot be used is an error: without it the summaries
// would be made of the proposals' own sentences.
func modelFrom(env func(string) (string, bool)) (ai.Model, string, error) {
	c, errs := ai.Environment(func(name string) (string, bool) {
		value, ok := env(name)
		if name == "AI_TIMEOUT" && value == "" {
			return summaryTimeout, true
		}
		return value, ok
	})
	// Unusable names what the provider lacks, such as its key.
	if err := errors.Join(append(errs, c.Unusable)...); err != nil {
		return nil, "", fmt.Errorf("--summaries: %w", err)
	}
	return c.Model, c.Name, nil
}

// summarise writes the summaries that are missing or outdated, and reads everything again if it wrote any. failed are
// the proposals that have none of their present text all the same.
func (b *builder) summarise(ctx context.Context, c *build.Content, o build.Options, progress *progress) (
	next *build.Content, failed []mip.Problem, err error,
) {
	model, name, err := b.model(b.env)
	if err != nil {
		return nil, nil, exit(exitUsage, err)
	}
	// SOURCE_DATE_EPOCH makes summaries reproducible, too.
	now := time.Now()
	if o.Epoch != nil {
		now = *o.Epoch
	}
	// Only proposals without a summary of their present text cost a question to the model.
	report, err := ai.WriteSummaries(ctx, c.Outdated(name), ai.WriteOptions{
		Model: model, Now: now,
		Progress: func(done, total int) { progress.doing("summarising… %d of %d", done, total) },
		Waiting:  func(d time.Duration) { progress.say("the model asks to wait for %s", d.Round(time.Second)) },
	})
	written := len(report.Written)
	if written == 1 {
		progress.done("wrote 1 summary")
	} else {
		progress.done("wrote %d summaries", written)
	}
	switch {
	case errors.Is(err, ai.ErrWrite):
		return nil, report.Problems, exit(exitWrite, err)
	case err != nil:
		return nil, report.Problems, exit(exitProblems, err)
	case written == 0:
		return c, report.Problems, nil
	}
	// The summaries are published as a later build would read them.
	next, err = b.load(ctx, o)
	return next, report.Problems, err
}
