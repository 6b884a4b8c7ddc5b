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
	leakFault        fault = "repeats what you were told instead of translating the passage"
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
	case heapsMarks(g.source, text):
		return "", shapeFault
	case !sameCharacters(g.source, text):
		return "", characterFault
	}
	if leaksTask(g.source, text) {
		return "", leakFault
	}
	if f := sameTokens(g, text, s.tokens(text)); f != noFault {
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

// heapsMarks reports whether a translation has far more of a mark of Markdown than its source. A proposal is held
// to limits before it is parsed, because some marks in a row take goldmark the square of their number; a
// translation has these limits from its source.
func heapsMarks(source, text string) bool {
	const factor, spare = 2, 32
	for _, mark := range "[]<>`$*-|!\\" {
		if strings.Count(text, string(mark)) > factor*strings.Count(source, string(mark))+spare {
			return true
		}
	}
	return false
}

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
func sameShape(kind passageKind, source, text string) bool {
	switch kind {
	case headingPassage:
		return sameBlocks(source, text, "# ", "")
	case cellPassage: // it may be the first of its line, without a bar before it
		return sameShape(paragraphPassage, source, text) && sameBlocks(source, text, "| ", " |\n| --- |")
	case paragraphPassage:
		return sameBlocks("plain", text, "", "") || sameBlocks(source, text, "", "")
	}
	return true
}

// sameBlocks reports whether two passages make the same blocks between two texts, and whether each is the whole of a
// passage there or neither is.
func sameBlocks(a, b, before, after string) bool {
	x, y := readBlocks(before+a+after), readBlocks(before+b+after)
	whole := func(t blockTree, passage string) bool {
		return len(t.passages) == 1 && t.passages[0].in(before+passage+after) == passage
	}
	return x.outline == y.outline && len(x.passages) == len(y.passages) && whole(x, a) == whole(y, b)
}
