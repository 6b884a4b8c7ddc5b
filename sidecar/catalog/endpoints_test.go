package catalog

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// variables returns a lookup function of an environment.
func variables(m map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := m[name]
		return value, ok
	}
}

func messages(errs []error) []string {
	var out []string
	for _, err := range errs {
		out = append(out, err.Error())
	}
	return out
}

func TestEndpoints(t *testing.T) {
	network := func(id string, chain uint64) mip.Network {
		return mip.Network{ID: id, Name: "Name of " + id, ChainID: chain}
	}
	reached := func(n mip.Network, blockTime float64, rpc ...string) mip.Endpoints {
		n.BlockTime = blockTime
		return mip.Endpoints{Network: n, RPC: rpc}
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
		{"snapshot", nil, nil,
			[]mip.Endpoints{reached(main, 1, "http://a"), reached(test, 2, "http://b")},
			[]mip.Endpoints{reached(main, 1, "http://a"), reached(test, 2, "http://b")}, nil},
		{"site.yaml before the snapshot",
			[]mip.Endpoints{reached(test, 0.5, "http://c"), reached(main, 0)}, nil,
			[]mip.Endpoints{reached(main, 1, "http://a"), reached(test, 2, "http://b")},
			[]mip.Endpoints{reached(main, 1, "http://a"), reached(test, 0.5, "http://c")}, nil},
		{"variable before both", []mip.Endpoints{reached(test, 0.5, "http://c")},
			map[string]string{"RPC_MAINNET": "http://x/k, http://y/k",
				"RPC_TESTNET_2": "https://z"}, []mip.Endpoints{reached(main, 1, "http://a")},
			[]mip.Endpoints{reached(main, 1, "http://x/k", "http://y/k"),
				reached(test, 0.5, "https://z")}, nil},
		{"another chain", []mip.Endpoints{reached(network("mainnet", 7), 1, "http://c"),
			reached(test, 0, "http://d")}, map[string]string{"RPC_MAINNET": "http://x"},
			[]mip.Endpoints{reached(main, 1, "http://a")},
			[]mip.Endpoints{reached(main, 0), reached(test, 0, "http://d")}, []string{
				"network mainnet: site.yaml has the chain id 7 and the published site 1; it is " +
					"not asked until they agree"}},
		{"bad variable", []mip.Endpoints{reached(main, 1, "http://c"),
			reached(test, 0, "http://d")}, map[string]string{"RPC_TESTNET_2": "secret"}, nil,
			[]mip.Endpoints{reached(main, 1, "http://c"), reached(test, 0, "http://d")}, []string{
				"network testnet-2: RPC_TESTNET_2: address 1 of 1 is no http(s) address; want " +
					"such as https://rpc.example.org/KEY, with commas between several"}},
		{"not published", []mip.Endpoints{reached(main, 1, "http://c"),
			reached(test, 0, "http://d"), reached(network("devnet", 3), 0, "http://e")}, nil, nil,
			[]mip.Endpoints{reached(main, 1, "http://c"), reached(test, 0, "http://d")},
			[]string{"network devnet: it is in site.yaml, but the site does not publish it"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings := Endpoints(variables(tt.variables), []mip.Network{main, test}, tt.file,
				slices.Clone(tt.snapshot))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("endpoints (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.warnings, messages(warnings)); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}
