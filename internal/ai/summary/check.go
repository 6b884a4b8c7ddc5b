package summary

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Bounds of a summary, lengths in runes. The prompt in internal/ai/prompts names them too.
const (
	minChanges  = 1
	maxChanges  = 6
	maxChange   = 400
	maxTLDR     = 400
	maxImpact   = 600
	minQuote    = 8
	maxQuote    = 300
	maxEvidence = 3 // of one axis
)

// ErrForm says that an answer is not a summary, whatever its proposal says.
var ErrForm = errors.New("it breaks the form of a summary")

// Accept leaves of a model's answer what the text supports. A quote that is not in its section is
// dropped, a group without any quote is said to be missing, and severities are raised to their
// floors. The error says why nothing of the answer can be used: it breaks the rules of [CheckForm],
// or the summary that is left breaks those of [Check]. For the former it wraps [ErrForm].
func Accept(sum *api.Summary, s Subject) error {
	if err := check(*sum, nil, 2*maxEvidence); err != nil {
		return fmt.Errorf("%w: %w", ErrForm, err)
	}
	quotes := quoteIndexOf(s)
	for a, x := range axes(sum) {
		x.Evidence = quotes.verified(x.Evidence)
		if e := x.ActionEvidence; e != nil {
			e.Quote = mip.Collapse(e.Quote)
			if !slices.Contains(x.Evidence, *e) {
				x.ActionEvidence = nil
			}
		}
		if len(x.Evidence) == 0 {
			impact := notMentionedBy(s, axis(a), sum.Locale)
			*x = api.Axis{Impact: impact, Severity: api.Low, Evidence: x.Evidence}
		}
	}
	Complete(sum, s)
	raise(sum, s)
	return Check(*sum, s)
}

// Complete sets what follows from the rest of a summary and from the headers of now, whatever the
// sentences say: the fork, of which groups the text speaks, and the first of its quotes for a group
// that has to act where none is named. Nobody has to act for a proposal that nobody pursues any
// more.
func Complete(sum *api.Summary, s Subject) {
	sum.Hardfork = nil
	if s.Fork != nil {
		sum.Hardfork = &s.Fork.Name
	}
	for _, x := range axes(sum) {
		x.Stated = len(x.Evidence) > 0
		switch {
		case abandoned(s):
			x.ActionRequired, x.ActionEvidence = false, nil
		case x.ActionRequired && x.ActionEvidence == nil && x.Stated:
			x.ActionEvidence = &x.Evidence[0]
		}
	}
}

// CheckForm reports all that is wrong with a summary and can be seen without its proposal: the
// length and count of its texts, characters that a reader cannot see, addresses and markup,
// severities.
func CheckForm(sum api.Summary) error { return check(sum, nil, maxEvidence) }

// Check reports every way in which a summary breaks the rules: its number, all that [CheckForm]
// reports, severities below a floor, numbers and addresses that are not in the text, quotes that
// are not in their sections, and a claim without a quote. It does not compare content hashes: a
// caller can tell a summary of an older text by them. A committed summary falls below a floor when
// a fork takes the proposal up later, and has to be made again.
func Check(sum api.Summary, s Subject) error {
	return check(sum, &s, maxEvidence)
}

