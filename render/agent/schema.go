package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Schema is a JSON Schema (2020-12, like OpenAPI 3.1). The zero value allows everything. The
// keywords are encoded in the order of the fields.
type Schema struct {
	// "#/components/schemas/" and a name of [API.Schemas]
	Ref         string           `json:"$ref,omitempty"`
	Types       Types            `json:"type,omitzero"`
	Format      string           `json:"format,omitempty"`
	Enum        []string         `json:"enum,omitzero"`
	Examples    []string         `json:"examples,omitzero"`
	Items       *Schema          `json:"items,omitempty"`
	Values      *Schema          `json:"additionalProperties,omitempty"`
	Properties  Ordered[*Schema] `json:"properties,omitzero"`
	Required    []string         `json:"required,omitzero"`
	Minimum     *int             `json:"minimum,omitempty"`
	Maximum     int              `json:"maximum,omitempty"`
	Default     int              `json:"default,omitempty"`
	MinLength   int              `json:"minLength,omitempty"`
	MaxLength   int              `json:"maxLength,omitempty"`
	MinItems    int              `json:"minItems,omitempty"`
	MaxItems    int              `json:"maxItems,omitempty"`
	UniqueItems bool             `json:"uniqueItems,omitempty"`
	AnyOf       []*Schema        `json:"anyOf,omitempty"`
	Description string           `json:"description,omitempty"`
}

// schemaPath is the place of the named schemas in the OpenAPI document.
const schemaPath = "#/components/schemas/"

// Name is the name of the schema that s refers to, or "" if s is no reference.
func (s *Schema) Name() string { return strings.TrimPrefix(s.Ref, schemaPath) }

// Requires reports whether an object must have the property.
func (s *Schema) Requires(property string) bool { return slices.Contains(s.Required, property) }

// Types are the types that a schema allows. One type is encoded as a string, several as a list.
type Types []string

// MarshalJSON encodes the type keyword.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// Ordered is a JSON object whose members keep their order: two builds write the same bytes, and a
// document has a readable order.
type Ordered[V any] []Member[V]

// Member is one member of an [Ordered] object.
type Member[V any] struct {
	Key   string
	Value V
}

// MarshalJSON writes the members in order.
func (o Ordered[V]) MarshalJSON() ([]byte, error) {
	// The encoder that calls this removes the line end after each value.
	var members [][]byte
	for _, m := range o {
		key, err := api.JSON(m.Key)
		if err != nil {
			return nil, err
		}
		value, err := api.JSON(m.Value)
		if err != nil {
			return nil, err
		}
		members = append(members, slices.Concat(key, []byte(":"), value))
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}")), nil
}

// ofType is a schema of values of these types.
func ofType(names ...string) *Schema { return &Schema{Types: names} }

// anyObject is a schema of objects with any members. Generators take an object schema without other
// members for an empty object.
func anyObject() *Schema { return &Schema{Types: Types{"object"}, Values: &Schema{}} }

// integerFrom is a schema of the integers from least.
func integerFrom(least int) *Schema { return &Schema{Types: Types{"integer"}, Minimum: &least} }

// enum is a schema of exactly these strings.
func enum[T ~string](values ...T) *Schema {
	return &Schema{Types: Types{"string"}, Enum: texts(values)}
}

// texts are the values as strings.
func texts[T ~string](values []T) []string {
	var out []string
	for _, v := range values {
		out = append(out, string(v))
	}
	return out
}

// schemas are the schemas of named types, collected when they are referred to.
type schemas struct {
	byName map[string]*Schema
	prefix string // of the site's ids
}

// of returns a new schema for a value of type t in the form of encoding/json.
func (s schemas) of(t reflect.Type) *Schema {
	if own := wireSchema(t); own != nil {
		return own
	}
	// All other types follow from their kind. A wire type of any other kind fails a test.
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(s.of(t.Elem()))
	case reflect.Struct:
		return s.define(t)
	case reflect.Slice:
		return &Schema{Types: Types{"array"}, Items: s.of(t.Elem())}
	case reflect.Map:
		return &Schema{Types: Types{"object"}, Values: s.of(t.Elem())}
	case reflect.String:
		return ofType("string")
	case reflect.Bool:
		return ofType("boolean")
	case reflect.Uint64:
		return &Schema{Types: Types{"integer"}, Format: "int64", Minimum: new(0)}
	case reflect.Int64:
		return &Schema{Types: Types{"integer"}, Format: "int64"}
	case reflect.Int:
		return ofType("integer")
	case reflect.Float64:
		// Generators take a number without a format for single precision.
		return &Schema{Types: Types{"number"}, Format: "double"}
	case reflect.Interface: // [api.MIPNumber], the only one of the wire
		s.byName[t.Name()] = &Schema{AnyOf: []*Schema{integerFrom(0), ofType("string")}}
		return &Schema{Ref: schemaPath + t.Name()}
	}
	return &Schema{}
}

