package summary

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// role is what a section is for, read from its title.
type role string

// The roles. A section without a telling title is other, or has the role of the section above it.
const (
	other         role = ""              // is read as a specification
	abstract      role = "abstract"      // says what is proposed
	motivation    role = "motivation"    // says how things are today
	specification role = "specification" // says what will be
	rationale     role = "rationale"     // says why, and what was not chosen
	compatibility role = "compatibility" // says what it does to what exists, and when it starts
	security      role = "security"      // says what can go wrong
	impact        role = "impact"        // says whom it touches
	skipped       role = "skipped"       // holds nothing about the change: tests, code, references, dependencies, licence
)

// titles are the roles with the words of their titles. The first row that fits decides.
var titles = []struct {
	role  role
	title func() *regexp.Regexp
}{
	{skipped, prose.Lazily(`^(?:references?|implementations?|dependencies|prerequisites)$|\b(?:tests?\b|testing|reference impl|copyright|acknowledg|appendi|` +
		`citation|licen[sc]e|changelog|authors?\b|terminology|definition|notation|glossary|further reading|example|vectors|pseudocode)`)},
	{compatibility, prose.Lazily(`compatib|\b(?:migration|transition|activation|rollout)`)},
	{security, prose.Lazily(`\b(?:security|risk|privacy|attack)`)},
	{impact, prose.Lazily(`\b(?:impact|drawback|effects? (?:of|on)\b|consequence|implication)`)},
	{abstract, prose.Lazily(`\b(?:abstract|summary|overview|tl;dr)`)},
	{motivation, prose.Lazily(`\b(?:motivation|background|introduction|problem|context|history)`)},
	{rationale, prose.Lazily(`^why\b|\b(?:rationale|alternative|discussion|faq|justification|considered|trade-?offs?|open question)`)},
	{specification, prose.Lazily(`\b(?:specification|design|proposal|change)`)},
}

// titleRole returns the role that a title names, other when it names none.
func titleRole(title string) role {
	title = strings.ToLower(strings.TrimSpace(title))
	for _, row := range titles {
		if row.title().MatchString(title) {
			return row.role
		}
	}
	return other
}

// roles returns the role of every section. A section below another one shares its role, unless its
// own title says that it speaks of compatibility, security or impact, or that it is to be skipped.
func roles(sections []mip.Section) []role {
	out := make([]role, len(sections))
	// above has the role of the last heading of each level, and of the levels below it.
	var above [7]role
	ownRoles := []role{skipped, compatibility, security, impact}
	for i, s := range sections {
		level, own := min(max(s.Level, 0), len(above)-1), titleRole(s.Title)
		switch {
		// Text before any heading opens the proposal.
		case level == 0:
			own = abstract
		// The title of the whole may hold the words of any section.
		case level == 1 && i == 0:
			own = other
		case level > 1 && (above[level-1] == skipped || above[level-1] != other && !slices.Contains(ownRoles, own)):
			own = above[level-1]
		}
		for l := level; l < len(above); l++ {
			above[l] = own
		}
		out[i] = own
	}
	return out
}

// sentence is a sentence that may be quoted.
type sentence struct {
	text    string // as it is told: behind the lead of its list, or behind the sentence that it points back at
	own     string // the sentence alone, as a reader sees it
	quote   string // for evidence: stands in the section
	lead    string // the sentence that leads the list of an item; empty: none
	section string // as evidence names it
	title   string // of the section
	id      mip.ID // of the proposal that it is from
	from    string // the same where that is a bundled one; empty: the subject itself
	kind    kind   // of that proposal
	role    role   // of its section
	first   bool   // opens its section
	item    bool   // of a list
	lost    bool   // points back at no sentence
	order   int    // in the subject

	hits   hits            // entries of words.txt
	marks  map[string]bool // see [points]
	group  [4]int          // points towards each group
	change int             // points towards a change
}

// judged is how many bytes of a subject's texts are read.
const judged = 192 << 10

// isOne reports whether the subject is one proposal that is read as a whole. What one of several
// says holds for itself alone, and what is not read may say the contrary.
func (s Subject) isOne() bool {
	size := 0
	for _, section := range s.Proposal.Sections {
		size += len(section.Markdown)
	}
	return !s.bundles() && size <= judged
}

