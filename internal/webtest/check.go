package webtest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// check says what must be true of a part of an answer.
type check struct {
	line  int
	codes []int // status codes that it concerns; none: all
	part  part
	op    operator
	want  string
}

// operator is how a value is compared.
type operator string

const (
	equals    operator = "=="
	differs   operator = "!="
	matches   operator = "~"
	unlike    operator = "!~"
	contains  operator = "contains"
	isThere   operator = "exists"
	isMissing operator = "absent"
)

// unary reports whether nothing stands after the operator.
func (o operator) unary() bool { return o == isThere || o == isMissing }

// pattern reports whether a regular expression stands after it.
func (o operator) pattern() bool { return o == matches || o == unlike }

func (c *check) at() int { return c.line }

func (c *check) run(a *answer, kept map[string]string) error {
	if len(c.codes) > 0 && !slices.Contains(c.codes, a.status) {
		return nil
	}
	values, err := c.part.find(a)
	if err != nil {
		return fmt.Errorf("%s: %w", c.part, err)
	}
	holds, wanted, err := c.op.compile(c.want, kept)
	if err != nil {
		return fmt.Errorf("%s: %w", c.part, err)
	}
	wrong := slices.DeleteFunc(values, holds)
	if len(wrong) == 0 {
		return nil
	}
	others := ""
	if n := len(wrong) - 1; n > 0 {
		others = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Errorf("%s: got %s, want %s%s%s", wrong[0].at, wrong[0], wanted, c.hint(a), others)
}

// hint is the beginning of the body where the code alone would not say what went wrong.
func (c *check) hint(a *answer) string {
	if c.part.kind != codePart || len(a.body) == 0 {
		return ""
	}
	return "; body " + quoted(string(a.body))
}

// compile returns the comparison with want, and how to say what is wanted.
func (o operator) compile(want string, kept map[string]string) (holds func(value) bool, wanted string, err error) {
	if o.unary() {
		return func(v value) bool { return v.there == (o == isThere) }, string(o), nil
	}
	if o.pattern() {
		re, err := compilePattern(want, kept)
		if err != nil {
			return nil, "", err
		}
		return func(v value) bool { return (v.there && re.MatchString(v.text)) == (o == matches) }, string(o) + " " + re.String(), nil
	}
	if want, err = expand(want, kept, nil); err != nil {
		return nil, "", err
	}
	holds = func(v value) bool { return (v.there && v.text == want) == (o == equals) }
	if o == contains {
		holds = func(v value) bool { return v.there && strings.Contains(v.text, want) }
	}
	return holds, string(o) + " " + strconv.Quote(want), nil
}

// compilePattern takes kept values literally.
func compilePattern(text string, kept map[string]string) (*regexp.Regexp, error) {
	text, err := expand(text, kept, regexp.QuoteMeta)
	if err != nil {
		return nil, err
	}
	return regexp.Compile(text)
}

// keep remembers a value of an answer.
type keep struct {
	line    int
	codes   []int // as in check
	name    string
	part    part
	pattern string // empty: the whole value
}

func (k *keep) at() int { return k.line }

// run forgets an older value when the answer has none.
func (k *keep) run(a *answer, kept map[string]string) error {
	delete(kept, k.name)
	if len(k.codes) > 0 && !slices.Contains(k.codes, a.status) {
		return nil
	}
	values, err := k.part.find(a)
	if err != nil {
		return fmt.Errorf("%s: %w", k.part, err)
	}
	re, err := compilePattern(k.pattern, kept)
	if err != nil {
		return fmt.Errorf("%s: %w", k.part, err)
	}
	for _, v := range values {
		if !v.there || v.null || v.text == "" {
			continue
		}
		if k.pattern == "" {
			kept[k.name] = v.text
			return nil
		}
		if m := re.FindStringSubmatch(v.text); m != nil {
			if found := m[min(len(m), 2)-1]; found != "" {
				kept[k.name] = found
				return nil
			}
		}
	}
	return nil
}
