package history

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/gitsync"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// An import brings at least leastImported texts, and more than one of importedOf in all.
const leastImported, importedOf = 5, 10

// imports returns the commits that import texts, by hash, so that their times are not when the
// texts were created: the first one with texts, and each that brings many and more than a tenth of
// all that exist after it. A text that comes back does not count as brought. A text that goes may
// be a new one under its old name, so each reduces the number. The texts that the commits of cut
// bring are unknown. texts are the paths that count.
func imports(commits []git.Commit, cut, texts map[string]bool) map[string]bool {
	out := map[string]bool{}
	all := 0
	here := map[string]bool{} // has each text so far, with true while it exists
	for _, c := range commits {
		brought, first := 0, len(here) == 0
		for _, f := range c.Files {
			if !texts[f.Path] {
				continue
			}
			was, known := here[f.Path]
			is := f.After != ""
			switch {
			case is && !was:
				all++
				if !known {
					brought++
				}
			case was && !is:
				all--
				brought--
			}
			here[f.Path] = is
		}
		many := brought >= leastImported && brought*importedOf > all
		if !cut[c.Hash] && brought > 0 && (first || many) {
			out[c.Hash] = true
		}
	}
	return out
}

// importsOf returns the commits of an upstream that import texts, as far as the record of a sync
// knows. It does not know the texts that are gone.
func importsOf(record *gitsync.Record) map[string]bool {
	// The zero commit has the texts whose first versions are unknown.
	byHash, texts := map[string]*git.Commit{"": {}}, map[string]bool{}
	for _, f := range record.Files {
		_, texts[f.Path] = filename.Number(filename.Own(f.Path))
		for i, c := range synced(f) {
			hash, step := c.Hash, c.Files[0]
			switch {
			case i == 0 && step.Before != "":
				hash, c = "", git.Commit{}
			case step.Before != "" || step.After == "":
				continue
			}
			if byHash[hash] == nil {
				byHash[hash] = &git.Commit{Hash: hash, Landed: c.Landed}
			}
			byHash[hash].Files = append(byHash[hash].Files, step)
		}
	}
	var commits []git.Commit
	for _, c := range slices.SortedFunc(maps.Values(byHash), func(a, b *git.Commit) int {
		return cmp.Or(cmp.Compare(a.Landed, b.Landed), strings.Compare(a.Hash, b.Hash))
	}) {
		commits = append(commits, *c)
	}
	return imports(commits, nil, texts)
}

// ImportedOn returns midnight of the day in the header of an imported text as the time of its
// creation. ok is false without a day and for a wrong one, which is after the commit, or not after
// 1 January 1970: git's times begin then, and many programs write it for an unknown time.
func ImportedOn(created mip.Date, commit mip.Time) (at mip.Time, ok bool) {
	at = mip.NewTime(created.Time())
	return at, !created.IsZero() && at.UTC().Unix() > 0 && !at.UTC().After(commit.UTC())
}
