package corpus

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/strictjson"
)

const (
	// maxSummary bounds a summary's file in bytes. The largest valid one has a third of it.
	maxSummary = 128 << 10
	// maxSource bounds the name of a model, in characters.
	maxSource = 100
)

// readSummary publishes a summary if its form is right and it holds against the present text.
func (f *committedFile) readSummary(raw []byte, p *Proposal, check func(*api.Summary) error) {
	sum, err := parseSummary(raw, p.Number)
	if err != nil {
		f.report.warnf(err.Line, "summary-invalid", "%s; it is not published", err.Message)
		return
	}
	sum.Stale = sum.ContentHash != p.ContentHash
	const again = "make it again with mipwatch build --summaries"
	if err := check(sum); err != nil {
		what := "it is not borne out by the text"
		if sum.Stale {
			what = "it speaks of an older text and is not borne out by the present one"
		}
		f.report.warnf(0, "summary-refused", "%s (%s) and is not published; %s", what, strings.ReplaceAll(err.Error(), "\n", "; "), again)
		return
	}
	if sum.Stale {
		f.report.warnf(0, "summary-stale", "it speaks of an older text and is published as stale; %s", again)
	}
	f.summary = sum
}

// parseSummary reads the file of a proposal's summary, without looking at the proposal.
func parseSummary(raw []byte, number int) (*api.Summary, *strictjson.Error) {
	if len(raw) > maxSummary {
		return nil, &strictjson.Error{Message: fmt.Sprintf("it is larger than %d bytes", maxSummary)}
	}
	sum := &api.Summary{}
	// A build finds out by itself whether a summary is stale, and writes no stand-in.
	if err := strictjson.Decode(raw, sum, "stale", "fallback"); err != nil {
		return nil, err
	}
	// The values are checked in the order of the wire.
	for _, rule := range []struct {
		broken          bool
		member, message string
	}{
		{sum.MIPNumber != number, "mipNumber", fmt.Sprintf("mipNumber is %d and the file's name says %d", sum.MIPNumber, number)},
		{sum.Locale != "en", "locale", "locale is not en: a committed summary is English"},
		{!mip.IsContentHash(sum.ContentHash), "contentHash", "contentHash is not 64 hexadecimal digits in lower case"},
		{utf8.RuneCountInString(sum.Source) > maxSource, "source", fmt.Sprintf("source is longer than %d characters", maxSource)},
		{sum.Fallback != nil, "fallback", "fallback is not null: what only stands in for a summary is not one to keep"},
	} {
		if rule.broken {
			return nil, &strictjson.Error{Line: strictjson.Line(raw, rule.member), Message: rule.message}
		}
	}
	return sum, nil
}

// readTranslation publishes a translation that can be read. One of an older text is stale. Its
// header is written as a proposal's is; only title, description and translation-of are read of
// it, the contentHash of the text that was translated:
//
//	---
//	mip: 7
//	title: Eine eigene Spur für Stimmen
//	description: Stimmen als Datagramme fester Länge.
//	translation-of: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
//	---
func (f *committedFile) readTranslation(raw []byte, c *Corpus, p *Proposal) {
	r := &report{}
	header, doc, heavy := parseTranslation(string(raw), r)
	if len(r.problems) > 0 {
		f.report.warnf(r.problems[0].Line, "translation-invalid", "%s; it is not published", r.problems[0].Message)
		return
	}
	hash := header.get("translation-of").text()
	// Sections are compared by their levels: titles are translated.
	english := c.Read(p).Sections
	stale := hash != p.ContentHash
	switch {
	case stale:
		f.report.warnf(0, "translation-stale", "it is of an older text and published as stale; bring it up to date and set translation-of to %s", p.ContentHash)
	case !correspond(doc.Sections, english):
		line, what := difference(doc.Sections, english, strings.Count(string(raw), "\n"))
		f.report.warnf(line, "translation-sections",
			"%s; the headings must be those of the English text, in number, level and order. It is not published", what)
		return
	}
	made := mip.Time{} // of a proposal without any date
	if p.Updated != nil {
		made = *p.Updated
	}
	if at := c.Changed(f.File); at != nil {
		made = *at
	}
	// Where only some sections correspond nothing says which: a wrong id would lead to another
	// place.
	if correspond(doc.Sections, english) {
		for i := range doc.Sections {
			doc.Sections[i].ID = english[i].ID
		}
	}
	text := &api.PublishedTranslation{
		MIPNumber: p.Number, Locale: f.locale, Title: header.get("title").text(), Sections: doc.Sections, ContentHash: hash,
		GeneratedAt: made, Source: "file", Stale: stale,
	}
	if d := header.get("description").text(); d != "" {
		text.Description = &d
	}
	f.translation = &Translation{PublishedTranslation: text, ID: p.ID, File: f.Path, Heavy: heavy}
}

