// Command testsummary turns the output of `go test -json` on its standard input into what a person
// wants to see: a line for each package, the whole output of what failed, and each skipped test with
// its reason. It knows nothing of what is tested.
//
// A test that needs something from outside begins its reason with a name in brackets:
// t.Skip("[xmllint] xmllint is not installed"). Where MIPWATCH_REQUIRE holds that name, the skip
// counts as a failure, so that a machine which ought to have everything cannot pass without it.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	os.Exit(run(os.Stdin, os.Stdout, os.Stderr, strings.Fields(os.Getenv("MIPWATCH_REQUIRE"))))
}

// run returns the exit code: 0 when something was tested and nothing failed, else 1.
func run(in io.Reader, out, problems io.Writer, require []string) int {
	s := newSummary(out)
	if err := s.read(in); err != nil {
		fmt.Fprintln(problems, "testsummary:", err)
		return 1
	}
	if !s.finish(require) {
		return 1
	}
	return 0
}