// sentences returns what may be said of the subject, in order: the proposal's own sections, then
// for the meta proposal of a fork those of what it bundles. Sections without a role in a summary
// are left out.
func sentences(s Subject) []sentence {
	size := 0
	var out []sentence
	for from, p := range s.proposals() {
		k, labels := s.kindIn(from, p), prose.Labels(p.Sections)
		for i, r := range roles(p.Sections) {
			if r == skipped {
				continue
			}
			first := true
			for _, b := range prose.Blocks(p.Sections[i].Markdown) {
				if size += len(b.Text) + len(b.Lead); size > judged {
					return out
				}
				for _, x := range candidates(b, labels) {
					x.section, x.title, x.role = sectionID(from, p.Sections[i].ID), p.Sections[i].Title, r
					x.id, x.from, x.kind = p.ID, from, k
					x.first, x.order, first = first, len(out), false
					x.mark()
					out = append(out, x)
				}
			}
		}
	}
	return out
}

// sectionID is how evidence names a section: by its id, and for a bundled proposal's by the
// proposal's id, # and the section's id.
func sectionID(from, id string) string { return strings.TrimPrefix(from+"#"+id, "#") }

// candidates cuts a block into the sentences that can be told.
func candidates(b prose.Block, labels map[string]bool) []sentence {
	const longest = 16 << 10 // bytes of a block; a longer one is no prose
	if len(b.Text) > longest {
		return nil
	}
	var out []sentence
	before, beforeRaw := "", "" // the sentence before, as a reader sees it and as it is written
	for i, raw := range prose.Split(b.Text) {
		own := prose.Plain(raw, labels)
		x := sentence{text: own, own: own, quote: quotable(raw), item: b.Item, lost: pointsBack(own) && before == ""}
		if b.Item {
			x.lead = strings.TrimRight(prose.Plain(b.Lead, labels), ": ")
		}
		switch joined := beforeRaw + " " + raw; {
		case pointsBack(own) && before != "":
			x.text = before + " " + own
			if utf8.RuneCountInString(joined) <= maxQuote && quotable(joined) != "" {
				x.quote = quotable(joined)
			}
		case x.lead != "" && i == 0 && utf8.RuneCountInString(x.lead+own) <= maxQuote && !isLive(x.lead) && !hides(x.lead):
			x.text = x.lead + ": " + own
		}
		before, beforeRaw = own, raw
		if x.quote != "" && tells(own) && !isLive(x.text) && !hides(x.text) {
			x.text = mip.Sentence(x.text)
			out = append(out, x)
		}
	}
	return out
}

// Forms of a text that decide whether it is a sentence of its own.
var (
	// backReference begins a sentence that points at the one before it. With a name of the document
	// it points at that.
	backReference = prose.Lazily(`^["“(]?(?:This|It|Its|They|Their|These|That|Such|Those)\b`)
	toDocument    = prose.Lazily(`^["“(]?(?:This|That|These|Those)(?: \w+)?,? (?:\p{Lu}{2,}|proposal|change|document|standard|specification|feature)\b`)
	formula       = prose.Lazily(`\$[^$]+\$|\\[a-z(\[]`)
)

// unfinished are parts of what its author has yet to write, and of an address.
var unfinished = []string{"TBD", "TODO", "FIXME", "XXX", "://"}

// isUnfit reports whether a text holds what no summary says: a placeholder, an address, a formula,
// words of words.txt.
func isUnfit(text string) bool {
	return slices.ContainsFunc(unfinished, func(part string) bool { return strings.Contains(text, part) }) ||
		strings.ContainsAny(text, `$\`) && formula().MatchString(text) || find(tokens(text, "")).has("unfit")
}

// pointsBack reports whether a sentence cannot be understood without the one before it.
func pointsBack(text string) bool {
	return backReference().MatchString(text) && !toDocument().MatchString(text)
}

// tells reports whether a text is a sentence of prose that says something.
func tells(text string) bool {
	const shortest, longest = 20, 420 // runes
	n := utf8.RuneCountInString(text)
	if n < shortest || n > longest || strings.HasSuffix(text, ":") || !balanced(text) || hides(text) || isLive(text) || isUnfit(text) {
		return false
	}
	// Code counts as a word.
	letters, code := 0, false
	for _, c := range text {
		if code = code != (c == '`'); code || c == '`' || unicode.IsLetter(c) || c == ' ' {
			letters++
		}
	}
	return letters*100 >= n*60 && len(strings.Fields(text)) >= 3
}

// clauseEnd is what stands behind the clause of a sentence.
var clauseEnd = regexp.MustCompile(`^[,;:.–—] `)

// quotable is the longest beginning of a sentence that evidence may hold, cut where a clause ends.
// It is empty when there is none. No cut is made within code, a target or brackets, so that marks
// stay in pairs.
func quotable(raw string) string {
	runes := []rune(raw)
	// The mark of the last clause may be the first character that is too many.
	quote := string(runes[:min(len(runes), maxQuote+1)])
	for cut := len(runes) > maxQuote; cut; {
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
	for _, c := range text {
		switch c {
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
