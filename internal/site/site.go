// Package site reads site.yaml: the title, the address, the networks, the forum and the hard
// forks of one published site. It knows nothing of proposals' texts, of HTTP or of output
// paths.
package site

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Site is a validated site.yaml. Title and BaseURL are always set; every other field may be
// zero. Fields with a yaml tag are read as they are, and file adds those that need more.
type Site struct {
	// The name of the site, in titles, feeds and llms.txt.
	Title string `yaml:"title,required"`
	// Absolute, http or https, no slash at the end; may hold a path. Every published address
	// begins with it.
	BaseURL     string `yaml:"base_url,required" check:"base"`
	Description string `yaml:"description"`
	// Ids start with it; the header key in lower case; MIP when the file has none.
	Prefix string `yaml:"prefix" check:"prefix"`
	// Folders, relative to the file's own folder, slash-separated; ["proposals"] when the file
	// has none.
	Proposals []string `yaml:"proposals" check:"folder"`
	// ProposalsLine is where the file names the folders; 0 when it does not.
	ProposalsLine int
	// Template with {path} and {commit}; empty: proposals have no source link.
	SourceURL string `yaml:"source_url" check:"source"`
	// Nil: nothing to sync from.
	Upstream *Upstream `yaml:"upstream"`
	// Base address of a Discourse, no slash at the end; empty: none.
	Forum string
	// Networks are in the file's order.
	Networks []mip.Endpoints
	// HardForks are in the file's order; Status is not set.
	HardForks []mip.HardFork
	Overrides map[mip.ID]Override
	// Locales are those in addition to English, BCP 47.
	Locales []string `yaml:"locales" check:"locale"`
	// Redirects are old paths of proposals of the site, each with {n} where the number goes, as in /EIPS/eip-{n}.
	Redirects []string `yaml:"redirects" check:"redirect"`
	// Colour code blocks; true unless the file says false.
	Highlight bool `yaml:"highlight" check:"bool"`
}

// Upstream is the git repository that proposals are synced from.
type Upstream struct {
	// Git is the address, which the git program understands.
	Git string `yaml:"git,required" check:"git"`
	// Branch, tag or commit; empty: the remote's default branch.
	Ref string `yaml:"ref" check:"ref"`
	// Folders are within the repository; none stands for its top.
	Folders []string `yaml:"folders" check:"inside"`
	// Line is where the file speaks of the upstream.
	Line int
}

// Override holds facts about one proposal that its header lacks. A fact that is nil is not
// stated here, and that of the header stays.
type Override struct {
	ForumTopicID  *int    `yaml:"forum_topic_id" check:"topic"`
	DiscussionsTo *string `yaml:"discussions_to" check:"web"`
	Hardfork      *string `yaml:"hardfork"`
}

// file is site.yaml as it is written.
type file struct {
	Site
	Forum struct {
		BaseURL string `yaml:"base_url,required" check:"base"`
	} `yaml:"forum"`
	Networks  []network           `yaml:"networks"`
	HardForks []fork              `yaml:"hardforks"`
	Overrides map[string]Override `yaml:"overrides"`
}

// network is a chain with the nodes that are asked for it.
type network struct {
	ID        string   `yaml:"id,required" check:"network"`
	Name      string   `yaml:"name"`
	ChainID   uint64   `yaml:"chain_id,required" check:"chain"`
	RPC       []string `yaml:"rpc" check:"web"`
	BlockTime float64  `yaml:"block_time" check:"seconds"`
}

// fork is a hard fork. A time is nil when none is set.
type fork struct {
	Name       string            `yaml:"name,required"`
	MIPs       []int             `yaml:"mips" check:"number"`
	Meta       *int              `yaml:"meta" check:"number"`
	Activation map[string]*int64 `yaml:"activation" check:"unix"`
	Source     *string           `yaml:"source" check:"web"`
}

