// Command sidecar serves the live part of a site: it parses flags, reads the environment, keeps the catalog of the
// proposals up to date, runs the HTTP server and writes its metrics. It does not know how an answer is made.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mipwatch/mipwatch/internal/release"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/sidecar"
)

// The exit codes, as --help has them.
const (
	exitDone = 0
	// exitNotReady is that of --check.
	exitNotReady = 1
	// exitUsage is also that of a wrong configuration.
	exitUsage = 2
	// exitListen is also that of a server that fails later on.
	exitListen = 3
)

// help is what --help prints.
//
//go:embed help.txt
var help string

// lookup is like [os.LookupEnv].
type lookup = func(name string) (string, bool)

// errTerminated is the cause of a context that ended by SIGTERM, which asks the process to leave a balancer in peace.
var errTerminated = errors.New("SIGTERM")

// main ends with the exit code of run. The first signal ends run in good order.
func main() {
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		first := <-signals
		// A second signal ends the process at once, from the moment on in which it shows that it stops.
		signal.Stop(signals)
		if first == syscall.SIGTERM {
			end(errTerminated)
		}
		end(nil)
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, sidecar.NewVariables(os.Environ())))
}

// run executes one command line until ctx ends, and returns the exit code. Only env reaches the environment.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, env *sidecar.Variables) int {
	f, err := parseFlags(args, env.Lookup)
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
		return report(stderr, exitNotReady, check(ctx, f.addr))
	}
	s, errs := newServer(f, env, stdout)
	if len(errs) > 0 {
		return report(stderr, exitUsage, errs...)
	}
	defer s.handler.Close()
	return report(stderr, exitListen, s.run(ctx, f))
}

// report prints errors, each without a name of the program where it begins with a place in a configuration file. It
// returns the exit code, which is 0 without an error.
func report(w io.Writer, code int, errs ...error) int {
	out := exitDone
	for _, err := range errs {
		if err == nil {
			continue
		}
		out = code
		if invalid, ok := errors.AsType[*site.InvalidError](err); ok {
			fmt.Fprintln(w, invalid)
		} else {
			fmt.Fprintf(w, "sidecar: %v\n", err)
		}
	}
	return out
}

// flags are the command line.
type flags struct {
	// addr is where the sidecar listens, and where --check asks one.
	addr string
	// metrics is the address of the metrics. Empty means that there are none.
	metrics string
	// config is empty for site.yaml, which may then be missing.
	config string
	// site is a folder or an address, which may have a password.
	site string
	// drain is how long the process answers after SIGTERM, with /readyz not_ready, as it is written.
	drain   string
	check   bool
	version bool
}

// newFlagSet defines the flags, which [help] explains, with defaults from the environment.
func newFlagSet(env lookup) (*flag.FlagSet, *flags) {
	f, set := &flags{}, flag.NewFlagSet("sidecar", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	define := func(value *string, name, variable, otherwise string) {
		text, _ := env(variable)
		set.StringVar(value, name, cmp.Or(strings.TrimSpace(text), otherwise), "")
	}
	define(&f.addr, "addr", "SIDECAR_ADDR", "127.0.0.1:8081")
	define(&f.metrics, "metrics-addr", "SIDECAR_METRICS_ADDR", "")
	define(&f.config, "config", "SIDECAR_CONFIG", "")
	define(&f.site, "site", "SIDECAR_SITE", "public")
	define(&f.drain, "drain", "SIDECAR_DRAIN", "5s")
	// The usage texts are in help.txt.
	set.BoolVar(&f.check, "check", false, "")
	set.BoolVar(&f.version, "version", false, "")
	return set, f
}

// parseFlags reads the command line. The error is [flag.ErrHelp] for --help.
func parseFlags(args []string, env lookup) (flags, error) {
	set, f := newFlagSet(env)
	if err := set.Parse(args); err != nil {
		return *f, err
	}
	if set.NArg() > 0 {
		return *f, fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	for _, name := range []string{"addr", "metrics-addr"} {
		addr := set.Lookup(name).Value.String()
		// The version is shown whatever else is wrong. Without an address there are no metrics.
		if f.version || addr == "" && name == "metrics-addr" {
			continue
		}
		// A typing error would otherwise look like an address in use.
		_, port, err := net.SplitHostPort(addr)
		if err == nil {
			_, err = strconv.ParseUint(port, 10, 16)
		}
		if err != nil {
			return *f, fmt.Errorf("--%s: want a host and a port such as 127.0.0.1:8081, got %q", name, addr)
		}
	}
	if _, err := f.drainTime(); err != nil && !f.version {
		return *f, err
	}
	return *f, nil
}

// drainTime reads --drain. The error says what is wanted.
func (f flags) drainTime() (time.Duration, error) {
	const longest = time.Minute
	d, err := time.ParseDuration(f.drain)
	if err != nil || d < 0 || d > longest {
		return 0, fmt.Errorf("--drain: want a time from 0s to 1m such as 5s, got %q", f.drain)
	}
	return d, nil
}

// checkTimeout is shorter than what container engines allow a check by themselves.
const checkTimeout = 3 * time.Second

// check asks the sidecar that listens on an address whether it is ready. The error says why it is not. It is for health
// checks in containers that have no other program.
func check(ctx context.Context, addr string) error {
	// The package net takes an address without a host, or an unspecified one, for this machine. A proxy of the
	// environment is not between a process and its own machine.
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: dial}, Timeout: checkTimeout}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://sidecar/readyz", nil)
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("not ready: %s: %w", addr, err)
	}
	res.Body.Close()
	// The body says why, in words that are for the log of the sidecar.
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s answers %s", addr, res.Status)
	}
	return nil
}
