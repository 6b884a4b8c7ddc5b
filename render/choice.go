package render

import (
	"cmp"
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// choice is one value of a field, for a link, a filter or a count.
type choice struct {
	Slug, Label string
	Class       string // of a status
	Count       int
}

// choices counts values by slug: first those of first, in their order, then the others by label. The least label of a
// slug stands for it. A value is false for a proposal that has none.
func choices(first []choice, all []mip.Summary, value func(mip.Summary) (slug, label string, ok bool)) []choice {
	out := first
	at := map[string]int{}
	// The first ones are there even when nothing has them.
	for i, c := range first {
		at[c.Slug] = i
	}
	for _, s := range all {
		slug, label, ok := value(s)
		if !ok {
			continue
		}
		i, seen := at[slug]
		if !seen {
			i = len(out)
			at[slug] = i
			out = append(out, choice{Slug: slug, Label: label})
		}
		out[i].Label = min(out[i].Label, label)
		out[i].Count++
	}
	slices.SortFunc(out[len(first):], func(a, b choice) int { return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Slug, b.Slug)) })
	return out
}

// choicesOf counts a field that a header may lack.
func choicesOf(all []mip.Summary, field func(mip.Summary) *string) []choice {
	return choices(nil, all, func(s mip.Summary) (string, string, bool) {
		v := field(s)
		if v == nil {
			return "", "", false
		}
		return mip.Slug(*v), *v, true
	})
}

// category is the field for choicesOf.
func category(s mip.Summary) *string { return s.Category }

// statusTiles counts the statuses: those of the process in the order of life, whether a proposal has them or not, then
// the others by name. No status comes last.
func statusTiles(all []mip.Summary) []choice {
	var process []choice
	for _, s := range mip.Statuses() {
		process = append(process, choice{Slug: s.Slug(), Label: string(s)})
	}
	none := mip.Status("").Slug()
	out := choices(process, all, func(s mip.Summary) (string, string, bool) { return s.Status.Slug(), s.Status.String(), true })
	slices.SortStableFunc(out, func(a, b choice) int {
		switch {
		case a.Slug == none && b.Slug != none:
			return 1
		case b.Slug == none && a.Slug != none:
			return -1
		}
		return 0
	})
	for i, c := range out {
		out[i].Class = statusClass(mip.Status(c.Label))
		if c.Slug == none {
			out[i].Class = statusClass("")
		}
	}
	return out
}

// statusChoices counts the statuses that occur, in the order of statusTiles.
func statusChoices(all []mip.Summary) []choice {
	return slices.DeleteFunc(statusTiles(all), func(c choice) bool { return c.Count == 0 })
}

// forkChoices are the hard forks that have a page, in the order of the site.
func (p *Pages) forkChoices() []choice {
	var out []choice
	for _, f := range p.forks {
		slug := mip.Slug(f.Name)
		if !slices.ContainsFunc(out, func(c choice) bool { return c.Slug == slug }) {
			out = append(out, choice{Slug: slug, Label: f.Name})
		}
	}
	return out
}
