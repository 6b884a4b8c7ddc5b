// Command soak runs a sidecar for a while behind which everything misbehaves in turn, asks it for all that it
// has, well and badly, from many addresses, while its site is built anew again and again, and says whether it
// kept its promises: no answer but those that are documented, each in time, and no growth. It knows the
// sidecar from outside only: its flags, its answers, its metrics and its log.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	exitKept   = 0
	exitBroken = 1 // a promise was not kept
	exitUnable = 2 // the soak itself could not run
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o := options{root: ".", callers: 64, settled: 10, aiTimeout: 7 * time.Second, budgets: true}
	set := flag.NewFlagSet("soak", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.DurationVar(&o.duration, "duration", 10*time.Minute, "how long to ask")
	set.IntVar(&o.rate, "rate", 200, "requests a second, at most")
	if err := set.Parse(args); err != nil {
		return exitUnable
	}
	if o.duration < shortest || o.rate < 1 {
		fmt.Fprintf(stderr, "soak: want -duration of %v or more and -rate of 1 or more\n", shortest)
		return exitUnable
	}
	r, err := soak(ctx, o, stdout)
	if err != nil {
		fmt.Fprintf(stderr, "soak: %v\n", err)
		return exitUnable
	}
	r.print(stdout)
	if len(r.broken) > 0 {
		return exitBroken
	}
	return exitKept
}
