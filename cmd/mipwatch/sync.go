package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/gitsync"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

const (
	// upstreamTimeout suits a first fetch of a large repository over a slow line.
	upstreamTimeout = 10 * time.Minute
	// shortCommit is the number of printed digits of a commit.
	shortCommit = 12
)

// syncer is one run of the sync command.
type syncer struct {
	// input has only its flag --config.
	input
	keepGoing bool
	// history is true for a run that fetches texts of earlier versions and changes no file.
	history bool
	// timeout bounds all requests to the upstream.
	timeout time.Duration
	// format is text or json.
	format string
}

// newSync returns the command mipwatch sync.
func newSync(p *program) *cobra.Command {
	s := &syncer{input: input{program: p}}
	cmd := newCommand("sync",
		"Copy the upstream repository's proposals into the proposals folders", s.run)
	f := cmd.Flags()
	addConfig(cmd, &s.config)
	f.BoolVar(&s.keepGoing, "keep-going", false,
		"take what can be taken even if other files are in error")
	f.BoolVar(&s.history, "history", false,
		"change no file, and fetch the texts of earlier versions into the repository here")
	f.DurationVar(&s.timeout, "timeout", upstreamTimeout,
		"how long the upstream may take altogether, such as 90s")
	addFormat(cmd, &s.format, "text", "json")
	return cmd
}

// run copies the proposals of the upstream into the folders of site.yaml and prints the changes.
// The error has an exit code.
func (s *syncer) run(ctx context.Context, _ []string) error {
	// The library takes 0 for no limit, which nobody wants by accident.
	if s.timeout <= 0 {
		return exit(exitUsage, fmt.Errorf("--timeout: want a time such as 90s, got %s", s.timeout))
	}
	config, err := site.Load(s.config)
	if err != nil {
		return exit(exitUsage, err)
	}
	if s.history && config.Upstream == nil {
		return s.fetched(0)
	}
	targets, err := s.targets(config)
	if err != nil {
		return exit(exitUsage, err)
	}
	progress := newProgress(s.stderr)
	defer progress.clear()
	up := config.Upstream
	s.keepGoing = s.keepGoing || config.KeepGoing
	options := gitsync.Options{
		Git: s.address(up.Git), Named: up.Git, Ref: up.Ref, Targets: targets,
		Texts:     upstreamTexts{build.Options{Site: config}.Corpus(), config.SourceURL != ""},
		KeepGoing: s.keepGoing, Timeout: s.timeout,
		Doing:   func(what string) { progress.done("%s…", what) },
		Waiting: func() { progress.say("waiting for another sync of the same folders") },
	}
	if s.history {
		n, err := gitsync.FetchTexts(ctx, options)
		if err != nil {
			return exit(exitUpstream, err)
		}
		return s.fetched(n)
	}
	report, err := gitsync.Sync(ctx, options)
	progress.clear()
	// An error of site.yaml names its line.
	line := config.Lines["upstream"]
	switch {
	case errors.Is(err, gitsync.ErrUpstream):
		return exit(exitUpstream, err)
	case errors.Is(err, gitsync.ErrRef):
		return exit(exitUsage, s.invalid(line, "upstream-ref", err.Error()))
	case errors.Is(err, gitsync.ErrFolder):
		return exit(exitUsage, s.invalid(line, "upstream-folder", err.Error()))
	case err != nil:
		return exit(exitWrite, err)
	}
	return s.finish(report, progress)
}

// targets maps the upstream's folders to local ones. Without folders it is the top of the upstream.
func (s *syncer) targets(config *site.Site) ([]gitsync.Target, error) {
	if config.Upstream == nil {
		return nil, s.invalid(0, "missing-key",
			"no upstream to sync from; name its git address, such as upstream: {git: "+
				"https://git.example.org/mips, folders: [MIPs]}")
	}
	from, local := config.Upstream.Folders, []string{}
	for _, src := range config.Located(config.Proposals) {
		if src.Pattern != "" {
			return nil, s.invalid(config.ProposalsLine(), "bad-value", fmt.Sprintf(
				"proposals: texts are synced into folders, and %s is a pattern; name a folder "+
					"here, and the pattern under upstream.folders", src.Pattern))
		}
		local = append(local, src.Folder)
	}
	if len(from) == 0 {
		from = []string{"."}
	}
	switch {
	case len(local) == 1:
		return []gitsync.Target{{Folder: local[0], From: from}}, nil
	case len(local) != len(from):
		return nil, s.invalid(config.Lines["upstream"], "bad-value", fmt.Sprintf(
			"upstream.folders: %s cannot be matched with %s of proposals; list as many, or one "+
				"folder of proposals",
			plural(len(from), "folder"), plural(len(local), "folder")))
	}
	// Both lists have the same order.
	var out []gitsync.Target
	for i, dir := range local {
		out = append(out, gitsync.Target{Folder: dir, From: from[i : i+1]})
	}
	return out, nil
}

