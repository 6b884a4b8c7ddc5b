package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/render/agent"
)

// apiView is the page of the API: the objects of the OpenAPI document, with examples as text.
type apiView struct {
	Head    head
	API     *agent.API
	Version string
	Groups  []apiGroup
	Codes   []api.CodeInfo
}

// apiGroup is the operations of one tag.
type apiGroup struct {
	ID string
	agent.Tag
	Operations []apiOperation
}

// apiOperation is an operation with its examples.
type apiOperation struct {
	agent.Operation
	Curl    string // a command that asks it
	Example string // of its answer, empty: none
}

// API renders the reference of every endpoint.
func (p *Pages) API(a *agent.API) ([]byte, error) {
	v := apiView{
		Head: p.head(head{
			Section: "/api/",

			Title:       "API",
			Description: "Every endpoint of " + p.info.Title + ": addresses, parameters, answers and errors.",
			Route:       "/api/",
			Script:      textScript,
		}),
		API: a, Version: agent.Version, Codes: api.Codes(),
	}
	// Operations stand below their tag, in the order of the document.
	for _, t := range a.Tags {
		g := apiGroup{ID: "group-" + strings.ReplaceAll(strings.ToLower(t.Name), " ", "-"), Tag: t}
		for _, op := range a.Operations {
			if op.Tags[0] != t.Name {
				continue
			}
			o, err := apiExamples(a.Base, op)
			if err != nil {
				return nil, fmt.Errorf("API page: %s: %w", op.ID, err)
			}
			g.Operations = append(g.Operations, o)
		}
		v.Groups = append(v.Groups, g)
	}
	return p.execute("api", v)
}

// apiExamples makes a command of the examples of an operation's parameters and body.
func apiExamples(base string, op agent.Operation) (apiOperation, error) {
	v := apiOperation{Operation: op}
	// The command asks the address with the examples of the required parameters.
	address, query := op.Path, url.Values{}
	for _, prm := range op.Parameters {
		switch example := inAddress(prm.Example); {
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
		media, body, err := apiExample(op.Body.Content)
		if err != nil {
			return v, err
		}
		v.Curl = fmt.Sprintf("curl -s -X %s -H %s -d %s %s",
			op.Method, shellQuote("Content-Type: "+media), shellQuote(string(body)), shellQuote(base+address))
	}
	_, body, err := apiExample(op.Responses["200"].Content)
	if body != nil && err == nil {
		var b bytes.Buffer
		err = json.Indent(&b, body, "", "  ")
		v.Example = shorten(b.String())
	}
	return v, err
}

// apiExample is a body as it is sent, with its media type. It is nil when there is no example.
func apiExample(c agent.Content) (media string, body []byte, err error) {
	for media, m := range c {
		e, ok := m.Examples["example"]
		if !ok {
			return media, nil, nil
		}
		b, err := api.JSON(e.Value)
		return media, bytes.TrimSpace(b), err
	}
	return "", nil, nil
}

// inAddress is a parameter's value as it stands in an address: a list with commas.
func inAddress(v any) string {
	if list, ok := v.([]string); ok {
		return strings.Join(list, ",")
	}
	return fmt.Sprint(v)
}

// typePart is a piece of a type's description; Href leads to a schema on the same page.
type typePart struct{ Text, Href string }

// schemaTypes says what a schema allows, in the words of JSON Schema.
func schemaTypes(s *agent.Schema) []typePart {
	if s.Ref != "" {
		return []typePart{{s.Name(), "schema-" + s.Name()}}
	}
	// A value has one of these types.
	var alternatives [][]typePart
	for _, o := range s.AnyOf {
		alternatives = append(alternatives, schemaTypes(o))
	}
	for _, name := range s.Types {
		part := []typePart{{Text: name}}
		switch {
		case name == "array" && s.Items != nil:
			part = append([]typePart{{Text: "list of "}}, schemaTypes(s.Items)...)
		case name == "object" && s.Values != nil:
			part = append([]typePart{{Text: "map of "}}, schemaTypes(s.Values)...)
		case name != "null" && s.Format != "":
			part[0].Text += " (" + s.Format + ")"
		}
		alternatives = append(alternatives, part)
	}
	var out []typePart
	for i, part := range alternatives {
		if i > 0 {
			out = append(out, typePart{Text: " or "})
		}
		out = append(out, part...)
	}
	if s.Enum != nil {
		out = append(out, typePart{Text: ": " + strings.Join(s.Enum, ", ")})
	}
	return out
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
