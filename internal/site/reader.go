package site

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxNumber bounds what is a proposal's number or a forum topic's: nine digits.
const maxNumber = 999_999_999

// reader takes values from YAML nodes and gathers every problem. A method that returns false has
// reported why. Where names the value in messages, such as networks[0].id.
type reader struct {
	file     string
	problems []mip.Problem
}

func (r *reader) add(line int, code, format string, args ...any) {
	r.problems = append(r.problems, mip.Problem{
		Level: mip.Error, Code: code, File: r.file, Line: line, Message: fmt.Sprintf(format, args...),
	})
}

// field is a key that a mapping may have, and what reads its value. A null value counts as the key
// left out.
type field struct {
	key      string
	required bool
	read     func(where string, n *yaml.Node)
}

// object reads a mapping with fixed keys.
func (r *reader) object(where string, n *yaml.Node, fields ...field) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.key
	}
	given := map[string]bool{}
	ok := r.entries(where, n, func(key, value *yaml.Node) {
		i := slices.Index(names, key.Value)
		if i < 0 {
			r.add(key.Line, "unknown-key", "%s is unknown; want one of %s", join(where, show(key.Value)), strings.Join(names, ", "))
			return
		}
		if isNull(value) {
			return
		}
		given[key.Value] = true
		fields[i].read(join(where, key.Value), value)
	})
	if !ok {
		return
	}
	for _, f := range fields {
		if f.required && !given[f.key] {
			r.add(n.Line, "missing-key", "%s is required", join(where, f.key))
		}
	}
}

// entries calls yield for each entry of a mapping, and leaves out a key that came before.
func (r *reader) entries(where string, n *yaml.Node, yield func(key, value *yaml.Node)) bool {
	if n.Kind != yaml.MappingNode {
		r.wrong(where, n, "a mapping (key: value)")
		return false
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			r.add(key.Line, "wrong-type", "%s: a key must be plain text", orFile(where))
			continue
		}
		if line, ok := seen[key.Value]; ok {
			r.add(key.Line, "duplicate-key", "%s is set twice, first in line %d", join(where, show(key.Value)), line)
			continue
		}
		seen[key.Value] = key.Line
		yield(key, value)
	}
	return true
}

// list calls yield for each element of a list.
func (r *reader) list(where string, n *yaml.Node, yield func(where string, n *yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		r.wrong(where, n, "a list")
		return
	}
	for i, item := range n.Content {
		yield(fmt.Sprintf("%s[%d]", where, i), item)
	}
}

// text reads one line of text that is not empty, without outer blanks.
func (r *reader) text(where string, n *yaml.Node) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		r.wrong(where, n, "text")
		return "", false
	}
	s := strings.TrimSpace(n.Value)
	if s == "" {
		r.bad(n, where, "empty")
		return "", false
	}
	for _, c := range s {
		if unicode.IsControl(c) || unicode.In(c, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			r.bad(n, where, fmt.Sprintf("holds the control character %U; want one line of plain text", c))
			return "", false
		}
	}
	return s, true
}

// boolean reads true or false.
func (r *reader) boolean(where string, n *yaml.Node) (bool, bool) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		return strings.EqualFold(n.Value, "true"), true
	}
	r.wrong(where, n, "true or false")
	return false, false
}

// integer reads a plain decimal number from least to most. YAML's other spellings are refused: 010
// would be eight.
func (r *reader) integer(where string, n *yaml.Node, least, most int64) (int64, bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
		r.wrong(where, n, "a whole number")
		return 0, false
	}
	v, ok := decimal(n.Value)
	if !ok || v < least || v > most {
		r.bad(n, where, fmt.Sprintf("want a decimal number from %d to %d, got %s", least, most, show(n.Value)))
		return 0, false
	}
	return v, true
}

// decimal parses a number without sign, leading zeros or separators.
func decimal(s string) (int64, bool) {
	if s == "" || len(s) > 1 && s[0] == '0' || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil
}

// wrong reports a value of another type than the one wanted.
func (r *reader) wrong(where string, n *yaml.Node, want string) {
	hint := ""
	if want == "text" && n.Kind == yaml.ScalarNode && !isNull(n) {
		hint = fmt.Sprintf(`; write it in quotes: "%s"`, show(n.Value))
	}
	r.add(n.Line, "wrong-type", "%s: want %s, got %s%s", orFile(where), want, kind(n), hint)
}

func (r *reader) bad(n *yaml.Node, where, message string) {
	r.add(n.Line, "bad-value", "%s: %s", where, message)
}

// kind names the type of a node for people.
func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "true or false"
	case "!!int", "!!float":
		return "a number"
	case "!!timestamp":
		return "a date"
	case "!!str":
		return "text"
	}
	return "a value of the type " + show(n.ShortTag())
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// show makes a piece of the file fit for a one-line message.
func show(s string) string {
	const most = 60 // bytes; enough to find it in the file
	q := strconv.Quote(s)
	q = q[1 : len(q)-1]
	if len(q) > most {
		q = strings.ToValidUTF8(q[:most], "") + "…"
	}
	return q
}

func join(where, key string) string {
	if where == "" {
		return key
	}
	return where + "." + key
}

func orFile(where string) string {
	if where == "" {
		return "the file"
	}
	return where
}
