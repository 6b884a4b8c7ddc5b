package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/survey"
)

// initializer is one run of the init command.
type initializer struct {
	*program
	print bool
}

// newInit returns the command mipwatch init.
func newInit(p *program) *cobra.Command {
	in := &initializer{program: p}
	cmd := newCommand("init [DIR]",
		"Look at a repository of proposals and write its site.yaml", in.run)
	cmd.Args = cobra.MaximumNArgs(1)
	cmd.Flags().BoolVar(&in.print, "print", false, "print it, and write nothing")
	return cmd
}

// run surveys a folder, by default the working directory, and writes site.yaml there. It never
// overwrites one. The error has an exit code.
func (in *initializer) run(ctx context.Context, args []string) error {
	dir := "."
	if len(args) > 0 {
		dir = args[0]
	}
	found, err := survey.Look(ctx, dir)
	switch {
	case errors.Is(err, survey.ErrNone):
		return exit(exitUsage, fmt.Errorf("%s: %w", filepath.ToSlash(dir), err))
	case err != nil:
		return exit(exitUsage, err)
	}
	text, err := found.YAML()
	if err != nil {
		return exit(exitWrite, err)
	}
	if in.print {
		_, err := in.stdout.Write(text)
		return err
	}
	name := filepath.ToSlash(filepath.Join(dir, "site.yaml"))
	if err := install(dir, name, text); err != nil {
		return err
	}
	fmt.Fprintf(in.stdout,
		"wrote %s: %s sound, %d in error; look at base_url, then run mipwatch build or "+
			"mipwatch serve\n", name, plural(found.Texts, "proposal"), found.Errors)
	return nil
}

// install creates site.yaml in a folder atomically. It fails if the file exists. The error has an
// exit code.
func install(dir, name string, text []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return exit(exitWrite, err)
	}
	defer root.Close()
	if _, err := root.Lstat("site.yaml"); err == nil {
		const there = "%s is there, and init never changes one; --print shows what it would write"
		return exit(exitUsage, fmt.Errorf(there, name))
	}
	if err := folder.Write(root, "site.yaml", text); err != nil {
		return exit(exitWrite, fmt.Errorf("write %s: %w", name, folder.Cause(err)))
	}
	return nil
}
