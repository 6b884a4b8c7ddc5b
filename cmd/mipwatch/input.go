package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/snapshot"
)

// epochVariable fixes the time of every change: reproducible-builds.org/specs/source-date-epoch.
const epochVariable = "SOURCE_DATE_EPOCH"

// maxEpoch is the last second of the year 9999, the last that RFC 3339 can write.
const maxEpoch = 253402300799

// input is the flags that say what is published.
type input struct {
	config    string
	proposals []string
	// live is the file of a live snapshot; empty means none.
	live string
}

// add defines the flags of every command that reads proposals.
func (in *input) add(cmd *cobra.Command) {
	addConfig(cmd, &in.config)
	cmd.Flags().StringArrayVar(&in.proposals, "proposals", nil, "`folder` of proposals, instead of those in site.yaml; may repeat")
	must(cmd.MarkFlagDirname("proposals"))
}

// addConfig defines the flag that names site.yaml.
func addConfig(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "config", "site.yaml", "`file` that describes the site")
	must(cmd.MarkFlagFilename("config", "yaml", "yml"))
}

// addSnapshot defines the flag that names a live snapshot.
func (in *input) addSnapshot(cmd *cobra.Command) {
	cmd.Flags().StringVar(&in.live, "live", "", "`file` with a saved answer of GET /api/mip-watch, whose figures the pages then hold")
	must(cmd.MarkFlagFilename("live", "json"))
}

// options reads the configuration and finds the folders. Errors have an exit code.
func (in *input) options(env func(string) (string, bool)) (o build.Options, err error) {
	if o.Epoch, err = readEpoch(env); err == nil {
		if o.Site, err = site.Load(in.config); err == nil {
			o.Folders, err = in.folders(o.Site)
		}
	}
	if err != nil {
		return o, exit(exitUsage, err)
	}
	return o, nil
}

// readEpoch returns the time of SOURCE_DATE_EPOCH, or nil when that is unset or empty.
func readEpoch(env func(string) (string, bool)) (*time.Time, error) {
	text, _ := env(epochVariable)
	// An empty variable counts as none: a workflow cannot unset one.
	if text == "" {
		return nil, nil
	}
	// Signs, blanks and fractions are refused, as the specification has whole seconds only.
	seconds, err := strconv.ParseUint(text, 10, 63)
	if err != nil || seconds > maxEpoch {
		return nil, fmt.Errorf("%s: want unix seconds from 0 to %d, got %q", epochVariable, maxEpoch, text)
	}
	t := time.Unix(int64(seconds), 0).UTC()
	return &t, nil
}

// folders are the proposals' folders as the process sees them, each once. The error is an
// [*site.InvalidError] with all those that are none.
func (in *input) folders(s *site.Site) ([]string, error) {
	var out []string
	var infos []fs.FileInfo
	var problems []mip.Problem
	// All folders are looked at, so that one run names all that are missing.
	for _, dir := range in.candidates(s) {
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			problems = append(problems, in.problem(s, "no-folder", "no proposals folder %q", dir))
		case err != nil:
			problems = append(problems, in.problem(s, "no-folder", "the proposals folder %q: %v", dir, err))
		case !info.IsDir():
			problems = append(problems, in.problem(s, "not-a-folder", "%q is a file; want a folder of proposals", dir))
		// A folder that is named twice, or by a link, would publish each proposal twice.
		case !slices.ContainsFunc(infos, func(other fs.FileInfo) bool { return os.SameFile(info, other) }):
			out, infos = append(out, dir), append(infos, info)
		}
	}
	if len(problems) > 0 {
		return nil, &site.InvalidError{Problems: mip.SortProblems(problems)}
	}
	return out, nil
}

// candidates are the folders that the flag names, else those of site.yaml. Relative paths in site.yaml begin at its
// folder, those of the flag at the working directory.
func (in *input) candidates(s *site.Site) []string {
	// The flag replaces all folders of site.yaml.
	if len(in.proposals) > 0 {
		return in.proposals
	}
	dirs := make([]string, len(s.Proposals))
	for i, dir := range s.Proposals {
		dir = filepath.FromSlash(dir)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(in.config), dir)
		}
		dirs[i] = dir
	}
	return dirs
}

// problem is about the folders: of the flag, or of the line in site.yaml that names them.
func (in *input) problem(s *site.Site, code, format string, args ...any) mip.Problem {
	// The line is that of the key proposals, 0 where site.yaml has none.
	p := mip.Problem{Level: mip.Error, Code: code, Message: fmt.Sprintf(format, args...), File: "--proposals"}
	if len(in.proposals) == 0 {
		p.File, p.Line = filepath.ToSlash(in.config), s.ProposalsLine
	}
	return p
}

// load reads the proposals. Folders without any proposal, sound or not, are a mistake in the
// configuration. Errors have an exit code.
func (in *input) load(ctx context.Context, o build.Options) (*build.Content, error) {
	// An error is about the configuration; problems of proposals are in the content.
	c, err := build.Load(ctx, o)
	if err != nil {
		return nil, exit(exitUsage, err)
	}
	if len(c.Proposals) == 0 && count(c.Problems).Errors == 0 {
		none := in.problem(o.Site, "no-proposals", "no proposal in %s; want files such as %s-1.md", strings.Join(o.Folders, ", "), o.Site.Prefix)
		// Notices of skipped files explain why nothing is left.
		return nil, exit(exitUsage, &site.InvalidError{Problems: append(c.Problems, none)})
	}
	return c, nil
}

// readSnapshot reads the file of --live, nil when there is none. The error has an exit code: a file that
// is not what it should be was named wrongly.
func (in *input) readSnapshot() (*snapshot.File, error) {
	if in.live == "" {
		return nil, nil
	}
	file, err := readSnapshot(in.live)
	if err != nil {
		return nil, exit(exitUsage, fmt.Errorf("--live: %w", err))
	}
	return file, nil
}

// readSnapshot opens and reads a live snapshot.
func readSnapshot(name string) (*snapshot.File, error) {
	// Whatever is read here was named on the command line, so that links are followed.
	// A folder can be opened, and a pipe may never be.
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return snapshot.Read(filepath.ToSlash(name), f)
}

// choice is the value of a flag that takes one of a few words, the first of which is the default.
type choice struct {
	words []string
	word  string
}

// newChoice returns a value that is the first word until the flag is set.
func newChoice(words ...string) *choice { return &choice{words: words, word: words[0]} }

// String, Set and Type make choice a pflag.Value.
func (c *choice) String() string { return c.word }

// Set refuses any other word, and cobra prints the error with the flag.
func (c *choice) Set(s string) error {
	if !slices.Contains(c.words, s) {
		return errors.New("want one of " + strings.Join(c.words, ", "))
	}
	c.word = s
	return nil
}

// Type stands for the value in the help.
func (c *choice) Type() string { return strings.Join(c.words, "|") }

// add defines the flag with completion of its words.
func (c *choice) add(cmd *cobra.Command, name, usage string) {
	cmd.Flags().Var(c, name, usage)
	must(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(c.words, cobra.ShellCompDirectiveNoFileComp)))
}
