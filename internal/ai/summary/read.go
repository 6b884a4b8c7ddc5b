package summary

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// role is the purpose of a section, read from its title.
type role uint8

// The roles. A section whose title names none shares the role of the section above it, else is
// other.
const (
	other         role = iota // is read as a specification
	abstract                  // what is proposed
	motivation                // how things are today
	specification             // what will be
	rationale                 // why, and what was not chosen
	compatibility             // what happens to what exists, and when the change starts
	security                  // what can go wrong
	impact                    // who is affected
	skipped                   // not about the change: tests, code, references, license
)

// existing reports whether a section is about what exists.
func (r role) existing() bool { return r == compatibility || r == impact }

// titles has the words of titles by role. The first row that matches decides.
var titles = []struct {
	role   role
	nested bool // also in a section with another role
	title  func() *regexp.Regexp
}{
	{skipped, true, prose.Lazily(`^(?:references?|implementations?|dependencies|prerequisites)$|` +
		`\b(?:tests?\b|testing|reference impl|copyright|acknowledg|appendi|citation|` +
		`licen[sc]e|changelog|authors?\b|terminology|definition|notation|glossary|` +
		`further reading|example|vectors|pseudocode)`)},
	{compatibility, true, prose.Lazily(`compatib|\b(?:migration|transition|activation|rollout)`)},
	{security, true, prose.Lazily(`\b(?:security|risk|privacy|attack)`)},
	{impact, true, prose.Lazily(`\b(?:impact|drawback|effects? (?:of|on)\b|consequence|implication)`)},
	{abstract, false, prose.Lazily(`\b(?:abstract|summary|overview|tl;dr)`)},
	{motivation, false, prose.Lazily(
		`\b(?:motivation|background|introduction|problem|context|history)`)},
	{rationale, false, prose.Lazily(`^why\b|` +
		`\b(?:rationale|alternative|discussion|faq|justification|considered|trade-?offs?|` +
		`open question)`)},
	{specification, false, prose.Lazily(`\b(?:specification|design|proposal|change)`)},
}

// roleOf returns the role that a title names, else the role of the section above.
func roleOf(title string, above role) role {
	if above == skipped {
		return above
	}
	title = strings.ToLower(strings.TrimSpace(title))
	for _, row := range titles {
		if (row.nested || above == other) && row.title().MatchString(title) {
			return row.role
		}
	}
	return above
}

// roles returns the role of every section.
func roles(sections []mip.Section) []role {
	out := make([]role, len(sections))
	// last has the role of the last heading of each level, and of the levels below it.
	var last [7]role
	for i, s := range sections {
		level := min(max(s.Level, 0), len(last)-1)
		switch {
		// Text before any heading opens the proposal.
		case level == 0:
			out[i] = abstract
		// The title of the whole may hold the words of any section.
		case level == 1 && i == 0:
			out[i] = other
		case level == 1:
			out[i] = roleOf(s.Title, other)
		default:
			out[i] = roleOf(s.Title, last[level-1])
		}
		for l := level; l < len(last); l++ {
			last[l] = out[i]
		}
	}
	return out
}

// reading is a proposal, cut into blocks.
type reading struct {
	id     mip.ID
	from   string // the id of a bundled proposal; empty for the subject's own
	kind   kind
	labels map[string]bool // of its link definitions
	parts  []part          // its sections that are not skipped
}

// part is a section of a reading.
type part struct {
	*reading
	name     string // as evidence names it
	title    string
	role     role
	size     int  // bytes of Markdown
	excludes bool // its lists are not part of the change
	blocks   []prose.Block
}

// read cuts a proposal of the subject into blocks.
func (s Subject) read(from string, p *mip.Proposal) *reading {
	out := &reading{id: p.ID, from: from, kind: s.kindIn(from, p), labels: prose.Labels(p.Sections)}
	for i, r := range roles(p.Sections) {
		section := p.Sections[i]
		if r == skipped {
			continue
		}
		x := part{reading: out, name: sectionID(from, section.ID), title: section.Title, role: r,
			size: len(section.Markdown)}
		x.excludes = wordsOf(section.Title, "").found.has(markExcluded)
		if p == s.Proposal && s.Prose != nil {
			x.blocks = s.Prose[i]
		} else {
			x.blocks = prose.Blocks(section.Markdown)
		}
		out.parts = append(out.parts, x)
	}
	return out
}

// sentence is a sentence that may be quoted.
type sentence struct {
	*part
	text     string // own, behind the lead of its list or the sentence that it points back at
	own      string // the sentence alone, as a reader sees it
	words    words  // of own
	quote    string // for evidence: stands in the section
	lead     string // the sentence that leads the list of an item; empty: none
	first    bool   // opens its section
	item     bool   // of a list
	excluded bool   // of a list of what is not part of the change
	lost     bool   // points back at no sentence
	hangs    bool   // its quote lacks what it points back at
	order    int    // in the subject

	marks  marks
	acts   [4]bool // the groups that it obliges to act
	group  [4]int  // points towards each group
	change int     // points towards a change
}

// judged is the number of bytes of a subject's texts that are read.
const judged = 192 << 10

// isOne reports whether the subject is one proposal that is read as a whole. One of several
// proposals holds for itself alone, and unread text may hold the contrary.
func (s Subject) isOne() bool {
	size := 0
	for _, section := range s.Proposal.Sections {
		size += len(section.Markdown)
	}
	return !s.bundles() && size <= judged
}

