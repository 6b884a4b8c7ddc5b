package ai

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Check reports every way in which a summary breaks the rules that [Summarise] and [Extract] keep: its
// number, what [CheckForm] reports, floors, numbers and addresses that do not stand in the text, quotes that do
// not stand in their sections, and what is said of a group without a quote. It does not compare content hashes: a summary of an older text is for the caller to tell. A committed summary that has fallen
// below a floor, because a fork took the proposal up since, has to be made again.
func Check(sum api.Summary, s Subject) error {
	var problems []error
	if sum.MIPNumber != s.Proposal.Number {
		problems = append(problems, fmt.Errorf("mipNumber is %d, not %d", sum.MIPNumber, s.Proposal.Number))
	}
	if err := CheckForm(sum); err != nil {
		problems = append(problems, err)
	}
	if !standsIn(own(sum), s) {
		problems = append(problems, errors.New("a text mentions a number or an address, or a name like one, that does not stand in the proposal"))
	}
	floors, texts := floorsOf(s), quoteIndexOf(s)
	for a, x := range axes(&sum) {
		if len(x.Evidence) == 0 && !slices.Contains(notMentionedForms(s, axis(a), sum.Locale), x.Impact) {
			problems = append(problems, fmt.Errorf("%s: there is no evidence and impact does not say so", axis(a)))
		}
		for _, err := range checkAxis(*x, floors[a], texts) {
			problems = append(problems, fmt.Errorf("%s: %w", axis(a), err))
		}
	}
	return errors.Join(problems...)
}

// own are the texts of a summary but for its quotes.
func own(sum api.Summary) []string {
	out := append([]string{sum.TLDR}, sum.WhatsChanging...)
	for _, x := range axes(&sum) {
		out = append(out, x.Impact)
	}
	return out
}

// CheckForm reports what can be told to be wrong with a summary without its proposal: the length and count of
// its texts, characters that a reader cannot see, addresses and markup, severities.
func CheckForm(sum api.Summary) error {
	var problems []error
	report := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if sum.Locale == "" || sum.Source == "" || hidden(sum.Locale+sum.Source) {
		report("locale or source is missing or holds hidden characters")
	}
	if err := checkText(sum.TLDR, maxTLDR); err != nil {
		report("tldr %w", err)
	}
	if n := len(sum.WhatsChanging); n < minChanges || n > maxChanges {
		report("whatsChanging has %d points, not %d to %d", n, minChanges, maxChanges)
	}
	for i, line := range sum.WhatsChanging {
		if err := checkText(line, maxChange); err != nil {
			report("whatsChanging %d %w", i, err)
		}
	}
	for a, x := range axes(&sum) {
		for _, err := range checkAxisForm(*x) {
			report("%s: %w", axis(a), err)
		}
	}
	return errors.Join(problems...)
}

func checkAxisForm(x api.Axis) (problems []error) {
	if err := checkText(x.Impact, maxImpact); err != nil {
		problems = append(problems, fmt.Errorf("impact %w", err))
	}
	if rank(x.Severity) == 0 {
		problems = append(problems, errors.New("severity is none of low, medium and high"))
	}
	if x.Evidence == nil || len(x.Evidence) > maxEvidence {
		problems = append(problems, fmt.Errorf("evidence is null or more than %d quotes", maxEvidence))
	}
	return problems
}

func checkAxis(x api.Axis, f floor, texts quoteIndex) (problems []error) {
	if r := rank(x.Severity); r > 0 && r < rank(f.severity) {
		problems = append(problems, fmt.Errorf("severity %s is below the floor %s", x.Severity, f.severity))
	}
	if f.action && !x.ActionRequired {
		problems = append(problems, errors.New("actionRequired is false and the floor is true"))
	}
	for i, e := range x.Evidence {
		if !texts.stands(e) {
			problems = append(problems, fmt.Errorf("evidence %d does not stand in its section", i))
		}
	}
	return problems
}

// checkText reports what is wrong with one of the summary's own texts.
func checkText(text string, most int) error {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return errors.New("is not UTF-8")
	case text == "" || text != collapse(text):
		return errors.New("is empty or holds loose white space")
	case n > most:
		return fmt.Errorf("has %d characters, more than %d", n, most)
	case hidden(text):
		return errors.New("holds hidden characters")
	case isLive(text):
		return errors.New("holds an address or markup")
	}
	return nil
}

