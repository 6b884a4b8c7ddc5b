package site

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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

// Load reads and validates a site.yaml. Wrong content is an [*InvalidError] that names path as
// given; any other error means that the file cannot be read.
func Load(path string) (*Site, error) {
	// Load reads the file as the process sees it, through links too.
	st, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	// Anything else could hang: a pipe without a writer, a terminal.
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("read configuration: %s is not a file", path)
	}
	f, err := os.Open(path)
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

// Parse validates the content of a site.yaml. The error is an [*InvalidError] whose problems
// carry file as their file.
func Parse(file string, data []byte) (*Site, error) {
	p := &problems{file: file}
	s := &Site{}
	if root := p.document(data); root != nil {
		s = value{root, "", p}.site()
	}
	if len(p.list) > 0 {
		return nil, &InvalidError{Problems: mip.SortProblems(p.list)}
	}
	return s, nil
}

// document parses the one YAML document of the file and returns its top node, or nil when that
// cannot be read any further.
func (p *problems) document(data []byte) *yaml.Node {
	if len(data) > maxSize {
		p.add(0, "too-large", "larger than 1 MiB")
		return nil
	}
	if !utf8.Valid(data) {
		p.add(lineOf(data, func(c rune, size int) bool { return c == utf8.RuneError && size == 1 }), "not-utf8", "not UTF-8; save the file as UTF-8")
		return nil
	}
	// The decoder gives nodes, which keep lines and the text as written.
	dec := yaml.NewDecoder(bytes.NewReader(data))
	// A second document would be left unread.
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		p.add(0, "missing-key", "the file is empty; title and base_url are required")
		return nil
	case err != nil:
		p.syntax(data, err)
		return nil
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		p.add(second.Line, "yaml-syntax", "a second document; the file must hold one")
		return nil
	case !errors.Is(err, io.EOF):
		p.syntax(data, err)
		return nil
	}
	root := doc.Content[0]
	// Below, the tree is walked without a bound.
	if p.aliases(root) {
		return nil
	}
	return root
}

// syntax reports an error of the YAML parser, which carries the line in its text, and none for
// the first line and for control characters.
func (p *problems) syntax(data []byte, err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	// The text is such as "yaml: line 3: did not find expected key".
	line := 1
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if number, message, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(number); err == nil {
				line, text = n, message
			}
		}
	} else if at := lineOf(data, func(c rune, _ int) bool { return unicode.IsControl(c) && !strings.ContainsRune("\t\n\r", c) }); at > 0 {
		line = at
	}
	p.add(line, "yaml-syntax", "%s", text)
}

// aliases reports every use of an anchor below n, and whether there was one. A file of a page
// has no need for them, and without them no small file can stand for a huge one.
func (p *problems) aliases(n *yaml.Node) bool {
	found := n.Kind == yaml.AliasNode
	if found {
		p.add(n.Line, "alias", "YAML aliases (*name) are not accepted; write the value out")
	}
	for _, c := range n.Content {
		found = p.aliases(c) || found
	}
	return found
}

// lineOf is the line of the first character, of so many bytes, that is bad; 0 when none is.
func lineOf(data []byte, bad func(c rune, size int) bool) int {
	line := 1
	for len(data) > 0 {
		c, size := utf8.DecodeRune(data)
		if bad(c, size) {
			return line
		}
		if c == '\n' {
			line++
		}
		data = data[size:]
	}
	return 0
}