// check is Check, or without a subject CheckForm, with a bound on the quotes of a group: a model
// may give more than are kept.
func check(sum api.Summary, s *Subject, maxEvidence int) error {
	var problems []error
	report := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	text := func(name, text string, most int) {
		if fault := faultOf(text, most); fault != "" {
			report("%s %s", name, fault)
		}
	}
	var quotes quoteIndex
	var floors [4]api.Severity
	if s != nil {
		quotes, floors = quoteIndexOf(*s), floorsOf(*s)
		if sum.MIPNumber != s.Proposal.Number {
			report("mipNumber is %d, not %d", sum.MIPNumber, s.Proposal.Number)
		}
		if sum.Source == api.Extractive {
			problems = append(problems, s.outdated(sum)...)
		}
		if !supported(sum, *s) {
			report("a text mentions a number or an address, or a name like one, that does not stand in the proposal")
		}
	}
	if sum.Locale == "" || sum.Source == "" || hides(sum.Locale+sum.Source) {
		report("locale or source is missing or holds hidden characters")
	}
	text("tldr", sum.TLDR, maxTLDR)
	if n := len(sum.WhatsChanging); n < minChanges || n > maxChanges {
		report("whatsChanging has %d points, not %d to %d", n, minChanges, maxChanges)
	}
	for i, line := range sum.WhatsChanging[:min(len(sum.WhatsChanging), maxChanges)] {
		text(fmt.Sprintf("whatsChanging %d", i), line, maxChange)
	}
	for i, x := range axes(&sum) {
		a := axis(i)
		text(a.String()+": impact", x.Impact, maxImpact)
		switch r := rank(x.Severity); {
		case r == 0:
			report("%s: severity is none of low, medium and high", a)
		case r < rank(floors[a]):
			report("%s: severity %s is below the floor %s", a, x.Severity, floors[a])
		}
		if x.Evidence == nil || len(x.Evidence) > maxEvidence {
			report("%s: evidence is null or more than %d quotes", a, maxEvidence)
		}
		if s == nil {
			continue
		}
		if x.Stated != (len(x.Evidence) > 0) {
			report("%s: stated is true without evidence or false with it", a)
		}
		if x.ActionEvidence != nil && !slices.Contains(x.Evidence, *x.ActionEvidence) {
			report("%s: actionEvidence is not one of evidence", a)
		}
		if x.ActionEvidence == nil && x.ActionRequired {
			report("%s: actionRequired is true without actionEvidence", a)
		}
		if len(x.Evidence) == 0 && !slices.Contains(notMentionedForms(*s, a, sum.Locale), x.Impact) {
			report("%s: there is no evidence and impact does not say so", a)
		}
		for i, e := range x.Evidence {
			if !quotes.holds(e) {
				report("%s: evidence %d does not stand in its section", a, i)
			}
		}
	}
	return errors.Join(problems...)
}

// outdated reports the sentences of the rules that the configuration and other headers have
// overtaken. Both change without the text.
func (s *Subject) outdated(sum api.Summary) (problems []error) {
	id := s.Proposal.ID.String()
	i := strings.Index(sum.TLDR, id+" bundles ")
	if i >= 0 && s.bundles() && !strings.HasSuffix(tldr(*s, nil), sum.TLDR[i:]) {
		problems = append(problems, errors.New("tldr does not name what the fork bundles now"))
	}
	now := outcome(s.Proposal)
	for _, text := range Texts(sum) {
		if strings.HasPrefix(text, id+" is superseded by ") && !slices.Contains(now, text) {
			problems = append(problems, errors.New("a text names a successor that is none now"))
		}
	}
	return problems
}

// faultOf says what is wrong with one of the summary's own texts, nothing when it is sound.
func faultOf(text string, most int) string {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return "is not UTF-8"
	case text == "" || text != mip.Collapse(text):
		return "is empty or holds loose white space"
	case n > most:
		return fmt.Sprintf("has %d characters, more than %d", n, most)
	case hides(text):
		return "holds hidden characters"
	case isLive(text):
		return "holds an address or markup"
	}
	return ""
}

// hides reports a text with a character that a reader cannot see, or with the one that stands for
// bytes that were none.
func hides(text string) bool {
	_, class := mip.Hidden(text)
	return class != mip.Visible || strings.ContainsRune(text, unicode.ReplacementChar)
}

// Patterns of what a program can make a link or an element of.
var (
	// leading finds addresses and links, each in two parts that are harmless apart.
	leading = prose.Lazily(`(?i)(:)(//)|(www)(\.)|(\])(\()|(javascript)(:)`)
	htmlTag = prose.Lazily(`<[\p{L}/!?][^>]*>`)
)

// isLive reports whether a program can make a link of a part of a text: an address, a link of
// Markdown or a tag outside of code. The summary's own words need none of them.
func isLive(text string) bool {
	return hasLeading(text) || strings.Contains(text, "<") && htmlTag().MatchString(uncoded(text))
}

// hasLeading reports whether a text has an address or a link.
func hasLeading(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc([]string{"://", "www.", "](", "javascript:"}, func(part string) bool {
		return strings.Contains(lower, part)
	}) && leading().MatchString(text)
}

// fit makes of a header's text one in which [faultOf] finds nothing, at most n runes long, cut
// between words. Addresses and links are taken apart, so that nothing makes a link of them, and
// stay readable.
func fit(s string, n int) string {
	s = mip.Collapse(mip.OneLine(strings.ReplaceAll(s, "\uFFFD", "")))
	for hasLeading(s) { // javascript:// takes two turns
		s = leading().ReplaceAllString(s, "$1$3$5$7 $2$4$6$8")
	}
	if isLive(s) {
		s = strings.ReplaceAll(s, "<", "‹")
	}
	short := mip.ShortenRunes(s, n)
	if i := strings.LastIndexByte(short, ' '); short != s && i >= len(short)/2 {
		short = strings.TrimRight(short[:i], " ,;:") + "…"
	}
	return short
}

