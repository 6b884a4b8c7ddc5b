package webtest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// run runs the cases in their order. It returns what is wrong with each line that does not hold, and
// which cases were left out.
func (s *script) run(ctx context.Context, target Target) (wrong []error, left []string) {
	kept := map[string]string{}
	for _, c := range s.cases {
		if i := slices.IndexFunc(c.needs, func(name string) bool { return kept[name] == "" }); i >= 0 {
			left = append(left, fmt.Sprintf("%s:%d: %s: left out, nothing was kept as %s", s.file, c.line, &c.request, c.needs[i]))
			continue
		}
		wrong = append(wrong, s.runCase(ctx, target, c, kept)...)
	}
	return wrong, left
}

func (s *script) runCase(ctx context.Context, target Target, c *testCase, kept map[string]string) (wrong []error) {
	ready, err := c.expand(kept)
	if err != nil {
		return []error{errorAt(s.file, c.line, "%s: %w", &c.request, err)}
	}
	a, err := target.send(ctx, ready)
	if err != nil {
		return []error{errorAt(s.file, c.line, "%s: %w", ready, err)}
	}
	for _, st := range s.always {
		if err := st.run(a, kept); err != nil {
			wrong = append(wrong, errorAt(s.file, c.line, "%s: line %d: %w", ready, st.line, err))
		}
	}
	for _, st := range c.then {
		if err := st.run(a, kept); err != nil {
			wrong = append(wrong, errorAt(s.file, st.line, "%s: %w", ready, err))
		}
	}
	return wrong
}

// run returns what is wrong with an answer. It may add to what is kept.
func (s statement) run(a *answer, kept map[string]string) error {
	delete(kept, s.keep) // an older value
	if len(s.codes) > 0 && !slices.Contains(s.codes, a.status) {
		return nil
	}
	values, err := s.part.find(a)
	if err != nil {
		return fmt.Errorf("%s: %w", s.part, err)
	}
	want, re := s.want, (*regexp.Regexp)(nil)
	if s.op == "~" || s.op == "!~" {
		if want, err = expand(want, kept, regexp.QuoteMeta); err == nil {
			re, err = regexp.Compile(want)
		}
	} else {
		want, err = expand(want, kept, nil)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.part, err)
	}
	if s.keep != "" {
		s.remember(values, re, kept)
		return nil
	}
	wrong := slices.DeleteFunc(values, func(v value) bool { return s.holds(v, want, re) })
	if len(wrong) == 0 {
		return nil
	}
	wanted, others, hint := s.op, "", ""
	switch s.op {
	case "~", "!~":
		wanted += " " + want
	case "==", "!=", "contains":
		wanted += " " + strconv.Quote(want)
	}
	if n := len(wrong) - 1; n > 0 {
		others = fmt.Sprintf(" (and %d more)", n)
	}
	if s.part.kind == "code" && len(a.body) > 0 { // the code alone would not say what went wrong
		hint = "; body " + quoted(string(a.body))
	}
	return fmt.Errorf("%s: got %s, want %s%s%s", wrong[0].at, wrong[0], wanted, others, hint)
}

// holds reports whether a value is as it must be.
func (s statement) holds(v value, want string, re *regexp.Regexp) bool {
	switch s.op {
	case "exists", "absent":
		return v.there == (s.op == "exists")
	case "~", "!~":
		return (v.there && re.MatchString(v.text)) == (s.op == "~")
	case "contains":
		return v.there && strings.Contains(v.text, want)
	}
	return (v.there && v.text == want) == (s.op == "==")
}

// remember keeps the first value that is there, or what the expression finds in it.
func (s statement) remember(values []value, re *regexp.Regexp, kept map[string]string) {
	for _, v := range values {
		if !v.there || v.null || v.text == "" {
			continue
		}
		found := v.text
		if re != nil {
			m := re.FindStringSubmatch(v.text)
			if found = ""; m != nil {
				found = m[min(len(m), 2)-1]
			}
		}
		if found != "" {
			kept[s.keep] = found
			return
		}
	}
}

// expand returns the request with kept values in the place of their names.
func (r *request) expand(kept map[string]string) (*request, error) {
	ready := *r
	ready.fields, ready.body = slices.Clone(r.fields), slices.Clone(r.body)
	texts := []*string{&ready.path}
	for i := range ready.fields {
		texts = append(texts, &ready.fields[i][1])
	}
	for i := range ready.body {
		texts = append(texts, &ready.body[i])
	}
	for _, text := range texts {
		var err error
		if *text, err = expand(*text, kept, nil); err != nil {
			return nil, err
		}
	}
	if !strings.HasPrefix(ready.path, "/") {
		return nil, fmt.Errorf("the path is %q and does not start with a slash", ready.path)
	}
	return &ready, nil
}

// expand puts kept values in the place of their names, each through quote when there is one.
func expand(text string, kept map[string]string, quote func(string) string) (string, error) {
	missing := ""
	out := reference.ReplaceAllStringFunc(text, func(ref string) string {
		name := ref[2 : len(ref)-2]
		value, ok := kept[name]
		if !ok {
			missing = name
		}
		if quote != nil {
			value = quote(value)
		}
		return value
	})
	if missing != "" {
		return "", fmt.Errorf("nothing was kept as %s", missing)
	}
	return out, nil
}
