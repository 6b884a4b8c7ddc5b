package agent

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// Every exported field of the wire is documented and named.
func TestWireFieldsAreDocumented(t *testing.T) {
	types := wireTypes()
	if len(types) < 15 {
		t.Fatalf("%d wire types found: %v", len(types), types)
	}
	for _, typ := range types {
		for _, f := range wireFields(typ) {
			if f.Tag.Get("doc") == "" || f.Tag.Get("json") == "" {
				t.Errorf("%v.%s: doc %q, json %q, want both",
					typ, f.Name, f.Tag.Get("doc"), f.Tag.Get("json"))
			}
		}
	}
}

// The output of the encoder is valid by the schemas, field by field, with all optional parts and
// with none.
func TestSchemasDescribeWhatIsSent(t *testing.T) {
	out := openAPICases(t)["sample"]
	compile, doc := compiler(t, out), readOpenAPI(t, out)
	for _, typ := range wireTypes() {
		name := schemaName(typ)
		schema := compile("#/components/schemas/" + name)
		for _, full := range []bool{true, false} {
			v := reflect.New(typ).Elem()
			populate(v, full)
			b := rendertest.Must[[]byte](t)(api.JSON(v.Interface()))
			value := rendertest.Must[any](t)(jsonschema.UnmarshalJSON(bytes.NewReader(b)))
			if err := schema.Validate(value); err != nil {
				t.Errorf("%v (full %t): %v in %s", typ, full, err, b)
			}
			schema := doc.Components.Schemas[name].(map[string]any)
			properties := schema["properties"].(map[string]any)
			for key := range value.(map[string]any) {
				if properties[key] == nil {
					t.Errorf("%v: %q is sent but not described", typ, key)
				}
			}
			if full && len(properties) != len(value.(map[string]any)) {
				t.Errorf("%v: described %q, sent %s", typ, slices.Sorted(maps.Keys(properties)), b)
			}
		}
	}
}

// The schemas are strict: each change of a valid value is refused.
func TestSchemasRefuse(t *testing.T) {
	out := openAPICases(t)["sample"]
	compile := compiler(t, out)
	for _, tt := range []struct {
		name, schema string
		change       func(m map[string]any)
	}{
		{"missing field", "ProposalSummary", func(m map[string]any) { delete(m, "inferred") }},
		{"null list", "ProposalSummary", func(m map[string]any) { m["requires"] = nil }},
		{"number as text", "ProposalSummary", func(m map[string]any) { m["number"] = "7" }},
		{"time without a zone", "ProposalSummary", func(m map[string]any) {
			m["updated"] = "2026-01-01 10:00"
		}},
		{"day that is none", "ProposalSummary", func(m map[string]any) {
			m["created"] = "2026-02-30"
		}},
		{"null title", "ProposalSummary", func(m map[string]any) { m["title"] = nil }},
		{"other severity", "Axis", func(m map[string]any) { m["severity"] = "severe" }},
		{"other code", "Problem", func(m map[string]any) { m["code"] = "teapot" }},
		{"negative chain id", "Network", func(m map[string]any) { m["chainId"] = -1 }},
		{"number that is a list", "SummaryRequest", func(m map[string]any) {
			m["mipNumber"] = []any{1}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := slices.IndexFunc(wireTypes(), func(typ reflect.Type) bool {
				return schemaName(typ) == tt.schema
			})
			if i < 0 {
				t.Fatalf("no wire type has the schema %s", tt.schema)
			}
			v := reflect.New(wireTypes()[i]).Elem()
			populate(v, true)
			var m map[string]any
			if err := json.Unmarshal(rendertest.Must[[]byte](t)(api.JSON(v.Interface())),
				&m); err != nil {
				t.Fatal(err)
			}
			schema := compile("#/components/schemas/" + tt.schema)
			if err := schema.Validate(m); err != nil {
				t.Fatalf("before the change: %v", err)
			}
			tt.change(m)
			if err := schema.Validate(m); err == nil {
				t.Errorf("%v passes %s", m, tt.schema)
			}
		})
	}
}

// No two types share a name in the document.
func TestSchemaNamesAreUnique(t *testing.T) {
	seen := map[string]reflect.Type{}
	for _, typ := range wireTypes() {
		name := schemaName(typ)
		if other, ok := seen[name]; ok {
			t.Errorf("%v and %v are both %q", typ, other, name)
		}
		seen[name] = typ
		if name == "" || strings.ContainsAny(name, "[]./ ") {
			t.Errorf("%v has the name %q", typ, name)
		}
	}
}

// populate fills v: every pointer, list and map gets a value, or none if the wire allows that
// (lists are empty, never null).
func populate(v reflect.Value, full bool) {
	switch v.Type() {
	case reflect.TypeFor[mip.Time]():
		v.Set(reflect.ValueOf(mip.NewTime(time.Unix(1_767_000_000, 0))))
		return
	case reflect.TypeFor[mip.Date]():
		if full {
			v.Set(reflect.ValueOf(mip.Date{Year: 2026, Month: time.May, Day: 4}))
		}
		return
	case reflect.TypeFor[mip.Status]():
		if full {
			v.SetString(string(mip.LastCall))
		}
		return
	case reflect.TypeFor[mip.Stage]():
		if full {
			v.SetString(string(mip.StageLastCall))
		}
		return
	case reflect.TypeFor[mip.Frontmatter]():
		v.Set(reflect.ValueOf(mip.Frontmatter{}))
		if full {
			v.Set(reflect.ValueOf(mip.Frontmatter{"mip": "7", "list": []any{"a", nil}}))
		}
		return
	case reflect.TypeFor[mip.Level]():
		v.SetString(string(mip.Warning))
		return
	case reflect.TypeFor[api.Severity]():
		v.SetString(string(api.High))
		return
	case reflect.TypeFor[api.NetworkHealth]():
		v.SetString(string(api.NetworkStale))
		return
	case reflect.TypeFor[api.Code]():
		v.SetString(string(api.NotFound))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if full {
			v.Set(reflect.New(v.Type().Elem()))
			populate(v.Elem(), full)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			populate(field, full)
		}
	case reflect.Slice:
		n := 0
		if full {
			n = 2
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			populate(v.Index(i), full)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		if full {
			e := reflect.New(v.Type().Elem()).Elem()
			populate(e, full)
			v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), e)
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf("MIP-7"))
		if !full {
			v.Set(reflect.ValueOf(7))
		}
	case reflect.String:
		if full {
			v.SetString("text")
		}
	case reflect.Bool:
		v.SetBool(full)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(0.5)
	}
}
