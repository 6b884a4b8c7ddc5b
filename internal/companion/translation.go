package companion

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
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
	j.translations = append(j.translations, Translation{
		Number: it.number, Locale: it.locale, Stale: stale, GeneratedAt: made, FileHash: hex.EncodeToString(sum[:]), file: it.file,
	})
}

// Read returns a translation with its text. english are the sections of the proposal, whose ids those of
// the translation have as far as the two correspond. The error wraps [corpus.ErrChanged] when the file
// has been edited since [Load].
func (s *Set) Read(t Translation, english []mip.Section) (*api.PublishedTranslation, error) {
	root, err := os.OpenRoot(t.file.Folder)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", t.file.Path, err)
	}
	defer root.Close()
	raw, err := t.file.Read(root, nil)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", t.file.Path, err)
	}
	out, wrong := parseTranslation(raw, nil) // it was rendered by Load
	if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != t.FileHash || wrong != nil {
		return nil, fmt.Errorf("read %s: %w", t.file.Path, corpus.ErrChanged)
	}
	out.MIPNumber, out.Locale, out.Stale, out.GeneratedAt = t.Number, t.Locale, t.Stale, t.GeneratedAt
	// Where only some sections correspond it is not known which: a wrong id would lead to another place.
	if correspond(out.Sections, english) {
		for i := range out.Sections {
			out.Sections[i].ID = english[i].ID
		}
	}
	return out, nil
}

// lineInError is how errors of [ai.ParseTranslation] begin.
var lineInError = regexp.MustCompile(`^line ([0-9]+): `)

// parseTranslation reads a file without looking at the proposal. Its sections have ids of their own.
func parseTranslation(raw []byte, render func(*corpus.Document) error) (*api.PublishedTranslation, *flaw) {
	hash, title, description, markdown, err := ai.ParseTranslation(raw)
	if err != nil {
		message, line := err.Error(), 0
		if m := lineInError.FindStringSubmatch(message); m != nil {
			line, _ = strconv.Atoi(m[1])
			message = message[len(m[0]):]
		}
		return nil, &flaw{line, message}
	}
	text := []byte(markdown)
	first := 1 + bytes.Count(raw, []byte("\n")) - bytes.Count(text, []byte("\n"))
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
