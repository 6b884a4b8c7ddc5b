package corpus

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// inLanguages separates the translations beside texts from the texts. A translation into a language
// that the site lacks gets a notice.
func inLanguages(texts []*entry, locales []string) (originals, translations []*entry) {
	byPath := map[string]*entry{}
	for _, e := range texts {
		byPath[path.Join(e.Folder, e.Name)] = e
	}
	for _, e := range texts {
		of, tag, known, ok := filename.LanguageOf(e.Name, locales)
		if e.of = byPath[path.Join(e.Folder, of)]; !ok || e.of == nil {
			e.of, originals = nil, append(originals, e)
			continue
		}
		if e.locale = tag; !known {
			e.report.Add(0, "unknown-locale/file", tag, cmp.Or(strings.Join(locales, ", "), "none"))
		}
		translations = append(translations, e)
	}
	return originals, translations
}

// readTranslation reads a translation. Its header has the form of a proposal's. Only title,
// description and translation-of are used. The latter is the contentHash of the translated text. A
// translation beside its text need not have them, since other programs make such files.
func (e *entry) readTranslation(raw string) {
	r, required := &problem.Report{}, []string{"title", "translation-of"}
	if e.of != nil {
		required = nil
	}
	h := header.ParseTranslation(raw, required, r)
	var doc *markdown.Document
	var needsTrial bool
	if h != nil {
		doc, needsTrial = parse(h.Body, h.Line, true, r)
	}
	for _, p := range r.Problems {
		if p.Code != "hidden-character" && e.of == nil || p.Level == mip.Error {
			e.report.Add(p.Line, "translation-invalid", p.Message)
			return
		}
	}
	for _, p := range r.Problems {
		e.report.Put(p.Level, p.Line, p.Code, p.Message)
	}
	text := &api.PublishedTranslation{
		Locale: e.locale, Title: cmp.Or(h.Title, doc.Title()), Sections: doc.Sections,
		ContentHash: h.Of, Source: "file", Description: mip.Ref(h.Description),
	}
	e.translation = &CommittedTranslation{PublishedTranslation: text, File: e.Path,
		NeedsTrialRender: needsTrial, Lines: strings.Count(raw, "\n") + 1}
}

// compareTranslation returns the translation in its published form, or nil if its sections do not
// correspond to the text's. A translation of an older text is stale.
func (e *entry) compareTranslation(c *Corpus, p *Proposal) *CommittedTranslation {
	out, text := *e.translation, *e.translation.PublishedTranslation
	out.PublishedTranslation, text.Sections = &text, slices.Clone(text.Sections)
	text.MIPNumber, text.Title = p.Number, cmp.Or(text.Title, p.Title)
	// The time stays zero if the proposal has no date.
	at := c.Log.Changed(e.File)
	if at == nil {
		at = p.Updated
	}
	if at != nil {
		text.GeneratedAt = *at
	}
	text.Stale = text.ContentHash != p.ContentHash
	// Compare sections by level, since titles are translated. Use ids only if all correspond: a
	// wrong id would lead to another place.
	english := markdown.Parse(p.Body).Sections
	same, both := 0, min(len(text.Sections), len(english))
	for same < both && text.Sections[same].Level == english[same].Level {
		same++
	}
	corresponds := same == len(english) && same == len(text.Sections)
	// A translation without a source hash is assumed current, unless the dates contradict that.
	if text.ContentHash == "" && corresponds &&
		(p.Updated == nil || !at.UTC().Before(p.Updated.UTC())) {
		text.ContentHash, text.Stale = p.ContentHash, false
	}
	switch {
	case text.Stale:
		e.report.Add(0, "translation-stale", p.ContentHash)
	case !corresponds && same == both:
		e.report.Add(0, "translation-sections/count", len(text.Sections), len(english))
		return nil
	case !corresponds:
		line := out.Lines
		for _, s := range text.Sections[same:] {
			line -= strings.Count(s.Markdown, "\n")
		}
		s, of := text.Sections[same], english[same]
		e.report.Add(line, "translation-sections/level", s.Title, s.Level, of.Title, of.Level)
		return nil
	}
	if corresponds {
		takeIDs(text.Sections, english)
	}
	return &out
}

// takeIDs gives sections the ids of the English ones by position, and updates their links to each
// other.
func takeIDs(sections, english []mip.Section) {
	var moved []string
	for i := range sections {
		moved = append(moved, "](#"+strings.TrimPrefix(sections[i].ID, "s-")+")",
			"](#"+english[i].ID+")")
		sections[i].ID = english[i].ID
	}
	follow := strings.NewReplacer(moved...)
	for i := range sections {
		sections[i].Markdown = follow.Replace(sections[i].Markdown)
	}
}
