package build

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/feed"
	"github.com/mipwatch/mipwatch/render/plain"
)

// listKind is a field by which proposals are listed.
type listKind struct {
	name, route string
	// entries are the lists that a proposal is on.
	entries func(mip.Summary) []listEntry
	// head makes one word of those that share a slug, of which there is at least one.
	head func(values []string) string
}

// listEntry is a list's path segment, and its name in a proposal's header.
type listEntry struct{ slug, value string }

// listKinds are the fields, in the order of the plan. A value that is missing, of a status alone, has a list too.
func listKinds() []listKind {
	word := func(v *string) []listEntry {
		if v == nil {
			return nil
		}
		return []listEntry{{mip.Slug(*v), *v}}
	}
	return []listKind{
		{"status", statusRoute, func(m mip.Summary) []listEntry { return []listEntry{{m.Status.Slug(), string(m.Status)}} }, headOfStatus},
		{"category", categoryRoute, func(m mip.Summary) []listEntry { return word(m.Category) }, headOfAll},
		{"type", typeRoute, func(m mip.Summary) []listEntry { return word(m.Type) }, headOfAll},
		{"author", authorRoute, authorEntries, headOfMost},
	}
}

// authorEntries are the authors with a login: only a login distinguishes two people of one name.
func authorEntries(m mip.Summary) []listEntry {
	var out []listEntry
	for _, a := range m.Authors {
		slug := a.Slug()
		if slug == "" || slices.ContainsFunc(out, func(e listEntry) bool { return e.slug == slug }) {
			continue
		}
		out = append(out, listEntry{slug, cmp.Or(word(a.Name), "@"+*a.GitHub)})
	}
	return out
}

// headOfAll names every value: C and C++ have one slug, and so one page.
func headOfAll(values []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(values))), ", ")
}

// headOfStatus prefers the word of the process, which is the one that the page explains.
func headOfStatus(values []string) string {
	for _, v := range values {
		if s := mip.Status(v); s == "" || s.Known() {
			return v
		}
	}
	return headOfAll(values)
}

// headOfMost is the most frequent value, as one person's name is spelt in several ways.
func headOfMost(values []string) string {
	count := map[string]int{}
	for _, v := range values {
		count[v]++
	}
	return slices.MinFunc(slices.Sorted(maps.Keys(count)), func(a, b string) int { return cmp.Compare(count[b], count[a]) })
}

// listings adds the tables of the proposals that share a value of a field.
func (p *planner) listings() {
	for _, k := range listKinds() {
		type members struct {
			at    []int    // positions
			words []string // for the value, by member
		}
		// Values with one slug share a page, so that letter case does not divide a list.
		bySlug := map[string]*members{}
		for i, m := range p.Summaries {
			for _, e := range k.entries(m) {
				if bySlug[e.slug] == nil {
					bySlug[e.slug] = &members{}
				}
				l := bySlug[e.slug]
				l.at, l.words = append(l.at, i), append(l.words, e.value)
			}
		}
		for _, slug := range slices.Sorted(maps.Keys(bySlug)) {
			l := bySlug[slug]
			list := p.listing(plain.Listing{Kind: k.name, Value: k.head(l.words), Slug: slug}, l.at)
			p.addListing(k.route, slug, func() ([]byte, error) { return p.pages.Listing(list()) }, list)
		}
	}
}

// listing returns a function that adds the proposals at these positions to a list.
func (p *planner) listing(l plain.Listing, at []int) func() plain.Listing {
	// The positions are kept, not the summaries: there are thousands of lists, and few are made at a time.
	return func() plain.Listing {
		l := l
		for _, i := range at {
			l.Summaries = append(l.Summaries, p.Summaries[i])
		}
		return l
	}
}

// addListing adds a list's page and its feed.
func (p *planner) addListing(pattern, slug string, page func() ([]byte, error), list func() plain.Listing) {
	before, _, _ := strings.Cut(pattern, "{")
	route := before + slug + "/"
	p.add(Artifact{Route: route, Pattern: pattern, index: true, Body: bodyOf(page)})
	p.add(Artifact{Route: route + feedFile, Pattern: pattern + feedFile, index: true, Body: bodyOf(func() ([]byte, error) {
		return feed.List(p.stableInfo, list())
	})})
}

// upgrades adds a page for each hard fork, and their overview.
func (p *planner) upgrades() {
	// Forks whose names have one slug share a page, that of the first.
	seen := map[string]bool{}
	for _, f := range p.Forks {
		slug := mip.Slug(f.Name)
		if seen[slug] {
			continue
		}
		seen[slug] = true
		list := p.listing(plain.Listing{Kind: "upgrade", Value: f.Name, Slug: slug}, p.bundled(f))
		p.addListing(upgradeRoute, slug, func() ([]byte, error) { return p.pages.Upgrade(f, p.Summaries) }, list)
	}
	p.addIndex("/upgrade/", func() ([]byte, error) { return p.pages.Upgrades(p.Summaries) })
}

// bundled are the positions of a fork's published proposals, of the one that defines it too.
func (p *planner) bundled(f mip.HardFork) []int {
	var out []int
	for i, m := range p.Summaries {
		if slices.Contains(f.BundledMIPs, m.Number) || f.MetaMIP != nil && *f.MetaMIP == m.Number {
			out = append(out, i)
		}
	}
	return out
}
