package site

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxSize bounds site.yaml, far above any real file.
const maxSize = 1 << 20 // bytes

// InvalidError holds all problems of a site.yaml.
type InvalidError struct {
	// Problems has at least one problem. They are sorted by line, and all have the level error.
	Problems []mip.Problem
}

// Error has one line per problem: file:line: code: message.
func (e *InvalidError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Load reads and validates a site.yaml. Invalid content is an [*InvalidError] with path as given.
// Any other error means that the file cannot be read, or is missing ([fs.ErrNotExist]).
func Load(path string) (*Site, error) {
	data, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf(
			`%s: %w: create it with the keys title and base_url, such as "title: Example Proposals" `+
				`and "base_url: https://mips.example.org", or name another file with --config`,
			path,
			fs.ErrNotExist)
	case err != nil:
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	s, err := Parse(filepath.ToSlash(path), data)
	if err != nil {
		return nil, err
	}
	s.File = path
	return s, nil
}

// read reads a file and follows links. It refuses everything but a regular file: a pipe without a
// writer or a terminal would hang.
func read(path string) ([]byte, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// One byte more shows that the file is too large.
	return io.ReadAll(io.LimitReader(f, maxSize+1))
}

// Parse validates the content of a site.yaml. With any problem it returns no site, and an
// [*InvalidError] whose problems have name as their file.
func Parse(name string, data []byte) (*Site, error) {
	p := &parser{file: name, lines: map[string]int{}, wrong: map[string]bool{}}
	f := &file{Site: Site{Prefix: "MIP", Proposals: []string{"proposals"}, Highlight: true}}
	if root := p.document(data); root != nil {
		p.decodeAt(root.Line, root, reflect.ValueOf(f).Elem(), "")
		f.validate(p)
	}
	if len(p.problems) > 0 {
		return nil, &InvalidError{Problems: mip.SortProblems(p.problems)}
	}
	return f.site(p.lines), nil
}

// top is the name of the whole file in messages.
const top = "the file"

// parser parses one file and collects its problems. Each value has a name for messages, such as
// networks[0].id. The whole file has the empty name.
type parser struct {
	file     string
	problems []mip.Problem
	// lines has the line of each value in the file, without null values of mappings with fixed
	// keys.
	lines map[string]int
	// wrong has the names of values with a problem.
	wrong map[string]bool
}

// add adds a problem of a line, counted from 1. Line 0 means the whole file.
func (p *parser) add(line int, code, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	p.problems = append(p.problems,
		mip.Problem{Level: mip.Error, Code: code, File: p.file, Line: line, Message: message})
}

// at adds a problem of a value.
func (p *parser) at(name, code, message string) {
	p.wrong[name] = true
	p.add(p.lines[name], code, "%s: %s", cmp.Or(name, top), message)
}

// document parses the one YAML document of the file and returns its top node, or nil if it is
// invalid. Nodes keep lines and the original text.
func (p *parser) document(data []byte) *yaml.Node {
	if len(data) > maxSize {
		p.add(0, "too-large", "larger than 1 MiB")
		return nil
	}
	doc, second, err := documents(data)
	switch {
	case err != nil:
		p.syntax(data, err)
	case doc == nil:
		p.add(0, "missing-key", "the file is empty; title and base_url are required")
	case second != nil: // it would be ignored
		p.add(second.Line, "yaml-syntax", "a second document; the file must hold one")
	default:
		return doc.Content[0]
	}
	return nil
}
