package site

import (
	"bytes"
	"io"
	"regexp"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"
)

// documents parses the documents of a file. first is nil for an empty file. second is nil if there
// is only one.
func documents(data []byte) (first, second *yaml.Node, err error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	found := make([]*yaml.Node, 2)
	for i := range found {
		var n yaml.Node
		if err = d.Decode(&n); err != nil {
			break
		}
		found[i] = &n
	}
	if err == io.EOF {
		err = nil
	}
	return found[0], found[1], err
}

// mappingValues is the parser's message about a colon where no key can be.
const mappingValues = "mapping values are not allowed"

// wantKey is the message for a line with only text where a key should be.
const wantKey = "no key; want key: value, with a blank behind the colon"

// wantQuotes is the message for a color that YAML takes for a comment.
const wantQuotes = `# begins a comment; put a colour in quotes, such as "#5431c0"`

// advice maps messages of the YAML parser to ours, which state the problem and its fix.
var advice = []struct{ words, text string }{
	{"did not find expected ',' or ']'", "a [ is never closed; close it with ]"},
	{"did not find expected ',' or '}'", "a { is never closed; close it with }"},
	{"expected node content", "a value is missing; close each [ and each {"},
	{"unexpected end of stream",
		"a quote is never closed; end the text with the quote that it begins with"},
	{"unexpected document indicator",
		"a quote is never closed; end the text with the quote that it begins with"},
	{mappingValues,
		"a key where none can be; put a text that holds a colon and a blank in quotes, and " +
			"indent the keys of one mapping alike"},
	{"expected '-' indicator",
		"the indentation does not fit the lines above; indent the items of one list alike, and " +
			"the keys of one mapping"},
	{"did not find expected key",
		"the indentation does not fit the lines above; indent the items of one list alike, and " +
			"the keys of one mapping"},
	{"could not find expected ':'", wantKey},
	{"cannot start any token", "a value cannot begin with @, ` or %; put it in quotes"},
	{"control characters are not allowed", "an invisible character, such as NUL; remove it"},
	{"UTF-8", "not UTF-8; save the file as UTF-8"},
	{"block sequence entries are not allowed",
		"a hyphen where no item can begin; put each item of a list in a line of its own"},
	{"escape character", `a \ that means nothing in double quotes; put the text in single quotes`},
	{"exceeded max depth", "brackets within brackets within brackets; close each [ and each {"},
	{"unknown anchor",
		"a value that begins with * stands for another one that is not there; put it in quotes"},
}

// Patterns of lines that show the mistake by themselves.
var (
	indentedByTab = regexp.MustCompile(`^ *\t`)
	// noKey is a key without a colon, or without a blank after it. An address does not match.
	noKey = regexp.MustCompile(`^ *(- +)?[A-Za-z_]+(:[^\s/].*| [^:]*)?$`)
	// unquoted is a color that is a comment. inBrackets is a line in which such a comment hides the
	// closing bracket.
	unquoted   = regexp.MustCompile(`^#([0-9A-Fa-f]{3}){1,2}\b`)
	inBrackets = regexp.MustCompile(`\{.*: +#([0-9A-Fa-f]{3}){1,2}\b`)
)

// syntax adds the problem of a file that is not YAML. The parser gives the line of the enclosing
// value, which may be far above. The wrong line is the last line of the shortest beginning of the
// file that has the same error.
func (p *parser) syntax(data []byte, err error) {
	lines := bytes.SplitAfter(data, []byte{'\n'})
	same := func(n int) bool {
		_, _, e := documents(bytes.Join(lines[:n], nil))
		return e != nil && e.Error() == err.Error()
	}
	at := 1 + sort.Search(len(lines)-1, func(i int) bool { return same(i + 1) })
	line := func(n int) []byte { return bytes.TrimRight(lines[n-1], "\r\n") }
	switch {
	case indentedByTab.Match(line(at)):
		p.add(at, "yaml-syntax", "a tab at the beginning of the line; indent with blanks")
	case at > 1 && strings.Contains(err.Error(), mappingValues) && noKey.Match(line(at-1)):
		// The parser finds a line without a key wrong only at the next line.
		p.add(at-1, "yaml-syntax", wantKey)
	case inBrackets.Match(line(at)):
		p.add(at, "yaml-syntax", wantQuotes)
	case at > 1 && inBrackets.Match(line(at-1)):
		p.add(at-1, "yaml-syntax", wantQuotes)
	default:
		p.add(at, "yaml-syntax", "%s", explain(err.Error()))
	}
}

// explain returns our message for a message of the YAML parser.
func explain(words string) string {
	for _, a := range advice {
		if strings.Contains(words, a.words) {
			return a.text
		}
	}
	return "not YAML from here on; look at the quotes, the brackets and the indentation"
}
