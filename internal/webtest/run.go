package webtest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
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
			wrong = append(wrong, errorAt(s.file, c.line, "%s: line %d: %w", ready, st.at(), err))
		}
	}
	for _, st := range c.then {
		if err := st.run(a, kept); err != nil {
			wrong = append(wrong, errorAt(s.file, st.at(), "%s: %w", ready, err))
		}
	}
	return wrong
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

// reference is a kept value's name in a text.
var reference = regexp.MustCompile(`\{\{([^{}]*)\}\}`)

// expand puts kept values in the place of their names, each through quote when there is one.
func expand(text string, kept map[string]string, quote func(string) string) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
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
