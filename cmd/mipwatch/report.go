package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// The exit codes, documented in every command's help. Workflows depend on them: a deployment stops
// at 1, an operator looks at 2 and 3, and a sync job retries after 4.
//
// If several apply, the first problem that ends the command decides. An error of standard output
// counts as exitWrite, and takes precedence over problems in the proposals.
const (
	exitDone     = 0
	exitProblems = 1
	exitUsage    = 2
	exitWrite    = 3
	// exitUpstream is only for sync.
	exitUpstream = 4
)

// exitError is an error of a command with its exit code. A nil err means that everything is printed
// already.
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

// report prints an error and returns its exit code. An error without a code is cobra's, about the
// command line.
func report(w io.Writer, cmd *cobra.Command, err error) int {
	if err == nil {
		return exitDone
	}
	e, ok := errors.AsType[*exitError](err)
	if !ok {
		fmt.Fprintf(w, "mipwatch: %s\nRun '%s --help' for usage.\n", mip.Escape(err.Error()),
			cmd.CommandPath())
		return exitUsage
	}
	if e.err != nil {
		explain(w, e.err)
	}
	// An interruption always has the same code.
	if errors.Is(err, context.Canceled) {
		return exitWrite
	}
	return e.code
}

// explain prints an error that ends a command, or one of a preview, which continues. Problems begin
// with the place, as editors expect.
func explain(w io.Writer, err error) {
	if invalid, ok := errors.AsType[*site.InvalidError](err); ok {
		writeText(w, invalid.Problems, mostWarnings)
		return
	}
	// Users do not know the context's own message.
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintf(w, "mipwatch: %s\n", mip.Escape(err.Error()))
}

// addFormat defines the flag --format, which accepts one of the words. The first is the default.
func addFormat(cmd *cobra.Command, to *string, words ...string) {
	cmd.Flags().StringVar(to, "format", words[0],
		"print the result as `"+strings.Join(words, "|")+"`")
	must(cmd.RegisterFlagCompletionFunc("format",
		cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if !slices.Contains(words, *to) {
			return fmt.Errorf("invalid argument %q for \"--format\" flag: want one of %s",
				*to, strings.Join(words, ", "))
		}
		return nil
	}
}

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
	return plural(c.Errors, "error") + ", " + plural(c.Warnings, "warning") + ", " +
		plural(c.Notices, "notice")
}

// plural is a number with its noun: 1 file, 2 files.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// mostWarnings bounds the warnings and notices that a build prints: more would push its result out
// of sight.
const mostWarnings = 20

// problemsOf returns all problems of a site, folded.
func problemsOf(c *build.Content, plan *build.Plan) []mip.Problem {
	return mip.FoldProblems(mip.SortProblems(slices.Concat(c.Problems, plan.LinkProblems())))
}

// writeText prints a line for each problem: first all errors, since each of them keeps something
// from being published, and then the first most others. A negative most means all.
func writeText(w io.Writer, ps []mip.Problem, most int) {
	b := bufio.NewWriter(w)
	defer b.Flush() // w keeps its errors
	hidden, isError := 0, func(p mip.Problem) bool { return p.Level == mip.Error }
	others := slices.DeleteFunc(slices.Clone(ps), isError)
	ps = slices.DeleteFunc(slices.Clone(ps), func(p mip.Problem) bool { return !isError(p) })
	for _, p := range append(ps, others...) {
		switch {
		case p.Level == mip.Error:
			fmt.Fprintln(b, mip.Escape(p.String()))
		case most == 0:
			hidden++
		default:
			most--
			fmt.Fprintf(b, "%s (%s)\n", mip.Escape(p.String()), p.Level)
		}
	}
	if hidden > 0 {
		fmt.Fprintf(b, "and %d more; run mipwatch check\n", hidden)
	}
}

// writeGitHub prints workflow commands, which GitHub shows at the lines of a pull request:
// docs.github.com/actions/reference/workflow-commands-for-github-actions.
func writeGitHub(w io.Writer, ps []mip.Problem) {
	b := bufio.NewWriter(w)
	defer b.Flush()
	// Properties escape two more characters than data.
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	// A problem of a whole file has no line, and GitHub shows it at the top.
	for _, p := range ps {
		line := ""
		if p.Line > 0 {
			line = fmt.Sprintf(",line=%d", p.Line)
		}
		fmt.Fprintf(b, "::%s file=%s%s,title=%s::%s\n", p.Level, property.Replace(p.File), line,
			property.Replace(p.Code), data.Replace(p.Message))
	}
}

// writeJSON writes one line. It does not escape angle brackets: the text is for programs and
// terminals, not for HTML. run prints an error of writing.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return exit(exitWrite, nil)
	}
	return nil
}

// progress reports the progress of long work: on a terminal in one line that is overwritten, else
// in a line for each step. It is safe for concurrent use.
type progress struct {
	mu sync.Mutex
	w  io.Writer
	// terminal is true if lines can be overwritten.
	terminal bool
	// shown is the present overwritable line, or empty.
	shown string
}

// newProgress returns progress on a terminal if stderr is one.
func newProgress(stderr io.Writer) *progress {
	f, ok := stderr.(*os.File)
	return &progress{w: stderr, terminal: ok && term.IsTerminal(int(f.Fd()))}
}

// doing shows the current work, only on a terminal: a log is not flooded with percentages.
func (p *progress) doing(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if text := fmt.Sprintf(format, args...); p.terminal && text != p.shown {
		fmt.Fprintf(p.w, "\r\x1b[K%s", text) // back to the first column, erase the line
		p.shown = text
	}
}

// done reports a finished step. On a terminal the next step replaces it.
func (p *progress) done(format string, args ...any) {
	if p.terminal {
		p.doing(format, args...)
	} else {
		p.say(format, args...)
	}
}

// say prints a permanent line, in place of the overwritable one. Its text may contain names of
// files, so control characters are escaped.
func (p *progress) say(format string, args ...any) {
	p.clear()
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.w, "mipwatch: %s\n", mip.Escape(fmt.Sprintf(format, args...)))
}

// clear removes the overwritable line.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown != "" {
		io.WriteString(p.w, "\r\x1b[K")
		p.shown = ""
	}
}

// future reports on the terminal that the newest commit is dated later than this machine's clock.
// This is not a published problem: the same input must give the same bytes at any time.
func (p *progress) future(commit string, committed *mip.Time) {
	if committed != nil && committed.UTC().After(time.Now()) {
		p.say("commit %.*s is dated %s, later than this machine's clock; what it changed stands "+
			"first until then", shortCommit, commit, committed)
	}
}