// isLive reports whether a text holds what could lead a reader away when a program makes it live: an
// address, a link of Markdown or a tag outside of code. The summary's own words need none of them.
func isLive(text string) bool {
	return leading().MatchString(text) || hasTag(uncoded(text))
}

// leading finds addresses and links, each in two parts that are harmless apart.
var leading = lazily(`(?i)(:)(//)|(www)(\.)|(\])(\()|(javascript)(:)`)

// hasTag reports whether a text holds something that HTML takes for a tag.
func hasTag(text string) bool {
	for i, c := range text {
		if c != '<' || i+1 == len(text) {
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+1:])
		if (unicode.IsLetter(next) || next == '/' || next == '!' || next == '?') && strings.IndexByte(text[i:], '>') > 0 {
			return true
		}
	}
	return false
}

// String is the axis as the summary's JSON names it.
func (a axis) String() string {
	return [...]string{developers: "developers", users: "users", validators: "validators", foundation: "foundation"}[a]
}

// Bounds of a summary, lengths in runes.
const (
	minChanges  = 3
	maxChanges  = 6
	maxChange   = 400
	maxTLDR     = 400
	maxImpact   = 600
	minQuote    = 8
	maxQuote    = 300
	maxEvidence = 3 // of one axis
)

// hidden reports whether a text holds a character that a reader cannot see but a program obeys:
// controls, changes of direction, invisible blanks, or one that stands for bytes that were none.
func hidden(s string) bool {
	for _, c := range s {
		switch {
		case unicode.IsControl(c), c == 0x2028, c == 0x2029, c == unicode.ReplacementChar,
			c >= 0x202A && c <= 0x202E, c >= 0x2066 && c <= 0x2069, c == 0x200E, c == 0x200F, c == 0x061C,
			c == 0x200B, c == 0xFEFF, c >= 0x2060 && c <= 0x2064, c == 0xFFFE, c == 0xFFFF, c >= 0xE0000 && c <= 0xE007F:
			return true
		}
	}
	return false
}

// quoteIndex holds the text of every section that evidence may name, with white space collapsed.
type quoteIndex map[string]string

// quoteIndexOf reads the sections of the proposal and, under their longer names, of what it bundles.
func quoteIndexOf(s Subject) quoteIndex {
	out := quoteIndex{}
	out.add(s.Proposal, "")
	for _, p := range s.Bundled {
		out.add(p, p.ID.String())
	}
	return out
}

func (h quoteIndex) add(p *mip.Proposal, from string) {
	for _, s := range p.Sections {
		h[sectionID(from, s.ID)] = collapse(body(s))
	}
}

// body is a section without its heading, which claims nothing.
func body(s mip.Section) string {
	if s.Level == 0 {
		return s.Markdown
	}
	first, rest, _ := strings.Cut(s.Markdown, "\n")
	if isHeading(strings.TrimSpace(first)) {
		return rest
	}
	read, lines := scanner{}, 0
	for line := range strings.Lines(s.Markdown) {
		lines += len(line)
		read.line(line)
		switch {
		case read.underlined:
			return s.Markdown[lines:]
		case len(read.lines) == 0:
			return s.Markdown // the first paragraph, if there is one, is no heading
		}
	}
	return s.Markdown
}

// stands reports whether a quote is of a fair length and stands in its section, whole words of it,
// when white space is collapsed on both sides. Marks of Markdown count as they are.
func (h quoteIndex) stands(e api.Evidence) bool {
	quote := collapse(e.Quote)
	if n := utf8.RuneCountInString(quote); n < minQuote || n > maxQuote || hidden(quote) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(quote)
	last, _ := utf8.DecodeLastRuneInString(quote)
	text := h[e.Section]
	for at := 0; ; {
		i := strings.Index(text[at:], quote)
		if i < 0 {
			return false
		}
		i += at
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(quote):])
		if !splits(before, first) && !splits(last, after) {
			return true
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		at = i + n
	}
}

// splits reports whether a cut between two characters would cut a word. Scripts without blanks have
// no such place.
func splits(a, b rune) bool { return isWord(a) && isWord(b) && a < 0x2E80 && b < 0x2E80 }

// verified returns the evidence that stands, each once, at most as much as an axis may have.
func (h quoteIndex) verified(in []api.Evidence) []api.Evidence {
	out := []api.Evidence{}
	seen := map[api.Evidence]bool{}
	for _, e := range in {
		e.Quote = collapse(e.Quote)
		if len(out) < maxEvidence && !seen[e] && h.stands(e) {
			seen[e] = true
			out = append(out, e)
		}
	}
	return out
}
