package webtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// path is a place in a JSON document. Empty, it is the whole.
type path []step

// step is a key, a position, or each of what is there.
type step struct {
	key    string
	quoted bool // a key and nothing else
}

func (s step) each() bool { return s.key == "*" && !s.quoted }

func (s step) String() string {
	if s.quoted {
		return strconv.Quote(s.key)
	}
	return s.key
}

func (p path) String() string {
	if len(p) == 0 {
		return "."
	}
	steps := make([]string, len(p))
	for i, s := range p {
		steps[i] = s.String()
	}
	return strings.Join(steps, ".")
}

// parsePath reads a path at the beginning of text and returns the rest.
func parsePath(text string) (path, string, error) {
	if rest, ok := strings.CutPrefix(text, "."); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
		return nil, rest, nil
	}
	var p path
	for {
		var s step
		if strings.HasPrefix(text, `"`) {
			literal, err := strconv.QuotedPrefix(text)
			if err != nil {
				return nil, "", errors.New("a key in the path has no closing quote")
			}
			if s.key, err = strconv.Unquote(literal); err != nil {
				return nil, "", fmt.Errorf("the key %s cannot be read", literal)
			}
			s.quoted = true
			text = text[len(literal):]
		} else {
			end := strings.IndexAny(text, ". \t\"")
			if end < 0 {
				end = len(text)
			}
			s.key, text = text[:end], text[end:]
			if s.key == "" {
				return nil, "", errors.New("want a path such as mips.0.title")
			}
		}
		p = append(p, s)
		rest, more := strings.CutPrefix(text, ".")
		if !more {
			if text != "" && text[0] != ' ' && text[0] != '\t' {
				return nil, "", errors.New("want a dot between the keys of the path")
			}
			return p, text, nil
		}
		text = rest
	}
}

// find returns every value at the path. Where a key is missing it returns one that is not there.
func (p path) find(doc any) []value { return p.descend(nil, doc) }

func (p path) descend(taken path, doc any) []value {
	if len(taken) == len(p) {
		return []value{{at: "json " + taken.String(), text: text(doc), there: true, null: doc == nil}}
	}
	next := p[len(taken)]
	if next.each() {
		var all []value
		switch v := doc.(type) {
		case []any:
			for i, element := range v {
				all = append(all, p.descend(taken.with(step{key: strconv.Itoa(i)}), element)...)
			}
			return all
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				all = append(all, p.descend(taken.with(step{key: key, quoted: true}), v[key])...)
			}
			return all
		}
	}
	switch v := doc.(type) {
	case []any:
		if i, err := strconv.Atoi(next.key); err == nil && !next.quoted && i >= 0 && i < len(v) {
			return p.descend(taken.with(next), v[i])
		}
	case map[string]any:
		if element, ok := v[next.key]; ok {
			return p.descend(taken.with(next), element)
		}
	}
	return []value{{at: "json " + taken.with(next).String()}}
}

// with is the path and one step more; paths that share their beginning do not share memory.
func (p path) with(s step) path { return append(slices.Clip(p), s) }

// text is how a value compares with what stands in a script.
func text(v any) string {
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
