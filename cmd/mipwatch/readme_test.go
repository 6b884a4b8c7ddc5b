package main

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestReferenceKnowsTheCommandLine compares the synopsis in docs/reference.md with the commands and
// their flags.
func TestReferenceKnowsTheCommandLine(t *testing.T) {
	reference, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	_, synopsis, ok := strings.Cut(string(reference), "## Command line\n")
	if !ok {
		t.Fatal("docs/reference.md has no section on the command line")
	}
	named := map[string][]string{}
	for line := range strings.Lines(synopsis) {
		rest, ok := strings.CutPrefix(line, "mipwatch ")
		if !ok {
			continue
		}
		command, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		flags := []string{}
		for _, m := range regexp.MustCompile(`\[--([a-z-]+)`).FindAllStringSubmatch(rest, -1) {
			flags = append(flags, m[1])
		}
		slices.Sort(flags)
		named[command] = flags
	}
	have := map[string][]string{}
	root := newRoot(&program{stdout: io.Discard, stderr: io.Discard, env: os.LookupEnv})
	for _, cmd := range root.Commands() {
		have[cmd.Name()] = flagsOf(cmd)
	}
	delete(have, "help")
	if diff := cmp.Diff(have, named); diff != "" {
		t.Errorf("commands and flags of the program and of docs/reference.md (-program "+
			"+document):\n%s", diff)
	}
}

func flagsOf(cmd *cobra.Command) []string {
	flags := []string{}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			flags = append(flags, f.Name)
		}
	})
	slices.Sort(flags)
	return flags
}
