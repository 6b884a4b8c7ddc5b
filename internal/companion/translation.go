package companion

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/assist"
)

// readTranslation publishes a translation that can be read. One of an older text is stale.
func (j *job) readTranslation(it item, raw []byte, p *mip.Proposal, ps *Proposals) {
	t, err := parseTranslation(raw, ps.Render)
	if err != nil {
		j.warn(it, err.line, "translation-invalid", "%s; it is not published", err.message)
		return
	}
	stale := t.ContentHash != p.ContentHash
	switch {
	case !stale && !correspond(t.Sections, p.Sections):
		line, what := difference(t.Sections, p.Sections, bytes.Count(raw, []byte("\n")))
		j.warn(it, line, "translation-sections", "%s; the headings must be those of the English text, in number, level and order. It is not published", what)
		return
	case stale:
		j.warn(it, 0, "translation-stale", "it is of an older text and published as stale; bring it up to date and set translation-of to %s", p.ContentHash)
	}
	sum := sha256.Sum256(raw)
	made := mip.Time{} // of a proposal without any date
	if p.Updated != nil {
		made = *p.Updated
	}
	if at := ps.Corpus.Changed(it.file); at != nil {
		made = *at
	}
	t.MIPNumber, t.Locale, t.Stale, t.GeneratedAt = it.number, it.locale, stale, made
	// Where only some sections correspond it is not known which: a wrong id would lead to another place.
	if correspond(t.Sections, p.Sections) {
		for i := range t.Sections {
			t.Sections[i].ID = p.Sections[i].ID
		}
	}
	j.translations = append(j.translations, Translation{
		Number: it.number, Locale: it.locale, Stale: stale, GeneratedAt: made, FileHash: hex.EncodeToString(sum[:]), text: t,
	})
}

// lineInError is how errors of [assist.ParseTranslation] begin.
var lineInError = regexp.MustCompile(`^line ([0-9]+): `)

// parseTranslation reads a file without looking at the proposal. Its sections have ids of their own.
func parseTranslation(raw []byte, render func(*markdown.Document) error) (*api.PublishedTranslation, *flaw) {
	hash, title, description, text, err := assist.ParseTranslation(raw)
	if err != nil {
		message, line := err.Error(), 0
		if m := lineInError.FindStringSubmatch(message); m != nil {
			line, _ = strconv.Atoi(m[1])
			message = message[len(m[0]):]
		}
		return nil, &flaw{line, message}
	}
	first := 1 + bytes.Count(raw, []byte("\n")) - strings.Count(text, "\n")
	sections, problems := corpus.Sections(text, first, render)
	if len(problems) > 0 {
		return nil, &flaw{problems[0].Line, problems[0].Message}
	}
	return &api.PublishedTranslation{Title: title, Description: description, Sections: sections, ContentHash: hash, Source: "file"}, nil
}

// correspond reports whether two texts have the same headings, as far as a program can see.
func correspond(a, b []mip.Section) bool {
	return slices.EqualFunc(a, b, func(x, y mip.Section) bool { return x.Level == y.Level })
}

// difference says where two texts begin to have other headings, by the line of the translation's file,
// which has as many lines as given.
func difference(translated, english []mip.Section, lines int) (line int, what string) {
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
