package webtest

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// script is a file of cases.
type script struct {
	file   string
	always []check // of every answer
	cases  []*testCase
}

// testCase is one request and the checks of its answer.
type testCase struct {
	request
	needs  []string // names of kept values
	checks []check
}

// request is an HTTP request. Its texts may contain kept values.
type request struct {
	line         int
	method, path string
	fields       [][2]string
	body         []string // lines
}

// String is the name of a request in messages.
func (r *request) String() string { return r.method + " " + r.path }

// check is a line about an answer: a condition on a part of it, or a value to keep.
type check struct {
	line     int
	codes    string // status codes to which it applies, joined by commas; empty: all
	keep     string // the name of the kept value; empty: none
	part     string // code, body, header NAME or json PATH
	op, want string // no op: the whole part is kept
}

const (
	fieldName = "[!#$%&'*+.^_`|~0-9A-Za-z-]+" // RFC 9110 section 5.6.2
	pathStep  = `(?:"(?:[^"\\]|\\.)*"|[^."\s]+)`
)

var (
	requestLine = regexp.MustCompile(`^([A-Z]+)\s+((?:/|\{\{)\S*)$`)
	fieldLine   = regexp.MustCompile(`^(` + fieldName + `):\s*(.*)$`)
	checkLine   = regexp.MustCompile(`^(?:on\s+([1-5]\d\d(?:,[1-5]\d\d)*)\s+)?` +
		`(?:keep\s+([a-z][a-zA-Z0-9]*)\s+=\s+)?` +
		`(code|body|header\s+` + fieldName + `|json\s+(?:\.|` + pathStep + `(?:\.` + pathStep +
		`)*))` +
		`(?:\s+(==|!=|~|!~|contains|exists|absent)(?:\s+(.*))?)?$`)
	statusCode = regexp.MustCompile(`^[1-5]\d\d$`)
	reference  = regexp.MustCompile(`\{\{([^{}]*)\}\}`) // the name of a kept value in a text
)

// parse parses a script. The error has a line file:line: message for each mistake.
func parse(file string, text []byte) (*script, error) {
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s:1: not UTF-8", file)
	}
	p := &parser{script: script{file: file}}
	var errs []error
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		err := p.read(n, line)
		for _, m := range reference.FindAllStringSubmatch(line, -1) {
			err = cmp.Or(err, p.known(m[1]))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", file, n, err))
		}
	}
	for _, c := range p.script.cases {
		if len(c.checks) == 0 && len(p.script.always) == 0 {
			errs = append(errs, fmt.Errorf("%s:%d: %s: nothing is said of its answer",
				file, c.line, &c.request))
		}
	}
	if len(p.script.cases) == 0 && len(errs) == 0 {
		errs = append(errs,
			fmt.Errorf("%s:1: no request; want a line such as GET /api/v1/mips", file))
	}
	return &p.script, errors.Join(errs...)
}

// parser is the state of parsing up to a line.
type parser struct {
	script  script
	current *testCase // nil before the first request
	names   []string  // of values that earlier lines keep
}

// read parses a non-empty line.
func (p *parser) read(n int, line string) error {
	word := strings.Fields(line)[0]
	rest := strings.TrimSpace(line[len(word):])
	if strings.ToUpper(word) == word && word[0] >= 'A' && word[0] <= 'Z' {
		m := requestLine.FindStringSubmatch(line)
		if m == nil {
			return fmt.Errorf("want a method and a path that starts with a slash and holds no "+
				"blank, got %q", line)
		}
		p.current = &testCase{request: request{line: n, method: m[1], path: m[2]}}
		p.script.cases = append(p.script.cases, p.current)
		return nil
	}
	if !slices.Contains([]string{"if", "with", "send"}, word) {
		return p.check(n, line)
	}
	if p.current == nil || len(p.current.checks) > 0 {
		return fmt.Errorf("%s is part of a request: it stands after the line with the method, "+
			"before what is said of the answer", word)
	}
	switch word {
	case "if":
		p.current.needs = append(p.current.needs, rest)
		return p.known(rest)
	case "send":
		p.current.body = append(p.current.body, rest)
	case "with":
		m := fieldLine.FindStringSubmatch(rest)
		if m == nil {
			return fmt.Errorf("want a header field such as Accept: text/html, got %q", rest)
		}
		p.current.fields = append(p.current.fields, [2]string{m[1], m[2]})
	}
	return nil
}

// check parses a line about the answer.
func (p *parser) check(n int, line string) error {
	m := checkLine.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("want a request, if, with, send, or such as on 200 json mips.0.title "+
			"== Words or keep tag = header ETag, got %q", line)
	}
	c := check{line: n, codes: m[1], keep: m[2], part: m[3], op: m[4], want: m[5]}
	switch {
	case c.keep != "" && p.current == nil:
		return errors.New("keep stands below a request")
	case c.keep != "" && c.op != "" && c.op != "~":
		return fmt.Errorf("want ~ and a regular expression or nothing, got %q", c.op)
	case c.keep == "" && c.op == "":
		return errors.New("want a comparison: ==, !=, ~, !~, contains, exists or absent")
	case c.want == "" && slices.Contains([]string{"~", "!~", "contains"}, c.op):
		return fmt.Errorf("nothing after %s", c.op)
	case c.want != "" && (c.op == "exists" || c.op == "absent"):
		return fmt.Errorf("%q after %s, which ends a line", c.want, c.op)
	case c.part == "body" && (c.op == "exists" || c.op == "absent"):
		return errors.New("a body always exists; want body == or body !=")
	case c.part == "code" && c.keep == "" && !strings.HasSuffix(c.op, "~") &&
		!(strings.HasSuffix(c.op, "=") && statusCode.MatchString(c.want)):
		return fmt.Errorf("want a status code from 100 to 599 after == or !=, or ~ or !~, "+
			"got %s %q", c.op, c.want)
	case c.op == "~" || c.op == "!~":
		// Check the expression with a letter in place of each kept value.
		if _, err := regexp.Compile(reference.ReplaceAllLiteralString(c.want, "x")); err != nil {
			return err
		}
	}
	if p.current == nil {
		p.script.always = append(p.script.always, c)
		return nil
	}
	p.current.checks = append(p.current.checks, c)
	p.names = append(p.names, c.keep)
	return nil
}

// known returns an error unless an earlier line keeps a value under that name.
func (p *parser) known(name string) error {
	if name == "" || !slices.Contains(p.names, name) {
		return fmt.Errorf("no line before keeps a value as %q", name)
	}
	return nil
}
