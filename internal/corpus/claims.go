package corpus

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// named returns the proposal that a file holds by its name alone; the zero ID if the name has no
// number, or one of a kind that the site does not publish.
func (o Options) named(f folder.File) mip.ID {
	name := ownName(f.Name)
	number, numbered := numberInName(name)
	kind, known := cmp.Or(o.KindOf[f.Folder], o.Prefix), true
	if letters := lettersInName(name, kind); letters != "" {
		kind, known = o.kind(letters)
	}
	if !numbered || !known {
		return mip.ID{}
	}
	return mip.ID{Kind: kind, Number: number}
}

// rivals are groups of texts of which one alone can be published: those whose names differ by case
// alone, and those that claim one number, a text in error among them.
func rivals(texts []*entry) (names, numbers [][]*entry) {
	byName, byID := map[string][]*entry{}, map[mip.ID][]*entry{}
	for _, e := range texts {
		lower := strings.ToLower(e.Folder + "\x00" + e.Name)
		byName[lower] = append(byName[lower], e)
		if e.claim != (mip.ID{}) {
			byID[e.claim] = append(byID[e.claim], e)
		}
	}
	for _, group := range byName {
		if len(group) > 1 {
			names = append(names, group)
		}
	}
	for _, group := range byID {
		if len(group) > 1 {
			numbers = append(numbers, group)
		}
	}
	return names, numbers
}

// firstNumber matches a file's name up to its number: the letters, the zeros and the digits.
var firstNumber = regexp.MustCompile(`^(\D*)(0*)\d*`)

// form is what names of one form have in common: the letters before the number, whether zeros stand
// before it, and whether a title follows it.
func (e *entry) form() string {
	name := ownName(e.Name)
	m := firstNumber.FindStringSubmatch(strings.TrimSuffix(name, path.Ext(name)))
	parts := []string{e.Folder, m[1]}
	if m[2] != "" {
		parts = append(parts, "zeros")
	}
	if len(m[0]) < len(name)-len(path.Ext(name)) {
		parts = append(parts, "title")
	}
	return strings.Join(parts, "\x00")
}

// settle keeps one text of each group of rivals: the one that came first, else the one whose name
// states the number in the form that most names of the folder have, else the first by name. The
// others are errors.
func (c *Corpus) settle(texts []*entry) {
	c.Claimed = map[mip.ID]bool{}
	names, numbers := rivals(texts)
	usual := map[string]int{}
	for _, e := range texts {
		if e.claim != (mip.ID{}) {
			c.Claimed[e.claim] = true
		}
		if len(names)+len(numbers) > 0 {
			usual[e.form()]++
		}
	}
	byRank := func(a, b *entry) int {
		return cmp.Or(
			cmp.Compare(c.history.arrival(a.File), c.history.arrival(b.File)),
			cmp.Compare(min(b.nameFits(), ofKind), min(a.nameFits(), ofKind)),
			cmp.Compare(usual[b.form()], usual[a.form()]),
			cmp.Compare(b.nameFits(), a.nameFits()),
			strings.Compare(a.Path, b.Path),
		)
	}
	for _, group := range names {
		kept := slices.MinFunc(group, byRank)
		for _, e := range group {
			if e != kept {
				e.report.add(0, "name-case", path.Base(kept.Name))
			}
		}
	}
	for _, group := range numbers {
		kept := slices.MinFunc(group, byRank)
		for _, e := range group {
			if e == kept || e.proposal == nil || e.report.failed {
				continue
			}
			line, number := e.proposal.numberLine, e.claim.Number
			switch {
			case kept.proposal == nil || kept.report.failed:
				e.report.add(line, "duplicate-number/error", number, kept.Path)
			case c.history.arrival(kept.File) < c.history.arrival(e.File):
				e.report.add(line, "duplicate-number/first", number, kept.Path)
			default:
				e.report.add(line, "duplicate-number", number, kept.Path)
			}
		}
	}
}
