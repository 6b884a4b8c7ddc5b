package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// The exit codes, as every command's help has them. They are part of the contract with workflows: a deployment
// stops at 1, an operator looks at 2 and 3, and a job that syncs tries again after 4.
//
// When several apply the first problem that ends the command decides. An error of standard output counts as
// exitWrite, and takes precedence over problems in the proposals.
const (
	exitDone     = 0
	exitProblems = 1
	exitUsage    = 2
	exitWrite    = 3
	exitUpstream = 4 // of sync
)

// exitError is an error of a command with its exit code. A nil err means that everything is printed already.
type exitError struct {
	code int
	err  error
}

// Error is the message of err.
func (e *exitError) Error() string { return fmt.Sprint(e.err) }

// Unwrap returns err.
func (e *exitError) Unwrap() error { return e.err }

// exit gives an error its exit code. A nil err prints nothing.
func exit(code int, err error) error { return &exitError{code, err} }

// report prints an error in the form that suits it and returns its exit code. An error that no
// command has given a code is cobra's, about the command line.
func report(w io.Writer, cmd *cobra.Command, err error) int {
	if err == nil {
		return exitDone
	}
	// Only cobra's own errors come without a code.
	e, ok := errors.AsType[*exitError](err)
	if !ok {
		fmt.Fprintf(w, "mipwatch: %s\nRun '%s --help' for usage.\n", visible(err.Error()), cmd.CommandPath())
		return exitUsage
	}
	if e.err != nil {
		explain(w, e.err)
	}
	// An interruption has one code, whatever the command was doing.
	if errors.Is(err, context.Canceled) {
		return exitWrite
	}
	return e.code
}

// explain prints an error; problems as editors want them, with the place first.
func explain(w io.Writer, err error) {
	if invalid, ok := errors.AsType[*site.InvalidError](err); ok {
		writeText(w, invalid.Problems, mostWarnings)
		return
	}
	// The word of the context means nothing to a user.
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintf(w, "mipwatch: %s\n", visible(err.Error()))
}

// mostWarnings is how many problems that are no errors a build prints: more would push its result
// out of sight.
const mostWarnings = 20

// counts are problems by level.
type counts struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notices  int `json:"notices"`
}

// count counts problems by level.
func count(ps []mip.Problem) counts {
	levels := map[mip.Level]int{}
	for _, p := range ps {
		levels[p.Level]++
	}
	return counts{levels[mip.Error], levels[mip.Warning], levels[mip.Notice]}
}

// String is such as "1 error, 0 warnings, 2 notices".
func (c counts) String() string {
	return plural(c.Errors, "error") + ", " + plural(c.Warnings, "warning") + ", " + plural(c.Notices, "notice")
}

// plural is a number with its noun: 1 file, 2 files.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// writeText prints a line for each problem. All errors are shown, and of the others the first most;
// most < 0 means all.
func writeText(w io.Writer, ps []mip.Problem, most int) {
	b := bufio.NewWriter(w)
	defer b.Flush() // w knows of its errors
	// Errors are never among the hidden: each of them keeps something from being published.
	hidden := 0
	for _, p := range ps {
		suffix := ""
		if p.Level != mip.Error {
			if most == 0 {
				hidden++
				continue
			}
			most--
			suffix = " (" + string(p.Level) + ")"
		}
		fmt.Fprintln(b, visible(p.String())+suffix)
	}
	if hidden > 0 {
		fmt.Fprintf(b, "and %d more; run mipwatch check\n", hidden)
	}
}

// writeGitHub prints workflow commands that GitHub shows at the lines of a pull request:
// docs.github.com/actions/reference/workflow-commands-for-github-actions.
func writeGitHub(w io.Writer, ps []mip.Problem) {
	b := bufio.NewWriter(w)
	defer b.Flush()
	// Properties escape two characters more than data.
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	// A problem of a whole file has no line, and GitHub shows it at the top.
	for _, p := range ps {
		line := ""
		if p.Line > 0 {
			line = fmt.Sprintf(",line=%d", p.Line)
		}
		fmt.Fprintf(b, "::%s file=%s%s,title=%s::%s\n", p.Level, property.Replace(p.File), line, property.Replace(p.Code), data.Replace(p.Message))
	}
}

// writeJSON writes one line. Angle brackets stay readable: the text is for programs and terminals, not for HTML.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// visible escapes the characters that a terminal obeys instead of showing: file names and messages can hold
// anything.
func visible(s string) string {
	var b strings.Builder
	for _, c := range s {
		// Line feeds and tabs are part of messages.
		control := unicode.IsControl(c) && c != '\n' && c != '\t'
		if control || unicode.In(c, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(c), "'"))
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
