// Package strictjson reads JSON strictly: a member that stands twice, a name in another case
// and text after the value are errors, which encoding/json accepts. It does not know the
// meaning of the members.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"
)

// Why a text is refused. The words follow the name of the text, as in "the body is no JSON
// object".
var (
	ErrNotUTF8    = errors.New("is not UTF-8")
	ErrNotObject  = errors.New("is no JSON object")
	ErrBroken     = errors.New("is broken or cut off")
	ErrTrailing   = errors.New("is followed by something else")
	ErrNotString  = errors.New("is no string")
	ErrNotArray   = errors.New("is no array")
	errNotAllowed = errors.New("has a member that does not belong there")
	errTwice      = errors.New("has a member twice")
)

// MemberError says that an object has a member that it may not have, or has one twice.
type MemberError struct {
	// Name is as read: a caller that repeats it must bound and escape it.
	Name  string
	Twice bool
}

// Error implements error. It does not hold the name.
func (e *MemberError) Error() string {
	if e.Twice {
		return errTwice.Error()
	}
	return errNotAllowed.Error()
}

// Object reads one JSON object and nothing after it but white space. Its members must be among
// those that are named, spelt like that, each once at most; which of them must be there is for
// the caller to say. Members of inner objects are left as they are.
func Object(raw []byte, names ...string) (map[string]json.RawMessage, error) {
	const blanks = " \t\r\n" // of RFC 8259; TrimSpace knows more
	raw = bytes.Trim(raw, blanks)
	if !utf8.Valid(raw) {
		return nil, ErrNotUTF8
	}
	if len(raw) == 0 || raw[0] != '{' {
		return nil, ErrNotObject
	}
	// Token by token, so that the first wrong member is the one that is reported.
	out := make(map[string]json.RawMessage, len(names))
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil, ErrNotObject
	}
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return nil, ErrBroken
		}
		if !slices.Contains(names, name) {
			return nil, &MemberError{Name: name}
		}
		if out[name] != nil {
			return nil, &MemberError{Name: name, Twice: true}
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, ErrBroken
		}
		out[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, ErrBroken
	}
	// The decoder stops behind the object.
	if int(dec.InputOffset()) != len(raw) {
		return nil, ErrTrailing
	}
	return out, nil
}

// Array reads the elements of an array.
func Array(raw json.RawMessage) ([]json.RawMessage, error) {
	var out []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &out) != nil {
		return nil, ErrNotArray
	}
	return out, nil
}

// String reads a string.
func String(raw json.RawMessage) (string, error) {
	var out string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &out) != nil {
		return "", ErrNotString
	}
	return out, nil
}
