package site

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/mipwatch/mipwatch/internal/mip"
)

const (
	// maxNumber bounds the numbers of proposals and of forum topics: nine digits.
	maxNumber = 999_999_999
	// maxUnix is the last second of the year 9999, the last that RFC 3339 can write.
	// Milliseconds given as seconds are beyond it.
	maxUnix = 253402300799
	// maxChainID is the largest whole number that every JSON reader keeps exact.
	maxChainID = 1<<53 - 1
	// maxBlockTime is beyond any chain's.
	maxBlockTime = time.Hour
)

// Texts of one pattern. A locale is a language tag as BCP 47 recommends to write it, in the
// part of its syntax that names languages, scripts and regions.
var (
	word      = matching(`^[A-Za-z][A-Za-z0-9]{0,15}$`, "a letter and then up to 15 letters and digits, such as MIP")
	networkID = matching(`^[a-z0-9-]{1,64}$`, "small letters, digits and hyphens, such as mainnet")
	language  = matching(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`, "a language tag such as de, zh-Hant or pt-BR")
	gitWord   = matching(`^[^-\s][^\s]*$`, "the address of a git repository")
	gitName   = matching(`^[A-Za-z0-9_][A-Za-z0-9_./+-]*$`, "a branch, tag or commit")
)

// site reads the top of the file. The result is only good when no problem was added.
func (v value) site() *Site {
	s := &Site{Prefix: "MIP", Proposals: []string{"proposals"}, Highlight: true}
	// Forks and overrides refer to networks and forks, wherever those stand in the file.
	var forks, overrides *value
	self := func(v value) (value, bool) { return v, true }
	v.object(
		// The name of the site, in titles, feeds and llms.txt.
		field{"title", true, into(&s.Title, value.text)},
		// Every published address begins with it.
		field{"base_url", true, into(&s.BaseURL, value.baseURL)},
		field{"description", false, into(&s.Description, value.text)},
		// The kind of the proposals: ids begin with it.
		field{"prefix", false, into(&s.Prefix, value.prefix)},
		// Folders of proposals, from the folder of the file.
		field{"proposals", false, func(v value) {
			s.ProposalsLine = v.Line
			if s.Proposals, _ = listOf(value.folder, false)(v); v.Kind == yaml.SequenceNode && len(v.Content) == 0 {
				v.bad("no folder")
			}
		}},
		// Where people read a file in its repository: {path} and {commit} are filled in.
		field{"source_url", false, into(&s.SourceURL, value.sourceURL)},
		// Where mipwatch sync finds the proposals.
		field{"upstream", false, optional(&s.Upstream, value.upstream)},
		// The Discourse whose topics are shown.
		field{"forum", false, func(v value) { v.object(field{"base_url", true, into(&s.Forum, value.baseURL)}) }},
		field{"networks", false, into(&s.Networks, value.networks)},
		field{"hardforks", false, optional(&forks, self)},
		// Facts about single proposals that their headers lack.
		field{"overrides", false, optional(&overrides, self)},
		// Languages in addition to English, as BCP 47 writes them.
		field{"locales", false, into(&s.Locales, listOf(value.locale, false))},
		field{"highlight", false, into(&s.Highlight, value.boolean)},
	)
	if forks != nil {
		s.HardForks = forks.hardForks(s.Networks)
	}
	if overrides != nil {
		s.Overrides = overrides.overrides(s.Prefix, s.HardForks)
	}
	return s
}

// folders are the first parts of the site's addresses below which pages of no proposal lie.
var folders = []string{
	"about", "accessibility", "api", "assets", "author", "category", "changes", "dashboard", "feeds", "graph", "status", "type", "upgrade",
}

// prefix reads a kind of proposals. In lower case it is a folder of the site.
func (v value) prefix() (string, bool) {
	s, ok := word(v)
	if ok && slices.Contains(folders, strings.ToLower(s)) {
		return "", v.bad("/%s/ holds other pages of the site; want another word than %s", strings.ToLower(s), show(s))
	}
	return s, ok
}

// upstream reads the git repository that proposals are synced from.
func (v value) upstream() (Upstream, bool) {
	u := Upstream{Line: v.Line}
	v.object(
		field{"git", true, into(&u.Git, value.gitAddress)},
		field{"ref", false, into(&u.Ref, value.gitRef)},
		field{"folders", false, into(&u.Folders, listOf(value.inside, false))},
	)
	// An upstream with a problem is not used: the problem ends the program.
	return u, true
}

// folder reads a path in slashes and cleans it.
func (v value) folder() (string, bool) {
	s, ok := v.text()
	return path.Clean(s), ok
}

// inside reads a path that does not leave the folder it starts from.
func (v value) inside() (string, bool) {
	s, ok := v.folder()
	// A backslash separates folders on some machines only.
	if ok && (path.IsAbs(s) || s == ".." || strings.HasPrefix(s, "../") || strings.Contains(s, `\`)) {
		return "", v.bad("want a folder within the repository, got %s", show(s))
	}
	return s, ok
}

// gitAddress refuses texts that the git program would take for an option or for a command to
// run.
func (v value) gitAddress() (string, bool) {
	s, ok := gitWord(v)
	// ext::sh runs a command, and other helpers are programs too.
	if ok && strings.Contains(s, "::") {
		return "", v.bad("want the address of a git repository, without a remote helper (::)")
	}
	return s, ok
}

// gitRef reads a branch, tag or commit, and refuses ranges.
func (v value) gitRef() (string, bool) {
	s, ok := gitName(v)
	if ok && (strings.Contains(s, "..") || strings.HasSuffix(s, "/")) {
		return "", v.bad("want a branch, tag or commit, got %s", show(s))
	}
	return s, ok
}

// locale reads a language tag other than en, which every site has.
func (v value) locale() (string, bool) {
	s, ok := language(v)
	if s == "en" {
		return "", v.bad("en is always there; list the languages beside it")
	}
	return s, ok
}

// networks reads the list of networks. Each id and each chain id stands once.
func (v value) networks() (out []mip.Endpoints, ok bool) {
	ids, chains := map[string]int{}, map[string]int{}
	ok = v.list(func(v value) {
		var net mip.Endpoints
		v.object(
			field{"id", true, func(v value) {
				net.ID, _ = networkID(v)
				v.once(ids, net.ID)
			}},
			field{"name", false, into(&net.Name, value.text)},
			field{"chain_id", true, func(v value) {
				if id, ok := v.integer("a whole number", "a decimal number", 1, maxChainID); ok {
					net.ChainID = uint64(id)
					v.once(chains, strconv.FormatInt(id, 10))
				}
			}},
			field{"rpc", false, into(&net.RPC, listOf(value.webAddress, true))}, // it may hold a key
			field{"block_time", false, into(&net.BlockTime, value.blockTime)},
		)
		// A network without a name is called by its id.
		net.Name = cmp.Or(net.Name, net.ID)
		out = append(out, net)
	})
	return out, ok
}

// once reports a value that an earlier line holds. An empty value was reported already.
func (v value) once(seen map[string]int, text string) {
	if first, ok := seen[text]; ok && text != "" {
		v.problems.add(v.Line, "duplicate-value", "%s: %s is taken, in line %d", v.where, show(text), first)
		return
	}
	seen[text] = v.Line
}

var plainSeconds = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// blockTime reads seconds (0.4) or a duration with its unit (400ms), and gives seconds.
func (v value) blockTime() (float64, bool) {
	const want = "seconds such as 0.4, or a duration such as 400ms"
	// YAML has types for numbers, and a duration is text.
	var text string
	switch tag := v.ShortTag(); {
	case v.Kind == yaml.ScalarNode && (tag == "!!int" || tag == "!!float"):
		if plainSeconds.MatchString(v.Value) {
			text = v.Value + "s"
		}
	case v.Kind == yaml.ScalarNode && tag == "!!str":
		text = v.Value
	default:
		return 0, v.wrong(want)
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > maxBlockTime {
		return 0, v.bad("want "+want+", more than 0 and at most 1h, got %s", show(v.Value))
	}
	return d.Seconds(), true
}

// hardForks reads the list of hard forks. Each has an activation, perhaps without a time, for
// each of the networks.
func (v value) hardForks(networks []mip.Endpoints) (out []mip.HardFork) {
	slugs := map[string]int{} // of names, to the line: a fork's page has the slug as its address
	v.list(func(v value) {
		h := mip.HardFork{BundledMIPs: []int{}, Activation: map[string]mip.Activation{}}
		// A network that is left out has no time yet.
		for _, net := range networks {
			h.Activation[net.ID] = mip.Activation{}
		}
		v.object(
			field{"name", true, func(v value) {
				name, ok := v.text()
				if !ok {
					return
				}
				h.Name = name
				if line, taken := slugs[mip.Slug(name)]; taken {
					v.problems.add(v.Line, "duplicate-value", "%s: %s has the same address (/upgrade/%s/) as the fork in line %d", v.where, show(name), mip.Slug(name), line)
					return
				}
				slugs[mip.Slug(name)] = v.Line
			}},
			field{"mips", false, func(v value) {
				v.list(func(v value) {
					if n, ok := number(0)(v); ok {
						h.BundledMIPs = append(h.BundledMIPs, n)
					}
				})
				slices.Sort(h.BundledMIPs)
			}},
			field{"meta", false, optional(&h.MetaMIP, number(0))},
			field{"activation", false, func(v value) { v.activation(h.Activation) }},
			field{"source", false, optional(&h.Source, value.text)},
		)
		// The meta proposal may be listed with the others; it is one of its fork without that.
		h.BundledMIPs = slices.DeleteFunc(slices.Compact(h.BundledMIPs), func(n int) bool { return h.MetaMIP != nil && n == *h.MetaMIP })
		out = append(out, h)
	})
	return out
}

// activation reads times by network into a map that has every network.
func (v value) activation(to map[string]mip.Activation) {
	v.entries(func(key *yaml.Node, v value) {
		if _, known := to[key.Value]; !known {
			v.problems.add(key.Line, "unknown-network", "%s: networks has no such id", v.where)
			return
		}
		// Null says that no time is set.
		if v.isNull() {
			return
		}
		if seconds, ok := v.integer("unix seconds, or null when no time is set", "unix seconds", 0, maxUnix); ok {
			to[key.Value] = mip.Activation{Timestamp: &seconds, Time: new(mip.NewTime(time.Unix(seconds, 0)))}
		}
	})
}

// overrides reads a mapping from numbers of proposals of one kind.
func (v value) overrides(prefix string, forks []mip.HardFork) map[mip.ID]Override {
	out := map[mip.ID]Override{}
	v.entries(func(key *yaml.Node, v value) {
		// A key may be a number or a text with one in it.
		n, ok := decimal(key.Value)
		if !ok || n > maxNumber {
			v.problems.add(key.Line, "bad-value", "%s: want a proposal's number as the key", v.where)
			return
		}
		var o Override
		v.object(
			field{"forum_topic_id", false, optional(&o.ForumTopicID, number(1))},
			field{"discussions_to", false, optional(&o.DiscussionsTo, value.webAddress)},
			field{"hardfork", false, optional(&o.Hardfork, func(v value) (string, bool) {
				name, ok := v.text()
				if ok && !slices.ContainsFunc(forks, func(h mip.HardFork) bool { return h.Name == name }) {
					return "", v.bad("hardforks has no %s", show(name))
				}
				return name, ok
			})},
		)
		out[mip.ID{Kind: prefix, Number: int(n)}] = o
	})
	return out
}
