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
	other         role = ""
	abstract      role = "abstract"      // says what is proposed
	motivation    role = "motivation"    // says how things are today
	specification role = "specification" // says what will be
	rationale     role = "rationale"     // says why, and what was not chosen
	compatibility role = "compatibility" // says what it does to what exists, and when it starts
	security      role = "security"      // says what can go wrong
	impact        role = "impact"        // says whom it touches
	skipped       role = "skipped"       // holds nothing about the change: tests, code, references, licence
)

// titleRole returns the role that a title names, other when it names none. The first list with a word in the title
// decides.
func titleRole(title string) role {
	title = strings.ToLower(title)
	names := func(word string) bool { return strings.Contains(title, word) }
	for _, r := range []role{skipped, compatibility, security, impact, abstract, motivation, rationale, specification} {
		if slices.ContainsFunc(list("titles of "+string(r)), names) {
			return r
		}
	}
	if names("implementation") {
		return skipped
	}
	return other
}

// roles returns the role of every section. A section below another one shares its role, unless its own
// title says that it speaks of compatibility, security or impact, or that it is to be skipped.
func roles(sections []mip.Section) []role {
	out := make([]role, len(sections))
	// above has the role of the last heading of each level, and of the levels below it.
	var above [7]role
	ownRoles := []role{skipped, compatibility, security, impact}
	for i, s := range sections {
		level := min(max(s.Level, 0), len(above)-1)
		own, inherited := titleRole(s.Title), other
		if level > 1 {
			inherited = above[level-1]
		}
		switch {
		// Text before any heading opens the proposal.
		case level == 0:
			own = abstract
		// The title of the whole may hold the words of any section.
		case level == 1 && own == skipped && i == 0:
			own = other
		case inherited == skipped, inherited != other && !slices.Contains(ownRoles, own):
			own = inherited
		}
		for l := level; l < len(above); l++ {
			above[l] = own
		}
		out[i] = own
	}
	return out
}

// passage is a sentence that can stand by itself: one of the text, or one with the sentence before it
// when it points back at that.
type passage struct {
	text    string // for a reader
	quote   string // for evidence: stands in the section
	section string // as evidence names it
	from    string // id of the bundled proposal that it is from; empty: the subject itself
	kind    kind   // of the proposal that it is from
	role    role   // of its section
	first   bool   // opens its section
	item    bool   // of a list
	before  bool   // says how things are, ahead of what the proposal does
	order   int    // in the subject
	words   string // the text as made by [words]
	speaks  [4]int // how much it speaks of each group
	score   int    // what speaks for it where passages are picked

	answers [4]answer // what it says to each group that asks whether it has to act
}

// passages returns what the subject's texts say, in order: the proposal's own sections, then for the
// meta proposal of a fork those of what it bundles. Each is weighed for every group. Sections without a role in a
// summary are left out.
func passages(s Subject) []passage {
	// Patterns take seconds for a text of a mebibyte. What stands behind these bytes is not judged, and so no ground for
	// a no.
	const judged = 192 << 10
	size := 0
	var out []passage
	vocabularies := vocabulariesOf(kindOf(s))
	for from, p := range s.proposals() {
		k, labels := s.kindIn(from, p), prose.Labels(p.Sections)
		for i, r := range roles(p.Sections) {
			if r == skipped {
				continue
			}
			section, announced := units(prose.Blocks(p.Sections[i].Markdown), labels), -1
			for j, u := range section {
				if announces(u.text) {
					announced = j
				}
			}
			for j, u := range section {
				u.section, u.from, u.kind, u.role = sectionID(from, p.Sections[i].ID), from, k, r
				// An abstract says how things are before it begins to speak of the proposal.
				u.before = r == abstract && j < announced && !announces(u.text)
				u.order, u.words = len(out), words(u.text)
				size += len(u.text)
				for a, v := range vocabularies {
					u.speaks[a], u.answers[a] = axisScore(v, axis(a), u), look
					if size <= judged {
						u.answers[a] = u.answer(axis(a))
					}
				}
				out = append(out, u)
			}
		}
	}
	return out
}

