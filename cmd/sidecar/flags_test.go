package main

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/sidecar"
)

// TestHelpIsComplete checks that the help names every flag and every variable that is read, and no
// others.
func TestHelpIsComplete(t *testing.T) {
	asked := map[string]bool{}
	var env lookup
	// each has a key of its own
	for _, provider := range []string{"openai", "anthropic", "ollama", ""} {
		env = func(name string) (string, bool) {
			asked[name] = true
			return map[string]string{"AI_PROVIDER": provider}[name], true
		}
		sidecar.Environment(env, io.Discard)
	}
	for _, id := range []string{"mainnet", "testnet-2"} {
		if got, err := site.RPCAddresses(id, env); got != nil || err != nil {
			t.Errorf("rpc(%s) of an empty environment = %v, %v; want nothing", id, got, err)
		}
	}
	set, f := newFlagSet(env)
	named := map[string]bool{}
	for _, name := range regexp.MustCompile(`\b[A-Z]+_[A-Z0-9_]+\b`).FindAllString(help, -1) {
		named[name] = true
	}
	if diff := cmp.Diff(asked, named); diff != "" {
		t.Errorf("variables that are read and that the help names (-read +named):\n%s", diff)
	}
	set.VisitAll(func(one *flag.Flag) {
		if line := "\n  --" + one.Name + " "; !strings.Contains(help, line) {
			t.Errorf("the help has no line %q", line)
		}
		want := fmt.Sprintf("(default %s)", one.DefValue)
		if one.DefValue == "" {
			want = "(default none"
		}
		if one.DefValue != "false" && !strings.Contains(help, want) {
			t.Errorf("the help does not say that the default of --%s is %q", one.Name, one.DefValue)
		}
	})
	if f.addr == "" || f.site == "" {
		t.Errorf("defaults %+v, want an address and a site", f)
	}
}
