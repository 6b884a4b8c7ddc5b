package webtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
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
	return &answer{status: status, header: header, body: body, document: sync.OnceValues(func() (any, error) { return parseJSON(body) })}
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

// part is a part of an answer.
type part struct {
	kind partKind
	name string // of a header field
	path path   // in a JSON document
}

type partKind string

const (
	codePart   partKind = "code"
	headerPart partKind = "header"
	bodyPart   partKind = "body"
	jsonPart   partKind = "json"
)

func (p part) String() string {
	switch p.kind {
	case headerPart:
		return "header " + p.name
	case jsonPart:
		return "json " + p.path.String()
	}
	return string(p.kind)
}

// value is what was found in a place.
type value struct {
	at    string
	text  string
	there bool
	null  bool // of JSON; text is null then
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
	case codePart:
		one.text = strconv.Itoa(a.status)
	case headerPart:
		fields := a.header.Values(p.name)
		one.text, one.there = strings.Join(fields, ", "), len(fields) > 0
	case bodyPart:
		one.text = string(a.body)
	case jsonPart:
		doc, err := a.document()
		if err != nil {
			return nil, err
		}
		return p.path.find(doc), nil
	}
	return []value{one}, nil
}
