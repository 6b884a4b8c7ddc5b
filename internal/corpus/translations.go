package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// readTranslation publishes a translation that can be read. One of an older text is stale.
func (r *committedReader) readTranslation(raw []byte) {
	t, err := parseTranslation(raw, r.corpus.render)
	if err != nil {
		r.warn(err.line, "translation-invalid", "%s; it is not published", err.message)
		return
	}
	p := r.corpus.Proposals[r.index]
	english := r.corpus.Read(p).Sections
	stale := t.ContentHash != p.ContentHash
	switch {
	case !stale && !correspond(t.Sections, english):
		line, what := difference(t.Sections, english, bytes.Count(raw, []byte("\n")))
		r.warn(line, "translation-sections", "%s; the headings must be those of the English text, in number, level and order. It is not published", what)
		return
	case stale:
		r.warn(0, "translation-stale", "it is of an older text and published as stale; bring it up to date and set translation-of to %s", p.ContentHash)
	}
	sum := sha256.Sum256(raw)
	made := mip.Time{} // of a proposal without any date
	if p.Updated != nil {
		made = *p.Updated
	}
	if at := r.corpus.Changed(r.file); at != nil {
		made = *at
	}
	t.MIPNumber, t.Locale, t.Stale, t.GeneratedAt = r.id.Number, r.locale, stale, made
	// Where only some sections correspond it is not known which: a wrong id would lead to another place.
	if correspond(t.Sections, english) {
		for i := range t.Sections {
			t.Sections[i].ID = english[i].ID
		}
	}
	r.translation = &Translation{
		ID: r.id, Locale: r.locale, Stale: stale, GeneratedAt: made, FileHash: hex.EncodeToString(sum[:]), text: t,
	}
}

// parseTranslation reads a file without looking at the proposal. Its sections have ids of their own.
func parseTranslation(raw []byte, render func(*markdown.Document) error) (*api.PublishedTranslation, *flaw) {
	p := translationParser{values: map[string]string{}}
	if err := p.parse(raw); err != nil {
		return nil, &flaw{max(p.line, 1), err.Error()}
	}
	var r report
	doc, ok := parse(p.body, p.line+1, true, render, &r)
	if !ok {
		return nil, &flaw{r.problems[0].Line, r.problems[0].Message}
	}
	t := &api.PublishedTranslation{Title: p.values["title"], Sections: doc.Sections, ContentHash: p.values["translation-of"], Source: "file"}
	if d := p.values["description"]; d != "" {
		t.Description = &d
	}
	return t, nil
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

// translationParser reads a committed translation line by line: a header between lines of three hyphens, then the
// text. The header is written as a proposal's, and says in translation-of which contentHash was
// translated:
//
//	---
//	mip: 7
//	title: Eine eigene Spur für Stimmen
//	description: Stimmen als Datagramme fester Länge.
//	translation-of: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
//	---
//
// Of the header only title, description and translation-of are read, each on one line; the description
// may be missing. A value is taken as it stands, or between double quotes (as a string of JSON) or single
// ones (where two stand for one). The text comes with LF line ends. Errors begin with the line, from 1.
type translationParser struct {
	line   int               // number of the line at hand
	values map[string]string // of the keys that are read
	read   bool              // the last key was one of them, so that nothing may go on below it
	body   string
}

func (p *translationParser) parse(file []byte) error {
	text := strings.ReplaceAll(string(bytes.TrimPrefix(file, []byte("\uFEFF"))), "\r\n", "\n")
	for line := range strings.Lines(text) {
		p.line++
		if err := checkLine(line); err != nil {
			return err
		}
	}
	const fence = "---"
	p.line = 1
	line, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(line, " \t") != fence {
		return errors.New("the file does not begin with a line of three hyphens")
	}
	for rest != "" {
		p.line++
		line, rest, _ = strings.Cut(rest, "\n")
		if line = strings.TrimRight(line, " \t"); line == fence {
			p.body = rest
			return p.complete()
		}
		if err := p.header(line); err != nil {
			return err
		}
	}
	return errors.New("no line of three hyphens ends the header")
}

// checkLine refuses what is no text.
func checkLine(line string) error {
	if !utf8.ValidString(line) {
		return errors.New("not valid UTF-8")
	}
	for _, c := range strings.TrimSuffix(line, "\n") {
		if c != '\t' && unicode.IsControl(c) {
			return fmt.Errorf("the control character %U", c)
		}
	}
	return nil
}

// header reads a line of the header. Lists and folded values are passed over below keys that are not
// read.
func (p *translationParser) header(line string) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	if line[0] == ' ' || line[0] == '\t' || strings.HasPrefix(line, "- ") || line == "-" {
		if p.read {
			return errors.New("the value above goes on here; write it on one line")
		}
		return nil
	}
	key, value, ok := strings.Cut(line, ":")
	if !ok || value != "" && value[0] != ' ' && value[0] != '\t' {
		return errors.New("neither a key with its value, as in title: Votes, nor the line of three hyphens that ends the header")
	}
	key = strings.ToLower(strings.TrimSpace(key))
	p.read = key == "title" || key == "description" || key == "translation-of"
	if !p.read {
		return nil
	}
	if _, twice := p.values[key]; twice {
		return fmt.Errorf("%s stands a second time", key)
	}
	text, err := unquote(strings.TrimSpace(value))
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if key == "translation-of" && !mip.IsContentHash(text) {
		return errors.New("translation-of is no contentHash: 64 hexadecimal digits in lower case")
	}
	p.values[key] = text
	return nil
}

// complete judges the header as a whole, at its last line.
func (p *translationParser) complete() error {
	for _, key := range []string{"title", "translation-of"} {
		if p.values[key] == "" {
			return fmt.Errorf("the header has no %s", key)
		}
	}
	return nil
}

// unquote returns a value without the quotes around it, which must leave one line of visible text.
func unquote(value string) (string, error) {
	switch {
	case value == "":
		return "", nil
	case value[0] == '"':
		if err := json.Unmarshal([]byte(value), &value); err != nil {
			return "", errors.New("it begins with a double quote and is no string of JSON")
		}
	case value[0] == '\'':
		inner := strings.ReplaceAll(strings.TrimSuffix(value[1:], "'"), "''", "\x00")
		if len(value) < 2 || !strings.HasSuffix(value, "'") || strings.Contains(inner, "'") {
			return "", errors.New("it begins with a single quote and does not end with one; write two for one in the text")
		}
		value = strings.ReplaceAll(inner, "\x00", "'")
	case strings.ContainsAny(value[:1], "|>[{&*!"):
		return "", fmt.Errorf("it begins with %q: put it between double quotes", value[:1])
	}
	if value = strings.TrimSpace(value); strings.ContainsFunc(value, invisible) {
		return "", errors.New("it holds control characters or characters that cannot be seen")
	}
	return value, nil
}

// invisible reports what no line of a translation's header may hold. Joiners and soft hyphens are part of some scripts.
func invisible(c rune) bool {
	return c != 0x200C && c != 0x200D && c != 0xAD && (c == unicode.ReplacementChar || unicode.In(c, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp))
}
