package summary

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxMaterial bounds the text that a model is given, in bytes: some 16,000 tokens of English.
const maxMaterial = 48 << 10

// Section is a section as a model is given it.
type Section struct {
	Name string // as evidence names it
	Text string
}

// keptFirst are the roles of sections that a model reads, the last one first to be cut when there
// is too much text.
var keptFirst = []role{abstract, compatibility, impact, security, specification, motivation, other, rationale}

// Sections returns the sections that a model is to read, in order and within a bound of 48 KiB. For
// the meta proposal of a fork every proposal has the same share. Sections that hold nothing about
// the change (tests, code, references, licence) are left out, and the one that does not fit is cut.
func Sections(s Subject) []Section {
	const least = 100 // bytes; less of a section says nothing
	var out []Section
	for from, p := range s.proposals() {
		// Sections that say most of the change take their share first.
		share := maxMaterial / (1 + len(s.Bundled))
		all := make([]Section, len(p.Sections))
		for _, r := range keptFirst {
			for i, role := range roles(p.Sections) {
				text := strings.TrimSpace(p.Sections[i].Markdown)
				if role == r && (len(text) <= share || share > least) {
					all[i] = Section{sectionID(from, p.Sections[i].ID), mip.Shorten(text, share)}
					share -= len(all[i].Text)
				}
			}
		}
		out = append(out, slices.DeleteFunc(all, func(s Section) bool { return s.Text == "" })...)
	}
	return out
}

// Facts are the facts of the header, a line each, in at most 12 KiB. No fork and no deadline is
// among them: whoever is told a time repeats it, and a summary is read when it has come.
func Facts(s Subject) string {
	var lines []string
	for from, p := range s.proposals() {
		name := p.ID.String() + ": " + mip.Collapse(p.Title)
		if from != "" {
			name = "It bundles " + name
		}
		lines = append(lines, name)
		if p.Description != nil {
			lines = append(lines, "Description: "+mip.Collapse(*p.Description))
		}
		lines = append(lines, header(p))
		if from == "" {
			lines = slices.Concat(lines, outcome(p), relations(p))
		}
	}
	return mip.Shorten(strings.Join(lines, "\n")+"\n", maxMaterial/4)
}

// The functions below make whole sentences from a proposal's header: what can be said of a proposal
// whose text says little. They are no quotes.

// reasonGiven begins the sentence of a header that says why a proposal was withdrawn.
const reasonGiven = "The reason given: "

// outcome says first what a reader must not miss: that nothing will come of it, or what took its
// place.
func outcome(p *mip.Proposal) []string {
	id := p.ID.String()
	var out []string
	// EIP-1 asks for the reason in the header.
	if r := p.WithdrawalReason; p.Stage == mip.StageStopped && r != nil && mip.Collapse(*r) != "" {
		out = []string{id + " is " + strings.ToLower(string(p.Status)) + ". " + reasonGiven + mip.Sentence(mip.Collapse(*r))}
	} else if fate := of("fate", p); fate != "" {
		out = []string{id + " " + fate}
	}
	if len(p.SupersededBy) > 0 {
		out = append(out, id+" is superseded by "+ids(p, p.SupersededBy)+".")
	}
	return out
}

// header says what kind of thing a proposal is and where it stands. Where type and category are the
// same word, as in "Meta", it is named once.
func header(p *mip.Proposal) string {
	line := p.ID.String() + " has no status"
	if p.Status != "" {
		line = p.ID.String() + " has the status " + string(p.Status)
	}
	switch {
	case p.Type != nil && p.Category != nil && *p.Type != *p.Category:
		line += fmt.Sprintf(" and is of type %s, category %s", *p.Type, *p.Category)
	case p.Type != nil:
		line += " and is of type " + *p.Type
	case p.Category != nil:
		line += " and is of category " + *p.Category
	}
	if !p.Created.IsZero() {
		line += "; it was created on " + p.Created.Time().Format("2 January 2006")
	}
	return line + "."
}

// titled is a proposal's id and title.
func titled(p *mip.Proposal) string { return p.ID.String() + " (" + p.Title + ")" }

// quotedTitle is a sentence with the title in quotation marks.
func quotedTitle(p *mip.Proposal) string {
	return p.ID.String() + " is titled “" + strings.TrimSpace(p.Title) + "”."
}

// inventories says what the lists hold that stand in a proposal without a sentence of their own.
func (r *reading) inventories() []string {
	const most = 6 // items: with more of them a point would be cut within one
	var out, late []string
	for _, p := range r.parts {
		if !slices.Contains([]role{abstract, specification, compatibility, other}, p.role) || p.title == "" {
			continue
		}
		if p.size > judged {
			continue // its list is too long to be named
		}
		var items []string
		for _, b := range p.blocks {
			if item := p.item(b); item != "" {
				items = append(items, item)
			}
		}
		// A single item is no list that says more than a sentence.
		if len(items) < 2 {
			continue
		}
		if n := len(items); n > most {
			items = append(items[:most], fmt.Sprintf("and %d more", n-most))
		}
		line := fmt.Sprintf("Under “%s” it lists: %s.", p.title, strings.Join(items, "; "))
		// Lists of dates and releases come behind those of what changes.
		if p.role == compatibility {
			late = append(late, line)
		} else {
			out = append(out, line)
		}
	}
	return append(out, late...)
}

// item returns the item of a list as a part of a sentence, empty for a block that cannot be one.
func (p *part) item(b prose.Block) string {
	const shortest, longest = 4, 90 // runes
	if !b.Item {
		return ""
	}
	item := strings.TrimRight(prose.Plain(b.Text, p.labels), ".;, ")
	n := utf8.RuneCountInString(item)
	if n < shortest || n > longest || strings.HasSuffix(item, ":") || !balanced(item) ||
		isUnfinished(item) || wordsOf(item, "").found.has(markUnfit) {
		return ""
	}
	return item
}

// relations says what a proposal stands on.
func relations(p *mip.Proposal) []string {
	var out []string
	if len(p.Requires) > 0 {
		out = append(out, p.ID.String()+" builds on "+ids(p, p.Requires)+".")
	}
	if len(p.Replaces) > 0 {
		verb := " would replace "
		if p.Settled() {
			verb = " replaces "
		}
		out = append(out, p.ID.String()+verb+ids(p, p.Replaces)+".")
	}
	return out
}

// ids writes the numbers of proposals of the same kind as ids, in words: MIP-3, MIP-4 and MIP-5.
func ids(p *mip.Proposal, numbers []int) string {
	var out []string
	for _, id := range p.ID.Siblings(numbers) {
		out = append(out, id.String())
	}
	return enumeration(out)
}

// enumeration joins with commas and a last "and"; beyond eight it counts the others. The count is a
// number that the text need not name: see supported.
func enumeration(parts []string) string {
	const most = 8
	if len(parts) > most {
		parts = append(slices.Clip(parts[:most]), fmt.Sprintf("%d more", len(parts)-most))
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}
