package agent

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Schema is a JSON Schema (2020-12, as OpenAPI 3.1 has them). The zero value allows everything.
type Schema struct {
	Ref         string // the name of one of [API.Schemas], which this one stands for
	Types       []string
	Format      string
	Enum        []string
	Examples    []string
	Items       *Schema // of an array
	Values      *Schema // of an object without fixed members
	Fields      []Field // of a struct; nil: it is none
	Minimum     *int
	Unique      bool      // an array of one item at least, none twice
	AnyOf       []*Schema // instead of all above
	Description string
}

// Field is a member of an object.
type Field struct {
	Name     string
	Schema   *Schema
	Required bool
}

// MarshalJSON writes the keywords in one order.
func (s *Schema) MarshalJSON() ([]byte, error) {
	var o object
	add := func(present bool, key string, value any) {
		if present {
			o = append(o, member{key, value})
		}
	}
	add(s.Ref != "", "$ref", "#/components/schemas/"+s.Ref)
	if len(s.Types) == 1 {
		add(true, "type", s.Types[0])
	} else {
		add(s.Types != nil, "type", s.Types)
	}
	add(s.Format != "", "format", s.Format)
	add(s.Enum != nil, "enum", s.Enum)
	add(s.Examples != nil, "examples", s.Examples)
	add(s.Items != nil, "items", s.Items)
	add(s.Values != nil, "additionalProperties", s.Values)
	if s.Fields != nil {
		var properties object
		required := []string{}
		for _, f := range s.Fields {
			properties = append(properties, member{f.Name, f.Schema})
			if f.Required {
				required = append(required, f.Name)
			}
		}
		add(true, "properties", properties)
		add(true, "required", required)
	}
	if s.Minimum != nil {
		add(true, "minimum", *s.Minimum)
	}
	add(s.Unique, "minItems", 1)
	add(s.Unique, "uniqueItems", true)
	add(s.AnyOf != nil, "anyOf", s.AnyOf)
	add(s.Description != "", "description", s.Description)
	return o.MarshalJSON()
}

// schemas makes the schemas of wire structs and collects those of named structs, which others refer to.
type schemas struct {
	named map[string]*Schema
}

// ref returns a new schema for a value of type t as encoding/json writes it.
func (s *schemas) ref(t reflect.Type) *Schema {
	if o := wireSchema(t); o != nil {
		return o
	}
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(s.ref(t.Elem()))
	case reflect.Struct:
		return &Schema{Ref: s.define(t)}
	case reflect.Slice, reflect.Array:
		return &Schema{Types: []string{"array"}, Items: s.ref(t.Elem())}
	case reflect.Map:
		return &Schema{Types: []string{"object"}, Values: s.ref(t.Elem())}
	case reflect.String:
		return ofType("string")
	case reflect.Bool:
		return ofType("boolean")
	case reflect.Float32, reflect.Float64:
		return ofType("number")
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return integerFrom(0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return ofType("integer")
	case reflect.Interface: // a number that may be written as a string: the only any of the wire
		return ofType("integer", "string")
	}
	return &Schema{}
}

// wireSchema is the schema of the types that encode themselves or have a fixed set of values, nil
// for all others.
func wireSchema(t reflect.Type) *Schema {
	switch t {
	case reflect.TypeFor[mip.ID]():
		return ofType("string")
	case reflect.TypeFor[mip.Date]():
		return &Schema{Types: []string{"string", "null"}, Format: "date"}
	case reflect.TypeFor[mip.Time]():
		return &Schema{Types: []string{"string"}, Format: "date-time"}
	case reflect.TypeFor[mip.Status]():
		return &Schema{Types: []string{"string", "null"}, Examples: enum(mip.Statuses()...).Enum}
	case reflect.TypeFor[mip.Frontmatter]():
		return ofType("object")
	case reflect.TypeFor[mip.Level]():
		return enum(mip.Error, mip.Warning, mip.Notice)
	case reflect.TypeFor[api.Severity]():
		return enum(api.Low, api.Medium, api.High)
	case reflect.TypeFor[api.NetworkHealth]():
		return enum(api.NetworkOK, api.NetworkStale, api.NetworkUnavailable)
	case reflect.TypeFor[api.Code]():
		codes := []api.Code{}
		for _, c := range api.Codes() {
			codes = append(codes, c.Code)
		}
		return enum(codes...)
	}
	return nil
}

func ofType(names ...string) *Schema { return &Schema{Types: names} }

func integerFrom(least int) *Schema { return &Schema{Types: []string{"integer"}, Minimum: &least} }

func enum[T ~string](values ...T) *Schema {
	s := ofType("string")
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// nullable adds null to a schema that says its type, and wraps one that refers to another.
func nullable(s *Schema) *Schema {
	if s.Types == nil {
		return &Schema{AnyOf: []*Schema{s, ofType("null")}}
	}
	if len(s.Types) == 1 {
		s.Types = append(s.Types, "null")
	}
	return s
}

// define adds the schema of a struct, once, and returns its name.
func (s *schemas) define(t reflect.Type) string {
	name := schemaName(t)
	if _, ok := s.named[name]; ok {
		return name
	}
	out := &Schema{Types: []string{"object"}, Fields: []Field{}}
	s.named[name] = out // a type that holds itself finds its name
	for f := range wireFields(t) {
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		property := s.ref(f.Type)
		property.Description = f.Tag.Get("doc")
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		out.Fields = append(out.Fields, Field{cmp.Or(key, f.Name), property, !optional})
	}
	return name
}

// wireFields yields a struct's fields as encoding/json writes them: in order, those of an embedded
// struct in its place, without what is not exported or is left out by its tag.
func wireFields(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(t) {
			embedded := f.Anonymous && f.Tag.Get("json") == ""
			if !f.IsExported() || embedded || f.Tag.Get("json") == "-" {
				continue
			}
			if !yield(f) {
				return
			}
		}
	}
}

// schemaName is the name in the document. Two packages have types of the same name.
func schemaName(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[mip.List]():
		return "ProposalList"
	case reflect.TypeFor[mip.Summary]():
		return "ProposalSummary"
	case reflect.TypeFor[mip.Problem]():
		return "FileProblem"
	case reflect.TypeFor[mip.Translation]():
		return "TranslationLink"
	case reflect.TypeFor[api.Summary]():
		return "ImpactSummary"
	}
	return t.Name()
}
