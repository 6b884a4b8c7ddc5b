package webtest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	requestLine = regexp.MustCompile(`^([A-Z]+)[ \t]+((?:/|\{\{)[^ \t]*)$`)
	keptName    = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	fieldName   = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$") // RFC 9110 section 5.6.2
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
		return p.need(rest)
	case "with":
		return p.field(rest)
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

func (p *parser) need(name string) error {
	p.current.needs = append(p.current.needs, name)
	return p.known(name)
}

func (p *parser) field(text string) error {
	name, value, ok := strings.Cut(text, ":")
	if !ok || !fieldName.MatchString(name) {
		return fmt.Errorf("want a header field such as Accept: text/html, got %q", text)
	}
	value = strings.TrimSpace(value)
	p.current.fields = append(p.current.fields, [2]string{name, value})
	return p.references(value)
}

// statement reads a line about the answer.
func (p *parser) statement(word, rest string) error {
	var codes []int
	if word == "on" {
		var list string
		var err error
		list, rest = cutWord(rest)
		if codes, err = parseCodes(list); err != nil {
			return err
		}
		word, rest = cutWord(rest)
	}
	if word == "keep" {
		return p.keep(codes, rest)
	}
	c := &check{line: p.line, codes: codes}
	var err error
	if c.part, rest, err = parsePart(word, rest); err != nil {
		return err
	}
	if c.op, c.want, err = parseComparison(rest); err != nil {
		return err
	}
	if err := p.references(c.want); err != nil {
		return err
	}
	if err := c.sensible(); err != nil {
		return err
	}
	if p.current == nil {
		p.script.always = append(p.script.always, c)
		return nil
	}
	p.current.then = append(p.current.then, c)
	return nil
}

// keep reads NAME = PART, or NAME = PART ~ REGEXP.
func (p *parser) keep(codes []int, text string) error {
	name, rest := cutWord(text)
	sign, rest := cutWord(rest)
	if !keptName.MatchString(name) || sign != "=" {
		return fmt.Errorf("want such as keep tag = header ETag, got %q", text)
	}
	if p.current == nil {
		return errors.New("keep stands below a request")
	}
	k := &keep{line: p.line, codes: codes, name: name}
	word, rest := cutWord(rest)
	var err error
	if k.part, rest, err = parsePart(word, rest); err != nil {
		return err
	}
	if rest != "" {
		var op operator
		if op, k.pattern, err = parseComparison(rest); err != nil {
			return err
		}
		if op != matches {
			return fmt.Errorf("want ~ and a regular expression or nothing, got %q", rest)
		}
	}
	if err := p.references(k.pattern); err != nil {
		return err
	}
	if err := checkPattern(k.pattern); err != nil {
		return err
	}
	p.names = append(p.names, name)
	p.current.then = append(p.current.then, k)
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