// site checks what concerns several keys, and returns the site. It is only good when p has no
// problem.
func (f *file) site(p *problems) *Site {
	s := &f.Site
	s.Forum, s.ProposalsLine = f.Forum.BaseURL, p.lines["proposals"]
	if s.Upstream != nil {
		s.Upstream.Line = p.lines["upstream"]
	}
	if len(s.Proposals) == 0 && len(p.list) == 0 {
		p.at("proposals", "bad-value", "no folder")
	}
	// Each id, each chain id and each address of a fork stands once. A value that is 0 or empty has a problem already.
	taken := map[string]int{}
	once := func(kind, value, at string) {
		switch line := taken[kind+value]; {
		case value == "" || value == "0":
		case line > 0:
			p.at(at, "duplicate-value", "%s is taken, in line %d", show(value), line)
		default:
			taken[kind+value] = p.lines[at]
		}
	}
	for i, n := range f.Networks {
		at := fmt.Sprintf("networks[%d]", i)
		once("id ", n.ID, at+".id")
		once("chain ", fmt.Sprint(n.ChainID), at+".chain_id")
		// A network without a name is called by its id.
		public := mip.Network{ID: n.ID, Name: cmp.Or(n.Name, n.ID), ChainID: n.ChainID, BlockTime: n.BlockTime}
		s.Networks = append(s.Networks, mip.Endpoints{Network: public, RPC: n.RPC})
	}
	for i, h := range f.HardForks {
		at := fmt.Sprintf("hardforks[%d]", i)
		if h.Name != "" {
			once("fork ", "/upgrade/"+mip.Slug(h.Name)+"/", at+".name")
		}
		s.HardForks = append(s.HardForks, h.hardFork(s.Networks, p, at))
	}
	for key, o := range f.Overrides {
		at := "overrides." + show(key)
		n, ok := decimal(key)
		if !ok || n > mip.MaxNumber {
			p.at(at, "bad-value", "want a proposal's number as the key")
		}
		if o.Hardfork != nil && !slices.ContainsFunc(f.HardForks, func(h fork) bool { return h.Name == *o.Hardfork }) {
			p.at(at+".hardfork", "bad-value", "hardforks has no %s", show(*o.Hardfork))
		}
		if s.Overrides == nil {
			s.Overrides = map[mip.ID]Override{}
		}
		s.Overrides[mip.ID{Kind: s.Prefix, Number: int(n)}] = o
	}
	return s
}

// hardFork returns the fork with an activation, perhaps without a time, for each of the networks.
func (h fork) hardFork(networks []mip.Endpoints, p *problems, at string) mip.HardFork {
	out := mip.HardFork{
		Name: h.Name, MetaMIP: h.Meta, BundledMIPs: []int{}, Source: h.Source, Activation: map[string]mip.Activation{},
	}
	for _, n := range networks {
		out.Activation[n.ID] = mip.Activation{}
	}
	for id, seconds := range h.Activation {
		if _, known := out.Activation[id]; !known {
			p.at(at+".activation."+show(id), "unknown-network", "networks has no such id")
		} else if seconds != nil {
			out.Activation[id] = mip.Activation{Timestamp: seconds, Time: new(mip.NewTime(time.Unix(*seconds, 0)))}
		}
	}
	// The meta proposal may be listed with the others; it is one of its fork without that.
	for _, n := range slices.Compact(slices.Sorted(slices.Values(h.MIPs))) {
		if h.Meta == nil || n != *h.Meta {
			out.BundledMIPs = append(out.BundledMIPs, n)
		}
	}
	return out
}

// UpstreamGit is the address of the upstream as the file has it; empty when there is none.
func (s *Site) UpstreamGit() string {
	if s.Upstream == nil {
		return ""
	}
	return s.Upstream.Git
}

// scpAddress is the form of a repository's address that ssh has: git@example.org:team/texts.git.
var scpAddress = regexp.MustCompile(`^(?:[^@/]+@)?([^:/]+):([^/].*)$`)

// Addresses are those below which the site's proposals lie: its own, and on the web those of the
// repository that source_url leads to and of the upstream.
func (s *Site) Addresses() []string {
	source, _, _ := strings.Cut(s.SourceURL, "{")
	source, _, _ = strings.Cut(source, "?")
	// The folder blob of a host shows files; others beside it do as well.
	source = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(source, "/"), "/blob"), "/-")
	upstream := scpAddress.ReplaceAllString(s.UpstreamGit(), "https://$1/$2")
	if u, err := url.Parse(upstream); err == nil && (u.Scheme == "ssh" || u.Scheme == "git") {
		upstream = "https://" + u.Hostname() + u.EscapedPath()
	}
	return []string{s.BaseURL, source, strings.TrimSuffix(strings.TrimSuffix(upstream, "/"), ".git")}
}

// URL is the absolute address of a route that starts with a slash.
func (s *Site) URL(route string) string { return s.BaseURL + route }

// Path is the route below the base address's own path: the form of links within the site.
func (s *Site) Path(route string) string { return s.BasePath() + route }

// BasePath is the path of the base address, empty for a site at the root of its host.
func (s *Site) BasePath() string {
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.EscapedPath(), "/")
}

// PublicNetworks are the networks as they may be published, without RPC addresses.
func (s *Site) PublicNetworks() []mip.Network {
	out := make([]mip.Network, 0, len(s.Networks))
	for _, n := range s.Networks {
		out = append(out, n.Network)
	}
	return out
}