// sectionID is how evidence names a section: by its id, and for a bundled proposal's by the proposal's
// id, # and the section's id.
func sectionID(from, id string) string { return strings.TrimPrefix(from+"#"+id, "#") }

// units turns the blocks of a section into passages that have text, quote, item, first and nothing else.
func units(in []prose.Block, labels map[string]bool) []passage {
	const longest = 16 << 10 // bytes of a block; a longer one is no prose
	var out []passage
	for i, b := range in {
		if len(b.Text) > longest {
			continue
		}
		first := i == 0
		for rest := prose.Split(b.Text); len(rest) > 0; {
			// A group is a sentence and those behind it that point back at it.
			n := 1
			for n < len(rest) && needsOther(prose.Plain(rest[n], labels)) {
				n++
			}
			p, ok := joinSentences(rest[:n], b.Item, labels)
			if n == 1 && strings.HasSuffix(rest[0], ":") {
				p, ok = enumerate(in[i:], rest[0], labels)
			}
			if p.first = first; ok {
				out = append(out, p)
			}
			rest, first = rest[n:], false
		}
	}
	return out
}

// joinSentences makes a passage of as many sentences of a group as are readable together, from the first one on. There
// is none when the first one already points back, or when what announces a list has none behind it.
func joinSentences(group []string, item bool, labels map[string]bool) (passage, bool) {
	for n := len(group); n > 0; n-- {
		raw := strings.Join(group[:n], " ")
		text := prose.Plain(raw, labels)
		if pointsBack(text) {
			return passage{}, false // at what is no sentence
		}
		text = standalone(text)
		if item {
			text = finish(text)
		}
		if !readable(text) || strings.Contains(strings.ToLower(text), "the following ") {
			continue
		}
		if quote := quotable(raw); quote != "" {
			return passage{text: text, quote: quote, item: item}, true
		}
	}
	return passage{}, false
}

// enumerate joins a sentence that ends with a colon and the short items that follow it. The quote is the sentence
// alone, since the items are blocks of their own. Long, nested or too many items make no sentence.
func enumerate(in []prose.Block, raw string, labels map[string]bool) (passage, bool) {
	const most = 8
	// The items follow the sentence with no other block between them.
	var items []string
	for i := 1; i < len(in) && in[i-1].Next && in[i].Item; i++ {
		item, short := itemText(in[i], labels)
		if item == "" || !short || len(items) == most {
			return passage{}, false
		}
		items = append(items, item)
	}
	text := standalone(strings.TrimRight(prose.Plain(raw, labels), ": ")) + ": " + strings.Join(items, "; ") + "."
	quote := quotable(strings.TrimRight(raw, ": "))
	return passage{text: text, quote: quote}, len(items) > 1 && quote != "" && !pointsBack(text) && readable(text)
}

// itemText is an item of a list as a part of a sentence, and whether it is short enough to be one.
func itemText(b prose.Block, labels map[string]bool) (string, bool) {
	const longest = 90 // runes
	item := strings.TrimRight(prose.Plain(b.Text, labels), ".;, ")
	return item, utf8.RuneCountInString(item) <= longest && !strings.HasSuffix(item, ":")
}

// finish gives an item that is a whole sentence its full stop. Authors leave it out in lists. What ends with a word
// such as "the" goes on in code or in a formula.
func finish(text string) string {
	last, _ := utf8.DecodeLastRuneInString(text)
	isEnd := prose.IsWord(last) || last == '`' || last == ')'
	verb := hasAny(" "+strings.ToLower(text)+" ", list("verbs")...)
	if !isEnd || !verb || slices.Contains(list("open ends"), text[strings.LastIndexByte(text, ' ')+1:]) {
		return text
	}
	return text + "."
}

// clauseEnd is what stands behind the clause of a sentence.
var clauseEnd = regexp.MustCompile(`^[,;:.–—] `)

// quotable is the longest beginning of a sentence that evidence may hold, cut where a clause ends.
// It is empty when there is none. No cut is made within code, a target or brackets, so that marks stay in pairs.
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

// openers are marks before the first word of a sentence.
const openers = "[\"“‘'(`]*"

