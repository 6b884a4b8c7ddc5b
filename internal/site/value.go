package site

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// problems gathers the problems of a file.
type problems struct {
	file string
	list []mip.Problem
}

// add adds a problem of a line, from 1; 0 stands for the whole file.
func (p *problems) add(line int, code, format string, args ...any) {
	p.list = append(p.list, mip.Problem{Level: mip.Error, Code: code, File: p.file, Line: line, Message: fmt.Sprintf(format, args...)})
}

// value is a node of the file. A method that returns false has added a problem that says why.
type value struct {
	*yaml.Node
	// where names the value in messages, such as networks[0].id; empty for the top of the file.
	where    string
	problems *problems
}

// field is a key that a mapping may have, with the reader of its value. A null value counts as
// the key left out.
type field struct {
	key      string
	required bool
	read     func(value)
}

// into is a field's read that stores the value.
func into[T any](to *T, read func(value) (T, bool)) func(value) {
	return func(v value) {
		if x, ok := read(v); ok {
			*to = x
		}
	}
}

// optional is into for a value that may be absent.
func optional[T any](to **T, read func(value) (T, bool)) func(value) {
	return func(v value) {
		if x, ok := read(v); ok {
			*to = &x
		}
	}
}

// object reads a mapping with fixed keys.
func (v value) object(fields ...field) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.key
	}
	given := map[string]bool{}
	ok := v.entries(func(key *yaml.Node, item value) {
		// A key that is misspelt must not go unnoticed.
		i := slices.Index(names, key.Value)
		switch {
		case i < 0:
			v.problems.add(key.Line, "unknown-key", "%s is unknown; want one of %s", item.where, strings.Join(names, ", "))
		case !item.isNull():
			given[key.Value] = true
			fields[i].read(item)
		}
	})
	// A mapping of another type has a problem already.
	for _, f := range fields {
		if ok && f.required && !given[f.key] {
			v.problems.add(v.Line, "missing-key", "%s is required", v.below(f.key))
		}
	}
}

// entries calls yield for each entry of a mapping, and leaves out a key that came before.
func (v value) entries(yield func(key *yaml.Node, item value)) bool {
	if v.Kind != yaml.MappingNode {
		return v.wrong("a mapping (key: value)")
	}
	// Keys and values stand in turn.
	seen := map[string]int{}
	for i := 0; i+1 < len(v.Content); i += 2 {
		key, node := v.Content[i], v.Content[i+1]
		first, twice := seen[key.Value]
		switch {
		// A list or a map can be a key in YAML.
		case key.Kind != yaml.ScalarNode:
			v.problems.add(key.Line, "wrong-type", "%s: a key must be plain text", v.name())
		case twice:
			v.problems.add(key.Line, "duplicate-key", "%s is set twice, first in line %d", v.below(show(key.Value)), first)
		default:
			seen[key.Value] = key.Line
			yield(key, value{node, v.below(show(key.Value)), v.problems})
		}
	}
	return true
}

// list calls yield for each element of a list.
func (v value) list(yield func(value)) bool {
	if v.Kind != yaml.SequenceNode {
		return v.wrong("a list")
	}
	for i, item := range v.Content {
		yield(value{item, fmt.Sprintf("%s[%d]", v.where, i), v.problems})
	}
	return true
}

// listOf reads a list without repetitions. No message repeats a value that is secret.
func listOf(read func(value) (string, bool), secret bool) func(value) ([]string, bool) {
	return func(v value) (out []string, ok bool) {
		ok = v.list(func(item value) {
			s, ok := read(item)
			switch {
			case !ok:
			case !slices.Contains(out, s):
				out = append(out, s)
			case secret:
				v.problems.add(item.Line, "duplicate-value", "%s: an address that is listed before", item.where)
			default:
				v.problems.add(item.Line, "duplicate-value", "%s: %s is listed twice", item.where, show(s))
			}
		})
		return out, ok
	}
}

