package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/render/agent"
)

type apiView struct {
	page
	Version, Text, Base string
	Groups              []apiGroup
	Schemas             []apiSchema
	Codes               []apiCode
}

// apiGroup is the operations of one tag.
type apiGroup struct {
	ID, Name, Text string
	Operations     []apiOperation
}

type apiCode struct {
	Code, Name string
	Status     int
	Anchor     string
}

// apiOperation is one method of one path.
type apiOperation struct {
	ID, Method, Path string
	Summary, Text    string
	Parameters       []apiField
	Body             *apiContent // of the request, nil: none
	Responses        []apiResponse
	Curl, Example    string
}

type apiResponse struct {
	Status  int
	Text    string
	Content *apiContent // nil: no body
}

type apiContent struct {
	Media string
	Type  []typePart
}

// apiField is a parameter or a property.
type apiField struct {
	Name, In string
	Required bool
	Type     []typePart
	Text     string
	Example  string
}

type apiSchema struct {
	ID, Name string
	Fields   []apiField
}

// API renders the reference of every endpoint.
func (p *Pages) API(a *agent.API) ([]byte, error) {
	v := apiView{
		page: p.frame("/api/", page{
			Title:       "API",
			Description: "Every endpoint of " + p.info.Title + ": addresses, parameters, answers and errors.",
			Route:       "/api/",
			Script:      textScript,
		}),
		Version: agent.Version, Text: a.Description, Base: a.Base,
	}
	for _, t := range a.Tags {
		g := apiGroup{ID: "group-" + strings.ReplaceAll(strings.ToLower(t.Name), " ", "-"), Name: t.Name, Text: t.Text}
		for _, op := range a.Operations {
			if op.Tag != t.Name {
				continue
			}
			o, err := describeOperation(a.Base, op)
			if err != nil {
				return nil, fmt.Errorf("API page: %s: %w", op.ID, err)
			}
			g.Operations = append(g.Operations, o)
		}
		v.Groups = append(v.Groups, g)
	}
	for _, s := range a.Schemas {
		x := apiSchema{ID: schemaID(s.Name), Name: s.Name}
		for _, f := range s.Fields {
			x.Fields = append(x.Fields, apiField{Name: f.Name, Required: f.Required, Type: types(f.Schema), Text: f.Schema.Description})
		}
		v.Schemas = append(v.Schemas, x)
	}
	for _, c := range api.Codes() {
		v.Codes = append(v.Codes, apiCode{string(c.Code), http.StatusText(c.Status), c.Status, c.Code.Anchor()})
	}
	return p.execute("api", v)
}

func describeOperation(base string, op agent.Operation) (apiOperation, error) {
	v := apiOperation{ID: "op-" + op.ID, Method: op.Method, Path: op.Path, Summary: op.Summary, Text: op.Text}
	address, query := op.Path, url.Values{}
	for _, prm := range op.Parameters {
		example := inAddress(prm.Example)
		v.Parameters = append(v.Parameters, apiField{Name: prm.Name, In: prm.In, Required: prm.Required, Type: types(prm.Schema), Text: prm.Text, Example: example})
		switch {
		case prm.In == "path":
			address = strings.ReplaceAll(address, "{"+prm.Name+"}", url.PathEscape(example))
		case prm.Required:
			query.Set(prm.Name, example)
		}
	}
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	v.Curl = "curl -s " + shellQuote(base+address)
	if op.Body != nil {
		body, err := firstExample(op.Body)
		if err != nil {
			return v, err
		}
		v.Body = &apiContent{op.Body.Media, types(op.Body.Schema)}
		v.Curl = fmt.Sprintf("curl -s -X %s -H %s -d %s %s", op.Method, shellQuote("Content-Type: "+op.Body.Media), shellQuote(string(body)), shellQuote(base+address))
	}
	for _, r := range op.Responses {
		x := apiResponse{Status: r.Status, Text: r.Text}
		if r.Content != nil {
			x.Content = &apiContent{r.Content.Media, types(r.Content.Schema)}
		}
		v.Responses = append(v.Responses, x)
		if r.Status == http.StatusOK && r.Content != nil {
			body, err := firstExample(r.Content)
			if err != nil {
				return v, err
			}
			v.Example = shorten(indent(body))
		}
	}
	return v, nil
}

// inAddress is a parameter's value as it stands in an address: a list with commas.
func inAddress(v any) string {
	if list, ok := v.([]string); ok {
		return strings.Join(list, ",")
	}
	return fmt.Sprint(v)
}

// firstExample is a body as it is sent, empty when there is no example.
func firstExample(c *agent.Content) ([]byte, error) {
	if len(c.Examples) == 0 {
		return nil, nil
	}
	b, err := api.JSON(c.Examples[0].Value)
	return bytes.TrimSuffix(b, []byte("\n")), err
}

func indent(body []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, body, "", "  ") != nil {
		return ""
	}
	return b.String()
}

// typePart is a piece of a type's description; Href leads to a schema on the same page.
type typePart struct{ Text, Href string }

// types says what a schema allows, in the words of JSON Schema.
func types(s *agent.Schema) []typePart {
	if s.Ref != "" {
		return []typePart{{s.Ref, schemaID(s.Ref)}}
	}
	var out []typePart
	or := func() {
		if len(out) > 0 {
			out = append(out, typePart{Text: " or "})
		}
	}
	for _, o := range s.AnyOf {
		or()
		out = append(out, types(o)...)
	}
	for _, name := range s.Types {
		or()
		switch {
		case name == "array" && s.Items != nil:
			out = append(append(out, typePart{Text: "list of "}), types(s.Items)...)
		case name == "object" && s.Values != nil:
			out = append(append(out, typePart{Text: "map of "}), types(s.Values)...)
		case name != "null" && s.Format != "":
			out = append(out, typePart{Text: name + " (" + s.Format + ")"})
		default:
			out = append(out, typePart{Text: name})
		}
	}
	if s.Enum != nil {
		out = append(out, typePart{Text: ": " + strings.Join(s.Enum, ", ")})
	}
	return out
}

// schemaID is the id of a schema's heading.
func schemaID(name string) string { return "schema-" + name }

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
