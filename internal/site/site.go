// Package site reads site.yaml: the title, the address, the networks, the forum and the hard forks
// of one published site. It does not know proposals' texts, HTTP or output paths.
package site

import (
	"cmp"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Site is a validated site.yaml. Title and BaseURL are always set, and every other field may be
// zero. A field with a yaml tag has the value of the file, and the method validate has its rules.
// The type file adds the keys with another form.
type Site struct {
	// Title is the name of the site, in titles, feeds and llms.txt.
	Title string `yaml:"title"`
	// BaseURL is absolute, http or https, without a trailing slash, possibly with a path. Every
	// published address begins with it.
	BaseURL     string `yaml:"base_url"`
	Description string `yaml:"description"`
	Brand       Brand
	// Prefix begins the ids of the main kind. In lower case it is their header key. The default is
	// MIP.
	Prefix string `yaml:"prefix"`
	// Proposals are the folders of all kinds, slash-separated and relative to the file's folder.
	// The default is ["proposals"].
	Proposals []string `yaml:"proposals"`
	// Kinds are the kinds of proposals. The first is the main one, with Prefix. Empty means that
	// there is only one kind.
	Kinds []Kind `yaml:"kinds"`
	// SourceURL is a template with {path} and {commit}. Empty means that proposals have no source
	// link.
	SourceURL string `yaml:"source_url"`
	// Upstream is nil if there is nothing to sync from.
	Upstream *Upstream `yaml:"upstream"`
	// Forum is the base address of a Discourse forum, without a trailing slash. Empty means none.
	Forum string
	// Networks are in the file's order.
	Networks []mip.Endpoints
	// HardForks are in the file's order. Status is not set.
	HardForks []mip.HardFork
	Overrides map[mip.ID]Override
	// Locales are the languages in addition to English (BCP 47).
	Locales []string `yaml:"locales"`
	// Redirects are old paths of this site: patterns of proposals with {n} for the number, such as
	// /EIPS/eip-{n}, and single paths followed by a blank and the target, a path or an address,
	// such as /faq /about/.
	Redirects []string `yaml:"redirects"`
	// Ignore are patterns of names of files without proposals, such as templates, in the syntax of
	// path.Match. They are case-insensitive.
	Ignore []string `yaml:"ignore"`
	// Statuses is the process. Empty means the process of EIP-1.
	Statuses mip.Process `yaml:"statuses"`
	// Keys are additional header keys by meaning, one of mip.HeaderKeys. They are tried after the
	// usual keys.
	Keys map[string][]string `yaml:"keys"`
	// Dates is the order of dates such as 3/4/2026: mdy or dmy. Empty means the order of the
	// folder's other dates.
	Dates string `yaml:"dates"`
	// Show are header keys whose values a proposal's page shows unchanged, in this order.
	Show []string `yaml:"show"`
	// References are the addresses of proposals of other sites.
	References mip.References `yaml:"references"`
	// Upgrades configure how upgrades are read from texts.
	Upgrades Upgrades `yaml:"upgrades"`
	// Host is the kind of server of the site.
	Host mip.Host `yaml:"host"`
	// KeepGoing means that valid proposals are published, or synced from the upstream, even if
	// others have errors.
	KeepGoing bool `yaml:"keep_going"`
	// Highlight colors code blocks. The default is true.
	Highlight bool `yaml:"highlight"`
	// File is the path of the file, or "" if the site was not read from one.
	File string
	// Sources are the places of the proposals that [Site.Find] has found.
	Sources []filename.Source
	// Lines has the line of each value in the file, by its name in messages, such as brand.logo and
	// redirects[0]. A missing value has line 0.
	Lines map[string]int
}

// Kind is a kind of proposals with its own numbers.
type Kind struct {
	Prefix string `yaml:"prefix"`
	// Name is a plural name for people. Empty means the prefix with an s.
	Name string `yaml:"name"`
	// Proposals are folders, as in the site's own settings.
	Proposals []string `yaml:"proposals"`
}

// Upstream is the git repository from which proposals are synced.
type Upstream struct {
	// Git is an address for the git program.
	Git string `yaml:"git"`
	// Ref is a branch, tag or commit. Empty means the remote's default branch.
	Ref string `yaml:"ref"`
	// Folders are within the repository. Empty means its top folder.
	Folders []string `yaml:"folders"`
}

// Upgrades are settings about network upgrades that the texts of meta proposals define.
type Upgrades struct {
	// Stages are further words of headings by stage, one of [mip.Inclusions].
	Stages map[string][]string `yaml:"stages"`
}

// Override has facts about one proposal that its header lacks. A nil fact leaves the header's
// value.
type Override struct {
	ForumTopicID  *int    `yaml:"forum_topic_id"`
	DiscussionsTo *string `yaml:"discussions_to"`
	Hardfork      *string `yaml:"hardfork"`
}

// ProposalsLine is the line that names the folders, or 0 if the file does not.
func (s *Site) ProposalsLine() int { return cmp.Or(s.Lines["proposals"], s.Lines["kinds"]) }

// UpstreamGit is the address of the upstream, or "" if there is none.
func (s *Site) UpstreamGit() string {
	if s.Upstream == nil {
		return ""
	}
	return s.Upstream.Git
}

// scpAddress matches the scp-like form of a repository's address: git@example.org:team/texts.git.
var scpAddress = regexp.MustCompile(`^(?:[^@/]+@)?([^:/]+):([^/].*)$`)

// Addresses are the web addresses below which the site's proposals are published: its own, the
// repository of source_url, and the upstream.
func (s *Site) Addresses() []string {
	source, _, _ := strings.Cut(s.SourceURL, "{")
	source, _, _ = strings.Cut(source, "?")
	// A host shows files below the folder blob, and also below its siblings.
	for _, shown := range []string{"/-/blob/", "/blob/", "/src/branch/", "/src/commit/"} {
		source, _, _ = strings.Cut(source, shown)
	}
	source = strings.TrimSuffix(source, "/")
	upstream := scpAddress.ReplaceAllString(s.UpstreamGit(), "https://$1/$2")
	if u, err := url.Parse(upstream); err == nil && (u.Scheme == "ssh" || u.Scheme == "git") {
		upstream = "https://" + u.Hostname() + u.EscapedPath()
	}
	return []string{s.BaseURL, source,
		strings.TrimSuffix(strings.TrimSuffix(upstream, "/"), ".git")}
}

// Source returns the address of a file of the repository as of a commit, by SourceURL. ok is false
// without one, and for a file outside of the repository.
func (s *Site) Source(commit, repoPath string) (address string, ok bool) {
	if s.SourceURL == "" || repoPath == ".." || strings.HasPrefix(repoPath, "../") {
		return "", false
	}
	// A file name may hold any character; the slashes between its parts stay. An escaped path holds
	// no brace.
	segments := strings.Split(repoPath, "/")
	for i, segment := range segments {
		segments[i] = url.PathEscape(segment)
	}
	values := strings.NewReplacer("{path}", strings.Join(segments, "/"), "{commit}", commit)
	return values.Replace(s.SourceURL), true
}

// Public returns the published description of the site, without FullText.
func (s *Site) Public() mip.Site {
	out := mip.Site{
		Title: s.Title, Description: s.Description, Prefix: s.Prefix, BaseURL: s.BaseURL,
		Host: s.Host, Kinds: s.PublicKinds(), Statuses: append(mip.Process{}, s.Statuses...),
		Networks: s.PublicNetworks(), Locales: append([]string{}, s.Locales...),
	}
	if s.Forum != "" {
		out.Forum = &s.Forum
	}
	return out
}

// ForeignTopic reports whether a proposal's topic number was read from a link to another forum than
// the site's.
func (s *Site) ForeignTopic(m mip.Metadata) bool {
	if m.ForumTopicID == nil || m.DiscussionsTo == nil {
		return false
	}
	// A number in a field of its own takes precedence over the link.
	linked := mip.Topic(*m.DiscussionsTo)
	_, ours := mip.Below(*m.DiscussionsTo, s.Forum)
	return linked != nil && *linked == *m.ForumTopicID && !ours
}

// URL is the absolute address of a route, which starts with a slash.
func (s *Site) URL(route string) string { return s.BaseURL + s.Host.Route(route) }

// Path is the route below the path of the base address. Links within the site have this form.
func (s *Site) Path(route string) string { return s.BasePath() + route }

// BasePath is the path of the base address, or "" for a site at the root of its host.
func (s *Site) BasePath() string {
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.EscapedPath(), "/")
}

