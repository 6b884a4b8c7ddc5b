package summary

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// The functions of this file make whole sentences from a proposal's header and from the fork: what can be said of a
// proposal whose text says little. They are no quotes.

// outcome says first what a reader must not miss: that nothing will come of it, or what took its place.
func outcome(s Subject) []string {
	p := s.Proposal
	var out []string
	switch p.Status {
	case mip.Withdrawn:
		line := p.ID.String() + " is withdrawn: nothing will come of it."
		if reason, ok := p.Frontmatter["withdrawal-reason"].(string); ok && prose.Collapse(reason) != "" {
			line = p.ID.String() + " is withdrawn. The reason given: " + sentence(reason)
		}
		out = append(out, line)
	case "Moved":
		out = append(out, p.ID.String()+" has moved: its text is kept elsewhere.")
	case mip.Stagnant:
		out = append(out, p.ID.String()+" is stagnant: no work on it has been seen for a long time.")
	}
	if len(p.SupersededBy) > 0 {
		out = append(out, fmt.Sprintf("%s is superseded by %s.", p.ID.String(), ids(p.ID.String(), p.SupersededBy)))
	}
	return out
}

// schedule says with which fork a proposal switches on, and when.
func schedule(s Subject) string {
	if s.Fork == nil {
		return ""
	}
	verb := "comes with"
	switch {
	case IsMeta(s.Proposal.Summary, s.Fork):
		verb = "describes"
	case !toCome(s.Fork):
		verb = "came with"
	}
	return fmt.Sprintf("%s %s the hard fork %s (%s).", s.Proposal.ID, verb, s.Fork.Name, activation(s.Fork))
}

// activation lists the times of a fork by network.
func activation(f *mip.HardFork) string {
	var parts []string
	for _, id := range f.SortedNetworks(nil) {
		switch a := f.Activation[id]; {
		case a.Timestamp == nil:
			parts = append(parts, id+" has no time yet")
		case *a.Timestamp == 0:
			parts = append(parts, id+" from the first block")
		case a.Time != nil:
			parts = append(parts, id+" on "+a.Time.UTC().Format("2 January 2006, 15:04")+" UTC")
		}
	}
	if len(parts) == 0 {
		return f.Status
	}
	return strings.Join(parts, "; ")
}

// header says what kind of thing a proposal is and where it stands.
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

// written says who wrote a proposal.
func written(p *mip.Proposal) string {
	var names []string
	for _, a := range p.Authors {
		switch {
		case a.Name != nil:
			names = append(names, *a.Name)
		case a.GitHub != nil:
			names = append(names, "@"+*a.GitHub)
		}
	}
	if len(names) == 0 {
		return p.ID.String() + " names no author."
	}
	return p.ID.String() + " was written by " + enumeration(names) + "."
}

// inventories says what the lists hold that stand in a proposal without a sentence of their own.
func inventories(p *mip.Proposal) []string {
	labels := prose.Labels(p.Sections)
	var out, late []string
	for i, r := range roles(p.Sections) {
		if r != abstract && r != specification && r != compatibility && r != other || p.Sections[i].Title == "" {
			continue
		}
		var items []string
		for _, b := range prose.Blocks(p.Sections[i].Markdown) {
			item := strings.TrimRight(prose.Plain(b.Text, labels), ".;, ")
			if n := utf8.RuneCountInString(item); b.Item && n > 3 && n <= 90 && balanced(item) && !boilerplate(item) && !strings.HasSuffix(item, ":") {
				items = append(items, item)
			}
		}
		if len(items) > 1 {
			n := len(items)
			items = items[:min(n, 6)]
			line := fmt.Sprintf("Under “%s” it lists: %s", p.Sections[i].Title, strings.Join(items, "; "))
			if n > len(items) {
				line += fmt.Sprintf("; and %d more", n-len(items))
			}
			if r == compatibility {
				late = append(late, line+".")
			} else {
				out = append(out, line+".")
			}
		}
	}
	return append(out, late...)
}

// relations says what a proposal stands on.
func relations(p *mip.Proposal) []string {
	var out []string
	if len(p.Requires) > 0 {
		out = append(out, fmt.Sprintf("%s builds on %s.", p.ID.String(), ids(p.ID.String(), p.Requires)))
	}
	if len(p.Replaces) > 0 {
		out = append(out, fmt.Sprintf("%s replaces %s.", p.ID.String(), ids(p.ID.String(), p.Replaces)))
	}
	if !p.LastCallDeadline.IsZero() && p.Status == mip.LastCall {
		out = append(out, "Its last call ends on "+p.LastCallDeadline.Time().Format("2 January 2006")+".")
	}
	return out
}

// ids writes numbers as ids, in words: MIP-3, MIP-4 and MIP-5. like is an id of the same site.
func ids(like string, numbers []int) string {
	prefix := like[:strings.LastIndexByte(like, '-')+1]
	var out []string
	for _, n := range numbers {
		out = append(out, fmt.Sprintf("%s%d", prefix, n))
	}
	return enumeration(out)
}

// enumeration joins with commas and a last "and"; beyond eight it counts the others.
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

// sentence is a header's text as one: white space collapsed, a full stop at its end.
func sentence(s string) string {
	s = prose.Collapse(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") || strings.HasSuffix(s, "。") {
		return s
	}
	return strings.TrimRight(s, ",;:") + "."
}
