package corpus

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/mip"
)

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
	name := filename.Own(e.Name)
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
			cmp.Compare(c.Log.Arrival(a.File), c.Log.Arrival(b.File)),
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
				e.report.Add(0, "name-case", path.Base(kept.Name))
			}
		}
	}
	for _, group := range numbers {
		kept := slices.MinFunc(group, byRank)
		for _, e := range group {
			if e == kept || e.proposal == nil || e.report.Failed {
				continue
			}
			line, number := e.proposal.numberLine, e.claim.Number
			switch {
			case kept.proposal == nil || kept.report.Failed:
				e.report.Add(line, "duplicate-number/error", number, kept.Path)
			case c.Log.Arrival(kept.File) < c.Log.Arrival(e.File):
				e.report.Add(line, "duplicate-number/first", number, kept.Path)
			default:
				e.report.Add(line, "duplicate-number", number, kept.Path)
			}
		}
	}
}

// ofKind is the least of nameFits of a name that states the number of its kind.
const ofKind = 2

// nameFits says how well a file's name fits the number that it claims: MIP-7.md before
// MIP-07-a-title.md, that before 0007-a-title.md, and that before MRC-7.md; 0 when it does not.
func (e *entry) nameFits() int {
	name := filename.Own(e.Name)
	n, named := filename.Number(name)
	switch {
	case !named || n != e.claim.Number:
		return 0
	case filename.Letters(name, e.claim.Kind) != "":
		return 1
	case name[0] >= '0' && name[0] <= '9':
		return ofKind
	case strings.TrimSuffix(name, path.Ext(name)) != e.claim.String():
		return 3
	}
	return 4
}
