// Package site reads site.yaml: the title, the address, the networks, the forum and the hard
// forks of one published site. It knows nothing of proposals' texts, of HTTP or of output
// paths.
package site

import (
	"net/url"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Site is a validated site.yaml. Title and BaseURL are always set; every other field may be
// zero.
type Site struct {
	Title string
	// Absolute, http or https, no slash at the end; may hold a path.
	BaseURL     string
	Description string
	// Ids start with it; the header key in lower case; MIP when the file has none.
	Prefix string
	// Folders, relative to the file's own folder, slash-separated; ["proposals"] when the file
	// has none.
	Proposals []string
	// ProposalsLine is where the file names the folders; 0 when it does not.
	ProposalsLine int
	// Template with {path} and {commit}; empty: proposals have no source link.
	SourceURL string
	// Nil: nothing to sync from.
	Upstream *Upstream
	// Base address of a Discourse, no slash at the end; empty: none.
	Forum string
	// Networks are in the file's order.
	Networks []mip.Endpoints
	// HardForks are in the file's order; Status is not set.
	HardForks []mip.HardFork
	Overrides map[mip.ID]Override
	// Locales are those in addition to English, BCP 47.
	Locales []string
	// Colour code blocks; true unless the file says false.
	Highlight bool
}

// Upstream is the git repository that proposals are synced from.
type Upstream struct {
	Git string // address
	// Branch, tag or commit; empty: the remote's default branch.
	Ref string
	// Folders are within the repository; none stands for its top.
	Folders []string
	// Line is where the file speaks of the upstream.
	Line int
}

// Override holds facts about one proposal that its header lacks.
type Override struct {
	ForumTopicID  *int
	DiscussionsTo *string
	Hardfork      *string
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
