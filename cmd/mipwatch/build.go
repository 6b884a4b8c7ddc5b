package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// builder is one run of the build command.
type builder struct {
	input
	out, baseURL string
	// snapshot is the folder of the snapshot. Empty means none.
	snapshot             string
	keepGoing, summaries bool
	noAPIFallback        bool
	// format is text or json.
	format   string
	progress *progress
}

// buildReport is the output of --format json.
type buildReport struct {
	// Published counts the proposals. It is 0 if nothing is written.
	Published int `json:"published"`
	// Problems are from all steps, sorted by file.
	Problems []mip.Problem `json:"problems"`
	build.Report
	Out string `json:"out"`
}

// newBuild returns the command mipwatch build.
func newBuild(p *program) *cobra.Command {
	b := &builder{input: input{program: p}, progress: newProgress(p.stderr)}
	cmd := newCommand("build", "Publish the proposals into a folder", b.run)
	b.add(cmd)
	f := cmd.Flags()
	f.StringVar(&b.out, "out", "public", "`folder` to publish into; it must hold nothing else")
	f.StringVar(&b.baseURL, "base-url", "",
		"`address` of the site, instead of the one in site.yaml")
	f.StringVar(&b.snapshot, "snapshot", "",
		"also write what the sidecar must carry into this `folder`")
	f.BoolVar(&b.noAPIFallback, "no-api-fallback", false,
		"leave the rule for unknown routes below /api/ out of _redirects")
	f.BoolVar(&b.keepGoing, "keep-going", false,
		"publish the sound proposals even if others are in error")
	f.BoolVar(&b.summaries, "summaries", false,
		"first write missing and outdated summaries into the proposals' folders")
	addFormat(cmd, &b.format, "text", "json")
	return cmd
}

// run reads the proposals, writes missing summaries if --summaries is set, and publishes the site.
// It prints problems to standard error and the result to standard output. With --format json both
// are in the result.
func (b *builder) run(ctx context.Context, _ []string) error {
	o, err := b.options()
	if err != nil {
		return err
	}
	// Report a wrong flag before reading the proposals, which takes longer.
	if err := b.checkFolders(o.Site.Sources); err != nil {
		return exit(exitUsage, err)
	}
	if b.baseURL != "" {
		if o.Site.BaseURL, err = site.ParseBaseURL(b.baseURL); err != nil {
			return exit(exitUsage, fmt.Errorf("--base-url: %w", err))
		}
	}
	o.NoAPIFallback = b.noAPIFallback
	o.Site.KeepGoing = o.Site.KeepGoing || b.keepGoing
	defer b.progress.clear()
	c, err := b.load(ctx, o, b.progress)
	if err != nil {
		return err
	}
	b.progress.done("read %s", plural(len(c.Proposals), "sound proposal"))
	// unsummarized are warnings about proposals without a summary of their present text.
	var unsummarized []mip.Problem
	// A site that is not published needs no summaries, and model requests cost money.
	if b.summaries && (o.Site.KeepGoing || count(c.Problems).Errors == 0) {
		if c, unsummarized, err = b.summarize(ctx, c, o); err != nil {
			writeText(b.stderr, unsummarized, -1)
			return err
		}
	}
	b.print(unsummarized, -1)
	if c.History == "none" {
		b.progress.say("no git history, so times of change are the headers' dates")
	}
	b.progress.future(c.Commit, c.CommittedAt)
	// Without --keep-going one faulty proposal leaves the whole site unchanged: no list may name a
	// proposal without a page.
	refused := count(c.Problems).Errors > 0 && (!o.Site.KeepGoing || len(c.Proposals) == 0)
	if refused && len(c.Proposals) == 0 {
		return b.refuse(mip.FoldProblems(c.Problems))
	}
	plan, err := build.NewPlan(ctx, c)
	if err != nil {
		return exit(exitProblems, fmt.Errorf("plan the site: %w", err))
	}
	// Print the warnings of check too, with the same counts, for people who fix the errors.
	if refused {
		return b.refuse(problemsOf(c, plan))
	}
	b.progress.done("planned %s", plural(len(plan.Artifacts), "file"))
	report, err := build.Sync(ctx, plan, b.out, build.SyncOptions{
		Waiting: func() { b.progress.say("waiting for another build that writes into %s", b.out) },
		Progress: func(done, total int) {
			b.progress.doing("writing… %d %%", done*100/max(total, 1))
		},
	})
	if err != nil {
		return writeError("--out", b.out, err)
	}
	problems := problemsOf(c, plan)
	b.print(problems, mostWarnings)
	if b.snapshot != "" {
		if _, err := build.Snapshot(ctx, plan, b.snapshot); err != nil {
			return writeError("--snapshot", b.snapshot, err)
		}
	}
	// A proposal without a summary is published all the same, but only --keep-going makes this a
	// success.
	code := exitDone
	if len(unsummarized) > 0 && !o.Site.KeepGoing {
		code = exitProblems
	}
	problems = mip.SortProblems(append(problems, unsummarized...))
	return b.finish(code,
		buildReport{Published: len(c.Proposals), Problems: problems, Report: report, Out: b.out})
}

