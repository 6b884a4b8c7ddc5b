package survey

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/upgrade"
)

// Listed is a heading above proposals, in texts about upgrades, that names no known stage.
type Listed struct {
	Count
	// Stage is a guess, empty for none.
	Stage mip.Inclusion
}

// upgrades finds the upgrades that texts define, and the headings in them that name no known stage.
func (s *Survey) upgrades(all []*corpus.Proposal, references mip.References) {
	prefixes := slices.Sorted(maps.Keys(references))
	for _, k := range s.Kinds {
		prefixes = append(prefixes, k.Prefix)
	}
	reader, words := upgrade.NewReader(prefixes, nil, nil), map[string]int{}
	for _, p := range all {
		if p.ID.Kind != s.Kinds[0].Prefix || !upgrade.Candidate(p.Metadata, p.Body) {
			continue
		}
		t := reader.Read(upgrade.Source{Metadata: p.Metadata, Doc: markdown.Parse(p.Body)})
		for _, u := range t.Upgrades {
			s.Upgrades = append(s.Upgrades, mip.OneLine(u.Name))
		}
		for _, h := range t.Headings {
			words[mip.OneLine(h.Words)] += h.Proposals
		}
	}
	seen := map[string]bool{}
	for _, c := range counts(words) {
		if slug := mip.Slug(c.Word); !seen[slug] && slug != mip.Slug("") {
			seen[slug] = true
			s.Listed = append(s.Listed, Listed{c, upgrade.Guess(c.Word)})
		}
	}
}

// Guessed returns the headings whose stage can be guessed, by stage.
func (s *Survey) Guessed() map[mip.Inclusion][]Count {
	out := map[mip.Inclusion][]Count{}
	for _, l := range s.Listed {
		if l.Stage != "" {
			out[l.Stage] = append(out[l.Stage], l.Count)
		}
	}
	return out
}

// Unknown returns the headings whose stage cannot be guessed.
func (s *Survey) Unknown() (out []Count) {
	for _, l := range s.Listed {
		if l.Stage == "" {
			out = append(out, l.Count)
		}
	}
	return out
}

// proposals returns a number of proposals in words.
func proposals(n int) string {
	if n == 1 {
		return "1 proposal"
	}
	return strconv.Itoa(n) + " proposals"
}

// listed returns headings with their numbers of proposals, in order.
func listed(all []Count) string {
	var out []string
	for _, c := range all {
		out = append(out, proposals(c.Texts))
	}
	return strings.Join(out, ", ")
}

// names returns the first names of a list, and the number of the others.
func names(all []string) string {
	const most = 12
	if more := len(all) - most; more > 0 {
		return strings.Join(all[:most], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(all, ", ")
}
