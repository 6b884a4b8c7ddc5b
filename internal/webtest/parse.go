package webtest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	requestLine = regexp.MustCompile(`^([A-Z]+)[ \t]+((?:/|\{\{)[^ \t]*)$`)
	keptName    = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	fieldName   = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$") // RFC 9110 section 5.6.2
	reference   = regexp.MustCompile(`\{\{([^{}]*)\}\}`)              // a kept value's name in a text
)

// parse reads a script. The error has a line file:line: message for each thing that is wrong.
func parse(file string, text []byte) (*script, error) {
	if !utf8.Valid(text) {
		return nil, errorAt(file, 1, "not UTF-8")
	}
	p := &parser{script: &script{file: file}}
	for line := range strings.Lines(string(text)) {
		p.line++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := p.read(line); err != nil {
			p.errs = append(p.errs, errorAt(file, p.line, "%w", err))
		}
	}
	p.close()
	if len(p.script.cases) == 0 && len(p.errs) == 0 {
		p.errs = append(p.errs, errorAt(file, 1, "no request; want a line such as GET /api/v1/mips"))
	}
	return p.script, errors.Join(p.errs...)
}

// parser holds what the lines so far have said.
type parser struct {
	script  *script
	current *testCase // nil before the first request
	line    int
	names   []string // of values that an earlier line keeps
	errs    []error
}

// read reads a line that holds something.
func (p *parser) read(line string) error {
	word, rest := cutWord(line)
	if strings.ToUpper(word) == word && word[0] >= 'A' && word[0] <= 'Z' {
		return p.request(line)
	}
	switch word {
	case "if", "with", "send":
		if p.current == nil || len(p.current.then) > 0 {
			return fmt.Errorf("%s is part of a request: it stands after the line with the method, before what is said of the answer", word)
		}
	}
	switch word {
	case "if":
		p.current.needs = append(p.current.needs, rest)
		return p.known(rest)
	case "with":
		name, value, ok := strings.Cut(rest, ":")
		if !ok || !fieldName.MatchString(name) {
			return fmt.Errorf("want a header field such as Accept: text/html, got %q", rest)
		}
		p.current.fields = append(p.current.fields, [2]string{name, strings.TrimSpace(value)})
		return p.references(value)
	case "send":
		p.current.body = append(p.current.body, rest)
		return p.references(rest)
	}
	return p.statement(word, rest)
}

// request starts a case.
func (p *parser) request(line string) error {
	p.close()
	// Whatever is wrong with it, the lines that follow belong to it.
	p.current = &testCase{request: request{line: p.line}}
	m := requestLine.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("want a method and a path that starts with a slash and holds no blank, got %q", line)
	}
	p.current.method, p.current.path = m[1], m[2]
	p.script.cases = append(p.script.cases, p.current)
	return p.references(m[2])
}

// close ends the case before.
func (p *parser) close() {
	if c := p.current; c != nil && c.method != "" && len(c.then) == 0 && len(p.script.always) == 0 {
		p.errs = append(p.errs, errorAt(p.script.file, c.line, "%s: nothing is said of its answer", &c.request))
	}
}

// statement reads a line about the answer.
func (p *parser) statement(word, rest string) (err error) {
	s := statement{line: p.line}
	if word == "on" {
		var list string
		list, rest = cutWord(rest)
		for text := range strings.SplitSeq(list, ",") {
			code, err := parseCode(text)
			if err != nil {
				return err
			}
			s.codes = append(s.codes, code)
		}
		word, rest = cutWord(rest)
	}
	if word == "keep" {
		var sign string
		text := rest
		s.keep, rest = cutWord(rest)
		sign, rest = cutWord(rest)
		if !keptName.MatchString(s.keep) || sign != "=" {
			return fmt.Errorf("want such as keep tag = header ETag, got %q", text)
		}
		if p.current == nil {
			return errors.New("keep stands below a request")
		}
		word, rest = cutWord(rest)
	}
	if s.part, rest, err = parsePart(word, rest); err != nil {
		return err
	}
	if s.keep == "" || rest != "" {
		if s.op, s.want, err = parseComparison(rest); err != nil {
			return err
		}
	}
	if s.keep != "" && s.op != "" && s.op != "~" {
		return fmt.Errorf("want ~ and a regular expression or nothing, got %q", rest)
	}
	if err := p.references(s.want); err != nil {
		return err
	}
	if err := s.sensible(); err != nil {
		return err
	}
	switch {
	case p.current == nil:
		p.script.always = append(p.script.always, s)
	default:
		p.current.then = append(p.current.then, s)
	}
	if s.keep != "" {
		p.names = append(p.names, s.keep)
	}
	return nil
}

// references looks for names in a text that no line before keeps.
func (p *parser) references(text string) error {
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		if err := p.known(m[1]); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) known(name string) error {
	if !slices.Contains(p.names, name) {
		return fmt.Errorf("no line before keeps a value as %q", name)
	}
	return nil
}

func parseCode(text string) (int, error) {
	code, err := strconv.Atoi(text)
	if err != nil || code < 100 || code > 599 {
		return 0, fmt.Errorf("want a status code from 100 to 599, got %q", text)
	}
	return code, nil
}

// parsePart reads what follows the word that names the kind of part, and returns the rest.
func parsePart(word, rest string) (p part, _ string, err error) {
	p.kind = word
	switch word {
	case "code", "body":
	case "header":
		if p.name, rest = cutWord(rest); !fieldName.MatchString(p.name) {
			err = fmt.Errorf("want the name of a header field, got %q", p.name)
		}
	case "json":
		p.path, rest, err = parsePath(rest)
	default:
		err = fmt.Errorf("unknown word %q; want a method in capitals, if, with, send, on, keep, code, header, body or json", word)
	}
	return p, strings.TrimLeft(rest, " \t"), err
}

func parseComparison(text string) (op, want string, err error) {
	op, want = cutWord(text)
	switch op {
	case "==", "!=":
	case "~", "!~", "contains":
		if want == "" {
			err = fmt.Errorf("nothing after %s", op)
		}
	case "exists", "absent":
		if want != "" {
			err = fmt.Errorf("%q after %s, which ends a line", want, op)
		}
	default:
		err = fmt.Errorf("unknown comparison %q; want ==, !=, ~, !~, contains, exists or absent", op)
	}
	return op, want, err
}

// sensible refuses a statement that could not hold, or could not fail, whatever the answer.
func (s statement) sensible() error {
	switch {
	case s.op == "~" || s.op == "!~":
		_, err := regexp.Compile(reference.ReplaceAllLiteralString(s.want, "x")) // as if each kept value were a letter
		return err
	case s.part.kind == "body" && (s.op == "exists" || s.op == "absent"):
		return errors.New("a body always exists; want body == or body !=")
	case s.part.kind != "code" || s.op == "":
		return nil
	case s.op != "==" && s.op != "!=":
		return fmt.Errorf("a code is compared by ==, !=, ~ or !~, not by %s", s.op)
	}
	_, err := parseCode(s.want)
	return err
}

// cutWord returns the first word and what follows it.
func cutWord(text string) (word, rest string) {
	i := strings.IndexAny(text, " \t")
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimLeft(text[i:], " \t")
}
