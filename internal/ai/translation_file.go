package ai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxTranslation is how long a committed translation may be, in bytes: as long as a proposal.
const maxTranslation = 1 << 20

// ParseTranslation reads a committed translation: a header between lines of three hyphens, then the
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
func ParseTranslation(file []byte) (hash, title string, description *string, markdown string, err error) {
	p := translationParser{values: map[string]string{}}
	if err := p.parse(file); err != nil {
		return "", "", nil, "", fmt.Errorf("line %d: %w", max(p.line, 1), err)
	}
	if d := p.values["description"]; d != "" {
		description = &d
	}
	return p.values["translation-of"], p.values["title"], description, p.body, nil
}

// translationParser reads a file line by line.
type translationParser struct {
	line   int               // number of the line at hand
	values map[string]string // of the keys that are read
	read   bool              // the last key was one of them, so that nothing may go on below it
	body   string
}

func (p *translationParser) parse(file []byte) error {
	if len(file) > maxTranslation {
		return fmt.Errorf("the file is longer than %d bytes", maxTranslation)
	}
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
	if value = strings.TrimSpace(value); !sameCharacters("", value) || strings.Contains(value, "\n") {
		return "", errors.New("it holds control characters or characters that cannot be seen")
	}
	return value, nil
}
