package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// checker is one run of the check command.
type checker struct {
	*program
	input
	strict bool
	format *choice
}

// checkReport is the output of --format json.
type checkReport struct {
	// Checked counts files.
	Checked int `json:"checked"`
	counts
	Problems []mip.Problem `json:"problems"`
}

// newCheck returns the command mipwatch check.
func newCheck(p *program) *cobra.Command {
	c := &checker{program: p, format: newChoice("text", "json", "github")}
	cmd := newCommand("check [FILE...]", "Report problems in the proposals", c.run)
	cmd.Args = nil // files
	c.add(cmd)
	cmd.Flags().BoolVar(&c.strict, "strict", false, "end with exit code 1 for warnings, too")
	c.format.add(cmd, "format", "how to print the problems")
	return cmd
}

// run reads and renders the proposals as a build does, and prints the problems of the named files, or all. The error
// has an exit code.
func (c *checker) run(ctx context.Context, args []string) error {
	o, err := c.options(c.env)
	if err != nil {
		return err
	}
	progress := newProgress(c.stderr)
	defer progress.clear()
	progress.doing("reading proposals…")
	loaded, err := c.load(ctx, o)
	if err != nil {
		return err
	}
	progress.doing("rendering…")
	found, err := render(ctx, loaded, o)
	if err != nil {
		return exit(exitProblems, err)
	}
	progress.clear()
	loaded.Problems = mip.SortProblems(append(loaded.Problems, found...))
	r, err := newReport(loaded, o.Folders, args)
	if err != nil {
		return exit(exitUsage, err)
	}
	switch c.format.word {
	case "json":
		if err := writeJSON(c.stdout, r); err != nil {
			return exit(exitWrite, nil) // run prints it
		}
	// No error of standard output is lost: run looks at it after the command.
	case "github":
		writeGitHub(c.stdout, r.Problems)
	default:
		writeText(c.stdout, r.Problems, -1)
	}
	progress.future(loaded.Commit, loaded.Committed)
	progress.say("checked %s: %s", plural(r.Checked, "file"), r.counts)
	if r.Errors > 0 || c.strict && r.Warnings > 0 {
		return exit(exitProblems, nil)
	}
	return nil
}

// render makes what a build would, and writes nothing. It returns the links that lead to no place of their page, and
// the proposals that cannot be rendered.
func render(ctx context.Context, c *build.Content, o build.Options) ([]mip.Problem, error) {
	found, err := c.DeadFragments(ctx)
	if err != nil || len(c.Proposals) == 0 {
		return found, err
	}
	// A plan is as far as problems of the site as a whole can be found; Trial makes each page.
	plan, err := build.NewPlan(c, o)
	if err != nil {
		return nil, fmt.Errorf("plan the site: %w", err)
	}
	return found, plan.Check(ctx)
}

// newReport limits what was found to the named files, if any are named. The error names all those that
// are not among the proposals.
func newReport(c *build.Content, folders, args []string) (checkReport, error) {
	files := map[string]bool{} // as in problems
	for _, p := range c.Proposals {
		files[p.File] = true
	}
	for _, file := range c.Beside.Files {
		files[file] = true
	}
	// A file in error is no proposal, and its name is known from its problems alone.
	for _, p := range c.Problems {
		files[p.File] = true
	}
	// A folder is no file, and is not counted as one.
	for _, dir := range folders {
		delete(files, filepath.ToSlash(filepath.Clean(dir))) // a problem can be a folder's
	}
	r := checkReport{Checked: len(files), Problems: c.Problems}
	// The counts and the exit code are those of the named files alone.
	if len(args) > 0 {
		picked, err := named(files, args)
		if err != nil {
			return checkReport{}, err
		}
		r.Checked = len(picked)
		r.Problems = slices.DeleteFunc(slices.Clone(c.Problems), func(p mip.Problem) bool { return !picked[p.File] })
	}
	// A list is never null in JSON.
	if r.Problems == nil {
		r.Problems = []mip.Problem{}
	}
	r.counts = count(r.Problems)
	return r, nil
}

// named picks the files that the arguments mean, however they are spelt.
func named(files map[string]bool, args []string) (map[string]bool, error) {
	// Both sides are resolved: ./MIPs/../MIPs/MIP-7.md is MIPs/MIP-7.md.
	byPath := make(map[string]string, len(files))
	for file := range maps.Keys(files) {
		byPath[placeOf(filepath.FromSlash(file))] = file
	}
	picked := map[string]bool{}
	// All wrong arguments are named at once.
	var wrong []error
	for _, arg := range slices.Compact(slices.Sorted(slices.Values(args))) {
		file, ok := byPath[placeOf(arg)]
		if !ok {
			wrong = append(wrong, fmt.Errorf("%s is not among the proposals", arg))
			continue
		}
		picked[file] = true
	}
	return picked, errors.Join(wrong...)
}

// placeOf is a file's path with the folders above it resolved: a folder may have several names.
func placeOf(file string) string {
	return filepath.Join(resolved(filepath.Dir(file)), filepath.Base(file))
}
