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
	h := o.Parse(o.place(file), string(content), r)
	if h == nil || h.NotNumber {
		return nil
	}
	// Feeds are XML, in which such a character cannot even be escaped.
	first := mip.LineAt(h.Text, h.Body)
	body, at := mip.Printable(h.Text[h.Body:])
	if at >= 0 {
		line := first + strings.Count(h.Text[h.Body:h.Body+at], "\n")
		r.add(line, "control-character/text")
	}
	if at, c := hiddenText(body); at >= 0 {
		line := first + strings.Count(body[:at], "\n")
		r.add(line, "hidden-character/text", c)
	}
	// Parse a text without a title only if it has a mark of a heading: there are many stubs that say
	// where a proposal went.
	titleless := h.of("title").text() == "" && strings.ContainsAny(body, "#=")
	doc, needsTrial := parse(body, first, titleless, r)
	title := ""
	if doc != nil {
		title = doc.Title()
	}
	sum := sha256.Sum256(content)
	shown := h.shown(o.Show)
	stated := h.date("updated")
	moved := h.moved()
	metadata, note := h.Metadata(title)
	if note != "" {
		shown = append([]mip.Shown{{Key: "Note on the status", Text: note}}, shown...)
	}
	p := &Proposal{
		Metadata: metadata, File: file.Path, Name: ownName(file.Name), Raw: string(content), Body: body, NeedsTrialRender: needsTrial,
		Shown: shown, Moved: moved, source: file, stated: stated, report: r,
	}
	p.ContentHash = hex.EncodeToString(sum[:])
	p.requireLine, p.alias, p.dates = h.of("requires").line, h.alias, h.dates
	p.numberLine, p.Mentions = h.get(fieldName(h.ID.Kind)).line, mentions(body, o.kinds(), o.References)
	return p
}

// place is where a file stands.
func (o Options) place(file folder.File) Place { return Place{o.KindOf[file.Folder], file.Name} }

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