// AllKinds are the kinds of proposals, at least one. The first is the main one.
func (s *Site) AllKinds() []Kind {
	if len(s.Kinds) == 0 {
		return []Kind{{Prefix: s.Prefix, Proposals: s.Proposals}}
	}
	return s.Kinds
}

// Prefixes returns the prefixes of ids that texts may name: the prefixes of the kinds, and of other
// known sites.
func (s *Site) Prefixes() (out []string) {
	for _, k := range s.AllKinds() {
		out = append(out, k.Prefix)
	}
	return slices.AppendSeq(out, slices.Values(slices.Sorted(maps.Keys(s.References))))
}

// Publishes reports whether one of the kinds has the prefix, in any letter case.
func (s *Site) Publishes(prefix string) bool {
	return slices.ContainsFunc(s.AllKinds(), func(k Kind) bool {
		return strings.EqualFold(prefix, k.Prefix)
	})
}

// PublicKinds are the kinds in their published form.
func (s *Site) PublicKinds() []mip.Kind {
	var out []mip.Kind
	for _, k := range s.AllKinds() {
		out = append(out, mip.Kind{Prefix: k.Prefix, Name: cmp.Or(k.Name, k.Prefix+"s")})
	}
	return out
}

// PublicNetworks are the networks without RPC addresses.
func (s *Site) PublicNetworks() []mip.Network {
	out := make([]mip.Network, 0, len(s.Networks))
	for _, n := range s.Networks {
		out = append(out, n.Network)
	}
	return out
}
