package build

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// reserved are the first parts of paths that belong to the site, its live routes, its health checks
// and its host, whatever is published there. So are parts that begin with a dot.
var reserved = []string{"api", "assets", "healthz", "readyz", "mcp", "cdn-cgi"}

// addresses holds the owner of each path of a site: the id of a proposal, in upper case, or another
// claimant. Letter case does not count, since some hosts and file systems ignore it. The first
// owner of a path keeps it, in this order: reserved paths, published files, addresses that follow
// from a proposal's own file and number, the redirects of site.yaml, the claims of headers.
type addresses struct {
	// kinds are the prefixes of the site, in lower case, by the folders of their pages and texts:
	// mip, mips, and p of p/MIP-7.md.
	kinds map[string]string
	// prefixes are the prefixes of all kinds, in lower case.
	prefixes []string
	// folders are the folders of the site's lists and its other pages except proposals.
	folders map[string]bool
	// known are the numbers of all files, including faulty ones.
	known map[string]bool
	// owners are by path in lower case.
	owners map[string]string
}

// ownSite is the owner of what the site publishes but for proposals, and of what is reserved.
const ownSite = "the site itself"

// newAddresses returns the owners of the paths that are published, and of what follows from the
// files of proposals.
func (p *planner) newAddresses(published map[string]bool) *addresses {
	a := &addresses{
		kinds: map[string]string{}, folders: map[string]bool{},
		known: map[string]bool{}, owners: map[string]string{},
	}
	// A kind of that prefix replaces this entry below.
	a.kinds[strings.Trim(oldPages, "/")] = strings.ToLower(p.info.Prefix)
	for _, k := range p.info.Kinds {
		prefix := strings.ToLower(k.Prefix)
		a.prefixes = append(a.prefixes, prefix)
		a.kinds[prefix], a.kinds[prefix+"s"] = prefix, prefix
	}
	for _, c := range p.Proposals {
		if folder := strings.ToLower(path.Dir(c.RepoPath)); folder != "." && a.kinds[folder] == "" {
			a.kinds[folder] = strings.ToLower(c.ID.Kind)
		}
	}
	lists := []string{upgradeRoute, roleRoute, changesYearRoute}
	for _, list := range listFields() {
		lists = append(lists, list.route)
	}
	for _, route := range lists {
		folder, _, _ := strings.Cut(strings.TrimPrefix(route, "/"), "/")
		a.folders[folder] = true // also while no list is in it
	}
	for id := range p.Claimed {
		a.known[strings.ToUpper(id.String())] = true
	}
	for at := range published {
		folder, _, below := strings.Cut(strings.ToLower(strings.TrimPrefix(at, "/")), "/")
		if _, pages := a.kinds[folder]; below && !pages {
			a.folders[folder] = true
		}
		a.take(at, ownSite)
	}
	for _, c := range p.Proposals {
		for _, at := range oldPaths(c) {
			a.take(at, strings.ToUpper(c.ID.String()))
		}
	}
	return a
}

// take gives a path to an owner, unless it has one.
func (a *addresses) take(at, owner string) {
	if at = strings.ToLower(at); a.owners[at] == "" {
		a.owners[at] = owner
	}
}

// numbered is the proposal, published or not, whose number a path states: /mip/7/history,
// /MIPS/mip-7.md, /p/007-title. ok is false for any other path. The id is in upper case.
func (a *addresses) numbered(at string) (id string, ok bool) {
	parts := strings.Split(strings.Trim(strings.ToLower(at), "/"), "/")
	for i, part := range parts {
		kind, inFolder := a.kinds[strings.Join(parts[:i], "/")]
		digits := part
		for _, prefix := range a.prefixes {
			rest, has := strings.CutPrefix(part, prefix)
			rest = strings.TrimLeft(strings.TrimPrefix(rest, "s"), "-_")
			if has && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
				kind, inFolder, digits = prefix, true, rest
			}
		}
		end := strings.TrimLeft(digits, "0123456789")
		number := strings.TrimLeft(digits[:len(digits)-len(end)], "0")
		word := strings.IndexFunc(end, func(r rune) bool { return r >= 'a' && r <= 'z' }) == 0
		if inFolder && len(end) < len(digits) && !word {
			return strings.ToUpper(kind) + "-" + cmp.Or(number, "0"), true
		}
	}
	return "", false
}

// owner returns the owner of a path, or "" if the path is free.
func (a *addresses) owner(at string) string {
	at = strings.ToLower(at)
	first, _, _ := strings.Cut(strings.TrimPrefix(at, "/"), "/")
	if slices.Contains(reserved, first) || strings.HasPrefix(first, ".") {
		return ownSite
	}
	if id, ok := a.numbered(at); ok {
		return id
	}
	return a.owners[at]
}

// ownerForSite is owner for a redirect of site.yaml. The redirect may start at an unused number,
// since a proposal may have been renumbered.
func (a *addresses) ownerForSite(at string) string {
	owner := a.owner(at)
	if id, ok := a.numbered(at); ok && owner == id && !a.known[id] {
		return a.owners[strings.ToLower(at)]
	}
	return owner
}

// ownerForHeaders is owner for the claim of a header. A header cannot claim a path in a folder of
// the site's own pages, since a later list would have no place.
func (a *addresses) ownerForHeaders(at string) string {
	folder, _, below := strings.Cut(strings.ToLower(strings.TrimPrefix(at, "/")), "/")
	if owner := a.owner(at); owner != "" || !below || !a.folders[folder] {
		return owner
	}
	return ownSite
}
