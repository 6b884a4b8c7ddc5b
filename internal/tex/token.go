package tex

import (
	_ "embed"
	"strconv"
	"strings"
	"unicode/utf8"
)

//go:embed tokens.txt
var tokensFile string

// tables holds the values of the tokens in tokens.txt, by heading. It is never changed.
var tables = func() map[string]map[string]string {
	out, heading := map[string]map[string]string{}, ""
	for line := range strings.Lines(tokensFile) {
		switch words := strings.Fields(line); {
		case len(words) == 0 || words[0] == "#":
		case line[0] == '[':
			heading = strings.Trim(line, "[]\n")
			out[heading] = map[string]string{}
		default:
			for i := 0; i < len(words); i += 2 {
				out[heading][words[i]] = words[i+1]
			}
		}
	}
	// A backslash before a blank or a line end is a space.
	out["space"][`\ `], out["space"]["\\\n"] = "0.3333em", "0.3333em"
	return out
}()

// class determines the space next to an atom, as in chapter 17 of The TeXbook. The operator
// dictionary of MathML Core has the same spaces for most operators, so a class is written out only
// where the two differ.
type class int

// Classes of atoms. TeX has no class blank.
const (
	ordinary class = iota
	largeOperator
	binary
	relation
	opening
	closing
	punctuation
	blank
)

// symbol is the character for a token.
type symbol struct {
	text     string
	class    class
	delimits bool // may follow \left
}

// symbols are the tokens for one character without arguments, from the headings that name a class.
// It is never changed.
var symbols = func() map[string]symbol {
	out := map[string]symbol{}
	for heading, s := range map[string]symbol{
		"ordinary": {}, "delimiter": {delimits: true}, "operator": {class: largeOperator},
		"binary": {class: binary}, "relation": {class: relation},
		"opening": {class: opening, delimits: true}, "closing": {class: closing, delimits: true},
		"punctuation": {class: punctuation},
	} {
		for token, text := range tables[heading] {
			s.text = text
			out[token] = s
		}
	}
	return out
}()

// atom returns the symbol as an element: operators are mo, with attributes that prevent stretching.
func (s symbol) atom() atom {
	a := atom{class: s.class, element: element{tag: "mo", text: s.text}}
	switch {
	case s.class == ordinary && !s.delimits && !strings.Contains("/.!", s.text):
		a.tag = "mi"
		if "Α" <= s.text && s.text <= "Ω" { // TeX sets capital Greek letters upright
			a.attr = ` mathvariant="normal"`
		}
	case s.class == largeOperator:
		a.limits = !strings.Contains("∫∬∭∮", s.text)
	case s.text == "∣":
		a.text, a.attr = "|", fixed+` lspace="0.2778em" rspace="0.2778em"`
	case s.delimits && s.class == ordinary:
		a.attr = fixed + tight
	case s.delimits:
		a.attr = fixed
	case s.class == ordinary:
		a.attr = tight
	}
	return a
}

// command is the kind of a command, which is a heading of tokens.txt, and its value: the word of a
// function, the mark of an accent, the width of a space in CSS units, the height of a size, the
// name of a font.
type command struct{ kind, value string }

// commands are the commands that one function parses for all of a kind. It is never changed.
var commands = func() map[string]command {
	out := map[string]command{}
	for _, kind := range []string{
		"function", "function with limits", "mark", "accent", "accent below", "space", "size",
		"font", "text",
	} {
		for token, value := range tables[kind] {
			out[token] = command{kind, value}
		}
	}
	return out
}()

// font is a set of letters, as in MathML's mathvariant. Browsers ignore that attribute except for
// the value normal, so letters are replaced by characters of the mathematical alphabets (Unicode,
// section 22.2).
type font string

// Fonts for which tokens.txt has no letters: variables, which browsers slant themselves, and
// upright letters.
const (
	italic  font = "italic"
	upright font = "upright"
)

// apply returns a text in the font. Characters missing in the font stay. Letters that Unicode
// already had are missing in its alphabet.
func (f font) apply(s string) string {
	bases := strings.Split(tables["alphabet"][string(f)], ",")
	return strings.Map(func(c rune) rune {
		if earlier, n := utf8.DecodeRuneInString(tables["earlier "+string(f)][string(c)]); n > 0 {
			return earlier
		}
		for i, letters := range [][2]rune{{'A', 'Z'}, {'a', 'z'}, {'0', '9'}, {'Α', 'Ω'},
			{'α', 'ω'}} {
			if i >= len(bases) || c < letters[0] || letters[1] < c {
				continue
			}
			if base, err := strconv.ParseInt(bases[i], 16, 32); err == nil && base != 0 {
				return rune(base) + c - letters[0]
			}
		}
		return c
	}, s)
}
