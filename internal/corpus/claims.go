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

// rivals returns the groups of conflicting texts, of which only one can be published: names that
// differ only by case, and texts that claim the same number, including faulty texts.
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

// form is the common form of similar names: the letters before the number, whether it has leading
// zeros, and whether a title follows.
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

// resolveClaims keeps one text of each group of conflicting texts: the one that arrived first, else
// the one whose name has the number in the usual form of the folder, else the first by name. The
// others are errors.
func (c *Corpus) resolveClaims(texts []*entry) {
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

// ofKind is the lowest nameFits of a name with the number of its kind.
const ofKind = 2

// nameFits rates how well a file's name fits the number that it claims: MIP-7.md is better than
// MIP-07-a-title.md, then 0007-a-title.md, then MRC-7.md. It is 0 if it does not fit.
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
