package main

import (
	"cmp"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"net"
	"strconv"

	"github.com/mipwatch/mipwatch/sidecar"
)

// help is what --help prints.
//
//go:embed help.txt
var help string

// flags are the command line.
type flags struct {
	addr string
	// metrics is the address of the metrics. Empty means that there are none.
	metrics string
	config  string
	// named says that config was named, so that the file must exist.
	named   bool
	site    string
	check   bool
	version bool
}

// parseFlags reads the command line, with defaults from the environment. The error is [flag.ErrHelp] for --help.
func parseFlags(args []string, env sidecar.Environment) (flags, error) {
	set, f := newFlagSet(env)
	if err := set.Parse(args); err != nil {
		return *f, err
	}
	if set.NArg() > 0 {
		return *f, fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	// site.yaml may be missing where nobody has named it.
	set.Visit(func(one *flag.Flag) { f.named = f.named || one.Name == "config" })
	// The version is shown whatever else is wrong.
	if f.version {
		return *f, nil
	}
	if err := checkAddr("--addr", f.addr); err != nil || f.metrics == "" {
		return *f, err
	}
	return *f, checkAddr("--metrics-addr", f.metrics)
}

// newFlagSet defines the flags, which [help] explains.
func newFlagSet(env sidecar.Environment) (*flag.FlagSet, *flags) {
	config := env.Get("SIDECAR_CONFIG")
	f := &flags{named: config != ""}
	set := flag.NewFlagSet("sidecar", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.addr, "addr", cmp.Or(env.Get("SIDECAR_ADDR"), "127.0.0.1:8081"), "")
	set.StringVar(&f.metrics, "metrics-addr", env.Get("SIDECAR_METRICS_ADDR"), "")
	set.StringVar(&f.config, "config", cmp.Or(config, "site.yaml"), "")
	set.StringVar(&f.site, "site", cmp.Or(env.Get("SIDECAR_SITE"), "public"), "")
	set.BoolVar(&f.check, "check", false, "")
	set.BoolVar(&f.version, "version", false, "")
	return set, f
}

// checkAddr checks the form of an address. Without it a typing error would look like an address in use.
func checkAddr(flag, addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("%s: want a host and a port such as 127.0.0.1:8081, got %q", flag, addr)
	}
	return nil
}
