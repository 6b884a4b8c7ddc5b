package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// newProposal reads a file's text. It returns nil if the file has no number, which r then explains.
func newProposal(file folder.File, content []byte, o Options, r *problem.Report) *Proposal {
	raw := string(content) // of which Body is mostly a part
	h := o.Parse(o.place(file), raw, r)
	if h == nil || h.NotNumber {
		return nil
	}
	// Feeds are XML, in which such a character cannot even be escaped.
	first := mip.LineAt(h.Text, h.Body)
	body, at := mip.Printable(h.Text[h.Body:])
	if at >= 0 {
		line := first + strings.Count(h.Text[h.Body:h.Body+at], "\n")
		r.Add(line, "control-character/text")
	}
	if at, c := hiddenText(body); at >= 0 {
		line := first + strings.Count(body[:at], "\n")
		r.Add(line, "hidden-character/text", c)
	}
	// Parse a text without a title only if it may have a heading: there are many stubs that report
	// a move.
	titleless := !h.HasTitle() && strings.ContainsAny(body, "#=")
	doc, needsTrial := parse(body, first, titleless, r)
	title := ""
	if doc != nil {
		title = doc.Title()
	}
	sum := sha256.Sum256(content)
	p := &Proposal{
		File: file.Path, Name: filename.Own(file.Name), Raw: raw, Body: body,
		NeedsTrialRender: needsTrial, Mentions: mentions(body, o.Kinds(), o.References),
		Stated: h.Stated(title), source: file, report: r,
	}
	p.ContentHash = hex.EncodeToString(sum[:])
	p.alias, p.dates = h.Alias, h.Dates
	p.numberLine, p.requireLine = h.NumberLine(), h.LineOf("requires")
	return p
}

// place is the place of a file.
func (o Options) place(file folder.File) header.Place {
	return header.Place{Kind: o.Rules.Kind(file.Folder), Name: file.Name}
}

// parse checks a text that begins at a line of its file. It returns the text's tree if always is
// set or its depth is in doubt. needsTrial is true if its size is in doubt. A refused text is an
// error in r.
func parse(
	body string, first int, always bool, r *problem.Report,
) (doc *markdown.Document, needsTrial bool) {
	trial, refused := markdown.Check(body)
	if refused == nil && (trial.Depth || always) {
		doc = markdown.Parse(body)
		refused = doc.TooDeep()
	}
	if refused != nil {
		r.Put(mip.Error, first+refused.Line-1, refused.Code, refused.Message)
		return nil, false
	}
	return doc, trial.Size
}

// hiddenText finds the first invisible character that can encode text which only programs read:
// tags and variation selectors. The offset is -1 if there is none.
func hiddenText(body string) (at int, c rune) {
	const first, last = 0xE0000, 0xE0FFF
	if !strings.Contains(body, "\xF3\xA0") { // each of them begins so in UTF-8
		return -1, 0
	}
	for i, class := range mip.Classes(body) {
		if c, _ = utf8.DecodeRuneInString(body[i:]); class == mip.Invisible && first <= c &&
			c <= last {
			return i, c
		}
	}
	return -1, 0
}

// HeaderOf parses the header of an earlier version of a proposal's text. It returns nil if there is
// no valid one. It reports no problems.
func (c *Corpus) HeaderOf(p *Proposal, text []byte) *header.Header {
	return c.options.Parse(c.options.place(p.source), string(text), &problem.Report{})
}
