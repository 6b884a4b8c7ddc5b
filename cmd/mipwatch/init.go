package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

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
	cmd := newCommand("init [DIR]", "Look at a repository of proposals and write its site.yaml", in.run)
	cmd.Args = cobra.MaximumNArgs(1)
	cmd.Flags().BoolVar(&in.print, "print", false, "print it, and write nothing")
	return cmd
}

// run surveys the folder, the working directory without an argument, and writes site.yaml there, never over one that is there.
// The error has an exit code.
func (in *initializer) run(ctx context.Context, args []string) error {
	dir := "."
	if len(args) > 0 {
		dir = args[0]
	}
	name := filepath.Join(dir, "site.yaml")
	if _, err := os.Lstat(name); err == nil && !in.print {
		return exit(exitUsage, fmt.Errorf("%s is there, and init never changes one; --print shows what it would write", filepath.ToSlash(name)))
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
	// A file that appeared since is somebody's.
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		_, err = file.Write(text)
		err = errors.Join(err, file.Close())
	}
	if errors.Is(err, fs.ErrExist) {
		return exit(exitUsage, err)
	} else if err != nil {
		return exit(exitWrite, err)
	}
	fmt.Fprintf(in.stdout, "wrote %s: %s sound, %d in error; look at base_url, then run mipwatch build or mipwatch serve\n",
		filepath.ToSlash(name), plural(found.Texts, "proposal"), found.Errors)
	return nil
}
