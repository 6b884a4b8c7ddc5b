package summary

import (
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// changes picks three to six points: what the abstract and the specification say will be different,
// with what the header and the fork say of its fate. Where the text says too little, its lists and the
// rest of the header fill up.
func changes(s Subject, all []passage, tldr string) []string {
	points := slices.DeleteFunc(outcome(s), func(line string) bool { return line == tldr })
	last := schedule(s)
	// room is how many more points there may be, want how many there have to be.
	room := maxChanges - len(points)
	want := minChanges - len(points)
	if last != "" {
		room, want = room-1, want-1
	}
	if kindOf(s) == hardfork && len(s.Bundled) > 0 {
		points = append(points, bundledChanges(s, all, room)...)
	} else {
		points = append(points, ownChanges(all, tldr, min(room, 5), want)...)
	}
	if last != "" {
		points = append(points, last)
	}
	for _, again := range []bool{false, true} { // rather what is not said yet
		for _, line := range fill(s) {
			if len(points) < minChanges && !slices.Contains(points, line) && (again || !strings.Contains(tldr, line) && !overlapsAny(line, points)) {
				points = append(points, line)
			}
		}
	}
	out := make([]string, 0, len(points))
	for _, line := range points[:min(len(points), maxChanges)] {
		out = append(out, fit(line, maxChange))
	}
	return out
}

// fill returns what can be said when sentences are lacking, best first. All of it follows from the file, so that a
// summary has its three points whatever a proposal looks like.
func fill(s Subject) []string {
	p := s.Proposal
	out := append(inventories(p), relations(p)...)
	return append(out, header(p), written(p), quoted(p), nothingElse(p))
}

// nothingElse admits that the text says no more.
func nothingElse(p *mip.Proposal) string {
	for _, s := range p.Sections {
		if strings.TrimSpace(prose.Body(s)) != "" {
			return "The text holds no other full sentence about a change."
		}
	}
	return "Beneath its header the file holds no text."
}

// ownChanges picks at most n sentences of the proposal itself, the weak ones only up to three of them
// and the weakest only as far as want.
func ownChanges(all []passage, tldr string, n, want int) []string {
	var ranked []scored
	for _, p := range all {
		if score := changeScore(p); score > 0 && p.from == "" {
			ranked = append(ranked, scored{p, score})
		}
	}
	// No section may fill the summary alone, and none of the points may say what another one says.
	const mostPerSection = 3
	var picked []scored
	perSection := map[string]int{}
	for _, x := range best(ranked) {
		if len(picked) == n || x.score < enoughForChange && len(picked) >= minChanges || x.score < weakestChange && len(picked) >= want {
			break
		}
		if perSection[x.section] == mostPerSection || alike(x.text, tldr) || overlaps(x.text, picked) {
			continue
		}
		perSection[x.section]++
		picked = append(picked, x)
	}
	var out []string
	for _, x := range inOrder(picked) {
		out = append(out, x.text)
	}
	return out
}

// bundledChanges gives every bundled proposal a point while there is room: what it says of itself in
// one sentence.
func bundledChanges(s Subject, all []passage, n int) []string {
	var out []string
	for i, b := range s.Bundled {
		if len(out) == n-1 && i < len(s.Bundled)-1 {
			var rest []int
			for _, b := range s.Bundled[i:] {
				rest = append(rest, b.Number)
			}
			return append(out, s.Proposal.ID.String()+" also bundles "+ids(s.Proposal.ID.String(), rest)+".")
		}
		line := header(b)
		if i := slices.IndexFunc(all, func(p passage) bool { return p.from == b.ID.String() && p.role == abstract }); i >= 0 {
			line = all[i].text
		}
		if b.Description != nil && prose.Collapse(*b.Description) != "" {
			line = sentence(*b.Description)
		}
		out = append(out, b.ID.String()+" ("+b.Title+"): "+line)
	}
	var picked []scored
	for _, p := range all {
		if p.from != "" && (p.role == abstract || p.role == specification) && !overlapsAny(p.text, out) {
			picked = append(picked, scored{p, changeScore(p)})
		}
	}
	for _, x := range best(picked) {
		if len(out) == n || x.score < enoughForChange {
			break
		}
		if !overlapsAny(x.text, out) {
			out = append(out, x.from+": "+x.text)
		}
	}
	return out
}
