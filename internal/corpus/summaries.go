package corpus

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

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

const (
	// maxSummary bounds a summary's file in bytes. The largest valid one has a third of it.
	maxSummary = 128 << 10
	// maxSource bounds the name of a model, in characters.
	maxSource = 100
)

// flaw is what is wrong with a file's text, with its line; 0 means the whole file.
type flaw struct {
	line    int
	message string
}

func flawed(line int, format string, args ...any) *flaw {
	return &flaw{line, fmt.Sprintf(format, args...)}
}

// readSummary publishes a summary if its form is right and it holds against the present text.
func (r *committedReader) readSummary(raw []byte) {
	sum, err := parseSummary(raw, r.id.Number)
	if err != nil {
		r.warn(err.line, "summary-invalid", "%s; it is not published", err.message)
		return
	}
	sum.Stale = sum.ContentHash != r.corpus.Proposals[r.index].ContentHash
	const again = "make it again with mipwatch build --summaries"
	if err := r.check(sum, r.index); err != nil {
		what := "it is not borne out by the text"
		if sum.Stale {
			what = "it speaks of an older text and is not borne out by the present one"
		}
		r.warn(0, "summary-refused", "%s (%s) and is not published; %s", what, strings.ReplaceAll(err.Error(), "\n", "; "), again)
		return
	}
	if sum.Stale {
		r.warn(0, "summary-stale", "it speaks of an older text and is published as stale; %s", again)
	}
	r.summary = sum
}

// parseSummary reads the file of a proposal's summary, without looking at the proposal.
func parseSummary(raw []byte, number int) (*api.Summary, *flaw) {
	if len(raw) > maxSummary {
		return nil, flawed(0, "it is larger than %d bytes", maxSummary)
	}
	sum := &api.Summary{}
	// What a build finds out for itself need not be there.
	lines, err := decodeStrict(raw, sum, "stale", "fallback")
	if err != nil {
		return nil, err
	}
	switch {
	case sum.MIPNumber != number:
		return nil, flawed(lines["mipNumber"], "mipNumber is %d and the file's name says %d", sum.MIPNumber, number)
	case sum.Locale != "en":
		return nil, flawed(lines["locale"], "locale is not en: a committed summary is English")
	case !mip.IsContentHash(sum.ContentHash):
		return nil, flawed(lines["contentHash"], "contentHash is not 64 hexadecimal digits in lower case")
	case utf8.RuneCountInString(sum.Source) > maxSource:
		return nil, flawed(lines["source"], "source is longer than %d characters", maxSource)
	case sum.Fallback != nil:
		return nil, flawed(lines["fallback"], "fallback is not null: what only stands in for a summary is not one to keep")
	}
	return sum, nil
}

// decodeStrict reads one JSON value into a wire struct. Beyond what encoding/json refuses, it refuses
// members that the struct does not have (spelt exactly), that stand twice, or that lack, but for the
// optional ones of the outermost object; null where the wire has none; and whatever follows the value.
// It returns the line of each member of the outermost object. A flaw names the place.
func decodeStrict(raw []byte, v any, optional ...string) (lines map[string]int, wrong *flaw) {
	if !utf8.Valid(raw) {
		return nil, flawed(0, "it is not UTF-8")
	}
	d := &strict{raw: raw, dec: json.NewDecoder(bytes.NewReader(raw)), optional: optional, lines: map[string]int{}}
	d.dec.UseNumber()
	token, err := d.token()
	if err != nil {
		return nil, err
	}
	if err := d.value(token, reflect.ValueOf(v).Elem(), ""); err != nil {
		return nil, err
	}
	if _, err := d.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, flawed(d.line(), "something follows the object")
	}
	return d.lines, nil
}

// strict is the state of decodeStrict.
type strict struct {
	raw      []byte
	dec      *json.Decoder
	optional []string
	lines    map[string]int
}

// line is that of the last token.
func (d *strict) line() int { return d.lineAt(d.dec.InputOffset()) }

func (d *strict) lineAt(offset int64) int {
	return 1 + bytes.Count(d.raw[:min(int(offset), len(d.raw))], []byte("\n"))
}

