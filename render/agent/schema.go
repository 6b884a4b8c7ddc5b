package agent

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// schemas makes JSON Schemas (2020-12, as OpenAPI 3.1 has them) of wire structs and collects those
// of named structs, which others refer to.
type schemas struct {
	named map[string]object
}

// ref returns a schema for a value of type t as encoding/json writes it.
func (s *schemas) ref(t reflect.Type) object {
	if o := wireSchema(t); o != nil {
		return o
	}
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(s.ref(t.Elem()))
	case reflect.Struct:
		return object{{"$ref", "#/components/schemas/" + s.define(t)}}
	case reflect.Slice, reflect.Array:
		return object{{"type", "array"}, {"items", s.ref(t.Elem())}}
	case reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", s.ref(t.Elem())}}
	case reflect.String:
		return object{{"type", "string"}}
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.Float32, reflect.Float64:
		return object{{"type", "number"}}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{{"type", "integer"}, {"minimum", 0}}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return object{{"type", "integer"}}
	case reflect.Interface: // a number that may be written as a string: the only any of the wire
		return object{{"type", []string{"integer", "string"}}}
	}
	return object{}
}

// wireSchema is the schema of the types that encode themselves or have a fixed set of values, nil
// for all others.
func wireSchema(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[mip.Date]():
		return object{{"type", []string{"string", "null"}}, {"format", "date"}}
	case reflect.TypeFor[mip.Time]():
		return object{{"type", "string"}, {"format", "date-time"}}
	case reflect.TypeFor[mip.Status]():
		return object{{"type", []string{"string", "null"}}, {"examples", mip.Statuses()}}
	case reflect.TypeFor[mip.Frontmatter]():
		return object{{"type", "object"}}
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

func enum[T ~string](values ...T) object {
	return object{{"type", "string"}, {"enum", values}}
}

// nullable adds null to a schema that says its type, and wraps one that refers to another.
func nullable(o object) object {
	if i := slices.IndexFunc(o, func(m member) bool { return m.key == "type" }); i >= 0 {
		if t, ok := o[i].value.(string); ok {
			o[i].value = []string{t, "null"}
		}
		return o
	}
	return object{{"anyOf", []object{o, {{"type", "null"}}}}}
}

// define adds the schema of a struct, once, and returns its name.
func (s *schemas) define(t reflect.Type) string {
	name := schemaName(t)
	if _, ok := s.named[name]; ok {
		return name
	}
	s.named[name] = nil // a type that holds itself finds its name
	var properties object
	required := []string{}
	for f := range wireFields(t) {
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		property := s.ref(f.Type)
		if doc := f.Tag.Get("doc"); doc != "" {
			property = append(slices.Clone(property), member{"description", doc})
		}
		properties = append(properties, member{cmp.Or(key, f.Name), property})
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			required = append(required, cmp.Or(key, f.Name))
		}
	}
	s.named[name] = object{{"type", "object"}, {"properties", properties}, {"required", required}}
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
