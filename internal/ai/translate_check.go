package ai

import (
	"strings"
	"unicode"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
)

// fault says how a translation breaks the rules: for the log, and for the model when it is asked again.
// It is one of a fixed set of sentences and holds no text of proposal or model.
type fault string

// The faults that are not about tokens. The model reads them behind the words "it".
const (
	noFault          fault = ""
	formFault        fault = "is not in one JSON object of strings with the keys that were given"
	emptyFault       fault = "is empty"
	lengthFault      fault = "is far longer than the passage"
	linesFault       fault = "has more lines than the passage"
	characterFault   fault = "holds control characters or characters that cannot be seen"
	placeholderFault fault = "misses a placeholder, repeats one or holds another"
	leakFault        fault = "repeats what you were told instead of translating the passage"
	mentionFault     fault = "names a number, host, file or e-mail address that the passage does not, or heaps marks on a letter"
	shapeFault       fault = "is another block of Markdown than the passage: " +
		"a line begins like a list, heading, quote or code, or a bar splits a cell"
)

// tokenFaults say which class of tokens differs. It is not changed.
var tokenFaults = [...]fault{
	codeToken:      "misses code between backticks, adds or changes some",
	targetToken:    "misses a link or adds one",
	imageToken:     "misses an image or adds one",
	referenceToken: "misses a reference or footnote or adds one",
	htmlToken:      "misses HTML or adds some",
	addressToken:   "misses an address or adds one",
	formulaToken:   "misses a formula or adds one",
	escapeToken:    "misses a backslash or a line break or adds one",
	keywordToken:   "misses a key word of RFC 2119 in English capitals or adds one",
	nameToken:      "misses a name with digits or underscores, or changes one",
	numberToken:    "misses a number, adds one or writes one in another way",
}

// A translation may have so many bytes for each of its source's, and so many beyond: some scripts take
// three bytes a letter, and short words can become long.
const (
	mostGrowth = 4
	mostAdded  = 100
)

// check returns the translation with its placeholders resolved, or what is wrong with the reply. Cheap checks come
// first. Those that parse come after heapsMarks, which keeps a hostile answer from taking their time.
func (t *text) check(p *passage, reply string) (string, fault) {
	lines := strings.Split(strings.Trim(reply, " \t\n"), "\n")
	for i := range lines { // indented lines could be code
		lines[i] = strings.TrimLeft(lines[i], " \t")
	}
	reply = strings.Join(lines, "\n")
	switch {
	case reply == "":
		return "", emptyFault
	case len(reply) > mostGrowth*len(p.source)+mostAdded:
		return "", lengthFault
	}
	result, ok := t.show(p, reply)
	switch {
	case !ok:
		return "", placeholderFault
	case strings.Count(result, "\n") > strings.Count(p.source, "\n"):
		return "", linesFault
	case heapsMarks(p.source, result):
		return "", shapeFault
	case !sameCharacters(p.source, result):
		return "", characterFault
	case leaksTask(p.source, result):
		return "", leakFault
	}
	if f := tokenFault(p, t.tokens(result)); f != noFault {
		return "", f
	}
	if !prose.NewSource(p.source).Holds(result) {
		return "", mentionFault
	}
	if !p.fits(result) {
		return "", shapeFault
	}
	return result, noFault
}

// fits reports whether a section keeps its blocks with a translation of the passage, wherever the passage is.
func (p *passage) fits(result string) bool {
	for _, s := range p.in {
		_, ok := s.with(func(other *passage) string {
			if other == p {
				return result
			}
			return other.source
		})
		if !ok {
			return false
		}
	}
	return true
}

// heapsMarks reports whether a translation has far more of a mark of Markdown than its source. Some marks in a row take
// goldmark the square of their number. A proposal is held to limits because of that, and a translation to its source.
func heapsMarks(source, result string) bool {
	const factor, spare = 2, 32
	for _, mark := range "[]<>`$*-|!\\" {
		if strings.Count(result, string(mark)) > factor*strings.Count(source, string(mark))+spare {
			return true
		}
	}
	return false
}

// sameCharacters reports whether every character that no reader sees is in the source as often.
// Joiners are part of some scripts and of emoji.
func sameCharacters(source, result string) bool {
	for _, c := range result {
		switch {
		case c == '\n', c == 0x200C, c == 0x200D, c == 0xAD:
		case c == unicode.ReplacementChar, unicode.In(c, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			if strings.Count(result, string(c)) > strings.Count(source, string(c)) {
				return false
			}
		}
	}
	return true
}

// tokenFault compares all tokens, in any order: languages differ in theirs. A number word may become a number.
func tokenFault(p *passage, got []token) fault {
	type key struct {
		class tokenClass
		text  string
	}
	missing := map[key]int{}
	for _, t := range p.tokens {
		missing[key{t.class, t.text}]++
	}
	for _, t := range got {
		missing[key{t.class, t.text}]--
	}
	spelt := prose.SpeltNumbers(p.source)
	first := numberToken + 1
	for k, n := range missing {
		if n != 0 && !(k.class == numberToken && n < 0 && -n <= spelt[k.text]) {
			first = min(first, k.class)
		}
	}
	if first > numberToken {
		return noFault
	}
	return tokenFaults[first]
}
