package webtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// answer is a whole response.
type answer struct {
	status int
	header http.Header
	body   []byte // decoded
	// document is the body as JSON, read once.
	document func() (any, error)
}

func newAnswer(status int, header http.Header, body []byte) *answer {
	return &answer{status, header, body, sync.OnceValues(func() (any, error) { return parseJSON(body) })}
}

// part is a part of an answer.
type part struct {
	kind string // code, header, body or json
	name string // of a header field
	path []step // in a JSON document; empty: the whole
}

// step is a key, a position, or each of what is there.
type step struct {
	key    string
	quoted bool // a key and nothing else
}

// value is what was found in a place.
type value struct {
	at    string
	text  string
	there bool
	null  bool // of JSON; text is null then
}

func (p part) String() string {
	switch p.kind {
	case "header":
		return "header " + p.name
	case "json":
		return place(p.path)
	}
	return p.kind
}

// place names a place in a JSON document.
func place(path []step) string {
	var steps []string
	for _, s := range path {
		if s.quoted {
			s.key = strconv.Quote(s.key)
		}
		steps = append(steps, s.key)
	}
	if len(steps) == 0 {
		return "json ."
	}
	return "json " + strings.Join(steps, ".")
}

// String shows a value in a message.
func (v value) String() string {
	if !v.there {
		return "nothing"
	}
	return quoted(v.text)
}

// quoted shows the beginning of a text that may be long.
func quoted(s string) string {
	const enough = 300 // bytes
	if len(s) > enough {
		return strconv.Quote(strings.ToValidUTF8(s[:enough], "")) + "…"
	}
	return strconv.Quote(s)
}

// find returns the values of a part: exactly one, but for paths with an asterisk.
func (p part) find(a *answer) ([]value, error) {
	one := value{at: p.String(), there: true}
	switch p.kind {
	case "code":
		one.text = strconv.Itoa(a.status)
	case "header":
		fields := a.header.Values(p.name)
		one.text, one.there = strings.Join(fields, ", "), len(fields) > 0
	case "body":
		one.text = string(a.body)
	case "json":
		doc, err := a.document()
		if err != nil {
			return nil, err
		}
		return find(nil, p.path, doc), nil
	}
	return []value{one}, nil
}

// parseJSON leaves numbers as they are written.
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

// find returns every value at a path below the steps that were taken. Where a key is missing it returns one that
// is not there.
func find(taken, path []step, doc any) (all []value) {
	if len(path) == 0 {
		return []value{{at: place(taken), text: text(doc), there: true, null: doc == nil}}
	}
	next := path[0]
	descend := func(s step, doc any) { all = append(all, find(append(slices.Clip(taken), s), path[1:], doc)...) }
	each := next.key == "*" && !next.quoted
	switch v := doc.(type) {
	case []any:
		if each {
			for i, element := range v {
				descend(step{key: strconv.Itoa(i)}, element)
			}
			return all
		}
		if i, err := strconv.Atoi(next.key); err == nil && !next.quoted && i >= 0 && i < len(v) {
			descend(next, v[i])
			return all
		}
	case map[string]any:
		if each {
			for _, key := range slices.Sorted(maps.Keys(v)) {
				descend(step{key: key, quoted: true}, v[key])
			}
			return all
		}
		if element, ok := v[next.key]; ok {
			descend(next, element)
			return all
		}
	}
	return []value{{at: place(append(slices.Clip(taken), next))}}
}

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

// parsePath reads a path at the beginning of text and returns the rest.
func parsePath(text string) (path []step, rest string, err error) {
	ends := func(text string) bool { return text == "" || text[0] == ' ' || text[0] == '\t' }
	if rest, ok := strings.CutPrefix(text, "."); ok && ends(rest) {
		return nil, rest, nil
	}
	for {
		var s step
		if literal, err := strconv.QuotedPrefix(text); strings.HasPrefix(text, `"`) {
			if err != nil {
				return nil, "", errors.New("a key in the path has no closing quote")
			}
			if s.key, err = strconv.Unquote(literal); err != nil {
				return nil, "", fmt.Errorf("the key %s cannot be read", literal)
			}
			s.quoted, text = true, text[len(literal):]
		} else {
			end := strings.IndexAny(text+" ", ". \t\"")
			if s.key, text = text[:end], text[end:]; s.key == "" {
				return nil, "", errors.New("want a path such as mips.0.title")
			}
		}
		path = append(path, s)
		rest, more := strings.CutPrefix(text, ".")
		if !more && !ends(text) {
			return nil, "", errors.New("want a dot between the keys of the path")
		}
		if !more {
			return path, text, nil
		}
		text = rest
	}
}
