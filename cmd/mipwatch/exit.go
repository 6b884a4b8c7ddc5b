package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/internal/site"
)

// The exit codes, as every command's help has them.
const (
	exitDone     = 0
	exitProblems = 1
	exitUsage    = 2
	exitWrite    = 3
	exitUpstream = 4 // of sync
)

const exitHelp = `
Exit codes:
  0  done
  1  problems in the proposals
  2  wrong usage or configuration
  3  could not write`

// exitError is an error of a command with its exit code. A nil err means that all was said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func exit(code int, err error) error { return &exitError{code, err} }

// report prints an error in the form that suits it and returns its exit code. An error that no
// command has given a code is cobra's, about the command line.
func report(w io.Writer, cmd *cobra.Command, err error) int {
	if err == nil {
		return exitDone
	}
	e, ok := errors.AsType[*exitError](err)
	if !ok {
		fmt.Fprintf(w, "mipwatch: %s\nRun '%s --help' for usage.\n", visible(err.Error()), cmd.CommandPath())
		return exitUsage
	}
	if e.err != nil {
		explain(w, e.err)
	}
	return e.code
}

// explain prints an error; problems as editors want them, with the place first.
func explain(w io.Writer, err error) {
	if invalid, ok := errors.AsType[*site.InvalidError](err); ok {
		writeText(w, invalid.Problems, mostWarnings)
		return
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintf(w, "mipwatch: %s\n", visible(err.Error()))
}
