package site

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxSize bounds site.yaml. It is far above any real one.
const maxSize = 1 << 20 // bytes

// InvalidError is everything that is wrong with a site.yaml.
type InvalidError struct {
	// Problems is never empty and sorted by line; all are of the level error.
	Problems []mip.Problem
}

// Error has a line for each problem: file:line: code: message.
func (e *InvalidError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// missingError is the path of a site.yaml that is not there. It is an [fs.ErrNotExist].
type missingError string

// Error says what to do about it.
func (path missingError) Error() string {
	return fmt.Sprintf(`there is no %s: create it with the keys title and base_url, such as "title: Example Proposals" `+
		`and "base_url: https://mips.example.org", or name another file with --config`, string(path))
}

// Unwrap makes it an error of a missing file.
func (path missingError) Unwrap() error { return fs.ErrNotExist }

// Load reads and validates a site.yaml. Wrong content is an [*InvalidError] that names path as
// given; any other error means that the file cannot be read.
func Load(path string) (*Site, error) {
	// Load reads the file as the process sees it, through links too. Anything but a file could
	// hang: a pipe without a writer, a terminal.
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", path)
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missingError(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	defer f.Close()
	// One byte more shows that the file is too large.
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return Parse(filepath.ToSlash(path), data)
}

// Parse validates the content of a site.yaml, of which nothing is kept when there is a problem.
// The error is an [*InvalidError] whose problems carry file as their file.
func Parse(name string, data []byte) (*Site, error) {
	p := &problems{file: name, lines: map[string]int{}}
	f := &file{Site: Site{Prefix: "MIP", Proposals: []string{"proposals"}, Highlight: true}}
	if root := p.document(data); root != nil {
		value{root, top, p}.decode(reflect.ValueOf(f).Elem(), "")
		f.site(p)
	}
	if len(p.list) > 0 {
		return nil, &InvalidError{Problems: mip.SortProblems(p.list)}
	}
	return &f.Site, nil
}

// problems gathers the problems of a file.
type problems struct {
	file string
	list []mip.Problem
	// lines are those of the values by their names, such as networks[0].id.
	lines map[string]int
}

// add adds a problem of a line, from 1; 0 stands for the whole file.
func (p *problems) add(line int, code, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	p.list = append(p.list, mip.Problem{Level: mip.Error, Code: code, File: p.file, Line: line, Message: message})
}

// at adds a problem of the value that has a name.
func (p *problems) at(name, code, format string, args ...any) {
	p.add(p.lines[name], code, "%s: %s", name, fmt.Sprintf(format, args...))
}

// document parses the one YAML document of the file and returns its top node, or nil when that
// cannot be read any further. Nodes keep lines and the text as written.
func (p *problems) document(data []byte) *yaml.Node {
	if len(data) > maxSize {
		p.add(0, "too-large", "larger than 1 MiB")
		return nil
	}
	// The parser names no lines for these.
	line := 0
	for text := range bytes.Lines(data) {
		line++
		if !utf8.Valid(text) {
			p.add(line, "not-utf8", "not UTF-8; save the file as UTF-8")
			return nil
		}
		// A line may end in NEL, as in YAML 1.1.
		control := func(c rune) bool { return unicode.IsControl(c) && !strings.ContainsRune("\t\n\r\u0085", c) }
		if i := bytes.IndexFunc(text, control); i >= 0 {
			c, _ := utf8.DecodeRune(text[i:])
			p.add(line, "yaml-syntax", "control characters are not allowed; remove %U", c)
			return nil
		}
	}
	doc, second, err := decode(data)
	switch {
	case err != nil:
		p.syntax(data, err)
	case doc == nil:
		p.add(0, "missing-key", "the file is empty; title and base_url are required")
	case second != nil: // it would be left unread
		p.add(second.Line, "yaml-syntax", "a second document; the file must hold one")
	default:
		return doc.Content[0]
	}
	return nil
}

// top is the name of the whole file in messages.
const top = "the file"

// value is a node of the file. A method that returns false has added a problem that says why.
type value struct {
	*yaml.Node
	// where names the value in messages, such as networks[0].id.
	where    string
	problems *problems
}

// decode reads the value into a struct, map, list or pointer by its type, and into anything else
// by a check. In structs, fields with a yaml tag are keys, and null counts as a key left out.
// Aliases are not followed: no small file can stand for a huge one.
func (v value) decode(to reflect.Value, check string) (ok bool) {
	v.problems.lines[v.where] = v.Line
	switch to.Kind() {
	case reflect.Struct:
		return v.object(to)
	case reflect.Map:
		to.Set(reflect.MakeMap(to.Type()))
		return v.entries(func(key *yaml.Node, item value) {
			x := reflect.New(to.Type().Elem()).Elem()
			if item.decode(x, check) {
				to.SetMapIndex(reflect.ValueOf(key.Value), x)
			}
			// Problems of the key stand in its line.
			v.problems.lines[item.where] = key.Line
		})
	case reflect.Slice:
		return v.list(to, check)
	case reflect.Pointer:
		x := reflect.New(to.Type().Elem())
		if v.isNull() {
			return true
		}
		if ok = v.decode(x.Elem(), check); ok {
			to.Set(x)
		}
		return ok
	}
	x, ok := checks[check](v)
	if ok {
		to.Set(reflect.ValueOf(x).Convert(to.Type()))
	}
	return ok
}

// object reads a mapping with fixed keys: those of the yaml tags.
func (v value) object(to reflect.Value) bool {
	var names, required []string
	fields := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(to.Type()) {
		name, option, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "" {
			continue
		}
		fields[name], names = f, append(names, name)
		if option == "required" {
			required = append(required, name)
		}
	}
	ok := v.entries(func(key *yaml.Node, item value) {
		// A key that is misspelt must not go unnoticed.
		f, known := fields[key.Value]
		switch {
		case !known:
			const message = "%s is unknown; %swant one of %s"
			v.problems.add(key.Line, "unknown-key", message, item.where, suggestion(key.Value, names), strings.Join(names, ", "))
		case !item.isNull():
			required = slices.DeleteFunc(required, func(name string) bool { return name == key.Value })
			item.decode(to.FieldByIndex(f.Index), f.Tag.Get("check"))
		}
	})
	// A mapping of another type has a problem already.
	for _, name := range required {
		if ok {
			v.problems.add(v.Line, "missing-key", "%s is required", v.below(name))
		}
	}
	return ok
}

// entries calls yield for each entry of a mapping, and leaves out a key that came before.
func (v value) entries(yield func(key *yaml.Node, item value)) bool {
	if v.Kind != yaml.MappingNode {
		return v.wrong(wantMap)
	}
	// Keys and values stand in turn.
	seen := map[string]int{}
	for i := 0; i+1 < len(v.Content); i += 2 {
		key, node := v.Content[i], v.Content[i+1]
		where := v.below(show(key.Value))
		first, twice := seen[key.Value]
		switch {
		// A list or a map can be a key in YAML.
		case key.Kind != yaml.ScalarNode:
			v.problems.add(key.Line, "wrong-type", "%s: a key must be plain text", v.where)
		case twice:
			v.problems.add(key.Line, "duplicate-key", "%s is set twice, first in line %d; remove one, or indent what belongs to the key above",
				where, first)
		default:
			seen[key.Value] = key.Line
			yield(key, value{node, where, v.problems})
		}
	}
	return true
}

// list reads a list. Texts stand in it once.
func (v value) list(to reflect.Value, check string) bool {
	if v.Kind != yaml.SequenceNode {
		return v.wrong(wantList)
	}
	to.SetZero()
	seen := map[string]string{}
	for i, node := range v.Content {
		item, x := value{node, fmt.Sprintf("%s[%d]", v.where, i), v.problems}, reflect.New(to.Type().Elem()).Elem()
		ok := item.decode(x, check)
		if ok && x.Kind() == reflect.String {
			if first, twice := seen[x.String()]; twice { // an address may hold a key, which is not repeated
				item.at("duplicate-value", "listed before, as %s; remove one", first)
			} else {
				seen[x.String()] = item.where
			}
		}
		if ok {
			to.Set(reflect.Append(to, x))
		}
	}
	return true
}

// The types of values with others below them, as messages name them.
const (
	wantMap  = "a mapping (key: value)"
	wantList = "a list"
)

// wrong adds the problem of a value of another type than the one wanted, and returns false.
func (v value) wrong(want string) bool {
	// Types are named in the words of people who do not know YAML.
	got := "a value of the type " + show(v.ShortTag())
	switch name, scalar := tagNames[v.ShortTag()]; {
	case v.Kind == yaml.AliasNode:
		got = "an alias (*name); write the value out"
	case v.Kind == yaml.MappingNode:
		got = "a mapping"
	case v.Kind == yaml.SequenceNode:
		got = "a list"
	case scalar:
		got = name
	}
	switch {
	case want == wantMap && v.Kind == yaml.SequenceNode:
		got += "; leave the hyphens out"
	case want == wantList && v.Kind == yaml.MappingNode:
		got += "; begin each item with a hyphen"
	case want == wantList && v.Kind == yaml.ScalarNode: // an address may hold a key, which is not repeated
		got += "; put it into brackets: [ ]"
	case want == wantMap || v.Kind != yaml.ScalarNode || v.isNull():
	case want == "text":
		got += fmt.Sprintf(`; write it in quotes: "%s"`, show(v.Value))
	default:
		got += fmt.Sprintf(" (%s)", show(v.Value))
	}
	v.at("wrong-type", "want %s, got %s", want, got)
	return false
}

var tagNames = map[string]string{
	"!!null": "nothing", "!!bool": "true or false", "!!int": "a number", "!!float": "a number", "!!timestamp": "a date",
	"!!str": "text",
}

// at adds a problem of the value.
func (v value) at(code, format string, args ...any) { v.problems.at(v.where, code, format, args...) }

// bad adds the problem of a value of the right type, and returns false.
func (v value) bad(format string, args ...any) bool {
	v.at("bad-value", format, args...)
	return false
}

// isNull reports a value that is left out, or written null or ~.
func (v value) isNull() bool { return v.Kind == yaml.ScalarNode && v.ShortTag() == "!!null" }

// below names the value that a mapping has under a key.
func (v value) below(key string) string { return strings.TrimPrefix(v.where+"."+key, top+".") }

// show makes a piece of the file fit for a one-line message.
func show(s string) string {
	// In bytes: enough to find the value in the file.
	const most = 63
	q := strconv.Quote(s)
	return mip.Shorten(q[1:len(q)-1], most)
}