// sentences returns the sentences that a summary may quote, in order: the sentences of the
// proposal, then, for the meta proposal of a fork, of the bundled ones. own is the proposal itself.
func sentences(s Subject) (all []*sentence, own *reading) {
	size := 0
	for from, p := range s.proposals() {
		r := s.read(from, p)
		if own == nil {
			own = r
		}
		for i := range r.parts {
			first := true
			for _, b := range r.parts[i].blocks {
				if size += len(b.Text) + len(b.Lead); size > judged {
					return all, own
				}
				for _, x := range r.parts[i].sentences(b) {
					x.first, x.order, first = first, len(all), false
					x.mark()
					if !abandoned(s) {
						x.acts = x.obliges()
					}
					all = append(all, x)
				}
			}
		}
	}
	return all, own
}

// sectionID returns the name of a section in evidence: its id, for a bundled proposal behind the
// proposal's id and #.
func sectionID(from, id string) string { return strings.TrimPrefix(from+"#"+id, "#") }

// sentences cuts a block into the sentences that a summary may quote.
func (p *part) sentences(b prose.Block) (out []*sentence) {
	const longest = 16 << 10 // bytes of a block; a longer one is no prose
	if len(b.Text) > longest {
		return nil
	}
	lead, excluded := "", b.Item && p.excludes
	if b.Lead != "" {
		lead = strings.TrimRight(prose.Plain(b.Lead, p.labels), ": ")
		excluded = excluded || wordsOf(lead, "").found.has(markExcluded)
	}
	// The sentence before, with those that it points back at, as a reader sees it and as written.
	// It is astray if they are in another block.
	before, beforeRaw, astray := "", "", false
	for i, raw := range prose.Split(b.Text) {
		said := prose.Plain(raw, p.labels)
		own := unturned(said)
		back := pointsBack(own)
		last, lastRaw, joins := before, beforeRaw, before != "" && !astray
		before, beforeRaw, astray = said, raw, back && !joins
		if back && last != "" {
			before, beforeRaw = last+" "+said, lastRaw+" "+raw
		} else if own != said {
			before, beforeRaw = capital(own), unturned(raw)
		}
		if !isProse(said) {
			continue
		}
		w := wordsOf(said, p.id.Kind)
		if w.found.has(markUnfit) {
			continue
		}
		x := &sentence{part: p, text: said, own: said, words: w, quote: quotable(raw),
			lead: lead, item: b.Item, excluded: excluded, lost: back && last == ""}
		switch {
		case back:
			x.hangs = true
			if joined := beforeRaw; joins && utf8.RuneCountInString(joined) <= maxQuote {
				x.text, x.hangs = before, false
				x.quote = cmp.Or(quotable(joined), x.quote)
			} else if last != "" {
				x.text = last + " " + said
			}
		case own != said:
			x.text = capital(own)
			x.quote = cmp.Or(quotable(unturned(raw)), x.quote)
		case lead != "" && i == 0 && utf8.RuneCountInString(lead+own) <= maxQuote &&
			!isLive(lead) && !hides(lead):
			x.text = lead + ": " + own
		}
		if x.quote != "" && (x.text == own || !isLive(x.text) && !hides(x.text)) {
			x.text = mip.Sentence(x.text)
			out = append(out, x)
		}
	}
	return out
}

// formula matches a formula in TeX.
var formula = prose.Lazily(`\$[^$]+\$|\\[a-z(\[]`)

// placeholders are marks of a text that its author has not finished, and a part of an address.
var placeholders = []string{"TBD", "TODO", "FIXME", "XXX", "://"}

// isUnfinished reports whether a text has a placeholder, an address or a formula.
func isUnfinished(text string) bool {
	holds := func(part string) bool { return strings.Contains(text, part) }
	return slices.ContainsFunc(placeholders, holds) ||
		strings.ContainsAny(text, `$\`) && formula().MatchString(text)
}

// isProse reports whether a text has the length and the characters of a sentence. Its white space
// is collapsed.
func isProse(text string) bool {
	const shortest, longest = 20, 420 // runes
	n := utf8.RuneCountInString(text)
	if n < shortest || n > longest || strings.Count(text, " ") < 2 || strings.HasSuffix(text, ":") {
		return false
	}
	// Code counts as a word.
	letters, code := 0, false
	for _, c := range text {
		if code = code != (c == '`'); code || c == '`' || unicode.IsLetter(c) || c == ' ' {
			letters++
		}
	}
	return letters*100 >= n*60 && balanced(text) &&
		!hides(text) && !isLive(text) && !isUnfinished(text)
}

// clauseEnd matches the end of a clause.
var clauseEnd = regexp.MustCompile(`^[,;:.–—] `)

// quotable returns the longest beginning of a sentence that evidence may hold, cut at the end of a
// clause, else empty. It does not cut code, targets or brackets, so that marks stay in pairs.
func quotable(raw string) string {
	quote, cut := raw, utf8.RuneCountInString(raw) > maxQuote
	if cut {
		// The mark of the last clause may be the first character beyond the limit.
		quote = string([]rune(raw)[:maxQuote+1])
	}
	for cut {
		quote = quote[:max(0, strings.LastIndexAny(quote, ",;:.–—"))]
		cut = quote != "" && !(balanced(quote) && clauseEnd.MatchString(raw[len(quote):]))
	}
	if utf8.RuneCountInString(quote) < minQuote || hides(quote) {
		return ""
	}
	return quote
}

// balanced reports whether brackets, backticks and double quotes come in pairs.
func balanced(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0 && strings.Count(text, "`")%2 == 0 && strings.Count(text, `"`)%2 == 0 &&
		strings.Count(text, "“") == strings.Count(text, "”")
}