// wireSchema is the schema of a type that encodes itself or has a fixed set of values, or nil.
func wireSchema(t reflect.Type) *Schema {
	switch reflect.Zero(t).Interface().(type) {
	case mip.ID:
		return ofType("string")
	case mip.Date:
		return &Schema{Types: Types{"string", "null"}, Format: "date"}
	case mip.Time:
		return &Schema{Types: Types{"string"}, Format: "date-time"}
	case mip.Status:
		return &Schema{Types: Types{"string", "null"},
			Examples: []string{string(mip.Draft), string(mip.LastCall), string(mip.Final)}}
	case mip.Stage:
		return &Schema{AnyOf: []*Schema{enum(mip.Stages()...), ofType("null")}}
	case mip.Frontmatter:
		return anyObject()
	case mip.Level:
		return enum(mip.Error, mip.Warning, mip.Notice)
	case api.Severity:
		return enum(api.Low, api.Medium, api.High)
	case api.NetworkHealth:
		return enum(api.NetworkOK, api.NetworkStale, api.NetworkUnavailable)
	case api.Code:
		var codes []api.Code
		for _, c := range api.Codes() {
			codes = append(codes, c.Code)
		}
		return enum(codes...)
	}
	return nil
}

// nullable adds null to a schema with types, and wraps a reference.
func nullable(s *Schema) *Schema {
	// A schema with $ref must not have other types: both would have to hold.
	if s.Types == nil {
		return &Schema{AnyOf: []*Schema{s, ofType("null")}}
	}
	if len(s.Types) == 1 {
		s.Types = append(s.Types, "null")
	}
	return s
}

// define adds the schema of a struct, once, and returns a reference to it.
func (s schemas) define(t reflect.Type) *Schema {
	name := schemaName(t)
	ref := &Schema{Ref: schemaPath + name}
	if _, ok := s.byName[name]; ok {
		return ref
	}
	out := &Schema{Types: Types{"object"}, Properties: Ordered[*Schema]{}, Required: []string{}}
	s.byName[name] = out // a recursive type finds its name
	for _, f := range wireFields(t) {
		// The tag json names the member, and the tag doc explains it.
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		property := s.of(f.Type)
		// The tags name proposals with the prefix MIP.
		property.Description = strings.ReplaceAll(f.Tag.Get("doc"), "MIP-", s.prefix+"-")
		out.Properties = append(out.Properties, Member[*Schema]{key, property})
		// Only members with omitempty or omitzero are not required.
		if !strings.Contains(options, "omit") {
			out.Required = append(out.Required, key)
		}
	}
	return ref
}

// fourAxes is a standalone schema of the axes of [api.Summary].
func fourAxes(prefix string) ([]byte, error) {
	s := schemas{map[string]*Schema{}, prefix}
	s.of(reflect.TypeFor[api.Summary]())
	axis := s.define(reflect.TypeFor[api.Axis]())
	axes := &Schema{Types: Types{"object"}}
	for _, p := range s.byName[schemaName(reflect.TypeFor[api.Summary]())].Properties {
		if p.Value.Ref == axis.Ref {
			axes.Properties, axes.Required = append(axes.Properties, p),
				append(axes.Required, p.Key)
		}
	}
	var defs Ordered[*Schema]
	for _, t := range []reflect.Type{reflect.TypeFor[api.Axis](), reflect.TypeFor[api.Evidence]()} {
		defs = append(defs, Member[*Schema]{schemaName(t), s.byName[schemaName(t)]})
	}
	text, err := api.JSON(Ordered[any]{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"type", axes.Types}, {"required", axes.Required}, {"properties", axes.Properties},
		{"$defs", defs},
	})
	return bytes.ReplaceAll(text, []byte(schemaPath), []byte("#/$defs/")), err
}

// wireFields are a struct's fields in the order of encoding/json. The fields of an embedded struct
// replace it. Every field of the wire is exported and has a tag.
func wireFields(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
		return f.Anonymous || f.Tag.Get("json") == "-"
	})
}

// schemaName is the name in the document. Two packages have types with the same name.
func schemaName(t reflect.Type) string {
	return cmp.Or(map[string]string{
		"mip.List": "ProposalList", "mip.Metadata": "ProposalSummary", "mip.Problem": "FileProblem",
		"mip.Index": "ProposalIndex", "mip.Entry": "ProposalEntry",
		"search.Manifest": "SearchIndex", "search.Part": "SearchPart",
		"mip.Translation": "TranslationLink", "api.Summary": "ImpactSummary",
	}[t.String()], t.Name())
}
