package agent

import (
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
)

// JSON is the OpenAPI 3.1.1 document.
func (a *API) JSON() ([]byte, error) {
	var tags []object
	for _, t := range a.Tags {
		tags = append(tags, object{{"name", t.Name}, {"description", t.Text}})
	}
	var paths, named object
	for _, op := range a.Operations {
		paths = append(paths, member{op.Path, object{{strings.ToLower(op.Method), op.object()}}})
	}
	for _, s := range a.Schemas {
		named = append(named, member{s.Name, s.Schema})
	}
	return api.JSON(object{
		{"openapi", "3.1.1"},
		{"info", object{{"title", a.Title}, {"version", Version}, {"description", a.Description}}},
		{"servers", []object{{{"url", a.Base}}}},
		{"tags", tags},
		{"paths", paths},
		{"components", object{{"schemas", named}, {"headers", headers()}}},
	})
}

func (op Operation) object() object {
	out := object{{"operationId", op.ID}, {"tags", []string{op.Tag}}, {"summary", op.Summary}}
	if op.Text != "" {
		out = append(out, member{"description", op.Text})
	}
	var parameters []object
	for _, p := range op.Parameters {
		o := object{{"name", p.Name}, {"in", p.In}, {"description", p.Text}, {"required", p.Required}}
		if p.Schema.Items != nil { // form without explode is the style with commas
			o = append(o, object{{"style", "form"}, {"explode", false}}...)
		}
		parameters = append(parameters, append(o, object{{"schema", p.Schema}, {"example", p.Example}}...))
	}
	if parameters != nil {
		out = append(out, member{"parameters", parameters})
	}
	if op.Body != nil {
		out = append(out, member{"requestBody", object{{"required", true}, {"content", op.Body.object()}}})
	}
	var responses object
	for _, r := range op.Responses {
		responses = append(responses, member{strconv.Itoa(r.Status), r.object()})
	}
	return append(out, member{"responses", responses})
}

func (r Response) object() object {
	out := object{{"description", r.Text}}
	var refs object
	for _, name := range r.Headers {
		refs = append(refs, member{name, object{{"$ref", "#/components/headers/" + name}}})
	}
	if refs != nil {
		out = append(out, member{"headers", refs})
	}
	if r.Content != nil {
		out = append(out, member{"content", r.Content.object()})
	}
	return out
}

func (c *Content) object() object {
	out := object{{"schema", c.Schema}}
	var samples object
	for _, e := range c.Examples {
		sample := object{{"value", e.Value}}
		if e.Summary != "" {
			sample = object{{"summary", e.Summary}, {"value", e.Value}}
		}
		samples = append(samples, member{e.Name, sample})
	}
	if samples != nil {
		out = append(out, member{"examples", samples})
	}
	return object{{c.Media, out}}
}

func headers() object {
	text := ofType("string")
	return object{
		{"Allow", object{{"description", "The methods that the address answers."}, {"schema", text}, {"example", "GET, HEAD, OPTIONS"}}},
		{"RateLimit", object{{"description", "What is left of the limit (r) and the seconds until it is full again (t)."}, {"schema", text}, {"example", `"default";r=0;t=42`}}},
		{"RateLimit-Policy", object{{"description", "The limit: so many requests (q) in so many seconds (w)."}, {"schema", text}, {"example", `"default";q=10;w=60`}}},
		{"Retry-After", object{{"description", "Seconds to wait."}, {"schema", integerFrom(1)}, {"example", 42}}},
	}
}

// object is a JSON object whose members keep their order, so that a document reads as it was
// written and two builds write the same bytes.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := api.JSON(m.key)
		if err != nil {
			return nil, err
		}
		value, err := api.JSON(m.value)
		if err != nil {
			return nil, err
		}
		out = append(append(out, key[:len(key)-1]...), ':')
		out = append(out, value[:len(value)-1]...)
	}
	return append(out, '}'), nil
}
