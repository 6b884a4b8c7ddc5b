package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"net"
	"strconv"

	"github.com/mipwatch/mipwatch/sidecar/environment"
)

const help = `sidecar answers the live part of a site that mipwatch build published: forum activity, block
heights, the dashboard's data in one answer, and what a proposal means or how it reads in another
language. It knows the proposals from that site, asks the forum, the networks and a language model if
there is one, and holds nothing that it cannot ask for again.

Usage:
  sidecar [flags]

Flags:
  --addr HOST:PORT   where to listen; port 0 takes any free one, the log says which
                     (default 127.0.0.1:8081)
  --metrics-addr HOST:PORT
                     where to answer GET /metrics for Prometheus, and nothing else; whoever reaches
                     it may read them, so give it an address that callers do not reach
                     (default none: there are no metrics)
  --config FILE      site.yaml with the RPC addresses of the networks; read once, at the start.
                     Without FILE, site.yaml is read if it is there (default site.yaml)
  --site DIR|URL     the published site: the folder of mipwatch build, a snapshot, or the
                     address. A folder is looked at every 2 seconds, an address every minute
                     (default public)
  --check            ask the sidecar that listens on --addr whether it is ready, and end: for health
                     checks where there is no other program
  --version          print the version, the commit that it was built from and the Go version
  --help             print this

Environment:
  SIDECAR_ADDR       default of --addr
  SIDECAR_METRICS_ADDR
                     default of --metrics-addr
  SIDECAR_CONFIG     default of --config
  SIDECAR_SITE       default of --site
  TRUSTED_PROXIES    addresses or prefixes, with commas between them, of the proxies whose
                     X-Forwarded-For is believed, such as 10.0.0.0/8,192.0.2.1 (default none:
                     whoever connects is the caller, and callers are limited one by one)
  REQUESTS_PER_MINUTE
                     what each caller may ask for (default 120); more where a CDN has a limit
                     of its own and all requests come from it
  REDIS_URL          a Redis that several sidecars of the site share limits and answers by, such as
                     redis://:PASSWORD@127.0.0.1:6379/0, or rediss:// for TLS (default none: this
                     one is alone). While it is away each goes on by itself
  RPC_<ID>           RPC addresses of a network in the order of preference, with commas between
                     them, in the place of those in site.yaml: RPC_MAINNET for mainnet,
                     RPC_TESTNET_2 for testnet-2. For addresses that hold a key
  AI_PROVIDER        openai (and whatever speaks its API), anthropic or ollama. Unset, no model is
                     asked: summaries are made of the proposals' own sentences, and translations
                     are those that are committed
  AI_MODEL           the model's name; required with a provider
  OPENAI_API_KEY, ANTHROPIC_API_KEY
                     the provider's key; required. OLLAMA_API_KEY is sent if it is set. Without
                     what is required the AI routes say so with 503, and everything else runs
  AI_BASE_URL        another address of the provider's API, such as http://127.0.0.1:11434
  AI_TIMEOUT         how long the model may take for one question (default 7s); what takes longer
                     than a request may is finished for the next one
  AI_REQUESTS_PER_MINUTE
                     summaries, and translations, that each caller may ask for (default 10)
  AI_CALLS_PER_MINUTE, AI_TOKENS_PER_DAY, AI_CALLS_AT_ONCE
                     what is asked of the model for all callers together (default 60, 1000000 and
                     4), counted in this process, from its start
  LOG_LEVEL          debug, info, warn or error (default info)

An empty variable counts as unset. Networks are those that the site publishes. Their RPC
addresses come from the variable, else from site.yaml, else from sidecar.json of a snapshot; a
network without any is shown as unavailable.

/healthz says that the process lives, and which version and commit it is; /readyz that it knows the
site. The log is one JSON object a line on standard output. SIGTERM ends the process when what is
in flight is answered, after 10 seconds at the most; a second one ends it at once.

Examples:
  sidecar
  sidecar --addr 0.0.0.0:8081 --site https://mips.example.org --config /etc/mipwatch/site.yaml
  RPC_MAINNET=https://rpc.example.org/v1/KEY sidecar --site public

Exit codes:
  0  done; of --check: ready
  1  of --check: not ready
  2  wrong usage or configuration
  3  cannot listen
`

// flags are the command line.
type flags struct {
	addr    string
	metrics string // empty: none
	config  string
	named   bool // config was named, so it must be there
	site    string
	check   bool
	version bool
}

// parseFlags reads the command line, with defaults from the environment. The error is [flag.ErrHelp] when
// help is asked for.
func parseFlags(args []string, env environment.Environment) (flags, error) {
	set, f := newFlagSet(env)
	if err := set.Parse(args); err != nil {
		return *f, err
	}
	if set.NArg() > 0 {
		return *f, fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	set.Visit(func(one *flag.Flag) { f.named = f.named || one.Name == "config" })
	if f.version {
		return *f, nil
	}
	if err := checkAddr("--addr", f.addr); err != nil || f.metrics == "" {
		return *f, err
	}
	return *f, checkAddr("--metrics-addr", f.metrics)
}

// newFlagSet defines the flags, which [help] explains.
func newFlagSet(env environment.Environment) (*flag.FlagSet, *flags) {
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

// checkAddr tells an address that is none from one that cannot be had.
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