// Texts are the texts of a summary but for its quotes.
func Texts(sum api.Summary) []string {
	out := append([]string{sum.TLDR}, sum.WhatsChanging...)
	for _, x := range axes(&sum) {
		out = append(out, x.Impact)
	}
	return out
}

// supported reports whether all that a summary names is in the subject. The rules may also count, and
// cut a long word.
func supported(sum api.Summary, s Subject) bool {
	source := sourceOf(s)
	foreign := func(text string) bool { return !source.Holds(text) }
	named := slices.ContainsFunc(Texts(sum), foreign)
	if !named || sum.Source != api.Extractive {
		return !named
	}
	// The rules' own summary takes long to make, so the text alone is asked first.
	for _, text := range Texts(Extract(s)) {
		source.Add(text)
	}
	return !slices.ContainsFunc(Texts(sum), foreign)
}

// sourceOf reads the proposal and those that it bundles, their headers and the fork: all that a
// model was asked about, and the sections that it was not given.
func sourceOf(s Subject) prose.Source {
	texts := []string{Facts(s)}
	for _, p := range s.proposals() {
		texts = append(texts, quotedTitle(p), header(p), fmt.Sprint(p.Frontmatter))
		for _, section := range p.Sections {
			texts = append(texts, section.Markdown)
		}
	}
	return prose.NewSource(texts...)
}

// floorsOf returns the least severity of every axis, empty where there is none: of all rows of the
// table in kinds.txt that hold, the highest of each. It holds whatever the text says and a model
// answers, so that no author and no model can play down what a kind of proposal or a fork brings.
// An abandoned proposal has none.
func floorsOf(s Subject) (out [4]api.Severity) {
	k := kindOf(s)
	decided := k == core && (s.Proposal.Stage == mip.StageLastCall || s.Proposal.Stage == mip.StageFinal)
	holds := map[string]bool{string(k): true, "core, decided": decided, "bundled": s.Fork != nil}
	for _, row := range list("floors of severity") {
		name, cells, _ := strings.Cut(row, " | ")
		if !holds[name] || abandoned(s) {
			continue
		}
		for a, cell := range strings.Split(cells, " | ") {
			if severity := api.Severity(cell); rank(severity) > rank(out[a]) {
				out[a] = severity
			}
		}
	}
	return out
}

// raise lifts every axis to its floor. What is above it stays.
func raise(sum *api.Summary, s Subject) {
	for a, f := range floorsOf(s) {
		if x := axes(sum)[a]; rank(x.Severity) < rank(f) {
			x.Severity = f
		}
	}
}

// rank orders severities, mildest first; 0 is none.
func rank(s api.Severity) int {
	return 1 + slices.Index([]api.Severity{api.Low, api.Medium, api.High}, s)
}

// notMentioned is the sentence for a group that the text says nothing about, the English one where
// a language has none: an honest sentence in the wrong language is better than none.
func notMentioned(locale string) string {
	language, _, _ := strings.Cut(strings.ToLower(locale), "-")
	return cmp.Or(line("not mentioned in "+language), line("not mentioned in en"))
}

// notMentionedBy is the impact on a group that the text says nothing about. In English it adds what
// follows from the kind of proposal.
func notMentionedBy(s Subject, a axis, locale string) string {
	out := notMentioned(locale)
	if out == notMentioned("en") {
		out += " " + byKind(s, a)
	}
	return fit(out, maxImpact)
}

// notMentionedForms are the impacts that need no quote: the sentence that the text says nothing,
// with the addition of the rules. A summary may also be from before the fork took the proposal up.
func notMentionedForms(s Subject, a axis, locale string) []string {
	before := s
	before.Fork = nil
	return []string{notMentioned(locale), notMentioned("en"), notMentionedBy(s, a, "en"), notMentionedBy(before, a, "en")}
}

// byKind is what a group has to expect of a proposal by its kind where the text is silent.
func byKind(s Subject, a axis) string {
	if abandoned(s) {
		return "The proposal is " + strings.ToLower(string(s.Proposal.Status)) + "."
	}
	return line(string(kindOf(s)) + " means for " + a.String())
}
