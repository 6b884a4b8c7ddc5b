package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

const documentURL = "https://sample.example.org/openapi.json"

// openAPICases are a full site, an empty one, and one with hostile texts.
func openAPICases(t *testing.T) map[string][]byte {
	t.Helper()
	evil := rendertest.SampleProposal()
	evil.Metadata = rendertest.HostileList()[0]
	return map[string][]byte{
		"sample": rendertest.Must[[]byte](t)(Describe(rendertest.SampleInfo(),
			rendertest.SampleForks(), rendertest.SampleProposal()).JSON()),
		"empty": rendertest.Must[[]byte](t)(Describe(mip.Site{Title: "T",
			BaseURL: "https://example.org", Prefix: "MIP", Kinds: []mip.Kind{},
			Statuses: mip.Process{}, Networks: []mip.Network{}, Locales: []string{}}, nil,
			nil).JSON()),
		"hostile": rendertest.Must[[]byte](t)(
			Describe(rendertest.HostileInfo("<b>&lt;\n]]></title>"), rendertest.SampleForks(),
				evil).JSON()),
	}
}

type openAPIDoc struct {
	OpenAPI string
	Info    struct {
		Title, Version, Description string
		Contact, License            struct{ Name, URL string }
	}
	Servers  []struct{ URL string }
	Security []any
	Tags     []struct{ Name, Description string }
	Paths    map[string]map[string]struct {
		OperationID string
		Summary     string
		Description string
		Tags        []string
		Parameters  []struct {
			Name, In string
			Required bool
			Schema   any
			Example  any
		}
		RequestBody *struct{ Content map[string]openAPIMedia }
		Responses   map[string]struct {
			Description string
			Headers     map[string]any
			Content     map[string]openAPIMedia
		}
	}
	Components struct {
		Schemas map[string]any
		Headers map[string]any
	}
}

type openAPIMedia struct {
	Schema   any
	Examples map[string]struct{ Value any }
}

func readOpenAPI(t *testing.T, out []byte) openAPIDoc {
	t.Helper()
	var doc openAPIDoc
	if err := json.Unmarshal(out, &doc); err != nil {
		t.Fatalf("%v in %.300s", err, out)
	}
	return doc
}

