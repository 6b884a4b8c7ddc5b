package summary

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Bounds of a summary, lengths in runes. The prompt in internal/ai/prompts names them too.
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

// Check reports every way in which a summary breaks the rules: its number, all that [CheckForm] reports, severities
// below a floor, numbers and addresses that are not in the text, quotes that are not in their sections, and a claim
// without a quote. It does not compare content hashes: a caller can tell a summary of an older text by them. A
// committed summary falls below a floor when a fork takes the proposal up later, and has to be made again.
func Check(sum api.Summary, s Subject) error {
	var problems []error
	if sum.MIPNumber != s.Proposal.Number {
		problems = append(problems, fmt.Errorf("mipNumber is %d, not %d", sum.MIPNumber, s.Proposal.Number))
	}
	if err := CheckForm(sum); err != nil {
		problems = append(problems, err)
	}
	if !supported(Texts(sum), s) {
		problems = append(problems, errors.New("a text mentions a number or an address, or a name like one, that does not stand in the proposal"))
	}
	floors, quotes := floorsOf(s), quoteIndexOf(s)
	for a, x := range axes(&sum) {
		if len(x.Evidence) == 0 && !slices.Contains(notMentionedForms(s, axis(a), sum.Locale), x.Impact) {
			problems = append(problems, fmt.Errorf("%s: there is no evidence and impact does not say so", axis(a)))
		}
		for _, err := range checkAxis(*x, floors[a], quotes) {
			problems = append(problems, fmt.Errorf("%s: %w", axis(a), err))
		}
	}
	return errors.Join(problems...)
}

// checkAxis reports what is wrong with the part of one group: a severity below the floor, an action that the floor asks
// for, and quotes that are not in their section.
func checkAxis(x api.Axis, f floor, quotes quoteIndex) (problems []error) {
	if r := rank(x.Severity); r > 0 && r < rank(f.severity) {
		problems = append(problems, fmt.Errorf("severity %s is below the floor %s", x.Severity, f.severity))
	}
	if f.action && !x.ActionRequired {
		problems = append(problems, errors.New("actionRequired is false and the floor is true"))
	}
	for i, e := range x.Evidence {
		if !quotes.stands(e) {
			problems = append(problems, fmt.Errorf("evidence %d does not stand in its section", i))
		}
	}
	return problems
}

// supported reports whether all that texts name is in the subject. The rules may also count, and cut a long word.
func supported(texts []string, s Subject) bool {
	source := prose.NewSource(sourceTexts(s)...)
	foreign := func(text string) bool { return !source.Holds(text) }
	if !slices.ContainsFunc(texts, foreign) {
		return true
	}
	for _, text := range Texts(Extract(s)) {
		source.Add(text)
	}
	return !slices.ContainsFunc(texts, foreign)
}

// sourceTexts are the proposal and those that it bundles, their headers and the fork.
func sourceTexts(s Subject) []string {
	texts := []string{Facts(s)}
	for _, p := range append([]*mip.Proposal{s.Proposal}, s.Bundled...) {
		texts = append(texts, quoted(p), header(p), fmt.Sprint(p.Frontmatter))
		for _, section := range p.Sections {
			texts = append(texts, section.Markdown)
		}
	}
	return texts
}

// Texts are the texts of a summary but for its quotes.
func Texts(sum api.Summary) []string {
	out := append([]string{sum.TLDR}, sum.WhatsChanging...)
	for _, x := range axes(&sum) {
		out = append(out, x.Impact)
	}
	return out
}

// CheckForm reports all that is wrong with a summary and can be seen without its proposal: the length and count of
// its texts, characters that a reader cannot see, addresses and markup, severities.
func CheckForm(sum api.Summary) error { return checkForm(sum, maxEvidence) }

// checkForm is CheckForm with another bound on the quotes of a group: a model may give more than are kept.
func checkForm(sum api.Summary, maxEvidence int) error {
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
		if err := checkText(x.Impact, maxImpact); err != nil {
			report("%s: impact %w", axis(a), err)
		}
		if rank(x.Severity) == 0 {
			report("%s: severity is none of low, medium and high", axis(a))
		}
		if x.Evidence == nil || len(x.Evidence) > maxEvidence {
			report("%s: evidence is null or more than %d quotes", axis(a), maxEvidence)
		}
	}
	return errors.Join(problems...)
}

// checkText reports what is wrong with one of the summary's own texts.
func checkText(text string, most int) error {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return errors.New("is not UTF-8")
	case text == "" || text != prose.Collapse(text):
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

// Accept leaves of a model's answer what the text supports. A quote that is not in its section is dropped, a group
// without any quote is said to be missing, and severities are raised to their floors. The error says why nothing of
// the answer can be used: a text of it, or the summary that is left, breaks the rules of [Check].
func Accept(sum *api.Summary, s Subject) error {
	if err := checkForm(*sum, 2*maxEvidence); err != nil {
		return err
	}
	quotes := quoteIndexOf(s)
	for a, x := range axes(sum) {
		x.Evidence = quotes.verified(x.Evidence)
		if len(x.Evidence) == 0 {
			*x = api.Axis{Impact: notMentionedBy(s, axis(a), sum.Locale), Severity: api.Low, Evidence: x.Evidence}
		}
	}
	raise(sum, s)
	return Check(*sum, s)
}

// quoteIndex holds the text of every section that evidence may name, with white space collapsed.
type quoteIndex map[string]string

// quoteIndexOf reads the sections of the proposal and, under their longer names, of what it bundles.
func quoteIndexOf(s Subject) quoteIndex {
	out := quoteIndex{}
	add := func(p *mip.Proposal, from string) {
		for _, section := range p.Sections {
			out[sectionID(from, section.ID)] = prose.Collapse(prose.Body(section))
		}
	}
	add(s.Proposal, "")
	for _, p := range s.Bundled {
		add(p, p.ID.String())
	}
	return out
}

// stands reports whether a quote is of a fair length and is in its section, whole words of it,
// when white space is collapsed on both sides. Marks of Markdown count as they are.
func (q quoteIndex) stands(e api.Evidence) bool {
	quote := prose.Collapse(e.Quote)
	if n := utf8.RuneCountInString(quote); n < minQuote || n > maxQuote || hidden(quote) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(quote)
	last, _ := utf8.DecodeLastRuneInString(quote)
	text := q[e.Section]
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
func splits(a, b rune) bool { return prose.IsWord(a) && prose.IsWord(b) && a < 0x2E80 && b < 0x2E80 }

// verified returns the evidence that stands, each once, at most as much as an axis may have.
func (q quoteIndex) verified(in []api.Evidence) []api.Evidence {
	out := []api.Evidence{}
	for _, e := range in {
		e.Quote = prose.Collapse(e.Quote)
		if len(out) < maxEvidence && !slices.Contains(out, e) && q.stands(e) {
			out = append(out, e)
		}
	}
	return out
}
