// Package plain names a site and its proposals in plain text: in one line, in sentences and in
// addresses. It does not know any format: the package of a format escapes.
package plain

import (
	"cmp"
	_ "embed"
	"iter"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Listing is the proposals that share one value of a field, for their page or their feed.
type Listing struct {
	Kind     string    // status, category, type or author; for a feed also upgrade
	Value    string    // as written, for an author the name; empty: proposals without a value
	Slug     string    // its path segment
	Stage    mip.Stage // of a status
	Metadata []mip.Metadata
}

// Route is the route of the list's page.
func (l Listing) Route() string { return "/" + l.Kind + "/" + url.PathEscape(l.Slug) + "/" }

// Text returns the route of the list as Markdown. Only an upgrade has it.
func (l Listing) Text() string { return strings.TrimSuffix(l.Route(), "/") + ".md" }

// Explain returns the heading of a listing and the meaning of its value. A value outside of the
// process is called unknown: only the authors know its meaning.
func (l Listing) Explain() (heading, meaning string) {
	kind, value := l.Kind, l.Value
	switch {
	case kind == "author":
		return "Proposals by " + value, "Every proposal that names this author."
	case kind == "kind":
		return value, "Every proposal of this kind. Its numbers are its own."
	case kind == "upgrade":
		return value + " upgrade", "Moves in the lists of the " + value + " network upgrade, and" +
			" statuses and last calls of the proposals that are or may come into it."
	case value == "":
		return "Proposals without a " + kind,
			"The headers of these proposals state no " + kind + "."
	case kind == "status" && l.Stage != "":
		return value + " proposals",
			StatusMeaning(mip.Standing{Status: mip.Status(value), Stage: l.Stage})
	case kind == "status":
		return "Status: " + value,
			"This is not one of the statuses of the process. It is shown as the headers have it."
	}
	heading = Capital(kind) + ": " + value
	return heading, cmp.Or(meant(kind, mip.Slug(value)),
		"Proposals whose header gives the "+kind+" “"+value+"”.")
}

// Capital returns a text whose first byte is a capital.
func Capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

//go:embed meanings.txt
var meanings string

// meant explains a status of EIP-1, a stage, a type or a category by its slug. It is empty for
// unknown values.
func meant(kind, slug string) string { return Lookup(meanings, kind+" "+slug) }

// StatusMeaning explains a status. For a word that is not EIP-1's, only the stage is known. It is
// empty for a status outside of the process.
func StatusMeaning(s mip.Standing) string {
	if usual(s) {
		return meant("status", s.Status.Slug())
	}
	return meant("stage", string(s.Stage))
}

// usual reports whether EIP-1 has the status with the same stage.
func usual(s mip.Standing) bool { return s.Status.Usual() == s }

// Mark is the slug of the EIP-1 status that has the color and icon for a status: the status of the
// same name if it has the same stage, else the one of its stage. It is "none" without a status, and
// "other" outside of the process.
func Mark(s mip.Standing) string {
	switch {
	case s.Status == "":
		return "none"
	case s.Stage == "":
		return "other"
	case usual(s):
		return s.Status.Slug()
	case s.Stage == mip.StageStopped:
		return mip.Withdrawn.Slug()
	}
	return string(s.Stage)
}

// Lookup finds a key in a table of lines of the form "key: value". It returns the empty string for
// an unknown key.
func Lookup(table, key string) string {
	for line := range strings.Lines(table) {
		if k, value, _ := strings.Cut(line, ": "); k == key {
			return strings.TrimSuffix(value, "\n")
		}
	}
	return ""
}

// SiteTitle is the site's title, or its address if it has none.
func SiteTitle(info mip.Site) string { return cmp.Or(mip.OneLine(info.Title), info.BaseURL) }

// ProposalTitle is "ID: title", without the marks of code spans.
func ProposalTitle(m mip.Metadata) string {
	return strings.TrimSpace(m.ID.String() + ": " + Text(mip.OneLine(m.Title)))
}

// Facts is the description followed by the facts of the header in sentences: the status with its
// details, all other texts, the hard fork and requirements, if known.
func Facts(info mip.Site, m mip.Metadata) string {
	var out []string
	if text := Description(m); text != "" {
		out = append(out, mip.Sentence(text))
	}
	deadline := ""
	if day := m.CommentsUntil(); day != nil {
		deadline = day.String()
	}
	facts := [][2]string{
		{"Status", cmp.Or(string(m.Status), "none")}, {"Deadline for comments", deadline},
		{"Reason for withdrawal", strings.TrimRight(mip.Deref(m.WithdrawalReason), ".")},
		{"Superseded by", strings.Join(Successors(m), ", ")},
	}
	for _, f := range mip.Fields {
		isText := f.Kind == mip.FieldProse || f.Kind == mip.FieldWord
		if isText && !slices.Contains(toldApart, f.Name) {
			label := strings.ReplaceAll(f.Key(), "-", " ")
			label = Capital(label)
			facts = append(facts, [2]string{label, strings.TrimRight(f.Text(&m), ".")})
		}
	}
	// Leave out facts that the header does not state, except for the status.
	for _, f := range append(facts, [2]string{"Hard fork", fork(m)}) {
		if f[1] != "" {
			out = append(out, f[0]+": "+mip.OneLine(f[1])+".")
		}
	}
	if len(m.Requires) > 0 {
		out = append(out, "Requires "+IDs(m.ID, m.Requires)+".")
	}
	return strings.Join(out, " ")
}

// toldApart are the texts of a header that Facts handles separately or leaves out.
var toldApart = []string{"title", "description", "status", "withdrawalReason"}

// fork is the hard fork of a proposal with its times, or "": "ARGAND, testnet
// 2027-01-19T15:00:00Z".
func fork(m mip.Metadata) string {
	var out strings.Builder
	out.WriteString(mip.Deref(m.Hardfork))
	for _, a := range m.Activations {
		at := Moment(a.Timestamp, a.Time)
		if a.HardFork != *m.Hardfork {
			at = LaterMoment(a.HardFork, at)
		}
		out.WriteString(", " + a.Network + " " + at)
	}
	return out.String()
}

// Moment is the time when a network gets a hard fork, in RFC 3339.
func Moment(timestamp int64, at mip.Time) string {
	if timestamp == 0 {
		return "from the first block"
	}
	return at.String()
}

// LaterMoment is the [Moment] of a later fork that includes a fork without a time of its own.
func LaterMoment(fork, at string) string {
	return "no time of its own (" + mip.OneLine(fork) + ": " + at + ")"
}

// Successors are the proposals that the header names as its replacements.
func Successors(m mip.Metadata) []string {
	var out []string
	if len(m.SupersededBy) > 0 {
		out = append(out, IDs(m.ID, m.SupersededBy))
	}
	for _, e := range m.External {
		if e.Relation == mip.SupersededBy {
			out = append(out, e.Text)
		}
	}
	return out
}

// Ended describes why a proposal has ended, in sentences without a full stop: withdrawn or stopped,
// with the reason, or superseded.
func Ended(m mip.Metadata) (out []string) {
	if m.Stage == mip.StageStopped && m.WithdrawalReason != nil {
		out = append(out, m.Status.String()+": "+*m.WithdrawalReason)
	}
	if by := Successors(m); len(by) > 0 {
		return append(out, "Superseded by "+strings.Join(by, ", "))
	}
	if m.Superseded() {
		out = append(out, "Superseded")
	}
	return out
}

// IDs are the ids of proposals of the same kind as another, by their numbers: "MIP-3, MIP-4".
func IDs(of mip.ID, numbers []int) string {
	out := make([]string, 0, len(numbers))
	for _, id := range of.Siblings(numbers) {
		out = append(out, id.String())
	}
	return strings.Join(out, ", ")
}

// Description is the proposal's description, or "" if its header has none.
func Description(m mip.Metadata) string { return mip.OneLine(mip.Deref(m.Description)) }

// notURI matches a character that a URI must not contain (RFC 3986), or a bracket.
var notURI = regexp.MustCompile(`[^0-9A-Za-z._~!$&'()*+,;=:@/%?#-]`)

// Address is the absolute address of a route as a URI (RFC 3986). It percent-encodes characters
// that a URI must not contain, such as letters of other scripts in a slug. It keeps percent signs:
// the route may be encoded already.
func Address(info mip.Site, route string) string {
	return info.BaseURL + notURI.ReplaceAllStringFunc(route, url.PathEscape)
}

// Profile is the address of a GitHub account.
func Profile(login string) string { return "https://github.com/" + url.PathEscape(login) }

// Spans splits a text into its Markdown code spans (CommonMark 6.1), with their backticks, and the
// texts between them. An unmatched run of backticks is text.
func Spans(s string) iter.Seq2[string, bool] {
	return func(yield func(text string, code bool) bool) {
		text := 0 // bytes before the next code span
		for text < len(s) {
			if size := codeSpan(s[text:]); size > 0 {
				if text > 0 && !yield(s[:text], false) || !yield(s[text:text+size], true) {
					return
				}
				s, text = s[text+size:], 0
				continue
			}
			text += max(Backticks(s[text:]), 1)
		}
		if s != "" {
			yield(s, false)
		}
	}
}

// Text is a title or a description for a place without Markdown: code spans lose their marks, and
// the rest stays.
func Text(s string) string {
	var b strings.Builder
	for text, code := range Spans(s) {
		if code {
			text = Code(text)
		}
		b.WriteString(text)
	}
	return b.String()
}

// Code is the content of a code span with its marks: without these, and without one blank at both
// ends (CommonMark 6.1).
func Code(span string) string {
	run := Backticks(span)
	s := span[run : len(span)-run]
	if len(s) > 2 && s[0] == ' ' && s[len(s)-1] == ' ' && strings.TrimSpace(s) != "" {
		return s[1 : len(s)-1]
	}
	return s
}

// Backticks is the length of the run of backticks at the beginning of s.
func Backticks(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// codeSpan is the length of the code span at the beginning of s, or 0.
func codeSpan(s string) int {
	run := Backticks(s)
	for i := run; run > 0 && i < len(s); i++ {
		n := Backticks(s[i:])
		if n == run {
			return i + n
		}
		i += n
	}
	return 0
}