// address is the upstream's address for git: a relative path is relative to the configuration, like
// the paths of proposals. Others stay as they are.
func (s *syncer) address(git string) string {
	before, _, colon := strings.Cut(git, ":")
	if strings.Contains(git, "://") || colon && !strings.Contains(before, "/") ||
		filepath.IsAbs(git) {
		return git
	}
	path := filepath.Join(filepath.Dir(s.config), filepath.FromSlash(git))
	abs, _ := filepath.Abs(path)
	return cmp.Or(abs, path) // git reports what is wrong with it
}

// invalid is an error about a line of site.yaml.
func (s *syncer) invalid(line int, code, message string) error {
	p := mip.Problem{Level: mip.Error, Code: code, File: filepath.ToSlash(s.config), Line: line,
		Message: message}
	return &site.InvalidError{Problems: []mip.Problem{p}}
}

// fetched prints the number of texts that were fetched.
func (s *syncer) fetched(n int) error {
	if s.format == "json" {
		return writeJSON(s.stdout, map[string]int{"fetched": n})
	}
	fmt.Fprintf(s.stdout, "fetched %s of earlier versions\n", plural(n, "text"))
	return nil
}

// finish prints the result.
func (s *syncer) finish(r gitsync.Report, progress *progress) error {
	// With --keep-going problems are like warnings. Otherwise one file that cannot be taken leaves
	// all files unchanged.
	refused := r.Failed() && !s.keepGoing
	if s.format == "json" {
		if err := writeJSON(s.stdout, r); err != nil {
			return err
		}
	} else {
		writeText(s.stderr, r.Problems, -1)
		if !refused {
			s.print(r)
		}
	}
	for _, notice := range r.Notices {
		progress.say("%s: %s", r.Git, notice)
	}
	for _, file := range r.Overwritten {
		progress.say("%s was edited here, and is the upstream's again; the last commit has the "+
			"edit: git log -p -- %s", mip.Escape(file), mip.Escape(file))
	}
	// A rewritten history is accepted, but a reviewer of the commit should know about it.
	if r.Rewritten {
		progress.say("the upstream's history was rewritten, or another one is named: %.*s does "+
			"not lead to %.*s",
			shortCommit, r.From, shortCommit, r.To)
	}
	if refused {
		progress.say("nothing is changed: %s", count(r.Problems))
		return exit(exitProblems, nil)
	}
	return nil
}

// print lists the changes for people and for grep: a line for each file, and one for all.
func (s *syncer) print(r gitsync.Report) {
	list := func(word string, paths []string) {
		// A path comes last in its line: it may contain blanks.
		for _, path := range paths {
			fmt.Fprintf(s.stdout, "%s %s\n", word, mip.Escape(path))
		}
	}
	list("added", r.Added)
	list("changed", r.Changed)
	list("removed", r.Removed)
	// Workflows look for these words to decide whether there is anything to commit.
	if len(r.Added)+len(r.Changed)+len(r.Removed) == 0 {
		fmt.Fprintf(s.stdout, "up to date: %s of %s at %.*s\n", plural(r.Unchanged, "file"),
			mip.Escape(r.Git), shortCommit, r.To)
		return
	}
	before := ""
	if r.From != "" && r.From != r.To {
		before = fmt.Sprintf(", before at %.*s", shortCommit, r.From)
	}
	fmt.Fprintf(s.stdout, "synced %s at %.*s%s: %d added, %d changed, %d removed, %d unchanged\n",
		mip.Escape(r.Git), shortCommit, r.To, before, len(r.Added), len(r.Changed), len(r.Removed),
		r.Unchanged)
}
