package summary

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxMaterial is the most text that a model is given, in bytes: some 16,000 tokens of English.
const maxMaterial = 48 << 10

// Section is a section in a request to a model.
type Section struct {
	Name string // in evidence
	Text string
}

// keptFirst are the roles of sections that a model reads. The last role is the first to be cut.
var keptFirst = []role{abstract, compatibility, impact, security, specification, motivation,
	other, rationale}

// Sections returns the sections that a model reads, in order, at most 48 KiB. For the meta proposal
// of a fork each proposal has the same share. Sections without content about the change (tests,
// code, references, license) are left out. A section that does not fit is cut.
func Sections(s Subject) []Section {
	const least = 100 // bytes; less of a section is useless
	var out []Section
	for from, p := range s.proposals() {
		// Sections with most about the change take their share first.
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

// Facts returns the facts of the header, one a line, in at most 12 KiB. It has no fork and no
// deadline: a model would repeat the time, and readers would meet it after the time has come.
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

// The functions below write whole sentences from the header of a proposal, for short texts. These
// sentences are no quotes.

// reasonGiven introduces the reason for a withdrawal.
const reasonGiven = "The reason given: "

// outcome returns what a reader must see first: that the proposal will not be adopted, or what
// replaced it.
func outcome(p *mip.Proposal) []string {
	id := p.ID.String()
	var out []string
	// EIP-1 requires the reason in the header.
	if r := p.WithdrawalReason; p.Stage == mip.StageStopped && r != nil && mip.Collapse(*r) != "" {
		status := strings.ToLower(string(p.Status))
		out = []string{id + " is " + status + ". " + reasonGiven + mip.Sentence(mip.Collapse(*r))}
	} else if fate := of("fate", p); fate != "" {
		out = []string{id + " " + fate}
	}
	if len(p.SupersededBy) > 0 {
		out = append(out, id+" is superseded by "+ids(p, p.SupersededBy)+".")
	}
	return out
}

// header returns a sentence with the status, type, category and date. If type and category are the
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

// titled returns the id and title of a proposal.
func titled(p *mip.Proposal) string { return p.ID.String() + " (" + p.Title + ")" }

// quotedTitle returns a sentence with the title in quotation marks.
func quotedTitle(p *mip.Proposal) string {
	return p.ID.String() + " is titled “" + strings.TrimSpace(p.Title) + "”."
}

// inventories returns a sentence for each list of short items in a section.
func (r *reading) inventories() []string {
	const most = 6 // items: more would not fit into a point
	var out, late []string
	for _, p := range r.parts {
		read := slices.Contains([]role{abstract, specification, compatibility, other}, p.role)
		if !read || p.title == "" || p.size > judged {
			continue
		}
		var items []string
		for _, b := range p.blocks {
			if item := p.item(b); item != "" {
				items = append(items, item)
			}
		}
		// A single item adds nothing to its sentence.
		if len(items) < 2 {
			continue
		}
		if n := len(items); n > most {
			items = append(items[:most], fmt.Sprintf("and %d more", n-most))
		}
		line := fmt.Sprintf("Under “%s” it lists: %s.", p.title, strings.Join(items, "; "))
		// Lists of changes precede lists of dates and releases.
		if p.role == compatibility {
			late = append(late, line)
		} else {
			out = append(out, line)
		}
	}
	return append(out, late...)
}

// item returns a list item as a part of a sentence, empty if the block is not suitable.
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

// relations returns the proposals that a proposal requires or replaces, in sentences.
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

// ids returns the ids of proposals of the same kind in words: MIP-3, MIP-4 and MIP-5.
func ids(p *mip.Proposal, numbers []int) string {
	var out []string
	for _, id := range p.ID.Siblings(numbers) {
		out = append(out, id.String())
	}
	return enumeration(out)
}

// enumeration joins parts with commas and a last "and". It names eight and counts the others. The
// text need not have that count: see supported.
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
