// Command sidecar serves the live part of a site: it parses flags, reads the environment, keeps the
// catalog of the proposals up to date, runs the HTTP server and writes its metrics. It does not
// know how an answer is made.
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

// The exit codes, documented in --help.
const (
	exitDone = 0
	// exitNotReady is only for --check.
	exitNotReady = 1
	// exitUsage is for a wrong command line or configuration.
	exitUsage = 2
	// exitListen is for a server that cannot listen or fails later.
	exitListen = 3
)

// help is the text of --help.
//
//go:embed help.txt
var help string

// lookup is like [os.LookupEnv].
type lookup = func(name string) (string, bool)

// errTerminated is the cause of a context that SIGTERM canceled. After it the process waits until
// balancers have noticed.
var errTerminated = errors.New("SIGTERM")

// main exits with the code of run. The first signal stops run gracefully.
func main() {
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		first := <-signals
		// A second signal ends the process at once, from the moment when it reports that it stops.
		signal.Stop(signals)
		if first == syscall.SIGTERM {
			end(errTerminated)
		}
		end(nil)
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, sidecar.NewVariables(os.Environ())))
}

// run executes one command line until ctx ends, and returns the exit code. Only env accesses the
// environment.
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

// report prints errors. It adds the program's name unless the error begins with a place in a
// configuration file. It returns code, or 0 without an error.
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
	// addr is the address to listen on, or the one that --check asks.
	addr string
	// metrics is the address of the metrics. Empty means none.
	metrics string
	// config is the configuration file. Empty means site.yaml, which may be missing.
	config string
	// site is a folder or an address, which may contain a password.
	site string
	// drain is how long the process continues to answer after SIGTERM, with /readyz not_ready. It
	// is unparsed.
	drain   string
	check   bool
	version bool
}

// newFlagSet defines the flags with defaults from the environment. [help] explains them.
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
	// help.txt has the usage texts.
	set.BoolVar(&f.check, "check", false, "")
	set.BoolVar(&f.version, "version", false, "")
	return set, f
}

// parseFlags parses the command line. The error is [flag.ErrHelp] for --help.
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
		// Otherwise a typing error would look like an address in use.
		_, port, err := net.SplitHostPort(addr)
		if err == nil {
			_, err = strconv.ParseUint(port, 10, 16)
		}
		if err != nil {
			return *f, fmt.Errorf("--%s: want a host and a port such as 127.0.0.1:8081, got %q",
				name, addr)
		}
	}
	if _, err := f.drainTime(); err != nil && !f.version {
		return *f, err
	}
	return *f, nil
}

// drainTime parses --drain.
func (f flags) drainTime() (time.Duration, error) {
	const longest = time.Minute
	d, err := time.ParseDuration(f.drain)
	if err != nil || d < 0 || d > longest {
		return 0, fmt.Errorf("--drain: want a time from 0s to 1m such as 5s, got %q", f.drain)
	}
	return d, nil
}

// checkTimeout is shorter than the default time limits that container engines set for a check.
const checkTimeout = 3 * time.Second

// check asks the sidecar that listens on an address whether it is ready. The error is the reason
// why it is not. It is for health checks in containers without other programs.
func check(ctx context.Context, addr string) error {
	// Package net dials this machine for an address without a host, or an unspecified one. Ignore
	// the environment's proxy, since this is a local connection.
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
	// The sidecar's log has the reason.
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s answers %s", addr, res.Status)
	}
	return nil
}
