// Command mipwatch publishes improvement proposals as a static site.
//
// Each command is a file: build.go, check.go, serve.go, live.go, sync.go. It defines flags, calls one package and
// prints a report. The texts of --help are in the folder help. Several commands share the other files:
//
//   - input.go: site.yaml, the folders of proposals and the live snapshot
//   - report.go: problems in three forms, exit codes and errors
//   - progress.go: lines on standard error while a command runs
//   - preview.go, watch.go, guard.go: the local server behind serve
//
// Standard output has results only, so that a program can read it. Problems and progress go to standard error, but
// for those of check, whose result they are. Names of files and texts of proposals are untrusted: terminals get them
// through the function visible.
//
// An error has its exit code where it is made, by the function exit. Errors of the command line, which cobra makes,
// have none. The program does not know how proposals are read (internal/corpus), how pages are made (render), or how
// files are put in place (build).
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
)

// gcPercent trades memory for work: a build makes many short-lived texts. A build of 949 EIPs has a peak of 80 MiB.
const gcPercent = 150

// main runs the command line and exits with its code.
func main() {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(gcPercent)
	}
	// Both signals end a command in the same way: its files stay whole.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(interruptible(ctx, os.Stderr, func() int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.LookupEnv) }))
}

// stopTimeout is how long a command has to end after a signal: longer than serve waits for its connections.
const stopTimeout = shutdownTimeout + time.Second

// interruptible returns the command's exit code, or, stopTimeout after ctx, that of an interruption: a command may be
// in the midst of something that does not look at ctx. What it was writing is then as after a kill: whole files,
// and the rest for the next run.
func interruptible(ctx context.Context, stderr io.Writer, command func() int) int {
	// The channel has room, so that a command that ends late leaves no goroutine waiting.
	code := make(chan int, 1)
	go func() { code <- command() }()
	// Without a signal there is no limit to how long a command takes.
	select {
	case c := <-code:
		return c
	case <-ctx.Done():
	}
	select {
	case c := <-code:
		return c
	case <-time.After(stopTimeout):
	}
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		explain(stderr, ctx.Err())
	}()
	select {
	case <-printed:
	case <-time.After(time.Second): // nobody reads standard error
	}
	return exitWrite
}

// run executes one command line and returns the exit code. Only env reaches the environment.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, env func(string) (string, bool)) int {
	out := &output{w: stdout}
	root := newRoot(&program{stdout: out, stderr: stderr, env: env})
	root.SetArgs(append([]string{}, args...)) // nil would make cobra read the process's own
	root.SetOut(out)
	root.SetErr(stderr)
	// The command is needed for the line that names its help.
	cmd, err := root.ExecuteContextC(ctx)
	code := report(stderr, cmd, err)
	if out.err != nil {
		fmt.Fprintf(stderr, "mipwatch: write standard output: %v\n", out.err)
		return max(code, exitWrite)
	}
	return code
}

// program is what every command has of the world outside.
type program struct {
	stdout, stderr io.Writer
	env            func(string) (string, bool)
}

// output remembers the first error, so that a full disk behind a redirection is not taken for
// success.
type output struct {
	w   io.Writer
	err error
}

// Write writes on after an error, so that a command needs no check of each line.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}
