package webtest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// values are the kept values by name.
type values map[string]string

// run runs the cases in order. It returns an error for each failed line, and a note for each
// skipped case.
func (s *script) run(ctx context.Context, target Target) (failures []error, skipped []string) {
	kept := values{}
	for _, c := range s.cases {
		fail := func(line int, format string, args ...any) {
			failures = append(failures, fmt.Errorf("%s:%d: %w",
				s.file, line, fmt.Errorf(format, args...)))
		}
		i := slices.IndexFunc(c.needs, func(name string) bool { return kept[name] == "" })
		if i >= 0 {
			skipped = append(skipped, fmt.Sprintf("%s:%d: %s: left out, nothing was kept as %s",
				s.file, c.line, &c.request, c.needs[i]))
			continue
		}
		r, err := kept.request(c.request)
		if err != nil {
			fail(c.line, "%s: %w", &c.request, err)
			continue
		}
		a, err := target.send(ctx, r)
		if err != nil {
			fail(c.line, "%s: %w", r, err)
			continue
		}
		for _, check := range s.always {
			if err := check.run(a, kept); err != nil {
				fail(c.line, "%s: line %d: %w", r, check.line, err)
			}
		}
		for _, check := range c.checks {
			if err := check.run(a, kept); err != nil {
				fail(check.line, "%s: %w", r, err)
			}
		}
	}
	return failures, skipped
}

// run checks an answer. It may add a kept value.
func (c *check) run(a *answer, kept values) error {
	delete(kept, c.keep) // an older value
	if c.codes != "" && !strings.Contains(c.codes, strconv.Itoa(a.status)) {
		return nil
	}
	found, err := a.find(c.part)
	want, re := c.want, (*regexp.Regexp)(nil)
	if err == nil && (c.op == "~" || c.op == "!~") {
		if want, err = kept.expand(want, regexp.QuoteMeta); err == nil {
			re, err = regexp.Compile(want)
		}
	} else if err == nil {
		want, err = kept.expand(want, func(s string) string { return s })
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.part, err)
	}
	if c.keep != "" {
		kept.keep(c.keep, found, re)
		return nil
	}
	wrong := slices.DeleteFunc(found, func(v value) bool { return c.holds(v, want, re) })
	if len(wrong) == 0 {
		return nil
	}
	message := fmt.Sprintf("%s: got %s, want %s", wrong[0].at, wrong[0], c.op)
	switch c.op {
	case "~", "!~":
		message += " " + want
	case "==", "!=", "contains":
		message += " " + strconv.Quote(want)
	}
	if n := len(wrong) - 1; n > 0 {
		message += fmt.Sprintf(" (and %d more)", n)
	}
	if c.part == "code" && len(a.body) > 0 { // the code alone does not explain the failure
		message += "; body " + quoted(string(a.body))
	}
	return errors.New(message)
}

// holds reports whether a value satisfies the check.
func (c *check) holds(v value, want string, re *regexp.Regexp) bool {
	switch c.op {
	case "exists", "absent":
		return v.there == (c.op == "exists")
	case "~", "!~":
		return (v.there && re.MatchString(v.text)) == (c.op == "~")
	case "contains":
		return v.there && strings.Contains(v.text, want)
	}
	return (v.there && v.text == want) == (c.op == "==")
}

// keep keeps the first present value, or the expression's match in it.
func (kept values) keep(name string, found []value, re *regexp.Regexp) {
	for _, v := range found {
		text := v.text
		if re != nil {
			text = ""
			if m := re.FindStringSubmatch(v.text); m != nil {
				text = m[min(len(m), 2)-1] // the first group, or all
			}
		}
		if v.there && !v.null && text != "" {
			kept[name] = text
			return
		}
	}
}

// request returns a request with kept values in place of their names.
func (kept values) request(r request) (*request, error) {
	r.fields, r.body = slices.Clone(r.fields), slices.Clone(r.body)
	texts := []*string{&r.path}
	for i := range r.fields {
		texts = append(texts, &r.fields[i][1])
	}
	for i := range r.body {
		texts = append(texts, &r.body[i])
	}
	for _, text := range texts {
		var err error
		if *text, err = kept.expand(*text, func(s string) string { return s }); err != nil {
			return nil, err
		}
	}
	if !strings.HasPrefix(r.path, "/") {
		return nil, fmt.Errorf("the path is %q and does not start with a slash", r.path)
	}
	return &r, nil
}

// expand replaces the names of kept values by the values, each through quote.
func (kept values) expand(text string, quote func(string) string) (string, error) {
	var err error
	out := reference.ReplaceAllStringFunc(text, func(ref string) string {
		name := ref[2 : len(ref)-2]
		if kept[name] == "" {
			err = fmt.Errorf("nothing was kept as %s", name)
		}
		return quote(kept[name])
	})
	return out, err
}

// value is a value from a part of an answer.
type value struct {
	at    string
	text  string
	there bool
	null  bool // of JSON; text is null then
}

// String formats a value for a message.
func (v value) String() string {
	if !v.there {
		return "nothing"
	}
	return quoted(v.text)
}

// quoted returns the beginning of a text that may be long.
func quoted(s string) string {
	const enough = 300 // bytes
	if len(s) > enough {
		return strconv.Quote(strings.ToValidUTF8(s[:enough], "")) + "…"
	}
	return strconv.Quote(s)
}

// find returns the values of a part: exactly one, except for paths with an asterisk.
func (a *answer) find(part string) ([]value, error) {
	kind, name, _ := strings.Cut(part, " ")
	name = strings.TrimSpace(name)
	one := value{at: part, there: true}
	switch kind {
	case "code":
		one.text = strconv.Itoa(a.status)
	case "header":
		fields := a.header.Values(name)
		one.text, one.there = strings.Join(fields, ", "), len(fields) > 0
	case "body":
		one.text = string(a.body)
	case "json":
		doc, err := parseJSON(a.body)
		if err != nil {
			return nil, err
		}
		return findJSON("", eachStep.FindAllString(name, -1), doc), nil
	}
	return []value{one}, nil
}

var eachStep = regexp.MustCompile(pathStep)

// parseJSON keeps numbers as they are written.
func parseJSON(body []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("the body is no JSON: %w; body %s", err, quoted(string(body)))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the body has more after its JSON; body %s", quoted(string(body)))
	}
	return doc, nil
}

// findJSON returns every value at a path below the place at. For a missing key it returns an absent
// value. A quoted step is always a key.
func findJSON(at string, path []string, doc any) (found []value) {
	if len(path) == 0 {
		return []value{{at: "json " + cmp.Or(strings.TrimPrefix(at, "."), "."), text: textOf(doc),
			there: true, null: doc == nil}}
	}
	step, there := path[0], false
	descend := func(step string, doc any) {
		there = true
		found = append(found, findJSON(at+"."+step, path[1:], doc)...)
	}
	switch v := doc.(type) {
	case []any:
		there = step == "*" // which may be empty
		for i, element := range v {
			if index := strconv.Itoa(i); step == "*" || step == index {
				descend(index, element)
			}
		}
	case map[string]any:
		there = step == "*"
		key, err := strconv.Unquote(step)
		if err != nil {
			key = step
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if step == "*" {
				descend(strconv.Quote(name), v[name])
			} else if name == key {
				descend(step, v[name])
			}
		}
	}
	if !there {
		found = []value{{at: "json " + strings.TrimPrefix(at+"."+step, ".")}}
	}
	return found
}

// textOf is the text of a value for comparisons with a script.
func textOf(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}
