// Package site reads site.yaml: the title, the address, the networks, the forum and the hard
// forks of one published site. It knows nothing of proposals' texts, of HTTP or of output
// paths.
package site

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Site is a validated site.yaml. Title and BaseURL are always set; every other field may be zero. A field with the name
// of a key is read as it is, and its rules are in validate; file adds the keys that are written in another form.
type Site struct {
	// The name of the site, in titles, feeds and llms.txt.
	Title string `yaml:"title"`
	// Absolute, http or https, no slash at the end; may hold a path. Every published address
	// begins with it.
	BaseURL     string `yaml:"base_url"`
	Description string `yaml:"description"`
	Brand       Brand
	// Ids of the main kind start with it; the header key in lower case; MIP when the file has none.
	Prefix string `yaml:"prefix"`
	// Folders of all kinds, relative to the file's own folder, slash-separated; ["proposals"] when the file
	// has none.
	Proposals []string `yaml:"proposals"`
	// Kinds are the kinds of proposals, the main one first, which has Prefix; none: there is one alone.
	Kinds []Kind `yaml:"kinds"`
	// Template with {path} and {commit}; empty: proposals have no source link.
	SourceURL string `yaml:"source_url"`
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
	Locales []string `yaml:"locales"`
	// Redirects are old paths of proposals of the site, each with {n} where the number goes, as in /EIPS/eip-{n}, and other
	// old paths, each with a blank and the path or address that it leads to now behind it, as in /faq /about/.
	Redirects []string `yaml:"redirects"`
	// Ignore are patterns of names of files that hold no proposals, such as templates, in the syntax of path.Match. Letter
	// case does not count.
	Ignore []string `yaml:"ignore"`
	// Statuses is the process; none: that of EIP-1.
	Statuses mip.Process `yaml:"statuses"`
	// Keys are further keys of headers by what they mean, in the words of mip.HeaderKeys: tried behind the usual ones.
	Keys map[string][]string `yaml:"keys"`
	// Dates is the order of dates such as 3/4/2026: mdy or dmy; empty: that of the folder's other dates.
	Dates string `yaml:"dates"`
	// Show are keys of headers whose values the details of a page show as they are, in this order.
	Show []string `yaml:"show"`
	// References are where proposals of other sites are.
	References mip.References `yaml:"references"`
	// Host is what serves the site.
	Host mip.Host `yaml:"host"`
	// KeepGoing says that the sound proposals are published, or taken from the upstream, where others are in error.
	KeepGoing bool `yaml:"keep_going"`
	// Colour code blocks; true unless the file says false.
	Highlight bool `yaml:"highlight"`
	// File is where the site was read, empty: nowhere.
	File string
	// Sources are where its proposals are, as far as [Site.Find] has found them.
	Sources []filename.Source
	// Lines are those of the file's values, by the names that messages have for them, such as
	// brand.logo and redirects[0]. A value that the file lacks has line 0.
	Lines map[string]int
}

// Kind is a kind of proposals, with numbers of its own.
type Kind struct {
	Prefix string `yaml:"prefix"`
	// Name is for people, in the plural; empty: that of the prefix.
	Name string `yaml:"name"`
	// Proposals are folders, as those of the site.
	Proposals []string `yaml:"proposals"`
}

// Upstream is the git repository that proposals are synced from.
type Upstream struct {
	// Git is the address, which the git program understands.
	Git string `yaml:"git"`
	// Branch, tag or commit; empty: the remote's default branch.
	Ref string `yaml:"ref"`
	// Folders are within the repository; none stands for its top.
	Folders []string `yaml:"folders"`
}

// Override holds facts about one proposal that its header lacks. A fact that is nil is not
// stated here, and that of the header stays.
type Override struct {
	ForumTopicID  *int    `yaml:"forum_topic_id"`
	DiscussionsTo *string `yaml:"discussions_to"`
	Hardfork      *string `yaml:"hardfork"`
}

// ProposalsLine is where the file names the folders; 0 when it does not.
func (s *Site) ProposalsLine() int { return cmp.Or(s.Lines["proposals"], s.Lines["kinds"]) }

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
	for _, shown := range []string{"/-/blob/", "/blob/", "/src/branch/", "/src/commit/"} {
		source, _, _ = strings.Cut(source, shown)
	}
	source = strings.TrimSuffix(source, "/")
	upstream := scpAddress.ReplaceAllString(s.UpstreamGit(), "https://$1/$2")
	if u, err := url.Parse(upstream); err == nil && (u.Scheme == "ssh" || u.Scheme == "git") {
		upstream = "https://" + u.Hostname() + u.EscapedPath()
	}
	return []string{s.BaseURL, source, strings.TrimSuffix(strings.TrimSuffix(upstream, "/"), ".git")}
}

// URL is the absolute address of a route that starts with a slash.
func (s *Site) URL(route string) string { return s.BaseURL + s.Host.Route(route) }

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

// AllKinds are the kinds of proposals, at least one, the main one first.
func (s *Site) AllKinds() []Kind {
	if len(s.Kinds) == 0 {
		return []Kind{{Prefix: s.Prefix, Proposals: s.Proposals}}
	}
	return s.Kinds
}

// Publishes reports whether one of the kinds has the prefix, in any case.
func (s *Site) Publishes(prefix string) bool {
	return slices.ContainsFunc(s.AllKinds(), func(k Kind) bool { return strings.EqualFold(prefix, k.Prefix) })
}

// PublicKinds are the kinds as they are published.
func (s *Site) PublicKinds() []mip.Kind {
	var out []mip.Kind
	for _, k := range s.AllKinds() {
		out = append(out, mip.Kind{Prefix: k.Prefix, Name: cmp.Or(k.Name, k.Prefix+"s")})
	}
	return out
}

// PublicNetworks are the networks as they may be published, without RPC addresses.
func (s *Site) PublicNetworks() []mip.Network {
	out := make([]mip.Network, 0, len(s.Networks))
	for _, n := range s.Networks {
		out = append(out, n.Network)
	}
	return out
}
