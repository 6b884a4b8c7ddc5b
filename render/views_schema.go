package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// typePart is a piece of a type's description; Href leads to a schema on the same page.
type typePart struct{ Text, Href string }

// schemaDepth bounds how far inline schemas are followed.
const schemaDepth = 6

// types says what a schema allows, in the words of JSON Schema.
func (r *apiReader) types(s *docSchema, depth int) []typePart {
	word := func(text string) []typePart { return []typePart{{Text: text}} }
	if depth > schemaDepth {
		return word("…")
	}
	if s.Ref != "" {
		kind, name, ok := refName(s.Ref)
		if _, known := r.doc.Components[kind].get(name); ok && known && kind == "schemas" {
			return []typePart{{Text: name, Href: schemaID(name)}}
		}
		return word(s.Ref)
	}
	for _, group := range []struct {
		of   []docSchema
		join string
	}{{s.OneOf, " or "}, {s.AnyOf, " or "}, {s.AllOf, " and "}} {
		var out []typePart
		for i := range group.of {
			if i > 0 {
				out = append(out, typePart{Text: group.join})
			}
			out = append(out, r.types(&group.of[i], depth+1)...)
		}
		if len(out) > 0 {
			return out
		}
	}
	if len(s.Const) > 0 {
		return word(string(s.Const))
	}
	names := typeNames(s.Type)
	var out []typePart
	for i, name := range names {
		if i > 0 {
			out = append(out, typePart{Text: " or "})
		}
		switch {
		case name == "array" && s.Items != nil:
			out = append(append(out, typePart{Text: "list of "}), r.types(s.Items, depth+1)...)
		case name == "object" && s.AdditionalProperties != nil && len(s.Properties) == 0:
			out = append(append(out, typePart{Text: "map of "}), r.types(s.AdditionalProperties, depth+1)...)
		case name != "null" && s.Format != "":
			out = append(out, typePart{Text: name + " (" + s.Format + ")"})
		default:
			out = append(out, typePart{Text: name})
		}
	}
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			values = append(values, scalar(v))
		}
		out = append(out, typePart{Text: ": " + strings.Join(values, ", ")})
	}
	if len(out) == 0 {
		return word("any")
	}
	return out
}

// typeNames reads a type that is a string or a list of strings.
func typeNames(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return []string{one}
	}
	var many []string
	if json.Unmarshal(raw, &many) != nil {
		return nil
	}
	return many
}

// schemaID is the id of a schema's heading. Component names are [A-Za-z0-9._-] (OpenAPI 3.1, 4.8.7).
func schemaID(name string) string { return "schema-" + name }

// schemas are the components that describe values, in the order of the document.
func (r *apiReader) schemas() ([]apiSchema, error) {
	var out []apiSchema
	for _, m := range r.doc.Components["schemas"] {
		var s docSchema
		if err := json.Unmarshal(m.Value, &s); err != nil {
			return nil, fmt.Errorf("API page: schema %s: %w", m.Key, err)
		}
		v := apiSchema{ID: schemaID(m.Key), Name: m.Key, Text: s.Description}
		var err error
		if v.Fields, err = r.fields(nil, "", &s, 0); err != nil {
			return nil, fmt.Errorf("API page: schema %s: %w", m.Key, err)
		}
		v.Type = r.parents(&s)
		if len(v.Fields) == 0 {
			v.Type = r.types(&s, 0)
		}
		out = append(out, v)
	}
	return out, nil
}

// parents are the schemas that s extends by allOf.
func (r *apiReader) parents(s *docSchema) []typePart {
	var out []typePart
	for i := range s.AllOf {
		if s.AllOf[i].Ref == "" {
			continue
		}
		if len(out) > 0 {
			out = append(out, typePart{Text: ", "})
		}
		out = append(out, r.types(&s.AllOf[i], 0)...)
	}
	return out
}

// fields lists the properties of s; those of inline objects follow theirs with a dotted name.
func (r *apiReader) fields(out []apiField, prefix string, s *docSchema, depth int) ([]apiField, error) {
	if depth > schemaDepth {
		return out, nil
	}
	for i := range s.AllOf {
		if s.AllOf[i].Ref != "" {
			continue
		}
		var err error
		if out, err = r.fields(out, prefix, &s.AllOf[i], depth+1); err != nil {
			return nil, err
		}
	}
	for _, m := range s.Properties {
		var v docSchema
		if err := json.Unmarshal(m.Value, &v); err != nil {
			return nil, fmt.Errorf("property %s: %w", m.Key, err)
		}
		name := prefix + m.Key
		out = append(out, apiField{Name: name, Required: slices.Contains(s.Required, m.Key), Type: r.types(&v, 0), Text: v.Description})
		inner := &v
		switch {
		case v.Items != nil:
			inner, name = v.Items, name+"[]"
		case v.AdditionalProperties != nil:
			inner, name = v.AdditionalProperties, name+".*"
		}
		var err error
		if out, err = r.fields(out, name+".", inner, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// scalar is a JSON value as it stands in an address: a string without its quotes, a list of strings with
// commas.
func scalar(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return strings.Join(list, ",")
	}
	return compactJSON(raw)
}

func compactJSON(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}

func indentJSON(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return ""
	}
	return b.String()
}

// exampleLines is how much of an example a page shows.
const exampleLines = 60

// shorten cuts a long example and says so.
func shorten(s string) string {
	lines := strings.SplitAfter(s, "\n")
	if len(lines) <= exampleLines {
		return s
	}
	return strings.Join(lines[:exampleLines], "") + fmt.Sprintf("… and %d more lines", len(lines)-exampleLines)
}

// shellQuote makes one word of a POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
