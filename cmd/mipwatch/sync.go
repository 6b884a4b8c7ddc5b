package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/internal/gitsync"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

const (
	// upstreamPatience is for a first fetch of a large repository over a slow line.
	upstreamPatience = 10 * time.Minute
	shortCommit      = 12 // digits
)

// mirrorer is one run of the sync command.
type mirrorer struct {
	*program
	config    string
	keepGoing bool
	timeout   time.Duration
	format    *choice
}

func newSync(p *program) *cobra.Command {
	m := &mirrorer{program: p, format: newChoice("text", "json")}
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Bring the upstream repository's proposals into the proposals folders",
		Long: `Bring the proposals of the git repository that site.yaml names under upstream into
its proposals folders. With as many folders there as here, each goes into the one
in the same place of the list; with one folder here, all go there.

Markdown files are taken as they are at upstream's ref: a branch, a tag, or the whole
hash of a commit; the default branch when there is none. Beside them stands
.mipwatch-upstream.json, to be committed with them: from it the site has the
upstream's own times, versions and links. What left the upstream is removed. A
file that was edited here, or was not synced, is never overwritten or removed:
the run names it and ends with exit code 1, as for a file that cannot be taken
(a symbolic link, a submodule, over 1 MiB). Then nothing at all is changed,
unless --keep-going takes the others.

The upstream is untrusted: nothing of it is checked out or run. A second run
changes nothing. Killed at any moment, the next run mends the rest. It needs
the git program.
` + exitHelp + `
  4  the upstream cannot be fetched or read, or takes longer than --timeout`,
		Example: `  mipwatch sync
  mipwatch sync --config examples/monad.yaml
  mipwatch sync --format json | jq -r '.added[]'
  mipwatch sync && git add -A proposals && git commit -m "Proposals as of today"`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return m.run(cmd.Context()) },
	}
	f := cmd.Flags()
	addConfig(cmd, &m.config)
	f.BoolVar(&m.keepGoing, "keep-going", false, "take what can be taken even if other files are in error")
	f.DurationVar(&m.timeout, "timeout", upstreamPatience, "how long the upstream may take altogether, such as 90s")
	m.format.add(cmd, "format", "how to print the result")
	return cmd
}

func (m *mirrorer) run(ctx context.Context) error {
	if m.timeout <= 0 {
		return exit(exitUsage, fmt.Errorf("--timeout: want a time such as 90s, got %s", m.timeout))
	}
	s, err := site.Load(m.config)
	if err != nil {
		return exit(exitUsage, err)
	}
	targets, err := m.targets(s)
	if err != nil {
		return exit(exitUsage, err)
	}
	progress := newProgress(m.stderr)
	defer progress.clear()
	report, err := gitsync.Sync(ctx, gitsync.Options{
		Git: m.address(s.Upstream.Git), Ref: s.Upstream.Ref, Targets: targets, KeepGoing: m.keepGoing, Timeout: m.timeout,
		Doing:   func(what string) { progress.done("%s…", what) },
		Waiting: func() { progress.say("waiting for another sync of the same folders") },
	})
	progress.clear()
	if err != nil {
		return m.failed(err, s.Upstream.Line)
	}
	return m.finish(report, progress)
}

// targets decides which folder of the upstream goes where.
func (m *mirrorer) targets(s *site.Site) ([]gitsync.Target, error) {
	if s.Upstream == nil {
		return nil, m.invalid(0, "missing-key", "no upstream to sync from; name its git address, such as upstream: {git: https://git.example.org/mips, folders: [MIPs]}")
	}
	from := s.Upstream.Folders
	if len(from) == 0 {
		from = []string{"."}
	}
	here := (&input{config: m.config}).candidates(s)
	switch {
	case len(here) == 1:
		return []gitsync.Target{{Folder: here[0], From: from}}, nil
	case len(here) != len(from):
		return nil, m.invalid(s.Upstream.Line, "bad-value", fmt.Sprintf("upstream.folders: %s cannot be told to go into %s of proposals; list as many, or one folder of proposals",
			plural(len(from), "folder"), plural(len(here), "folder")))
	}
	var out []gitsync.Target
	for i, dir := range here {
		out = append(out, gitsync.Target{Folder: dir, From: from[i : i+1]})
	}
	return out, nil
}

// address is that of the upstream as git takes it: a relative path is one from the configuration, as those of
// the proposals are.
func (m *mirrorer) address(git string) string {
	before, _, colon := strings.Cut(git, ":")
	if strings.Contains(git, "://") || colon && !strings.Contains(before, "/") || filepath.IsAbs(git) {
		return git
	}
	dir, err := filepath.Abs(filepath.Dir(m.config))
	if err != nil {
		dir = filepath.Dir(m.config) // git says what is wrong with it
	}
	return filepath.Join(dir, filepath.FromSlash(git))
}

func (m *mirrorer) invalid(line int, code, message string) error {
	return &site.InvalidError{Problems: []mip.Problem{{Level: mip.Error, Code: code, File: filepath.ToSlash(m.config), Line: line, Message: message}}}
}

// failed gives an error its exit code, and the line that it is about.
func (m *mirrorer) failed(err error, line int) error {
	switch {
	case errors.Is(err, gitsync.ErrUpstream):
		return exit(exitUpstream, err)
	case errors.Is(err, gitsync.ErrRef):
		return exit(exitUsage, m.invalid(line, "upstream-ref", err.Error()))
	case errors.Is(err, gitsync.ErrFolder):
		return exit(exitUsage, m.invalid(line, "upstream-folder", err.Error()))
	}
	return exit(exitWrite, err)
}

// finish prints the result.
func (m *mirrorer) finish(r gitsync.Report, progress *progress) error {
	kept := len(r.Problems) > 0 && !m.keepGoing
	if m.format.word == "json" {
		if err := writeJSON(m.stdout, r); err != nil {
			return exit(exitWrite, nil) // told by run
		}
	} else {
		writeText(m.stderr, r.Problems, -1)
		m.print(r, kept)
	}
	for _, notice := range r.Notices {
		progress.say("%s: %s", r.Git, notice)
	}
	if r.Rewritten {
		progress.say("the upstream's history was rewritten, or another one is named: %.*s does not lead to %.*s", shortCommit, r.From, shortCommit, r.To)
	}
	if kept {
		progress.say("nothing is changed: %s", count(r.Problems))
		return exit(exitProblems, nil)
	}
	return nil
}

func (m *mirrorer) print(r gitsync.Report, kept bool) {
	for _, list := range []struct {
		word  string
		paths []string
	}{{"added", r.Added}, {"changed", r.Changed}, {"removed", r.Removed}} {
		for _, path := range list.paths {
			fmt.Fprintf(m.stdout, "%s %s\n", list.word, visible(path))
		}
	}
	from := ""
	if r.From != "" && r.From != r.To {
		from = fmt.Sprintf(", before at %.*s", shortCommit, r.From)
	}
	switch {
	case kept:
	case len(r.Added)+len(r.Changed)+len(r.Removed) == 0:
		fmt.Fprintf(m.stdout, "up to date: %s of %s at %.*s\n", plural(r.Unchanged, "file"), visible(r.Git), shortCommit, r.To)
	default:
		fmt.Fprintf(m.stdout, "synced %s at %.*s%s: %d added, %d changed, %d removed, %d unchanged\n",
			visible(r.Git), shortCommit, r.To, from, len(r.Added), len(r.Changed), len(r.Removed), r.Unchanged)
	}
}
