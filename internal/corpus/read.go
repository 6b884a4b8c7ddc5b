package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// newProposal reads a file's text. It returns nil when r says why the file has no number.
func newProposal(file folder.File, content []byte, o Options, r *report) *Proposal {
	raw := string(content)
	text, ok := normalise(raw, r)
	name := ownName(file.Name)
	_, named := numberInName(name)
	var h *header
	if ok && named {
		h = o.otherForm(text, r)
	}
	if ok && h == nil {
		h, ok = readHeader(text, r)
	}
	// A text such as README.md is no proposal: drop its problems.
	if (h == nil || h.rule > 0) && !named && !mayHaveNumber(raw, o.kinds()) {
		*r = report{file: r.file} // the errors of a proposal are none of another text
		r.add(0, "no-header/skipped")
		return nil
	}
	if !ok {
		return nil
	}
	if h == nil && strings.TrimSpace(text) == "" {
		r.add(1, "no-header/empty")
		return nil
	}
	if h == nil {
		r.add(1, "no-header")
		h = &header{}
	}
	if h.rule > 0 {
		r.add(mip.LineAt(text, h.body), "header-not-mapping/prose")
		// Indent the rule: below text it would make a heading of that.
		text = text[:h.rule] + "   " + text[h.rule+len("---"):]
	}
	f, id, fromName, ok := o.fieldsOf(file, h, r)
	if !ok {
		return nil
	}
	// Feeds are XML, in which such a character cannot even be escaped.
	first := mip.LineAt(text, h.body)
	body, at := mip.Printable(text[h.body:])
	if at >= 0 {
		line := first + strings.Count(text[h.body:h.body+at], "\n")
		r.add(line, "control-character/text")
	}
	if at, c := hiddenText(body); at >= 0 {
		line := first + strings.Count(body[:at], "\n")
		r.add(line, "hidden-character/text", c)
	}
	// Parse a text without a title only if it has a mark of a heading: there are many stubs that say where a proposal
	// went.
	titleless := f.of("title").text() == "" && strings.ContainsAny(body, "#=")
	doc, needsTrial := parse(body, first, titleless, r)
	heading := h.heading
	if doc != nil && heading == "" {
		heading = doc.Title()
	}
	sum := sha256.Sum256(content)
	shown := f.shown(o.Show)
	stated := f.date("updated")
	moved := f.moved()
	metadata, note := f.metadata(id, fromName, heading)
	if note != "" {
		shown = append([]mip.Shown{{Key: "Note on the status", Text: note}}, shown...)
	}
	p := &Proposal{
		Metadata: metadata, File: file.Path, Name: name, Raw: raw, Body: body, NeedsTrialRender: needsTrial, Shown: shown, Moved: moved,
		source: file, stated: stated, report: r,
	}
	p.ContentHash = hex.EncodeToString(sum[:])
	p.requireLine, p.alias, p.dates = f.of("requires").line, f.alias, f.dates
	p.numberLine, p.Mentions = f.get(fieldName(id.Kind)).line, mentions(body, f.kinds, o.References)
	return p
}

// fieldsOf decodes the header of a file, and finds the proposal that it is of; fromName says that the file's name has the
// number. ok is false when r says why it is of none.
func (o Options) fieldsOf(file folder.File, h *header, r *report) (f *fields, id mip.ID, fromName, ok bool) {
	h.mean(o.Keys)
	f = decode(h, r)
	f.kinds = o.kinds()
	f.addresses, f.keys, f.elsewhere, f.process = o.Addresses, keysOf(o.Keys), o.References, o.Statuses
	if id.Kind, ok = f.kind(o, file); !ok {
		return f, id, false, false
	}
	id.Number, fromName, ok = f.number(id.Kind, ownName(file.Name))
	return f, id, fromName, ok
}

// parse checks a text that begins at a line of its file. It returns the text's tree when always is
// set or when its depth is in doubt, and whether its size is. A text that is refused is an error of
// r.
func parse(body string, first int, always bool, r *report) (doc *markdown.Document, needsTrial bool) {
	trial, refused := markdown.Check(body)
	if refused == nil && (trial.Depth || always) {
		doc = markdown.Parse(body)
		refused = doc.TooDeep()
	}
	if refused != nil {
		r.put(mip.Error, first+refused.Line-1, refused.Code, refused.Message)
		return nil, false
	}
	return doc, trial.Size
}
