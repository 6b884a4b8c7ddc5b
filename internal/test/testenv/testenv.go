// Package testenv decides which tests run on this machine, and has the helpers that tests of
// several packages share. It is for tests only, and does not know what they test.
package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const (
	// all is the value of MIPWATCH_TESTS that runs long tests.
	all = "all"
	// requireVariable lists the names of requirements that must not be missing, separated by
	// blanks.
	requireVariable = "MIPWATCH_REQUIRE"
	testsVariable   = "MIPWATCH_TESTS"
)

// Missing skips a test because the machine lacks something. The test fails instead if
// MIPWATCH_REQUIRE has the name, so that a complete machine cannot pass without it.
func Missing(t testing.TB, name string, reason ...any) {
	t.Helper()
	text := fmt.Sprintf("[%s] %s", name, strings.TrimSpace(fmt.Sprintln(reason...)))
	if slices.Contains(strings.Fields(os.Getenv(requireVariable)), name) {
		t.Fatalf("%s; %s does not let this be skipped", text, requireVariable)
	}
	t.Skip(text)
}

// Long skips a test that takes long unless MIPWATCH_TESTS is "all". what is the reason that it
// takes long.
func Long(t testing.TB, what string) {
	t.Helper()
	if !All() {
		Missing(t, "long", what+": runs with", testsVariable+"="+all)
	}
}

// Program is the path of a program that only long tests run. It skips the test if the program is
// not installed.
func Program(t testing.TB, name, program string) string {
	t.Helper()
	Long(t, program)
	path, err := exec.LookPath(program)
	if err != nil {
		Missing(t, name, "there is no", program, "on the PATH; .ci/run installs it")
	}
	return path
}

// All reports whether long tests run, for a test that otherwise tries only a part of its inputs.
func All() bool { return os.Getenv(testsVariable) == all }