func (d *strict) token() (json.Token, *flaw) {
	token, err := d.dec.Token()
	if err == nil {
		return token, nil
	}
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, flawed(d.lineAt(s.Offset), "it is not JSON: %v", s)
	}
	return nil, flawed(d.line(), "it is not JSON: it ends too early")
}

// value reads the value that begins with a token.
func (d *strict) value(token json.Token, v reflect.Value, where string) *flaw {
	if v.Kind() == reflect.Pointer {
		if token == nil {
			v.SetZero()
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if u, ok := v.Addr().Interface().(json.Unmarshaler); ok {
		s, isText := token.(string)
		if !isText || u.UnmarshalJSON([]byte(strconv.Quote(s))) != nil {
			return d.wrong(where, token, "a time such as 2026-01-05T12:00:00Z")
		}
		return nil
	}
	switch v.Kind() {
	case reflect.Struct:
		return d.object(token, v, where)
	case reflect.Slice:
		return d.list(token, v, where)
	case reflect.String:
		s, ok := token.(string)
		if !ok {
			return d.wrong(where, token, "a string")
		}
		v.SetString(s)
	case reflect.Bool:
		b, ok := token.(bool)
		if !ok {
			return d.wrong(where, token, "true or false")
		}
		v.SetBool(b)
	default:
		n, _ := token.(json.Number)
		i, err := strconv.ParseInt(string(n), 10, 32)
		if err != nil {
			return d.wrong(where, token, "a whole number")
		}
		v.SetInt(i)
	}
	return nil
}

func (d *strict) object(token json.Token, v reflect.Value, where string) *flaw {
	if token != json.Delim('{') {
		return d.wrong(where, token, "an object")
	}
	begins := d.line()
	seen := map[string]bool{}
	for d.dec.More() {
		key, err := d.token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		field, known := member(v, name)
		switch place := joinKeys(where, name); {
		case !known:
			return flawed(d.line(), "%s is no member of a summary", quoted(place))
		case seen[name]:
			return flawed(d.line(), "%s stands twice", place)
		}
		seen[name] = true
		if where == "" {
			d.lines[name] = d.line()
		}
		token, err := d.token()
		if err != nil {
			return err
		}
		if err := d.value(token, field, joinKeys(where, name)); err != nil {
			return err
		}
	}
	if _, err := d.token(); err != nil { // the closing brace
		return err
	}
	for f := range v.Type().Fields() {
		if name := f.Tag.Get("json"); !seen[name] && (where != "" || !slices.Contains(d.optional, name)) {
			return flawed(begins, "%s is missing", joinKeys(where, name))
		}
	}
	return nil
}

func (d *strict) list(token json.Token, v reflect.Value, where string) *flaw {
	if token != json.Delim('[') {
		return d.wrong(where, token, "a list")
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for d.dec.More() {
		token, err := d.token()
		if err != nil {
			return err
		}
		item := reflect.New(v.Type().Elem()).Elem()
		if err := d.value(token, item, joinKeys(where, strconv.Itoa(v.Len()))); err != nil {
			return err
		}
		v.Set(reflect.Append(v, item))
	}
	_, err := d.token()
	return err
}

// wrong is the error for a value of another kind than the wire has.
func (d *strict) wrong(where string, token json.Token, want string) *flaw {
	got := "a string"
	switch token {
	case nil:
		got = "null"
	case true, false:
		got = "true or false"
	case json.Delim('{'):
		got = "an object"
	case json.Delim('['):
		got = "a list"
	}
	if n, ok := token.(json.Number); ok {
		got = "the number " + quoted(n.String())
	}
	if where == "" {
		where = "the file"
	}
	return flawed(d.line(), "%s is %s, want %s", where, got, want)
}

// member is the field of a struct that has a name on the wire.
func member(v reflect.Value, name string) (reflect.Value, bool) {
	for f := range v.Type().Fields() {
		if f.Tag.Get("json") == name {
			return v.FieldByIndex(f.Index), true
		}
	}
	return reflect.Value{}, false
}

func joinKeys(where, name string) string { return strings.TrimPrefix(where+"."+name, ".") }
