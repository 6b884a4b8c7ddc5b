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
	name, pattern string
	// entries are the lists that a proposal is on.
	entries func(mip.Summary) []listEntry
	// head makes one word of those that share a slug, of which there is at least one.
	head func(values []string) string
}

// listEntry is a list's path segment, and what a proposal calls it.
type listEntry struct{ slug, value string }

func listKinds() []listKind {
	word := func(v *string) []listEntry {
		if v == nil {
			return nil
		}
		return []listEntry{{mip.Slug(*v), *v}}
	}
	return []listKind{
		{"status", "/status/{s}/", func(m mip.Summary) []listEntry { return []listEntry{{m.Status.Slug(), string(m.Status)}} }, headOfStatus},
		{"category", "/category/{c}/", func(m mip.Summary) []listEntry { return word(m.Category) }, headOfAll},
		{"type", "/type/{t}/", func(m mip.Summary) []listEntry { return word(m.Type) }, headOfAll},
		{"author", "/author/{login}/", authorEntries, headOfMost},
	}
}

// authorEntries are the authors with a login: nothing else tells two people of one name apart.
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

// headOfMost is what most proposals say, as one person's name is spelt in several ways.
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
		type member struct {
			at    []int // positions
			words []string
		}
		bySlug := map[string]*member{}
		for i, m := range p.all {
			for _, e := range k.entries(m) {
				if bySlug[e.slug] == nil {
					bySlug[e.slug] = &member{}
				}
				l := bySlug[e.slug]
				l.at, l.words = append(l.at, i), append(l.words, e.value)
			}
		}
		for _, slug := range slices.Sorted(maps.Keys(bySlug)) {
			m := bySlug[slug]
			p.listing(k, slug, k.head(m.words), m.at)
		}
	}
}

func (p *planner) listing(k listKind, slug, value string, at []int) {
	list := func() plain.Listing {
		return plain.Listing{Kind: k.name, Value: value, Slug: slug, Summaries: p.pick(at)}
	}
	route := "/" + k.name + "/" + slug + "/"
	p.add(Artifact{
		Route: route, Pattern: k.pattern, Type: typeHTML, index: true,
		Body: bodyOf(func() ([]byte, error) { return p.pages.Listing(list()) }),
	})
	p.add(Artifact{
		Route: route + feedFile, Pattern: k.pattern + feedFile, Type: typeRSS, index: true,
		Body: bodyOf(func() ([]byte, error) { return feed.List(p.stableInfo, list()) }),
	})
}

// pick returns the proposals at these positions.
func (p *planner) pick(at []int) []mip.Summary {
	out := make([]mip.Summary, 0, len(at))
	for _, i := range at {
		out = append(out, p.all[i])
	}
	return out
}
