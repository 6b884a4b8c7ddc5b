package main

import (
	"flag"
	"fmt"
	"log/slog"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// variables is an environment.
func variables(m map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := m[name]
		return value, ok
	}
}

func TestReadEnvironment(t *testing.T) {
	prefix := func(s string) netip.Prefix { return netip.MustParsePrefix(s) }
	tests := []struct {
		name string
		in   map[string]string
		want environment
		errs []string
	}{
		{"nothing", nil, environment{}, nil},
		{"empty", map[string]string{"SIDECAR_ADDR": "", "SIDECAR_CONFIG": " ", "LOG_LEVEL": "", "TRUSTED_PROXIES": ""}, environment{}, nil},
		{"flags", map[string]string{"SIDECAR_ADDR": ":1", "SIDECAR_CONFIG": "a", "SIDECAR_SITE": "b"}, environment{addr: ":1", config: "a", site: "b"}, nil},
		{"levels", map[string]string{"LOG_LEVEL": "WARN"}, environment{level: slog.LevelWarn}, nil},
		{"proxies", map[string]string{"TRUSTED_PROXIES": "10.1.2.3/8, 192.0.2.1,2001:db8::1,2001:db8::/32,::ffff:192.0.2.7,::ffff:10.0.0.0/104"}, environment{proxies: []netip.Prefix{
			prefix("10.0.0.0/8"), prefix("192.0.2.1/32"), prefix("2001:db8::1/128"), prefix("2001:db8::/32"), prefix("192.0.2.7/32"), prefix("10.0.0.0/8")}}, nil},
		{"everything wrong", map[string]string{"TRUSTED_PROXIES": "10.0.0.0/33", "LOG_LEVEL": "3"}, environment{}, []string{
			`TRUSTED_PROXIES: "10.0.0.0/33" is neither an address nor a prefix; want such as 10.0.0.0/8,192.0.2.1`,
			`LOG_LEVEL: want debug, info, warn or error, got "3"`}},
		{"more requests", map[string]string{"REQUESTS_PER_MINUTE": "600"}, environment{perMinute: 600}, nil},
		{"no requests", map[string]string{"REQUESTS_PER_MINUTE": "0"}, environment{}, []string{`REQUESTS_PER_MINUTE: want a number from 1 to 1000000000, got "0"`}},
		{"empty part", map[string]string{"TRUSTED_PROXIES": "10.0.0.1,"}, environment{}, []string{`TRUSTED_PROXIES: "" is neither an address nor a prefix; want such as 10.0.0.0/8,192.0.2.1`}},
		{"zone", map[string]string{"TRUSTED_PROXIES": "fe80::1%eth0"}, environment{}, []string{`TRUSTED_PROXIES: "fe80::1%eth0" is neither an address nor a prefix; want such as 10.0.0.0/8,192.0.2.1`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, errs := readEnvironment(variables(tt.in))
			got.lookup = nil
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(environment{}), cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
				t.Errorf("readEnvironment(%v) (-want +got):\n%s", tt.in, diff)
			}
			if diff := cmp.Diff(tt.errs, texts(errs)); diff != "" {
				t.Errorf("errors of readEnvironment(%v) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func texts(errs []error) []string {
	var out []string
	for _, err := range errs {
		out = append(out, err.Error())
	}
	return out
}

// TestHelpIsComplete holds that the help names every flag and every variable that is read, and that no
// other name stands there.
func TestHelpIsComplete(t *testing.T) {
	asked := map[string]bool{}
	var env environment
	for _, provider := range []string{"openai", "anthropic", "ollama", ""} { // each has a key of its own
		env, _ = readEnvironment(func(name string) (string, bool) {
			asked[name] = true
			return map[string]string{"AI_PROVIDER": provider}[name], true
		})
	}
	for _, id := range []string{"mainnet", "testnet-2"} {
		if got, err := env.rpc(id); got != nil || err != nil {
			t.Errorf("rpc(%s) of an empty environment = %v, %v; want nothing", id, got, err)
		}
	}
	named := map[string]bool{}
	for _, name := range regexp.MustCompile(`\b[A-Z]+_[A-Z0-9_]+\b`).FindAllString(help, -1) {
		named[name] = true
	}
	if diff := cmp.Diff(asked, named); diff != "" {
		t.Errorf("variables that are read and that the help names (-read +named):\n%s", diff)
	}
	set, f := newFlagSet(env)
	set.VisitAll(func(one *flag.Flag) {
		if line := "\n  --" + one.Name + " "; !strings.Contains(help, line) {
			t.Errorf("the help has no line %q", line)
		}
		if one.DefValue != "false" && !strings.Contains(help, fmt.Sprintf("(default %s)", one.DefValue)) {
			t.Errorf("the help does not say that the default of --%s is %s", one.Name, one.DefValue)
		}
	})
	if f.addr == "" || f.site == "" {
		t.Errorf("defaults %+v, want an address and a site", f)
	}
}

func TestEndpoints(t *testing.T) {
	network := func(id string, chain uint64) mip.Network {
		return mip.Network{ID: id, Name: "Name of " + id, ChainID: chain}
	}
	reached := func(n mip.Network, blockTime float64, rpc ...string) mip.Endpoints {
		return mip.Endpoints{Network: n, BlockTime: blockTime, RPC: rpc}
	}
	main, test := network("mainnet", 1), network("testnet-2", 2)
	tests := []struct {
		name      string
		file      []mip.Endpoints
		variables map[string]string
		snapshot  []mip.Endpoints
		want      []mip.Endpoints
		warnings  []string
	}{
		{"nothing", nil, nil, nil, []mip.Endpoints{reached(main, 0), reached(test, 0)}, []string{
			"network mainnet: no RPC address; want some in site.yaml or in RPC_MAINNET",
			"network testnet-2: no RPC address; want some in site.yaml or in RPC_TESTNET_2"}},
		{"snapshot", nil, nil, []mip.Endpoints{reached(main, 1, "http://a"), reached(test, 2, "http://b")},
			[]mip.Endpoints{reached(main, 1, "http://a"), reached(test, 2, "http://b")}, nil},
		{"site.yaml before the snapshot", []mip.Endpoints{reached(test, 0.5, "http://c"), reached(main, 0)}, nil, []mip.Endpoints{reached(main, 1, "http://a"), reached(test, 2, "http://b")},
			[]mip.Endpoints{reached(main, 1, "http://a"), reached(test, 0.5, "http://c")}, nil},
		{"variable before both", []mip.Endpoints{reached(test, 0.5, "http://c")}, map[string]string{"RPC_MAINNET": "http://x/k, http://y/k", "RPC_TESTNET_2": "https://z"}, []mip.Endpoints{reached(main, 1, "http://a")},
			[]mip.Endpoints{reached(main, 1, "http://x/k", "http://y/k"), reached(test, 0.5, "https://z")}, nil},
		{"another chain", []mip.Endpoints{reached(network("mainnet", 7), 1, "http://c"), reached(test, 0, "http://d")}, map[string]string{"RPC_MAINNET": "http://x"}, []mip.Endpoints{reached(main, 1, "http://a")},
			[]mip.Endpoints{reached(main, 0), reached(test, 0, "http://d")}, []string{
				"network mainnet: site.yaml has the chain id 7 and the published site 1; it is not asked until they agree"}},
		{"bad variable", []mip.Endpoints{reached(main, 1, "http://c"), reached(test, 0, "http://d")}, map[string]string{"RPC_TESTNET_2": "secret"}, nil,
			[]mip.Endpoints{reached(main, 1, "http://c"), reached(test, 0, "http://d")}, []string{
				"network testnet-2: RPC_TESTNET_2: address 1 of 1 is no http(s) address; want such as https://rpc.example.org/KEY, with commas between several"}},
		{"not published", []mip.Endpoints{reached(main, 1, "http://c"), reached(test, 0, "http://d"), reached(network("devnet", 3), 0, "http://e")}, nil, nil,
			[]mip.Endpoints{reached(main, 1, "http://c"), reached(test, 0, "http://d")}, []string{"network devnet: it is in site.yaml, but the site does not publish it"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env, errs := readEnvironment(variables(tt.variables))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			got, warnings := reach{tt.file, env}.endpoints([]mip.Network{main, test}, slices.Clone(tt.snapshot))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("endpoints (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.warnings, texts(warnings)); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}
