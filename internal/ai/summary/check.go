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

// Bounds of a summary, lengths in runes. The prompt in internal/ai/prompts has them too.
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

// ErrForm reports an answer that breaks the form of a summary, for any proposal.
var ErrForm = errors.New("it breaks the form of a summary")

// Accept removes from a model's answer what the text does not support. It drops each quote that is
// not in its section, marks a group without quotes as not mentioned, and raises severities to their
// floors. An error means that the answer is unusable: it breaks the rules of [CheckForm], and the
// error wraps [ErrForm], or its remainder breaks the rules of [Check].
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

// Complete sets what follows from the rest of a summary and from the current headers: the fork, the
// groups that the text mentions, and the first quote of a group that has to act if the summary
// names none. Nobody has to act for an abandoned proposal.
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

// CheckForm reports every fault of a summary that is visible without its proposal: the length and
// number of its texts, invisible characters, addresses and markup, severities.
func CheckForm(sum api.Summary) error { return check(sum, nil, maxEvidence) }

// Check reports every fault of a summary: a wrong number, the faults that [CheckForm] reports,
// severities below a floor, numbers and addresses that are not in the text, quotes that are not in
// their sections, and claims without a quote. It does not compare content hashes, by which a caller
// sees whether a summary is of an older text. A committed summary fails when a fork later takes the
// proposal up and raises a floor.
func Check(sum api.Summary, s Subject) error {
	return check(sum, &s, maxEvidence)
}

// check is Check, or CheckForm if s is nil. maxEvidence bounds the quotes of a group: a model may
// give more than are kept.
func check(sum api.Summary, s *Subject, maxEvidence int) error {
	var problems []error
	report := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf(format, args...))
	}
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
			report("a text mentions a number or an address, or a name like one, " +
				"that does not stand in the proposal")
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
		if len(x.Evidence) == 0 &&
			!slices.Contains(notMentionedForms(*s, a, sum.Locale), x.Impact) {
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

// outdated reports sentences of the rules that no longer agree with the configuration or with other
// headers. Both change without the text.
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

// faultOf returns what is wrong with a text of the summary itself, empty for a sound one.
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

// hides reports whether a text has an invisible character or U+FFFD.
func hides(text string) bool {
	_, class := mip.Hidden(text)
	return class != mip.Visible || strings.ContainsRune(text, unicode.ReplacementChar)
}

// Patterns of links and elements.
var (
	// leading matches addresses and links, in two groups that are harmless apart.
	leading = prose.Lazily(`(?i)(:)(//)|(www)(\.)|(\])(\()|(javascript)(:)`)
	htmlTag = prose.Lazily(`<[\p{L}/!?][^>]*>`)
)

// isLive reports whether a program can make a link or an element of a part of a text: an address, a
// link of Markdown, a tag outside of code.
func isLive(text string) bool {
	return hasLeading(text) || strings.Contains(text, "<") && htmlTag().MatchString(uncoded(text))
}

// hasLeading reports whether a text has an address or a link.
func hasLeading(text string) bool {
	lower := strings.ToLower(text)
	parts := []string{"://", "www.", "](", "javascript:"}
	return slices.ContainsFunc(parts, func(part string) bool {
		return strings.Contains(lower, part)
	}) && leading().MatchString(text)
}

// fit changes a text of the header so that [faultOf] finds nothing, and shortens it to n runes
// between words. Addresses and links are taken apart and stay readable.
func fit(s string, n int) string {
	s = mip.Collapse(mip.OneLine(strings.ReplaceAll(s, "\uFFFD", "")))
	for hasLeading(s) { // javascript:// takes two rounds
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

// Texts returns the texts of a summary without its quotes.
func Texts(sum api.Summary) []string {
	out := append([]string{sum.TLDR}, sum.WhatsChanging...)
	for _, x := range axes(&sum) {
		out = append(out, x.Impact)
	}
	return out
}

// supported reports whether the subject has every name and number of a summary. The rules may also
// count, and cut a long word.
func supported(sum api.Summary, s Subject) bool {
	source := sourceOf(s)
	foreign := func(text string) bool { return !source.Holds(text) }
	named := slices.ContainsFunc(Texts(sum), foreign)
	if !named || sum.Source != api.Extractive {
		return !named
	}
	// Compare with the text first: the summary by rules takes longer to make.
	for _, text := range Texts(Extract(s)) {
		source.Add(text)
	}
	return !slices.ContainsFunc(Texts(sum), foreign)
}

// sourceOf reads the proposal and what it bundles, with headers and the fork: all that a model was
// given, and the sections that it was not given.
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

// floorsOf returns the least severity of each axis, empty for none: the highest among the matching
// rows of the table in kinds.txt. Neither the text nor a model can go below it. An abandoned
// proposal has no floors.
func floorsOf(s Subject) (out [4]api.Severity) {
	k := kindOf(s)
	stage := s.Proposal.Stage
	decided := k == core && (stage == mip.StageLastCall || stage == mip.StageFinal)
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

// raise lifts each axis to its floor. Higher severities stay.
func raise(sum *api.Summary, s Subject) {
	for a, f := range floorsOf(s) {
		if x := axes(sum)[a]; rank(x.Severity) < rank(f) {
			x.Severity = f
		}
	}
}

// rank orders severities, mildest first. No severity has rank 0.
func rank(s api.Severity) int {
	return 1 + slices.Index([]api.Severity{api.Low, api.Medium, api.High}, s)
}

// notMentioned returns the sentence for a group that the text does not mention, in English if
// kinds.txt lacks the language.
func notMentioned(locale string) string {
	language, _, _ := strings.Cut(strings.ToLower(locale), "-")
	return cmp.Or(line("not mentioned in "+language), line("not mentioned in en"))
}

// notMentionedBy returns the impact on a group that the text does not mention. In English it adds
// what follows from the kind of proposal.
func notMentionedBy(s Subject, a axis, locale string) string {
	out := notMentioned(locale)
	if out == notMentioned("en") {
		out += " " + byKind(s, a)
	}
	return fit(out, maxImpact)
}

// notMentionedForms returns the impacts that need no quote: the bare sentence, and the sentence
// with the addition of the rules. A summary may be older than the fork of its proposal.
func notMentionedForms(s Subject, a axis, locale string) []string {
	before := s
	before.Fork = nil
	return []string{notMentioned(locale), notMentioned("en"),
		notMentionedBy(s, a, "en"), notMentionedBy(before, a, "en")}
}

// byKind returns what the kind of a proposal means for a group that the text does not mention.
func byKind(s Subject, a axis) string {
	if abandoned(s) {
		return "The proposal is " + strings.ToLower(string(s.Proposal.Status)) + "."
	}
	return line(string(kindOf(s)) + " means for " + a.String())
}
