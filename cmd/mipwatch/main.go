// Command mipwatch publishes improvement proposals as a static site.
//
// Each command is a file: build.go, check.go, serve.go, sync.go. It defines flags, calls one
// package and prints a report. The texts of --help are in the folder help. Several commands share
// input.go (site.yaml and the folders of proposals) and report.go (problems in three formats, exit
// codes, and progress on standard error). origin.go keeps the pages of other sites from the local
// server.
//
// Standard output has only results, so that a program can read it. Problems and progress go to
// standard error, except for check, whose result they are. Names of files and texts of proposals
// are untrusted: they are escaped before they reach a terminal.
//
// An error gets its exit code where it is made, by the function exit. Errors of the command line,
// which cobra makes, have none. The program does not know how proposals are read (internal/corpus),
// how pages are made (render), or how files are put in place (build).
package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/internal/release"
)

// stopTimeout is how long a command has to end after a signal. It is longer than the time that
// serve gives its connections.
const stopTimeout = shutdownTimeout + time.Second

// The garbage collector runs when the heap has grown by gcPercent, which keeps the peak of a large
// site low, and by at least gcGrowth bytes. Without that minimum it would run fifty times during
// the build of a small site, and take a third of the time.
const gcPercent = 32

var gcGrowth atomic.Int64

func init() { gcGrowth.Store(32 << 20) }

// tuneGC sets the pace of the garbage collector, now and after each collection. It also sets a
// memory limit somewhat above the heap that this pace allows. Beyond the limit, the process returns
// free memory to the system.
func tuneGC(struct{}) {
	const least = 4 << 20 // Go never collects a smaller heap at 100 %
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	live := max(least, int64(sample[0].Value.Uint64()))
	growth := max(live*gcPercent/100, gcGrowth.Load())
	debug.SetGCPercent(int(100 * growth / live))
	debug.SetMemoryLimit((live+growth)*9/8 + 64<<20)
	runtime.AddCleanup(new([16]byte), tuneGC, struct{}{})
}

// main runs the command line and exits with its code.
func main() {
	if os.Getenv("GOGC")+os.Getenv("GOMEMLIMIT") == "" {
		tuneGC(struct{}{})
	}
	// Both signals end a command in the same way: its files stay whole.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		// From now on a second signal ends the process at once.
		stop()
		// A command may be in a call that ignores ctx. Its files are then as after a kill: those in
		// place are whole, and the next run writes the rest.
		time.Sleep(stopTimeout)
		go explain(os.Stderr, ctx.Err()) // in a goroutine, since the write may block
		time.Sleep(time.Second)
		os.Exit(exitWrite)
	})
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.LookupEnv))
}

// run executes one command line and returns the exit code. Only env accesses the environment.
func run(
	ctx context.Context, args []string, stdout, stderr io.Writer, env func(string) (string, bool),
) int {
	out := &output{w: stdout}
	root := newRoot(&program{stdout: out, stderr: stderr, env: env})
	// For a nil slice cobra would read the arguments of the process.
	root.SetArgs(append([]string{}, args...))
	root.SetOut(out)
	root.SetErr(stderr)
	// report needs the command to name its help.
	cmd, err := root.ExecuteContextC(ctx)
	// An error of standard output counts even if the command had none.
	code := report(stderr, cmd, err)
	if out.err != nil {
		fmt.Fprintf(stderr, "mipwatch: write standard output: %v\n", out.err)
		return max(code, exitWrite)
	}
	return code
}

// program is the environment of a command.
type program struct {
	stdout, stderr io.Writer
	env            func(string) (string, bool)
}

// output keeps the first error, so that a full disk behind a redirection is not taken for success.
type output struct {
	w   io.Writer
	err error
}

// Write continues after an error, so that commands need not check each line.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// newRoot returns the program with all its commands. Errors are printed by report, not by cobra.
func newRoot(p *program) *cobra.Command {
	version := "mipwatch " + release.Current().String()
	root := newCommand("mipwatch",
		"Publish improvement proposals for people, programs and AI agents",
		func(context.Context, []string) error { return errors.New("a command is required") })
	// cobra refuses unknown commands.
	root.Args = nil
	root.Version = version
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetHelpCommand(newHelp())
	root.AddCommand(newBuild(p), newCheck(p), newServe(p), newSync(p), newInit(p))
	root.AddCommand(newCommand("version",
		"Print the version of this program", func(context.Context, []string) error {
			fmt.Fprintln(p.stdout, version)
			return nil
		}))
	return root
}

// help has a file for each command: its description and, after a line "Examples:", examples.
//
//go:embed help/*.txt
var help embed.FS

// newCommand returns a command without arguments, with its help. The first word of use is its name.
func newCommand(use, short string, run func(context.Context, []string) error) *cobra.Command {
	name, _, _ := strings.Cut(use, " ")
	text, err := help.ReadFile("help/" + name + ".txt")
	must(err)
	// cobra prints its own heading of the examples.
	long, examples, _ := strings.Cut(string(text), "\n\nExamples:\n")
	return &cobra.Command{
		Use: use, Short: short, Long: long, Example: strings.TrimSuffix(examples, "\n"),
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) },
		Args: func(_ *cobra.Command, args []string) error {
			// cobra's own message would name the command twice.
			if len(args) > 0 {
				return fmt.Errorf("unexpected argument %q", args[0])
			}
			return nil
		},
	}
}

// newHelp is cobra's help command, except that an unknown topic is a usage error.
func newHelp() *cobra.Command {
	cmd := newCommand("help [COMMAND]", "Show the help of a command", nil)
	cmd.Args = nil
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		topic, rest, err := cmd.Root().Find(args)
		if err != nil || len(rest) > 0 {
			return fmt.Errorf("no help for %q", strings.Join(args, " "))
		}
		// cobra adds these flags only to a command that runs, which this one does not.
		topic.InitDefaultHelpFlag()
		topic.InitDefaultVersionFlag()
		return topic.Help()
	}
	return cmd
}

// must panics on errors that only a mistake in this package can cause, such as a duplicate flag.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
