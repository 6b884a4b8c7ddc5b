package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// docRoot is the part of an OpenAPI 3.1 document that the page shows. Objects whose order matters to
// a reader keep it.
type docRoot struct {
	Info struct {
		Title, Version, Description string
	}
	Servers    []struct{ URL string }
	Tags       []struct{ Name, Description string }
	Paths      docObject
	Components map[string]docObject
}

type docOperation struct {
	OperationID          string
	Tags                 []string
	Summary, Description string
	Parameters           []docParameter
	RequestBody          *docBody
	Responses            docObject
}

type docParameter struct {
	Ref         string `json:"$ref"`
	Name, In    string
	Description string
	Required    bool
	Schema      docSchema
	Example     json.RawMessage
	Examples    docObject
}

type docBody struct {
	Ref     string `json:"$ref"`
	Content docObject
}

type docResponse struct {
	Ref         string `json:"$ref"`
	Description string
	Content     docObject
}

type docMedia struct {
	Schema   docSchema
	Example  json.RawMessage
	Examples docObject
}

// docSchema is a JSON Schema 2020-12 object; true and false read as the schema that says nothing.
type docSchema struct {
	Ref                  string `json:"$ref"`
	Description          string
	Type                 json.RawMessage // a string or a list of strings
	Format               string
	Enum                 []json.RawMessage
	Const                json.RawMessage
	Properties           docObject
	Required             []string
	Items                *docSchema
	AdditionalProperties *docSchema
	OneOf, AnyOf, AllOf  []docSchema
	Default, Example     json.RawMessage
	Examples             json.RawMessage // a list
}

// UnmarshalJSON accepts an object, true or false.
func (s *docSchema) UnmarshalJSON(b []byte) error {
	if string(b) == "true" || string(b) == "false" {
		return nil
	}
	type plain docSchema
	return json.Unmarshal(b, (*plain)(s))
}

// docObject is a JSON object in the order of its text.
type docObject []docMember

type docMember struct {
	Key   string
	Value json.RawMessage
}

// UnmarshalJSON reads an object; null is the empty one.
func (o *docObject) UnmarshalJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	tok, err := dec.Token()
	if err != nil || tok == nil {
		return err
	}
	if tok != json.Delim('{') {
		return fmt.Errorf("want an object, got %v", tok)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		m := docMember{Key: key.(string)} // inside an object, the first of each pair is a string
		if err := dec.Decode(&m.Value); err != nil {
			return err
		}
		*o = append(*o, m)
	}
	_, err = dec.Token()
	return err
}

func (o docObject) get(key string) (json.RawMessage, bool) {
	i := slices.IndexFunc(o, func(m docMember) bool { return m.Key == key })
	if i < 0 {
		return nil, false
	}
	return o[i].Value, true
}

// refName splits "#/components/schemas/Summary" into its last two parts.
func refName(ref string) (kind, name string, ok bool) {
	rest, ok := strings.CutPrefix(ref, "#/components/")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "/")
}

// resolveDoc follows a reference of one step; without one, v is the answer.
func resolveDoc[T any](doc *docRoot, ref string, v T) (T, error) {
	if ref == "" {
		return v, nil
	}
	var out T
	kind, name, ok := refName(ref)
	if !ok {
		return out, fmt.Errorf("reference %q: not under #/components/", ref)
	}
	raw, ok := doc.Components[kind].get(name)
	if !ok {
		return out, fmt.Errorf("reference %q: nothing there", ref)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return out, fmt.Errorf("reference %q: %w", ref, err)
	}
	return out, nil
}

// firstExample picks among the places where OpenAPI keeps examples: a value, named objects with a
// value each, and those of the schema.
func firstExample(example json.RawMessage, named docObject, schemaExample, schemaExamples, fallback json.RawMessage) json.RawMessage {
	if len(example) > 0 {
		return example
	}
	for _, m := range named {
		var v struct{ Value json.RawMessage }
		if json.Unmarshal(m.Value, &v) == nil && len(v.Value) > 0 {
			return v.Value
		}
	}
	if len(schemaExample) > 0 {
		return schemaExample
	}
	var list []json.RawMessage
	if json.Unmarshal(schemaExamples, &list) == nil && len(list) > 0 {
		return list[0]
	}
	return fallback
}