// Forms of a text that decide whether it is a sentence.
var (
	// wholeSentence begins with a capital, a digit or code and ends with a full stop.
	wholeSentence = prose.Lazily("(?s)^(?:`" + openers + `[\p{L}\p{Nd}]|` +
		openers + `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{Nd}])` + ".*[.!。][\"”’')`]*$")
	// noSentence is a purpose without a clause, a name for a formula, or the explanation of a figure ("32 bytes: …").
	noSentence = prose.Lazily(`^To [^,]*$|^Let |^` + openers + `\p{Nd}.{0,22}: `)
)

// readable reports whether a text is one sentence of prose: it begins and ends like one, is of a
// sensible length, and is neither a formula nor a placeholder.
func readable(text string) bool {
	// A shorter one says nothing by itself, and a longer one is an argument.
	const shortest, longest = 20, 330 // runes
	n := utf8.RuneCountInString(text)
	if n < shortest || n > longest || hides(text) || isLive(text) || !balanced(text) ||
		!wholeSentence().MatchString(text) || noSentence().MatchString(text) || boilerplate(text) {
		return false
	}
	letters, ideographs := 0, false
	for _, c := range text {
		if unicode.IsLetter(c) || c == ' ' {
			letters++
		}
		ideographs = ideographs || unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana)
	}
	// Most of a sentence is letters, and it has three words, but for scripts without blanks.
	return letters*100 >= n*70 && (ideographs || len(strings.Fields(text)) >= 3)
}

// boilerplate reports whether a text holds a phrase that is in every proposal (key words, notes, licences), that points
// at a figure or table nearby, or that no finished proposal has.
func boilerplate(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc(list("boilerplate"), func(s string) bool { return strings.Contains(lower, s) }) ||
		slices.ContainsFunc(list("unfinished"), func(s string) bool { return strings.Contains(text, s) })
}

// needsOther reports whether a sentence belongs to the one before it: it points back at that, or it is short and ends
// with a word for something named before.
func needsOther(text string) bool {
	ends := func(end string) bool { return strings.HasSuffix(text, end) }
	short := strings.Count(text, " ") < 10
	return pointsBack(text) || short && slices.ContainsFunc(list("back references at the end"), ends)
}

// pointsBack reports whether a sentence cannot be understood without the one before it: by its first words, or by a
// pronoun in front. "This proposal" and the like point at the document itself, which a reader knows.
func pointsBack(text string) bool {
	text = strings.ToLower(strings.TrimLeft(standalone(text), "\"“("))
	if slices.ContainsFunc(list("back references"), func(start string) bool { return strings.HasPrefix(text, start) }) {
		return true
	}
	first, second := twoWords(text)
	if slices.ContainsFunc(list("impersonal"), func(start string) bool { return strings.HasPrefix(text, start) }) {
		return false
	}
	// "There is" begins a sentence of its own, "there it ends" does not.
	first = strings.TrimSuffix(strings.TrimRight(first, ",:"), "'s")
	if first == "there" {
		return second != "is" && second != "are" && second != "will"
	}
	return slices.Contains(list("pronouns"), first) && !proposes(second)
}

// twoWords are the first words of a text.
func twoWords(text string) (first, second string) {
	first, rest, _ := strings.Cut(text, " ")
	second, _, _ = strings.Cut(rest, " ")
	return first, second
}

// announces reports whether a sentence begins with the proposal itself: "This proposal …", "We propose …". Sentences
// before the first one of these say how things are.
func announces(text string) bool {
	first, second := twoWords(text)
	return first == "This" && proposes(second) || first == "We" && strings.HasPrefix(second, "propose")
}

// proposes reports whether a word names the document at hand, as proposals name themselves: proposal, EIP, standard.
func proposes(word string) bool {
	return slices.Contains(list("documents"), strings.ToLower(strings.Trim(word, ",.'’")))
}

// standalone removes the word that ties a sentence to the one before it, such as "However,". Without it the sentence
// says the same, beginning with a capital.
func standalone(text string) string {
	for _, w := range list("connectives") {
		if rest, ok := strings.CutPrefix(text, w); ok {
			first, n := utf8.DecodeRuneInString(rest)
			return string(unicode.ToUpper(first)) + rest[n:]
		}
	}
	return text
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
