package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Error says where a text is not the JSON of a struct.
type Error struct {
	// Line is counted from 1; 0 means the whole text.
	Line    int
	Message string
}

// Error implements error. The message may repeat parts of the text, bounded and escaped.
func (e *Error) Error() string { return e.Message }

// Decode reads one JSON value, and nothing after it, into a pointer to a struct. Every member
// must be one of the struct's, spelt like its json tag, and stand once; those that are not
// optional must be there, inner ones always. Null is for pointers alone.
func Decode(raw []byte, v any, optional ...string) *Error {
	if !utf8.Valid(raw) {
		return &Error{0, "it is not UTF-8"}
	}
	// The library is strict by itself: names have their case and stand once, and nothing
	// follows.
	err := jsonv2.Unmarshal(raw, v, jsonv2.RejectUnknownMembers(true))
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return &Error{lineAt(raw, e.ByteOffset), broken(raw, e)}
	}
	if e, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		if errors.Is(err, jsonv2.ErrUnknownName) {
			return &Error{lineAt(raw, e.ByteOffset), fmt.Sprintf("%.80q is no member of a summary", name(e.JSONPointer))}
		}
		// The offset is that of the value, or of the white space and the mark before it.
		begin := len(raw) - len(bytes.TrimLeft(raw[e.ByteOffset:], " \t\r\n:,"))
		value, err := jsontext.NewDecoder(bytes.NewReader(raw[begin:])).ReadValue()
		if err != nil {
			value = raw[begin : begin+1] // it begins a list or an object that is broken
		}
		return &Error{lineAt(raw, int64(begin)), wrong(name(e.JSONPointer), value, e.GoType)}
	}
	if err != nil {
		return &Error{0, "it is not JSON"}
	}
	if message := incomplete(raw, reflect.TypeOf(v).Elem(), "", optional); message != "" {
		member, _, _ := strings.Cut(message, ".")
		return &Error{Line(raw, member), message}
	}
	return nil
}

// broken says how a text is no JSON, or no value of one.
func broken(raw []byte, e *jsontext.SyntacticError) string {
	// A text that begins with a whole value is followed by something else.
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	_, err := dec.ReadValue()
	switch {
	case errors.Is(e.Err, jsontext.ErrDuplicateName):
		return name(e.JSONPointer) + " stands twice"
	case errors.Is(e.Err, io.ErrUnexpectedEOF):
		return "it is not JSON: it ends too early"
	case err == nil:
		return "something follows the object"
	}
	return fmt.Sprintf("it is not JSON: %v", e.Err)
}

// lineAt is the line of an offset, from 1.
func lineAt(raw []byte, offset int64) int { return 1 + bytes.Count(raw[:offset], []byte("\n")) }

// Line is the line of a member of the object in a text, from 1; that of the object when it has
// no such member.
func Line(raw []byte, member string) int {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.ReadToken(); err != nil {
		return 1
	}
	begin := dec.InputOffset()
	// Only the outermost members are looked at.
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			break
		}
		if name.String() == member {
			return lineAt(raw, dec.InputOffset())
		}
		if err := dec.SkipValue(); err != nil {
			break
		}
	}
	return lineAt(raw, begin)
}

// name writes a pointer (RFC 6901) with dots.
func name(p jsontext.Pointer) string {
	return strings.Join(slices.Collect(p.Tokens()), ".")
}

// wrong is the message for a value of another kind than the struct has.
func wrong(where string, value jsontext.Value, want reflect.Type) string {
	// The kinds of JSON, in words.
	got := map[jsontext.Kind]string{'n': "null", 't': "true or false", 'f': "true or false", '{': "an object", '[': "a list", '"': "a string"}[value.Kind()]
	if got == "" {
		// The number is that of the text, however many digits it has.
		got = fmt.Sprintf("the number %.60q", value)
	}
	kinds := map[reflect.Kind]string{
		reflect.Struct: "an object", reflect.Slice: "a list", reflect.String: "a string", reflect.Bool: "true or false", reflect.Int: "a whole number",
	}
	// A type that decodes itself is a time: the wire has no other.
	kind := kinds[want.Kind()]
	if reflect.PointerTo(want).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		kind = "a time such as 2026-01-05T12:00:00Z"
	}
	// The outermost value has no name.
	if where == "" {
		where = "the file"
	}
	return fmt.Sprintf("%s is %s, want %s", where, got, kind)
}

// incomplete says which member a text lacks that jsonv2 has read into a type, or where it holds
// a null in vain; empty when it is complete.
func incomplete(raw jsontext.Value, t reflect.Type, where string, optional []string) string {
	// Null is the value of an absent pointer.
	if t.Kind() == reflect.Pointer {
		if raw.Kind() == 'n' {
			return ""
		}
		t = t.Elem()
	}
	if raw.Kind() == 'n' {
		return wrong(where, raw, t)
	}
	below := func(name string) string { return strings.TrimPrefix(where+"."+name, ".") }
	// The kinds are those of the type: other ones were refused before.
	switch raw.Kind() {
	case '{':
		if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
			return ""
		}
		var members map[string]jsontext.Value
		_ = jsonv2.Unmarshal(raw, &members) // it was read before
		// The first member of the struct that lacks is named.
		for f := range t.Fields() {
			key := f.Tag.Get("json")
			value, ok := members[key]
			switch {
			case ok:
				if message := incomplete(value, f.Type, below(key), nil); message != "" {
					return message
				}
			case !slices.Contains(optional, key):
				return below(key) + " is missing"
			}
		}
	case '[':
		// The elements are named by their positions, from 0.
		var elements []jsontext.Value
		_ = jsonv2.Unmarshal(raw, &elements)
		for i, e := range elements {
			if message := incomplete(e, t.Elem(), below(strconv.Itoa(i)), nil); message != "" {
				return message
			}
		}
	}
	return ""
}
