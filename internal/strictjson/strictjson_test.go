package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/strictjson"
)

func TestObject(t *testing.T) {
	for text, want := range map[string]error{
		`{"a": 1, "b": "x"}`:    nil,
		" \t\r\n{}\n":           nil,
		`{"b":{"b":1,"c":2}}`:   nil, // inner objects are the caller's
		``:                      strictjson.ErrNotObject,
		`null`:                  strictjson.ErrNotObject,
		`[]`:                    strictjson.ErrNotObject,
		`"{}"`:                  strictjson.ErrNotObject,
		"\f{}":                  strictjson.ErrNotObject,
		"\u00a0{}":              strictjson.ErrNotObject,
		"{\"a\":\"\xff\"}":      strictjson.ErrNotUTF8,
		`{`:                     strictjson.ErrBroken,
		`{"a"}`:                 strictjson.ErrBroken,
		`{"a":}`:                strictjson.ErrBroken,
		`{"a":1,}`:              strictjson.ErrBroken,
		`{"a":1 "b":2}`:         strictjson.ErrBroken,
		`{a:1}`:                 strictjson.ErrBroken,
		`{"a":01}`:              strictjson.ErrBroken,
		`{"a":tru}`:             strictjson.ErrBroken,
		`{} {}`:                 strictjson.ErrTrailing,
		`{}x`:                   strictjson.ErrTrailing,
		`{"a":1}}`:              strictjson.ErrTrailing,
		deep("[", "]", 100_000): strictjson.ErrBroken,
		deep(`{"a":`, "}", 1e5): strictjson.ErrBroken,
	} {
		_, err := strictjson.Object([]byte(text))
		if !errors.Is(err, want) {
			t.Errorf("Object(%.40q) = %v, want %v", text, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"a":1,"a":1}`: "a", `{"a":null,"\u0061":1}`: "a", `{"":1,"":2}`: "",
		`{"a":{"<b>":1,"<b>":1}}`: "<b>",
	} {
		_, err := strictjson.Object([]byte(text))
		got, ok := errors.AsType[*strictjson.TwiceError](err)
		if !ok || got.Name != want || strings.Contains(err.Error(), "<b>") {
			t.Errorf("Object(%q) = %v, want %q twice", text, err, want)
		}
	}
}

// deep is a member with n opening brackets.
func deep(open, end string, n int) string {
	return `{"a":` + strings.Repeat(open, n) + "1" + strings.Repeat(end, n) + "}"
}

func TestValues(t *testing.T) {
	if got, err := strictjson.String(json.RawMessage(`"a\u0062"`)); got != "ab" || err != nil {
		t.Errorf("String = %q, %v", got, err)
	}
	for _, raw := range []string{``, `null`, `1`, `{}`, `true`} {
		if _, err := strictjson.String(json.RawMessage(raw)); !errors.Is(err,
			strictjson.ErrNotString) {
			t.Errorf("String(%s) = %v", raw, err)
		}
	}
}

func TestObjects(t *testing.T) {
	for text, want := range map[string][]string{
		``:                              nil,
		`no object, [1]`:                nil,
		`{}`:                            {`{}`},
		`a {"b": {"c": 1}} {} d`:        {`{"b": {"c": 1}}`, `{}`},
		`[{"a":1},{"a":2}]`:             {`{"a":1}`, `{"a":2}`},
		`{so} {"a":1,} {{"b": 2} {`:     {`{"b": 2}`},
		`"{\"a\": 1}"`:                  nil,
		`{"a": "}{"}`:                   {`{"a": "}{"}`},
		`{"a":1,"a":2}`:                 {`{"a":1,"a":2}`}, // for Object to refuse
		"{\"a\":\"\xff\"}":              {"{\"a\":\"\xff\"}"},
		`{"a": {"b": 1}, "c": {"d": `:   nil, // nothing of a truncated object
		strings.Repeat("{", 1e5) + `{}`: {`{}`},
	} {
		var got []string
		for _, object := range strictjson.Objects([]byte(text)) {
			got = append(got, string(object))
		}
		if !slices.Equal(got, want) {
			t.Errorf("Objects(%.40q) = %q, want %q", text, got, want)
		}
	}
}

// FuzzObject checks that every accepted text is an object for encoding/json too, with the same
// members.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{"a": 1}`, ` {"a":[{}],"b":"\u0000"} `, `{"a":1,"a":2}`, "\f{}",
		`{"a":1}{`, `{"b":-0.1e5}`, `{so} {"a":1,} {{"b": 2} {`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		found := strictjson.Objects(raw)
		for _, object := range found {
			if !bytes.Contains(raw, object) || utf8.Valid(raw) && !json.Valid(object) {
				t.Errorf("%q is none of the objects of %q", object, raw)
			}
		}
		got, err := strictjson.Object(raw)
		if err != nil {
			return
		}
		if len(found) != 1 || !bytes.Equal(found[0], bytes.TrimSpace(raw)) {
			t.Errorf("Objects(%q) = %q", raw, found)
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(raw, &want); err != nil || len(got) != len(want) {
			t.Fatalf("Object(%q) = %q, and encoding/json reads %q, %v", raw, got, want, err)
		}
		for name, value := range got {
			if !bytes.Equal(bytes.TrimSpace(value), bytes.TrimSpace(want[name])) {
				t.Errorf("%s of %q is %q, want %q", name, raw, value, want[name])
			}
		}
	})
}
