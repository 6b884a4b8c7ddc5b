package site

import (
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxUnix is the last second of the year 9999, the last that RFC 3339 can write. Milliseconds given
// as seconds are beyond it.
const maxUnix = 253402300799

// forkReader is what the entries of hardforks must agree on.
type forkReader struct {
	*reader
	networks []mip.Endpoints
	slugs    map[string]int // of names, to the line: a fork's page has the slug as its address
}

func (r *reader) hardForks(where string, n *yaml.Node, networks []mip.Endpoints) []mip.HardFork {
	f := &forkReader{reader: r, networks: networks, slugs: map[string]int{}}
	var out []mip.HardFork
	r.list(where, n, func(where string, n *yaml.Node) { out = append(out, f.fork(where, n)) })
	return out
}

func (f *forkReader) fork(where string, n *yaml.Node) mip.HardFork {
	h := mip.HardFork{BundledMIPs: []int{}, Activation: map[string]mip.Activation{}}
	for _, net := range f.networks {
		h.Activation[net.ID] = mip.Activation{}
	}
	f.object(where, n,
		field{"name", true, func(where string, n *yaml.Node) {
			name, ok := f.text(where, n)
			if !ok {
				return
			}
			h.Name = name
			if line, taken := f.slugs[mip.Slug(name)]; taken {
				f.add(n.Line, "duplicate-value", "%s: %s has the same address (/upgrade/%s/) as the fork in line %d", where, show(name), mip.Slug(name), line)
				return
			}
			f.slugs[mip.Slug(name)] = n.Line
		}},
		field{"mips", false, func(where string, n *yaml.Node) {
			f.list(where, n, func(where string, n *yaml.Node) {
				if number, ok := f.integer(where, n, 0, maxNumber); ok {
					h.BundledMIPs = append(h.BundledMIPs, int(number))
				}
			})
			slices.Sort(h.BundledMIPs)
		}},
		field{"meta", false, func(where string, n *yaml.Node) {
			if number, ok := f.integer(where, n, 0, maxNumber); ok {
				h.MetaMIP = new(int(number))
			}
		}},
		field{"activation", false, func(where string, n *yaml.Node) { f.activation(where, n, h.Activation) }},
		field{"source", false, func(where string, n *yaml.Node) {
			if s, ok := f.text(where, n); ok {
				h.Source = &s
			}
		}},
	)
	// The meta proposal may be listed with the others; it is one of its fork without that.
	h.BundledMIPs = slices.DeleteFunc(slices.Compact(h.BundledMIPs), func(n int) bool { return h.MetaMIP != nil && n == *h.MetaMIP })
	return h
}

func (f *forkReader) activation(where string, n *yaml.Node, to map[string]mip.Activation) {
	f.entries(where, n, func(key, value *yaml.Node) {
		where := join(where, show(key.Value))
		if !slices.ContainsFunc(f.networks, func(net mip.Endpoints) bool { return net.ID == key.Value }) {
			f.add(key.Line, "unknown-network", "%s: networks has no such id", where)
			return
		}
		if isNull(value) {
			return
		}
		if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!int" {
			f.wrong(where, value, "unix seconds, or null when no time is set")
			return
		}
		seconds, ok := decimal(value.Value)
		if !ok || seconds > maxUnix {
			f.bad(value, where, fmt.Sprintf("want unix seconds from 0 to %d, got %s", maxUnix, show(value.Value)))
			return
		}
		t := mip.NewTime(time.Unix(seconds, 0))
		to[key.Value] = mip.Activation{Timestamp: &seconds, Time: &t}
	})
}

func (r *reader) overrides(where string, n *yaml.Node, forks []mip.HardFork) map[int]Override {
	out := map[int]Override{}
	r.entries(where, n, func(key, value *yaml.Node) {
		where := join(where, show(key.Value))
		number, ok := decimal(key.Value)
		if !ok || number > maxNumber {
			r.add(key.Line, "bad-value", "%s: want a proposal's number as the key", where)
			return
		}
		var o Override
		r.object(where, value,
			field{"forum_topic_id", false, func(where string, n *yaml.Node) {
				if id, ok := r.integer(where, n, 1, maxNumber); ok {
					o.ForumTopicID = new(int(id))
				}
			}},
			field{"discussions_to", false, func(where string, n *yaml.Node) {
				if s, ok := r.webAddress(where, n); ok {
					o.DiscussionsTo = &s
				}
			}},
			field{"hardfork", false, func(where string, n *yaml.Node) {
				name, ok := r.text(where, n)
				if !ok {
					return
				}
				if !slices.ContainsFunc(forks, func(h mip.HardFork) bool { return h.Name == name }) {
					r.bad(n, where, "hardforks has no "+show(name))
					return
				}
				o.Hardfork = &name
			}},
		)
		out[int(number)] = o
	})
	return out
}
