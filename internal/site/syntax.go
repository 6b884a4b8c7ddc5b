package site

import (
	"bytes"
	"io"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"
)

// decode parses the documents of a file. The first is nil in a file that is empty, and second is nil in one with a
// single document.
func decode(data []byte) (first, second *yaml.Node, err error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	documents := make([]*yaml.Node, 2)
	for i := range documents {
		var n yaml.Node
		if err = d.Decode(&n); err != nil {
			break
		}
		documents[i] = &n
	}
	if err == io.EOF {
		err = nil
	}
	return documents[0], documents[1], err
}

// mappingValues are the parser's words about a colon where no key can be.
const mappingValues = "mapping values are not allowed"

// wantKey is what is wrong with a line that has only a text where a key should be.
const wantKey = "no key; want key: value, with a blank behind the colon"

// advice says what is wrong, and what would be right, by the words of the YAML parser.
var advice = []struct{ words, text string }{
	{"did not find expected ',' or ']'", "a [ is never closed; close it with ]"},
	{"did not find expected ',' or '}'", "a { is never closed; close it with }"},
	{"expected node content", "a value is missing; close each [ and each {"},
	{"unexpected end of stream", "a quote is never closed; end the text with the quote that it begins with"},
	{"unexpected document indicator", "a quote is never closed; end the text with the quote that it begins with"},
	{mappingValues, "a key where none can be; put a text that holds a colon and a blank in quotes, and indent the keys of one mapping alike"},
	{"expected '-' indicator", "the indentation does not fit the lines above; indent the items of one list alike, and the keys of one mapping"},
	{"did not find expected key", "the indentation does not fit the lines above; indent the items of one list alike, and the keys of one mapping"},
	{"could not find expected ':'", wantKey},
	{"cannot start any token", "a value cannot begin with @, ` or %; put it in quotes"},
	{"unknown anchor", "a value that begins with * stands for another one that is not there; put it in quotes"},
}

// Lines that say by themselves what is wrong with them.
var (
	indentedByTab = regexp.MustCompile(`^ *\t`)
	// noKey is a key without a colon, or without a blank behind it. An address is none.
	noKey = regexp.MustCompile(`^ *(- +)?[A-Za-z_]+(:[^\s/].*| [^:]*)?$`)
)

// syntax adds the problem of a file that is no YAML. The parser names the line where the enclosing value begins, which
// may be far above. The wrong line is the first with which the file has the same error as the whole.
func (p *problems) syntax(data []byte, err error) {
	lines := bytes.SplitAfter(data, []byte{'\n'})
	same := func(n int) bool {
		_, _, e := decode(bytes.Join(lines[:n], nil))
		return e != nil && e.Error() == err.Error()
	}
	at := 1 + sort.Search(len(lines)-1, func(i int) bool { return same(i + 1) })
	text := strings.TrimPrefix(regexp.MustCompile(`^yaml: (line \d+: )?`).ReplaceAllString(err.Error(), ""), "yaml: ")
	for _, a := range advice {
		if strings.Contains(text, a.words) {
			text = a.text
			break
		}
	}
	line := func(n int) []byte { return bytes.TrimRight(lines[n-1], "\r\n") }
	if indentedByTab.Match(line(at)) {
		text = "a tab at the beginning of the line; indent with blanks"
	} else if at > 1 && strings.Contains(err.Error(), mappingValues) && noKey.Match(line(at-1)) {
		// A line without a key is found wrong by the next one.
		at, text = at-1, wantKey
	}
	p.add(at, "yaml-syntax", "%s", text)
}

// suggestion says which key was meant by an unknown one: one that is spelt much like it, or one of that name elsewhere
// in the file. It is empty when there is none.
func suggestion(key string, names []string) string {
	best, least := "", 2+len(key)/5
	for _, name := range names {
		a, b := plainKey(key), plainKey(name)
		d := distance(a, b)
		if slices.Equal(slices.Sorted(strings.SplitSeq(a, "")), slices.Sorted(strings.SplitSeq(b, ""))) {
			d = 0 // letters in another order
		}
		if d < least {
			best, least = name, d
		}
	}
	if best != "" {
		return "did you mean " + best + "? "
	}
	if places := keysBelow(reflect.TypeFor[file](), "the top of the file", key); places != nil {
		return "it belongs to " + strings.Join(places, " or ") + "; "
	}
	return ""
}

// plainKey leaves out what is often written otherwise.
func plainKey(s string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(s))
}

// keysBelow names the values that have a key of this name, at and below a type.
func keysBelow(t reflect.Type, where, key string) (places []string) {
	for t.Kind() == reflect.Map || t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case name == "":
		case name == key:
			places = append(places, where)
		default:
			places = append(places, keysBelow(f.Type, name, key)...)
		}
	}
	return slices.Compact(places)
}

// distance is how many letters have to be added, removed or replaced to make one word of the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for i := range row {
		row[i] = i
	}
	for i := range len(a) {
		before := i
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
