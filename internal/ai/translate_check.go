package ai

import (
	"strings"
	"unicode"
)

// fault says how a translation breaks the rules: for the log, and for the model when it is asked again.
// It is one of a fixed set of sentences and holds no text of proposal or model.
type fault string

const (
	noFault          fault = ""
	emptyFault       fault = "is empty"
	lengthFault      fault = "is far longer than the passage"
	linesFault       fault = "has more lines than the passage"
	characterFault   fault = "holds control characters or characters that cannot be seen"
	placeholderFault fault = "misses a placeholder, repeats one or holds another"
	shapeFault       fault = "is another block of Markdown than the passage: a line begins like a list, heading, quote or code, or a bar splits a cell"
	reciteFault      fault = "repeats what you were told instead of translating the passage"
	mentionFault     fault = "names a number, host, file or e-mail address that the passage does not, or heaps marks on a letter"
	numberFault      fault = "misses a number, adds one or writes one in another way"
)

// tokenFaults say which class of tokens differs. It is not changed.
var tokenFaults = map[tokenClass]fault{
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
}

// check returns the translation with its placeholders resolved, or what is wrong with the reply.
func (s *segments) check(g *segment, reply string) (string, fault) {
	lines := strings.Split(strings.Trim(reply, " \t\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], " \t")
	}
	reply = strings.Join(lines, "\n")
	if reply == "" {
		return "", emptyFault
	}
	if len(reply) > mostGrowth*len(g.source)+mostAdded {
		return "", lengthFault
	}
	text, ok := s.show(g, reply)
	switch {
	case !ok:
		return "", placeholderFault
	case strings.Count(text, "\n") > strings.Count(g.source, "\n"):
		return "", linesFault
	case !sameCharacters(g.source, text):
		return "", characterFault
	}
	if recites(g.source, text) {
		return "", reciteFault
	}
	if f := sameTokens(g, text, tokens(text, s.labels)); f != noFault {
		return "", f
	}
	if !newSource(g.source).holds(text) {
		return "", mentionFault
	}
	if !sameShape(g.kind, g.source, text) {
		return "", shapeFault
	}
	return text, noFault
}

// A translation may have so many bytes for each of its source's, and so many beyond: some scripts take
// three bytes a letter, and short words can become long.
const (
	mostGrowth = 4
	mostAdded  = 100
)

// sameCharacters reports whether every character that no reader sees stands in the source as often.
// Joiners are part of some scripts and of emoji.
func sameCharacters(source, text string) bool {
	for _, c := range text {
		switch {
		case c == '\n', c == 0x200C, c == 0x200D, c == 0xAD:
		case c == unicode.ReplacementChar, unicode.In(c, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			if strings.Count(text, string(c)) > strings.Count(source, string(c)) {
				return false
			}
		}
	}
	return true
}

// sameTokens compares all tokens, in any order: languages differ in theirs.
func sameTokens(g *segment, text string, got []token) fault {
	type key struct {
		class tokenClass
		text  string
	}
	balance := map[key]int{}
	for i, list := range [][]token{g.tokens, got} {
		for _, t := range list {
			k := key{t.class, t.text}
			if t.class == nameToken {
				k.text = strings.ToLower(k.text) // "p2p" may begin a sentence
			}
			if t.class != numberToken {
				balance[k] += 1 - 2*i
			}
		}
	}
	first := noFault
	for k, n := range balance {
		if n != 0 && (first == noFault || tokenFaults[k.class] < first) {
			first = tokenFaults[k.class]
		}
	}
	if first == noFault && !numbersSurvive(g.source, text, g.tokens, got) {
		return numberFault
	}
	return first
}

// sameShape reports whether a translation is the same block of Markdown where its source stands. What
// would begin another block at the left margin may be text where the source stands, as an item indented
// by four blanks below a paragraph is; so its translation may do the same, or be plain.
func sameShape(kind partKind, source, text string) bool {
	switch kind {
	case paragraphPart:
		return isParagraph(layout(text)) || sameFixed(layout(source), layout(text))
	case headingPart:
		return sameFixed(layout("# "+source), layout("# "+text))
	case cellPart: // it may be the first of its line, without a bar before it
		const before, after = "| ", " |\n| --- |"
		return sameShape(paragraphPart, source, text) && sameFixed(layout(before+source+after), layout(before+text+after))
	}
	return true
}

func isParagraph(parts []part) bool { return len(parts) == 1 && parts[0].kind == paragraphPart }

// sameFixed reports whether two texts differ in their passages only.
func sameFixed(a, b []part) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].kind != b[i].kind || a[i].kind == fixedPart && a[i].text != b[i].text {
			return false
		}
	}
	return true
}
