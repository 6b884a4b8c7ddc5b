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

// decode reads a node into a value of its type, and adds a problem for each part that does not fit. The library's
// decoder is not used: it knows no names, takes 010 for eight, and follows aliases, by which a small file can stand for
// a huge one.
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

// decodeAt is decode of a value of which problems are told in a line: that of its key, where it has one.
func (p *parser) decodeAt(line int, n *yaml.Node, to reflect.Value, name string) {
	p.lines[name] = line
	p.decode(n, to, name)
}

// decodeStruct reads a mapping with fixed keys: those of the yaml tags. Null counts as a key left out.
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
		case !known: // a key that is misspelt must not go unnoticed
			p.add(e.key.Line, "unknown-key", "%s is unknown; %s", e.name, meant(e.key.Value, keys))
		case !isNull(e.value):
			p.decodeAt(e.key.Line, e.value, field, e.name)
		case unquoted.MatchString(e.key.LineComment): // it would count as left out
			p.add(e.key.Line, "yaml-syntax", "%s: %s", e.name, wantQuotes)
		}
	}
}

// entry is a key of a mapping with its value, which has a name.
type entry struct {
	name       string
	key, value *yaml.Node
}

// entries returns those of a mapping, each key once.
func (p *parser) entries(n *yaml.Node, name string) (out []entry) {
	first := map[string]int{}
	// Keys and values stand in turn.
	for pair := range slices.Chunk(n.Content, 2) {
		e := entry{below(name, pair[0].Value), pair[0], pair[1]}
		line, twice := first[e.key.Value]
		switch {
		case e.key.Kind != yaml.ScalarNode: // a list or a map can be a key in YAML
			p.add(e.key.Line, "wrong-type", "%s: a key must be plain text", cmp.Or(name, top))
		case twice:
			p.add(e.key.Line, "duplicate-key", "%s is set twice, first in line %d; remove one, or indent what belongs to the key above",
				e.name, line)
		default:
			first[e.key.Value] = e.key.Line
			out = append(out, e)
		}
	}
	return out
}

// decodeScalar reads a text, a number or a truth value; false when it is none of the type. Any scalar is a text as it is
// written, without outer blanks.
func (p *parser) decodeScalar(n *yaml.Node, to reflect.Value, name string) bool {
	switch to.Kind() {
	case reflect.String:
		if isNull(n) || scalars[n.ShortTag()] == "" {
			return false
		}
		to.SetString(strings.TrimSpace(n.Value))
		p.check(name, checkText(to.String()))
		return true
	case reflect.Bool: // words such as yes are texts in YAML 1.2
		return n.ShortTag() == "!!bool" && n.Decode(to.Addr().Interface()) == nil
	case reflect.Int, reflect.Int64:
		number, ok := decimal(n.Value)
		to.SetInt(number)
		return ok && n.ShortTag() == "!!int"
	}
	return false
}

// meant says which keys there are: the one that is spelt much like an unknown one, or all.
func meant(key string, known []string) string {
	if best := mip.Closest(key, known); best != "" {
		return "did you mean " + best + "?"
	}
	return "want one of " + strings.Join(known, ", ")
}

// scalars are the types of YAML in the words of people who do not know them.
var scalars = map[string]string{
	"!!null": "nothing", "!!bool": "true or false", "!!int": "a number", "!!float": "a number", "!!timestamp": "a date",
	"!!str": "text",
}

// wanted says what a value of a type looks like.
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

// got says what stands where something else is wanted. A number or a truth value is repeated, as an address may not be: it
// can hold a key.
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
	case isNull(n) || slices.Contains([]reflect.Kind{reflect.Struct, reflect.Map, reflect.Slice, reflect.String}, want):
		return name
	default:
		return fmt.Sprintf("%s (%s)", name, mip.Quote(n.Value))
	}
}

// isNull reports a value that is left out, or written null or ~.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// below names the value that a mapping has under a key. A key may hold anything; its name is fit for a message of one line.
func below(name, key string) string {
	return strings.TrimPrefix(name+"."+strings.Trim(mip.Quote(key), `"`), ".")
}

// item names an item of a list.
func item(name string, i int) string { return fmt.Sprintf("%s[%d]", name, i) }
