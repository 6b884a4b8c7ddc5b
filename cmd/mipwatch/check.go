package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// checker is one run of the check command.
type checker struct {
	input
	strict bool
	// format is text, json or github.
	format string
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
	c := &checker{input: input{program: p}}
	cmd := newCommand("check [FILE...]", "Report problems in the proposals", c.run)
	// Arguments are files.
	cmd.Args = nil
	c.add(cmd)
	cmd.Flags().BoolVar(&c.strict, "strict", false, "end with exit code 1 for warnings, too")
	addFormat(cmd, &c.format, "text", "json", "github")
	return cmd
}

// run reads the proposals, renders their texts to check the links, and prints the problems of the
// named files, or of all. It makes no pages. The error has an exit code.
func (c *checker) run(ctx context.Context, args []string) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	// A check uses little memory and ends soon. Collecting garbage half as often saves a tenth
	// of its time.
	gcGrowth.Store(64 << 20)
	progress := newProgress(c.stderr)
	defer progress.clear()
	loaded, err := c.load(ctx, o, progress)
	if err != nil {
		return err
	}
	progress.doing("rendering…")
	if len(loaded.Proposals) > 0 {
		found, err := build.Check(ctx, loaded)
		if err != nil {
			return exit(exitProblems, err)
		}
		loaded.Problems = mip.SortProblems(append(loaded.Problems, found...))
	}
	progress.clear()
	r, err := newReport(loaded, args)
	if err != nil {
		return exit(exitUsage, err)
	}
	switch c.format {
	case "json":
		if err := writeJSON(c.stdout, r); err != nil {
			return err
		}
	// The caller checks standard output for errors after the command.
	case "github":
		writeGitHub(c.stdout, r.Problems)
	default:
		writeText(c.stdout, r.Problems, -1)
	}
	progress.future(loaded.Commit, loaded.CommittedAt)
	progress.say("checked %s: %s", plural(r.Checked, "file"), r.counts)
	// The exit code is about the named files only.
	if r.Errors > 0 || c.strict && r.Warnings > 0 {
		return exit(exitProblems, nil)
	}
	return nil
}

// newReport returns the problems of the named files, or all of them. The error lists all named
// files that are not among the proposals.
func newReport(c *build.Content, args []string) (checkReport, error) {
	names := slices.Clone(c.CommittedFiles)
	for _, p := range c.Proposals {
		names = append(names, p.File)
	}
	// A faulty file is no proposal. Only its problems have its name.
	for _, p := range c.Problems {
		names = append(names, p.File)
	}
	// files maps places to the names in problems, since arguments may be spelled in many ways.
	files := map[string]string{}
	for _, name := range names {
		files[placeOf(name)] = name
	}
	for _, dir := range c.Folders {
		// A problem may be about a folder.
		delete(files, placeOf(dir))
	}
	r := checkReport{Checked: len(files), Problems: append([]mip.Problem{}, c.Problems...)}
	// The counts and the exit code are about the named files only.
	if len(args) > 0 {
		picked := map[string]bool{}
		var wrong []error
		for _, arg := range slices.Compact(slices.Sorted(slices.Values(args))) {
			file, ok := files[placeOf(arg)]
			if !ok {
				wrong = append(wrong, fmt.Errorf("%s is not among the proposals", arg))
			}
			picked[file] = true
		}
		if len(wrong) > 0 {
			return checkReport{}, errors.Join(wrong...)
		}
		r.Checked = len(picked)
		r.Problems = slices.DeleteFunc(r.Problems, func(p mip.Problem) bool {
			return !picked[p.File]
		})
	}
	r.Problems = mip.FoldProblems(r.Problems)
	r.counts = count(r.Problems)
	return r, nil
}

// placeOf is a file's path with its folders resolved: a folder may have several names.
func placeOf(file string) string {
	file = filepath.FromSlash(file)
	return filepath.Join(resolved(filepath.Dir(file)), filepath.Base(file))
}

// within reports whether dir is parent or a folder below it, under any names.
func within(dir, parent string) bool {
	rel, err := filepath.Rel(resolved(parent), resolved(dir))
	return err == nil && filepath.IsLocal(rel)
}

// resolved is an absolute path without symbolic links, as far as the path exists.
func resolved(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	if real, err := filepath.EvalSymlinks(name); err == nil || name == filepath.Dir(name) {
		return cmp.Or(real, name)
	}
	return filepath.Join(resolved(filepath.Dir(name)), filepath.Base(name))
}