// The document has exactly the routes of the code, each with its own operationId.
func TestOpenAPIRoutes(t *testing.T) {
	doc := readOpenAPI(t, openAPICases(t)["sample"])
	if doc.OpenAPI != "3.1.1" || doc.Info.Title != rendertest.SampleInfo().Title ||
		doc.Info.Version != "1" || doc.Servers[0].URL != rendertest.SampleInfo().BaseURL {
		t.Errorf("openapi %q, info %+v, servers %+v", doc.OpenAPI, doc.Info, doc.Servers)
	}
	var want, got []string
	for _, r := range StaticRoutes(rendertest.SampleInfo()) {
		want = append(want, "get "+r.Pattern+" "+r.Name)
	}
	for _, r := range api.Routes() {
		want = append(want, strings.ToLower(r.Method)+" "+r.Path+" "+r.Name)
	}
	ids, tags := map[string]bool{}, []string{}
	for _, tag := range doc.Tags {
		tags = append(tags, tag.Name)
	}
	for path, operations := range doc.Paths {
		for method, op := range operations {
			got = append(got, method+" "+path+" "+op.OperationID)
			if ids[op.OperationID] {
				t.Errorf("operationId %q twice", op.OperationID)
			}
			ids[op.OperationID] = true
			if op.Summary == "" || len(op.Tags) != 1 || !slices.Contains(tags, op.Tags[0]) {
				t.Errorf("%s: summary %q, tags %q, want one of %q", path, op.Summary, op.Tags, tags)
			}
			names := regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1)
			for i, name := range names {
				if len(op.Parameters) != len(names) || op.Parameters[i].Name != name[1] ||
					op.Parameters[i].In != "path" || !op.Parameters[i].Required {
					t.Errorf("%s: parameters %+v, want %s, required", path, op.Parameters, name[1])
				}
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations differ (-code +document):\n%s", diff)
	}
}

// The document has every code that a live route may answer, with its headers.
func TestOpenAPIProblems(t *testing.T) {
	doc := readOpenAPI(t, openAPICases(t)["sample"])
	for _, r := range api.Routes() {
		op := doc.Paths[r.Path][strings.ToLower(r.Method)]
		if !strings.Contains(op.Description, "404") ||
			!strings.Contains(op.Description, "not_found") {
			t.Errorf("%s: description %q, want it to say what a site without a sidecar answers",
				r.Path, op.Description)
		}
		var want []string
		for _, code := range r.Codes {
			status := fmt.Sprint(code.Status())
			want = append(want, status)
			response := op.Responses[status]
			examples := response.Content["application/problem+json"].Examples
			value, _ := examples[string(code)].Value.(map[string]any)
			if value["code"] != string(code) ||
				value["type"] != code.Type(rendertest.SampleInfo().BaseURL) ||
				value["instance"] != r.Path || value["detail"] == "" || value["requestId"] == "" {
				t.Errorf("%s %s: example %v, want a problem of that code and path",
					r.Path, code, value)
			}
			headers := slices.Sorted(maps.Keys(response.Headers))
			switch code.Status() {
			case http.StatusTooManyRequests:
				if !slices.Equal(headers,
					[]string{"RateLimit", "RateLimit-Policy", "Retry-After"}) {
					t.Errorf("%s 429: headers %q", r.Path, headers)
				}
			case http.StatusMethodNotAllowed:
				if !slices.Equal(headers, []string{"Allow"}) {
					t.Errorf("%s 405: headers %q", r.Path, headers)
				}
			}
		}
		if r.Method == http.MethodGet {
			want = append(want, "304")
		}
		slices.Sort(want)
		got := slices.Sorted(maps.Keys(op.Responses))
		if want := append([]string{"200"}, slices.Compact(want)...); !slices.Equal(got, want) {
			t.Errorf("%s: responses %q, want %q", r.Path, got, want)
		}
	}
}

// A program that reads the document, such as a linter or a client generator, finds everything that
// it needs.
func TestOpenAPIForPrograms(t *testing.T) {
	for name, out := range openAPICases(t) {
		doc := readOpenAPI(t, out)
		if doc.Security == nil || doc.Info.License.Name == "" ||
			doc.Info.License.URL != doc.Servers[0].URL+"/" ||
			doc.Info.Contact.Name != doc.Info.Title {
			t.Errorf("%s: security %v, info %+v", name, doc.Security, doc.Info)
		}
		for path, operations := range doc.Paths {
			for method, op := range operations {
				statuses := slices.Sorted(maps.Keys(op.Responses))
				if op.Description == "" || !slices.ContainsFunc(statuses, func(s string) bool {
					return s[0] == '4'
				}) {
					t.Errorf("%s %s: description %q, responses %q",
						method, path, op.Description, statuses)
				}
				for _, status := range []string{"200", "304"} {
					got := op.Responses[status].Headers["ETag"] != nil
					if got != (method == "get") {
						t.Errorf("%s %s %s: an ETag %t", method, path, status, got)
					}
				}
				// A generated function has its path parameters beside its own short names. Query
				// parameters are grouped.
				for _, p := range op.Parameters {
					if len(p.Name) == 1 && p.Name != "n" && p.In == "path" {
						t.Errorf("%s %s: a parameter %s", method, path, p.Name)
					}
				}
			}
		}
		var walk func(at string, v any)
		walk = func(at string, v any) {
			m, ok := v.(map[string]any)
			if !ok {
				return
			}
			types, _ := m["type"].([]any)
			if one, ok := m["type"].(string); ok {
				types = []any{one}
			}
			types = slices.DeleteFunc(types, func(t any) bool { return t == "null" })
			if len(types) > 1 || slices.Equal(types, []any{"object"}) && m["properties"] == nil &&
				m["additionalProperties"] == nil {
				t.Errorf("%s: %s: %v is read as no type, or as an object without members",
					name, at, m)
			}
			if strings.Contains(at, "/properties/") && len(types) == 0 && m["$ref"] == nil &&
				m["anyOf"] == nil && !strings.HasSuffix(at, "additionalProperties") {
				t.Errorf("%s: %s has no type: %v", name, at, m)
			}
			for key, child := range m {
				if key == "properties" {
					for property, schema := range child.(map[string]any) {
						walk(at+"/properties/"+property, schema)
					}
				} else if key == "items" || key == "additionalProperties" {
					walk(at+"/"+key, child)
				}
			}
		}
		for schema, v := range doc.Components.Schemas {
			walk(schema, v)
		}
	}
}

// The contact is where the site's texts are kept, else where they are discussed, else the site.
func TestOpenAPIContact(t *testing.T) {
	info := rendertest.SampleInfo()
	for source, want := range map[string]string{
		"https://git.example.org/a/mips/blob/0123/MIPs/1.md":   "https://git.example.org/a/mips",
		"https://git.example.org/a/mips/-/blob/0123/MIPs/1.md": "https://git.example.org/a/mips",
		"https://git.example.org/mips/tree/MIP-1.md?h=0123":    *info.Forum,
	} {
		p := rendertest.SampleProposal()
		p.SourceURL = &source
		if got := contact(info, p); got != want {
			t.Errorf("%s: contact %s, want %s", source, got, want)
		}
	}
	info.Forum = nil
	if got := contact(info, nil); got != info.BaseURL+"/" {
		t.Errorf("without a forum: contact %s", got)
	}
}

// Texts about the names of proposals have the site's prefix.
func TestOpenAPIPrefix(t *testing.T) {
	info := rendertest.SampleInfo()
	info.Prefix = "EIP"
	out := string(rendertest.Must[[]byte](t)(Describe(info, nil, nil).JSON()))
	for _, want := range []string{`such as EIP-7`, `6, \"6\" or \"EIP-6\"`, `"/eip/{n}.md"`,
		`"id":"EIP-1"`, `eip-proposals`} {
		if !strings.Contains(out, want) {
			t.Errorf("the document of EIPs lacks %s", want)
		}
	}
	if strings.Contains(out, "MIP-") || strings.Contains(out, "/mip/") {
		t.Error("the document of EIPs names MIPs")
	}
}

// Every example, of bodies and of parameters, is valid by its schema.
func TestOpenAPIExamples(t *testing.T) {
	for name, out := range openAPICases(t) {
		t.Run(name, func(t *testing.T) {
			compile := compiler(t, out)
			bodies := 0
			check := func(pointer string, schema any, value any) {
				if schema == nil {
					t.Errorf("%s: no schema", pointer)
					return
				}
				bodies++
				if err := compile(pointer).Validate(value); err != nil {
					t.Errorf("%s: %v", pointer, err)
				}
			}
			doc := readOpenAPI(t, out)
			for path, operations := range doc.Paths {
				for method, op := range operations {
					at := "#/paths/" + escapePointer(path) + "/" + method
					for i, p := range op.Parameters {
						check(fmt.Sprintf("%s/parameters/%d/schema", at, i), p.Schema, p.Example)
					}
					if op.RequestBody != nil {
						for media, c := range op.RequestBody.Content {
							for _, e := range c.Examples {
								check(at+"/requestBody/content/"+escapePointer(media)+"/schema",
									c.Schema, e.Value)
							}
						}
					}
					for status, r := range op.Responses {
						if r.Description == "" {
							t.Errorf("%s %s: no description", at, status)
						}
						for media, c := range r.Content {
							for _, e := range c.Examples {
								check(at+"/responses/"+status+"/content/"+escapePointer(
									media)+"/schema", c.Schema, e.Value)
							}
						}
					}
				}
			}
			if want := len(api.Routes())*2 + 5; bodies < want {
				t.Errorf("%d examples, want %d at least", bodies, want)
			}
		})
	}
}

// Each schema of a whole body has an example without unknown members.
func TestOpenAPIExamplesAreAll(t *testing.T) {
	e := newExamples(rendertest.SampleInfo(), nil, nil)
	var want []string
	check := func(body any) {
		if body == nil {
			return
		}
		typ := reflect.TypeOf(body)
		want = append(want, schemaName(typ))
		d := json.NewDecoder(
			bytes.NewReader(rendertest.Must[[]byte](t)(api.JSON(e.bodies[schemaName(typ)].Value))))
		d.DisallowUnknownFields()
		if err := d.Decode(reflect.New(typ).Interface()); err != nil {
			t.Errorf("the example of %s: %v", typ, err)
		}
	}
	for _, r := range StaticRoutes(rendertest.SampleInfo()) {
		check(r.Response)
	}
	for _, r := range api.Routes() {
		check(r.Response)
		check(r.Request)
	}
	slices.Sort(want)
	if d := cmp.Diff(slices.Compact(want), slices.Sorted(maps.Keys(e.bodies))); d != "" {
		t.Errorf("examples (-routes +examples):\n%s", d)
	}
}

// compiler returns a function that compiles the schema at a place of the document.
func compiler(t *testing.T, out []byte) func(pointer string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(documentURL,
		rendertest.Must[any](t)(jsonschema.UnmarshalJSON(bytes.NewReader(out)))); err != nil {
		t.Fatal(err)
	}
	return func(pointer string) *jsonschema.Schema {
		t.Helper()
		s, err := c.Compile(documentURL + pointer)
		if err != nil {
			t.Fatalf("%s: %v", pointer, err)
		}
		return s
	}
}

// escapePointer escapes a key for a JSON pointer in a URI fragment.
func escapePointer(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "+",
		"%2B").Replace(key)
}

// wireTypes are the types of the bodies of every route, and of their parts.
func wireTypes() []reflect.Type {
	var out []reflect.Type
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		if wireSchema(t) != nil {
			return
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			add(t.Elem())
		case reflect.Struct:
			if slices.Contains(out, t) {
				return
			}
			out = append(out, t)
			for _, field := range wireFields(t) {
				add(field.Type)
			}
		}
	}
	add(reflect.TypeFor[api.Problem]())
	for _, r := range StaticRoutes(rendertest.SampleInfo()) {
		if r.Response != nil {
			add(reflect.TypeOf(r.Response))
		}
	}
	for _, r := range api.Routes() {
		add(reflect.TypeOf(r.Response))
		if r.Request != nil {
			add(reflect.TypeOf(r.Request))
		}
	}
	return out
}
