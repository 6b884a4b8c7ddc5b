package site

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// decode decodes a node into a value of its type, and adds a problem for each part that does not
// fit. The library's decoder does not give names in errors, reads 010 as eight, and follows
// aliases, by which a small file can become a huge one.
func (p *parser) decode(n *yaml.Node, to reflect.Value, name string) {
	switch kind := to.Kind(); {
	case kind == reflect.Pointer && isNull(n):
	case kind == reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		p.decode(n, to.Elem(), name)
	case kind == reflect.Struct && n.Kind == yaml.MappingNode:
		p.decodeStruct(n, to, name)
	case n.Kind == yaml.ScalarNode && to.Type() == reflect.TypeFor[accent]():
		p.decode(n, to.FieldByName("One"), name)
	case kind == reflect.Map && n.Kind == yaml.MappingNode:
		to.Set(reflect.MakeMap(to.Type()))
		for _, e := range p.entries(n, name) {
			x := reflect.New(to.Type().Elem()).Elem()
			p.decodeAt(e.key.Line, e.value, x, e.name)
			to.SetMapIndex(reflect.ValueOf(e.key.Value), x)
		}
	case kind == reflect.Slice && n.Kind == yaml.SequenceNode:
		to.Set(reflect.MakeSlice(to.Type(), len(n.Content), len(n.Content)))
		for i, x := range n.Content {
			p.decodeAt(x.Line, x, to.Index(i), item(name, i))
		}
	case n.Kind != yaml.ScalarNode || !p.decodeScalar(n, to, name):
		p.at(name, "wrong-type", fmt.Sprintf("want %s, got %s", wanted(to.Type()), got(n, kind)))
	}
}

// decodeAt decodes a value whose problems are reported in a given line: the line of its key, if it
// has one.
func (p *parser) decodeAt(line int, n *yaml.Node, to reflect.Value, name string) {
	p.lines[name] = line
	p.decode(n, to, name)
}

// decodeStruct decodes a mapping with fixed keys, from the yaml tags. Null counts as a missing key.
func (p *parser) decodeStruct(n *yaml.Node, to reflect.Value, name string) {
	var keys []string
	fields := map[string]reflect.Value{}
	for _, f := range reflect.VisibleFields(to.Type()) {
		if key := f.Tag.Get("yaml"); key != "" {
			keys, fields[key] = append(keys, key), to.FieldByIndex(f.Index)
		}
	}
	for _, e := range p.entries(n, name) {
		field, known := fields[e.key.Value]
		switch {
		case !known: // a misspelled key must be reported
			p.add(e.key.Line, "unknown-key", "%s is unknown; %s", e.name, meant(e.key.Value, keys))
		case !isNull(e.value):
			p.decodeAt(e.key.Line, e.value, field, e.name)
		case unquoted.MatchString(e.key.LineComment): // it would count as missing
			p.add(e.key.Line, "yaml-syntax", "%s: %s", e.name, wantQuotes)
		}
	}
}

// entry is a key of a mapping with its value. name is the value's name in messages.
type entry struct {
	name       string
	key, value *yaml.Node
}

// entries returns the entries of a mapping, each key once.
func (p *parser) entries(n *yaml.Node, name string) (out []entry) {
	first := map[string]int{}
	// Keys and values alternate.
	for pair := range slices.Chunk(n.Content, 2) {
		e := entry{below(name, pair[0].Value), pair[0], pair[1]}
		line, twice := first[e.key.Value]
		switch {
		case e.key.Kind != yaml.ScalarNode: // in YAML a list or a map can be a key
			p.add(e.key.Line, "wrong-type", "%s: a key must be plain text", cmp.Or(name, top))
		case twice:
			p.add(e.key.Line, "duplicate-key",
				"%s is set twice, first in line %d; remove one, or indent what belongs to the "+
					"key above",
				e.name, line)
		default:
			first[e.key.Value] = e.key.Line
			out = append(out, e)
		}
	}
	return out
}

// decodeScalar decodes text, a number or a boolean. It returns false if the node has another type.
// Any scalar is valid text, as written and without surrounding blanks.
func (p *parser) decodeScalar(n *yaml.Node, to reflect.Value, name string) bool {
	switch to.Kind() {
	case reflect.String:
		if isNull(n) || scalars[n.ShortTag()] == "" {
			return false
		}
		to.SetString(strings.TrimSpace(n.Value))
		p.check(name, checkText(to.String()))
		return true
	case reflect.Bool: // words such as yes are text in YAML 1.2
		return n.ShortTag() == "!!bool" && n.Decode(to.Addr().Interface()) == nil
	case reflect.Int, reflect.Int64:
		number, ok := decimal(n.Value)
		to.SetInt(number)
		return ok && n.ShortTag() == "!!int"
	}
	return false
}

// meant names the known key that is closest to an unknown one, or all known keys.
func meant(key string, known []string) string {
	if best := mip.Closest(key, known); best != "" {
		return "did you mean " + best + "?"
	}
	return "want one of " + strings.Join(known, ", ")
}

// scalars are plain names of the types of YAML.
var scalars = map[string]string{
	"!!null": "nothing", "!!bool": "true or false", "!!int": "a number", "!!float": "a number",
	"!!timestamp": "a date",
	"!!str":       "text",
}

// wanted describes the values of a type.
func wanted(t reflect.Type) string {
	if t == reflect.TypeFor[accent]() {
		return "a colour in quotes, or light and dark with one each"
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "a mapping (key: value, without hyphens)"
	case reflect.Slice:
		return "a list (in brackets, or each item behind a hyphen)"
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	}
	if t == reflect.TypeFor[unixSeconds]() {
		return "unix seconds, or null when no time is set"
	}
	return "a whole number in plain digits"
}

// got describes the value that was found instead. It repeats a number or a boolean, but not text,
// which may contain a key.
func got(n *yaml.Node, want reflect.Kind) string {
	switch name, scalar := scalars[n.ShortTag()]; {
	case n.Kind == yaml.AliasNode:
		return "an alias (*name); write the value out"
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case !scalar:
		return "a value of the type " + mip.Quote(n.ShortTag())
	case isNull(n) ||
		slices.Contains([]reflect.Kind{reflect.Struct, reflect.Map, reflect.Slice, reflect.String},
			want):
		return name
	default:
		return fmt.Sprintf("%s (%s)", name, mip.Quote(n.Value))
	}
}

// isNull reports whether a value is missing, null or ~.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// below is the name of the value under a key of a mapping. A key may contain any characters. Its
// name fits in a message of one line.
func below(name, key string) string {
	return strings.TrimPrefix(name+"."+strings.Trim(mip.Quote(key), `"`), ".")
}

// item is the name of an item of a list.
func item(name string, i int) string { return fmt.Sprintf("%s[%d]", name, i) }
