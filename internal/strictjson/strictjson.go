// Package strictjson decodes JSON strictly: duplicate members, names in another case and text after
// the value are errors, which encoding/json accepts. It does not know the meaning of the members.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Reasons to refuse a text. The words follow the name of the text, as in "the body is no JSON
// object".
var (
	ErrNotUTF8   = errors.New("is not UTF-8")
	ErrNotObject = errors.New("is no JSON object")
	ErrBroken    = errors.New("is broken or cut off")
	ErrTrailing  = errors.New("is followed by something else")
	ErrNotString = errors.New("is no string")
)

// TwiceError reports a duplicate member.
type TwiceError struct {
	// Name is unescaped input: a caller that repeats it must bound and escape it.
	Name string
}

// Error implements error. It does not include the name.
func (e *TwiceError) Error() string { return "has a member twice" }

// unmarshal decodes one value and nothing after it. Names are case-sensitive and unique. Half a
// surrogate pair in an escape becomes U+FFFD.
func unmarshal(raw []byte, v any) error {
	if !utf8.Valid(raw) {
		return ErrNotUTF8
	}
	return jsonv2.Unmarshal(raw, v, jsonv2.RejectUnknownMembers(true),
		jsontext.AllowInvalidUTF8(true))
}

// reason returns why a text is not JSON.
func reason(raw []byte, e *jsontext.SyntacticError) error {
	if errors.Is(e.Err, jsontext.ErrDuplicateName) {
		return &TwiceError{e.JSONPointer.LastToken()}
	}
	if _, err := jsontext.NewDecoder(bytes.NewReader(raw)).ReadValue(); err == nil {
		return ErrTrailing
	}
	return ErrBroken
}

// Object decodes one JSON object, optionally surrounded by white space. Members must be unique,
// also in inner objects. Unknown members are allowed.
func Object(raw []byte) (map[string]json.RawMessage, error) {
	// For any other value the decoder would return a vague error.
	text := bytes.TrimLeft(raw, " \t\r\n")
	if utf8.Valid(raw) && !bytes.HasPrefix(text, []byte("{")) {
		return nil, ErrNotObject
	}
	var out map[string]json.RawMessage
	err := unmarshal(raw, &out)
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return nil, reason(raw, e)
	}
	return out, err
}

// Objects returns the complete JSON objects in a text, in order, without inner objects. A brace
// that begins no object is skipped, up to the syntax error. Duplicate names are allowed: [Object]
// and [Decode] check them. The objects share the memory of the text.
func Objects(text []byte) (out [][]byte) {
	in := &jsontext.Decoder{}
	for {
		from := bytes.IndexByte(text, '{')
		if from < 0 {
			return out
		}
		text = text[from:]
		in.Reset(bytes.NewBuffer(text),
			jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		object, err := in.ReadValue()
		read := max(len(object), 1)
		if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			read = max(int(e.ByteOffset), 1) // not 1, since the time would be quadratic
		}
		if err == nil {
			out = append(out, text[:read:read])
		}
		text = text[read:]
	}
}

// String decodes a string. An absent value is an error.
func String(raw json.RawMessage) (out string, err error) {
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &out) != nil {
		return "", ErrNotString
	}
	return out, nil
}

// Error describes where a text does not match a struct.
type Error struct {
	// Line is counted from 1. Line 0 means the whole text.
	Line    int
	Message string
}

// Error implements error. The message may repeat names of the text, bounded and escaped.
func (e *Error) Error() string { return e.Message }

// Decode decodes one JSON value, and nothing after it, into a pointer to a struct. Every member
// must be a member of the struct, spelled like its json tag, and unique. All members are required
// except the optional names, which apply to inner structs too. Only pointers may be null.
func Decode(raw []byte, v any, optional ...string) *Error {
	err := unmarshal(raw, v)
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		message := fmt.Sprintf("it is not JSON: %v", e.Err)
		switch err := reason(raw, e).(type) {
		case *TwiceError:
			message = fmt.Sprintf("%.80q stands twice", err.Name)
		default:
			if err == ErrTrailing {
				message = "something follows the object"
			}
		}
		return &Error{mip.LineAt(string(raw), int(e.ByteOffset)), message}
	}
	if e, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		where := strings.Join(slices.Collect(e.JSONPointer.Tokens()), ".")
		message := fmt.Sprintf("%.80q is no member of a summary", where)
		if !errors.Is(err, jsonv2.ErrUnknownName) {
			message = fmt.Sprintf("%s must be %s", orFile(where), kindOf(e.GoType))
		}
		return &Error{mip.LineAt(string(raw), int(e.ByteOffset)), message}
	}
	if err != nil { // not UTF-8
		return &Error{0, "it " + err.Error()}
	}
	// Encode the value again to find what the text lacks.
	var given, all any
	again, err := jsonv2.Marshal(v)
	if err = errors.Join(err, jsonv2.Unmarshal(raw, &given),
		jsonv2.Unmarshal(again, &all)); err != nil {
		return &Error{0, "it is not JSON"}
	}
	if message := incomplete(given, all, "", optional); message != "" {
		member, _, _ := strings.Cut(message, ".")
		return &Error{Line(raw, member), message}
	}
	return nil
}

// Line is the line of the first occurrence of a member's name, counted from 1. It is 1 if there is
// none.
func Line(raw []byte, member string) int {
	return mip.LineAt(string(raw), max(bytes.Index(raw, []byte(strconv.Quote(member))), 0))
}

// orFile names the outermost value, which has no name.
func orFile(where string) string {
	if where == "" {
		return "the file"
	}
	return where
}

// kindOf describes the JSON of a type. A type that decodes itself is a time: the wire has no other.
func kindOf(t reflect.Type) string {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return "a time such as 2026-01-05T12:00:00Z"
	}
	return map[reflect.Kind]string{
		reflect.Struct: "an object", reflect.Slice: "a list", reflect.String: "a string",
		reflect.Bool: "true or false", reflect.Int: "a whole number",
	}[t.Kind()]
}

// incomplete describes the first member of all that given lacks, or that is null in given alone. It
// returns "" if there is none.
func incomplete(given, all any, where string, optional []string) string {
	if given == nil && all != nil {
		return orFile(where) + " is null"
	}
	switch all := all.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(all)) {
			value, ok := given.(map[string]any)[key]
			inner := strings.TrimPrefix(where+"."+key, ".")
			if !ok && slices.Contains(optional, key) {
				continue
			}
			if !ok {
				return inner + " is missing"
			}
			if message := incomplete(value, all[key], inner, optional); message != "" {
				return message
			}
		}
	case []any:
		for i := range all {
			inner := fmt.Sprintf("%s.%d", where, i)
			if message := incomplete(given.([]any)[i], all[i], inner, optional); message != "" {
				return message
			}
		}
	}
	return ""
}