// refuse reports why nothing is published.
func (b *builder) refuse(problems []mip.Problem) error {
	b.print(problems, mostWarnings)
	b.progress.say("nothing is published: %s", count(problems))
	return b.finish(exitProblems, buildReport{Problems: problems, Out: b.out})
}

// print lists problems on standard error, unless the report on standard output has them.
func (b *builder) print(problems []mip.Problem, most int) {
	if b.format == "text" {
		b.progress.clear()
		writeText(b.stderr, problems, most)
	}
}

// finish prints the result and returns the exit code.
func (b *builder) finish(code int, r buildReport) error {
	b.progress.clear()
	if b.format == "json" {
		r.Problems = append([]mip.Problem{}, r.Problems...)
		if err := writeJSON(b.stdout, r); err != nil {
			return err
		}
	} else if r.Published > 0 {
		const text = "published %s (%s): %s changed, %d unchanged, %d removed in %s\n"
		fmt.Fprintf(b.stdout, text,
			plural(r.Published, "proposal"),
			count(r.Problems), plural(r.Changed, "file"), r.Unchanged, r.Removed, mip.Escape(r.Out))
	}
	if code == exitDone {
		return nil
	}
	// A nil error means that everything is printed already.
	return exit(code, nil)
}

// writeError gives an error of writing its exit code: a refused folder is a usage error, and a page
// that cannot be made is not the folder's fault.
func writeError(flag, dir string, err error) error {
	switch {
	case errors.Is(err, build.ErrNotOurs):
		return exit(exitUsage, fmt.Errorf("%s: %w", flag, err))
	case errors.Is(err, build.ErrMake):
		return exit(exitProblems, err)
	}
	return exit(exitWrite, fmt.Errorf("publish into %s: %w", dir, err))
}

// checkFolders refuses, before anything is read, output folders that would mix with something else:
// a project, the proposals, or each other. A snapshot within the published folder would publish RPC
// addresses, which may contain keys.
func (b *builder) checkFolders(proposals []filename.Source) error {
	if b.out == "" {
		return errors.New("--out: want a folder")
	}
	for _, o := range [][2]string{{"--out", b.out}, {"--snapshot", b.snapshot}} {
		flag, dir := o[0], o[1]
		if dir == "" {
			continue
		}
		if err := build.CheckFolder(dir); err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
		// A build removes what is no longer published. A folder below the proposals is fine:
		// sub-folders are not read.
		for _, src := range proposals {
			if within(src.Folder, dir) {
				return fmt.Errorf("%s: %s holds the proposals folder %s; name a folder of its own",
					flag, dir, src.Folder)
			}
		}
	}
	if b.snapshot != "" && (within(b.out, b.snapshot) || within(b.snapshot, b.out)) {
		return fmt.Errorf("--snapshot: %s and the published %s lie one within the other; what "+
			"the sidecar must carry is not for publication", b.snapshot, b.out)
	}
	return nil
}

// summaryTimeout bounds the model's time for one summary if nobody waits for it.
const summaryTimeout = "1m"

// summarize writes missing and outdated summaries, and then reads everything again, so that they
// are published as by a later build. failed are warnings about the proposals that still lack a
// summary of their present text. An unusable model is an error: otherwise the summaries would be
// made by rules.
func (b *builder) summarize(
	ctx context.Context, c *build.Content, o build.Options,
) (next *build.Content, failed []mip.Problem, err error) {
	config, errs := ai.Environment(func(name string) (string, bool) {
		value, ok := b.env(name)
		if name == "AI_TIMEOUT" && value == "" {
			return summaryTimeout, true
		}
		return value, ok
	})
	// Unusable names what the provider lacks, such as its key.
	if err := errors.Join(append(errs, config.Unusable)...); err != nil {
		return nil, nil, exit(exitUsage, fmt.Errorf("--summaries: %w", err))
	}
	// SOURCE_DATE_EPOCH makes summaries reproducible too.
	now := time.Now()
	if o.Epoch != nil {
		now = *o.Epoch
	}
	report, err := ai.WriteSummaries(ctx, c.Outdated(config.Name), ai.WriteOptions{
		Model: config.Model, Now: now,
		Progress: func(done, total int) { b.progress.doing("summarising… %d of %d", done, total) },
		Waiting: func(d time.Duration) {
			b.progress.say("the model asks to wait for %s", d.Round(time.Second))
		},
	})
	written := len(report.Written)
	b.progress.done("wrote %s",
		strings.Replace(plural(written, "summary"), "summarys", "summaries", 1))
	switch {
	case errors.Is(err, ai.ErrWrite):
		return nil, report.Problems, exit(exitWrite, err)
	case err != nil:
		return nil, report.Problems, exit(exitProblems, err)
	case written > 0:
		c, err = b.load(ctx, o, b.progress)
	}
	return c, report.Problems, err
}