// correspond reports whether two texts have the same headings, as far as a program can see.
func correspond(a, b []mip.Section) bool {
	return slices.EqualFunc(a, b, func(x, y mip.Section) bool { return x.Level == y.Level })
}

// difference says where two texts that do not correspond begin to have other headings, by the
// line of the translation's file, which has as many lines as given.
func difference(translated, english []mip.Section, lines int) (line int, message string) {
	same := 0
	for same < min(len(translated), len(english)) && translated[same].Level == english[same].Level {
		same++
	}
	if same == len(translated) {
		return 0, fmt.Sprintf("it has %d sections and the English text %d, from %q on without a translation", same, len(english), english[same].Title)
	}
	line = 1 + lines
	for _, s := range translated[same:] {
		line -= strings.Count(s.Markdown, "\n")
	}
	s := translated[same]
	if same == len(english) {
		return line, fmt.Sprintf("the English text has no section where %q stands", s.Title)
	}
	return line, fmt.Sprintf("the section %q has level %d where %q of the English text has level %d", s.Title, s.Level, english[same].Title, english[same].Level)
}

// parseTranslation reads a file without looking at the proposal. Any problem of r refuses it.
func parseTranslation(raw string, r *report) (header *values, doc *markdown.Document, heavy bool) {
	text, ok := normalise(raw, r)
	if at := strings.IndexFunc(text, func(c rune) bool { return c != '\t' && mip.ClassOf(c) == mip.Control }); ok && at >= 0 {
		c, _ := utf8.DecodeRuneInString(text[at:])
		r.errorf(lineAt(text, at), "", "the control character %U", c)
	}
	if !ok || r.failed {
		return nil, nil, false
	}
	h, ok := guard(text, r)
	if h == nil {
		if ok {
			r.errorf(1, "", "the file does not begin with a line of three hyphens")
		}
		return nil, nil, false
	}
	// end is the line of the closing fence.
	end := lineAt(text, h.body) - 1
	h.fields = slices.DeleteFunc(h.fields, func(f field) bool {
		return f.name != "title" && f.name != "description" && f.name != "translation-of"
	})
	header = decode(h, r)
	for _, v := range header.order {
		text, isText := v.v.(string)
		switch {
		case v.v != nil && !isText:
			r.errorf(v.line, "", "%s is no text: write it on one line", v.name)
		case strings.ContainsFunc(text, unseen):
			r.errorf(v.line, "", "%s: it holds control characters or characters that cannot be seen", v.name)
		case v.name == "translation-of" && !mip.IsContentHash(text):
			r.errorf(v.line, "", "translation-of is no contentHash: 64 hexadecimal digits in lower case")
		}
	}
	for _, name := range []string{"title", "translation-of"} {
		if header.get(name).text() == "" {
			r.errorf(end, "", "the header has no %s", name)
		}
	}
	doc, heavy = parse(text[h.body:], end+1, true, r)
	return header, doc, heavy
}

// unseen reports characters that no line of a translation's header may hold. Joiners and soft
// hyphens are part of some scripts.
func unseen(c rune) bool {
	if c == 0x200C || c == 0x200D || c == 0xAD {
		return false
	}
	return mip.ClassOf(c) != mip.Visible || c == unicode.ReplacementChar || unicode.In(c, unicode.Cf, unicode.Co)
}
