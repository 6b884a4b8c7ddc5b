// Command sidecar serves the live part of a site: it parses flags, reads the environment, keeps the index of the
// proposals up to date, runs the HTTP server and writes its metrics. It does not know how an answer is made.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/mipwatch/mipwatch/internal/release"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/sidecar"
)

// The exit codes, as --help has them.
const (
	exitDone     = 0
	exitNotReady = 1 // of --check
	exitUsage    = 2
	exitListen   = 3
)

// main ends with the exit code of run. The first signal ends run in good order.
func main() {
	signaled, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(context.Background())
	// A second signal ends the process at once, from the moment on in which it shows that it stops.
	context.AfterFunc(signaled, func() {
		stop()
		cancel()
	})
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.LookupEnv))
}

// run executes one command line until ctx ends, and returns the exit code. Only lookup reaches the environment.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, lookup func(string) (string, bool)) int {
	env, errs := sidecar.ReadEnvironment(lookup)
	f, err := parseFlags(args, env)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, help)
		return exitDone
	case err != nil:
		fmt.Fprintf(stderr, "sidecar: %v\nRun 'sidecar --help' for usage.\n", err)
		return exitUsage
	case f.version:
		fmt.Fprintf(stdout, "sidecar %s\n", release.Current())
		return exitDone
	case f.check:
		if err := check(ctx, f.addr); err != nil {
			explain(stderr, err)
			return exitNotReady
		}
		return exitDone
	}
	s, errs := newServer(f, env, errs, slog.New(slog.NewJSONHandler(stdout, &slog.HandlerOptions{Level: env.Level})))
	if len(errs) > 0 {
		for _, err := range errs {
			explain(stderr, err)
		}
		return exitUsage
	}
	defer s.close()
	listeners, err := listen(ctx, f)
	if err != nil {
		explain(stderr, err)
		return exitListen
	}
	if err := s.run(ctx, listeners); err != nil {
		explain(stderr, fmt.Errorf("serve %s: %w", listeners.answers.Addr(), err))
		return exitListen
	}
	return exitDone
}

// explain prints an error. Those of a configuration file begin with the place, as editors want them.
func explain(w io.Writer, err error) {
	if invalid, ok := errors.AsType[*site.InvalidError](err); ok {
		fmt.Fprintln(w, invalid)
		return
	}
	fmt.Fprintf(w, "sidecar: %v\n", err)
}
