package site

import (
	"regexp"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/mipwatch/mipwatch/internal/mip"
)

const (
	// maxChainID is the largest whole number that every JSON reader keeps exact.
	maxChainID = 1<<53 - 1
	// maxBlockTime is beyond any chain's.
	maxBlockTime = time.Hour
)

func (r *reader) networks(where string, n *yaml.Node) []mip.Endpoints {
	var out []mip.Endpoints
	ids, chains := map[string]int{}, map[string]int{}
	r.list(where, n, func(where string, n *yaml.Node) {
		var net mip.Endpoints
		r.object(where, n,
			field{"id", true, func(where string, n *yaml.Node) {
				net.ID, _ = r.networkID(where, n)
				r.once(ids, where, net.ID, n.Line)
			}},
			field{"name", false, r.into(&net.Name, r.text)},
			field{"chain_id", true, func(where string, n *yaml.Node) {
				if id, ok := r.integer(where, n, 1, maxChainID); ok {
					net.ChainID = uint64(id)
					r.once(chains, where, strconv.FormatInt(id, 10), n.Line)
				}
			}},
			field{"rpc", false, func(where string, n *yaml.Node) { net.RPC = r.endpoints(where, n) }},
			field{"block_time", false, func(where string, n *yaml.Node) { net.BlockTime = r.blockTime(where, n) }},
		)
		if net.Name == "" {
			net.Name = net.ID
		}
		out = append(out, net)
	})
	return out
}

// once reports a value that an earlier line holds. An empty value was reported already.
func (r *reader) once(seen map[string]int, where, value string, line int) {
	if value == "" {
		return
	}
	if first, ok := seen[value]; ok {
		r.add(line, "duplicate-value", "%s: %s is taken, in line %d", where, show(value), first)
		return
	}
	seen[value] = line
}

// endpoints reads RPC addresses. They may hold keys, so no message repeats one.
func (r *reader) endpoints(where string, n *yaml.Node) []string {
	var out []string
	r.list(where, n, func(where string, n *yaml.Node) {
		s, ok := r.webAddress(where, n)
		if !ok {
			return
		}
		if slices.Contains(out, s) {
			r.add(n.Line, "duplicate-value", "%s: an address that is listed before", where)
			return
		}
		out = append(out, s)
	})
	return out
}

// blockTime reads seconds (0.4) or a duration with its unit (400ms), and gives seconds.
func (r *reader) blockTime(where string, n *yaml.Node) float64 {
	const want = "seconds such as 0.4, or a duration such as 400ms"
	if n.Kind != yaml.ScalarNode {
		r.wrong(where, n, want)
		return 0
	}
	var seconds float64
	var err error
	switch n.ShortTag() {
	case "!!int", "!!float":
		if !regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`).MatchString(n.Value) {
			err = strconv.ErrSyntax
			break
		}
		seconds, err = strconv.ParseFloat(n.Value, 64)
	case "!!str":
		var d time.Duration
		d, err = time.ParseDuration(n.Value)
		seconds = d.Seconds()
	default:
		r.wrong(where, n, want)
		return 0
	}
	if err != nil || seconds <= 0 || seconds > maxBlockTime.Seconds() {
		r.bad(n, where, "want "+want+", more than 0 and at most 1h, got "+show(n.Value))
		return 0
	}
	return seconds
}
