package testenv

import (
	"errors"
	"os/exec"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// Exits is the script command exits CODE PROGRAM ARG...: it runs the program and checks the exit
// code.
func Exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("the command cannot be negated")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		e, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%q: %v", args[1:], err)
		}
		got = e.ExitCode()
	}
	if got != want {
		ts.Fatalf("%q: exit code %d, want %d", args[1:], got, want)
	}
}