// text reads one line of text that is not empty, without outer blanks.
func (v value) text() (string, bool) {
	if v.Kind != yaml.ScalarNode || v.ShortTag() != "!!str" {
		return "", v.wrong("text")
	}
	s := strings.TrimSpace(v.Value)
	if s == "" {
		return "", v.bad("empty")
	}
	for _, c := range s {
		switch mip.ClassOf(c) {
		case mip.Control, mip.LineBreak, mip.Direction:
			return "", v.bad("holds the control character %U; want one line of plain text", c)
		}
	}
	return s, true
}

// matching reads a text of a pattern.
func matching(pattern, want string) func(value) (string, bool) {
	return func(v value) (string, bool) {
		s, ok := v.text()
		if ok && !regexp.MustCompile(pattern).MatchString(s) {
			return "", v.bad("want %s, got %s", want, show(s))
		}
		return s, ok
	}
}

// boolean reads true or false.
func (v value) boolean() (bool, bool) {
	if v.Kind == yaml.ScalarNode && v.ShortTag() == "!!bool" {
		return strings.EqualFold(v.Value, "true"), true
	}
	return false, v.wrong("true or false")
}

// integer reads a plain decimal number from least to most. YAML's other spellings are refused:
// 010 would be eight. want and unit name the value in messages about its type and its range.
func (v value) integer(want, unit string, least, most int64) (int64, bool) {
	if v.Kind != yaml.ScalarNode || v.ShortTag() != "!!int" {
		return 0, v.wrong(want)
	}
	n, ok := decimal(v.Value)
	if !ok || n < least || n > most {
		return 0, v.bad("want %s from %d to %d, got %s", unit, least, most, show(v.Value))
	}
	return n, true
}

// number reads the number of a proposal or of a forum topic.
func number(least int64) func(value) (int, bool) {
	return func(v value) (int, bool) {
		n, ok := v.integer("a whole number", "a decimal number", least, maxNumber)
		return int(n), ok
	}
}

// decimal parses a number without sign, leading zeros or separators.
func decimal(s string) (int64, bool) {
	if s == "" || len(s) > 1 && s[0] == '0' || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	// ParseInt refuses a number that does not fit.
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// wrong adds the problem of a value of another type than the one wanted, and returns false.
func (v value) wrong(want string) bool {
	// Types are named in the words of people who do not know YAML.
	got := "a value of the type " + show(v.ShortTag())
	switch {
	case v.Kind == yaml.MappingNode:
		got = "a mapping"
	case v.Kind == yaml.SequenceNode:
		got = "a list"
	default:
		if name, ok := tagNames[v.ShortTag()]; ok {
			got = name
		}
		if want == "text" && !v.isNull() {
			got += fmt.Sprintf(`; write it in quotes: "%s"`, show(v.Value))
		}
	}
	v.problems.add(v.Line, "wrong-type", "%s: want %s, got %s", v.name(), want, got)
	return false
}

var tagNames = map[string]string{
	"!!null": "nothing", "!!bool": "true or false", "!!int": "a number", "!!float": "a number", "!!timestamp": "a date", "!!str": "text",
}

// bad adds the problem of a value, and returns false.
func (v value) bad(format string, args ...any) bool {
	v.problems.add(v.Line, "bad-value", "%s: %s", v.where, fmt.Sprintf(format, args...))
	return false
}

// isNull reports a value that is left out, or written null or ~.
func (v value) isNull() bool { return v.Kind == yaml.ScalarNode && v.ShortTag() == "!!null" }

// below names the value that a mapping has under a key.
func (v value) below(key string) string { return strings.TrimPrefix(v.where+"."+key, ".") }

// name is the place of a value in messages.
func (v value) name() string {
	if v.where == "" {
		return "the file"
	}
	return v.where
}

// show makes a piece of the file fit for a one-line message.
func show(s string) string {
	const most = 63 // bytes; enough to find it in the file
	q := strconv.Quote(s)
	return mip.Shorten(q[1:len(q)-1], most)
}
