package site

import (
	"fmt"
	"net/url"
	"strings"
)

// RPCVariable is the name of the environment variable with the addresses of a network's nodes.
func RPCVariable(id string) string {
	return "RPC_" + strings.ToUpper(strings.ReplaceAll(id, "-", "_"))
}

// RPCAddresses returns the addresses that the environment has for a network, separated by commas; nil
// when it has none. They may hold keys, so the error shows none.
func RPCAddresses(id string, lookup func(string) (string, bool)) ([]string, error) {
	name := RPCVariable(id)
	value, _ := lookup(name)
	if value = strings.TrimSpace(value); value == "" {
		return nil, nil
	}
	addresses := strings.Split(value, ",")
	for i, a := range addresses {
		a = strings.TrimSpace(a)
		addresses[i] = a
		u, err := url.Parse(a)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || strings.ContainsAny(a, " \t") {
			return nil, fmt.Errorf("%s: address %d of %d is no http(s) address; want such as https://rpc.example.org/KEY, with commas between several", name, i+1, len(addresses))
		}
	}
	return addresses, nil
}
