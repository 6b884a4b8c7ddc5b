package render

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
)

type apiView struct {
	page
	Name, Version, Text string
	Base                string
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
	Tag              string
	Summary, Text    string
	Parameters       []apiField
	Body             []apiContent
	Responses        []apiResponse
	Curl, Example    string
}

type apiResponse struct {
	Status, Text string
	Contents     []apiContent
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
	ID, Name, Text string
	Type           []typePart
	Fields         []apiField
}

// API renders the reference of every endpoint from an OpenAPI 3.1 document.
func (p *Pages) API(openapi []byte) ([]byte, error) {
	var doc docRoot
	if err := json.Unmarshal(openapi, &doc); err != nil {
		return nil, fmt.Errorf("API page: OpenAPI: %w", err)
	}
	v := apiView{
		page: p.frame("/api/", page{
			Title:       "API",
			Description: "Every endpoint of " + p.info.Title + ": addresses, parameters, answers and errors.",
			Route:       "/api/",
			Script:      textScript,
		}),
		Name: doc.Info.Title, Version: doc.Info.Version, Text: doc.Info.Description,
		Base: p.info.BaseURL,
	}
	if len(doc.Servers) > 0 && strings.HasPrefix(doc.Servers[0].URL, "http") {
		v.Base = strings.TrimRight(doc.Servers[0].URL, "/")
	}
	r := apiReader{doc: &doc, base: v.Base, ids: map[string]bool{}}
	if err := r.groups(&v); err != nil {
		return nil, err
	}
	var err error
	if v.Schemas, err = r.schemas(); err != nil {
		return nil, err
	}
	for _, c := range api.Codes() {
		v.Codes = append(v.Codes, apiCode{string(c.Code), http.StatusText(c.Status), c.Status, c.Code.Anchor()})
	}
	return p.execute("api", v)
}

// apiReader turns parts of the document into what the page shows.
type apiReader struct {
	doc  *docRoot
	base string
	ids  map[string]bool // taken ids of this page
}

// groups sorts the operations into their first tags, in the order of the document's tags.
func (r *apiReader) groups(v *apiView) error {
	group := func(name, text string) *apiGroup {
		i := slices.IndexFunc(v.Groups, func(g apiGroup) bool { return g.Name == name })
		if i < 0 {
			i = len(v.Groups)
			v.Groups = append(v.Groups, apiGroup{ID: r.id("group-", strings.ToLower(name)), Name: name, Text: text})
		}
		return &v.Groups[i]
	}
	for _, t := range r.doc.Tags {
		group(t.Name, t.Description)
	}
	for _, item := range r.doc.Paths {
		operations, err := r.operations(item.Key, item.Value)
		if err != nil {
			return err
		}
		for _, op := range operations {
			g := group(op.Tag, "")
			g.Operations = append(g.Operations, op)
		}
	}
	v.Groups = slices.DeleteFunc(v.Groups, func(g apiGroup) bool { return len(g.Operations) == 0 })
	return nil
}

// id makes an id that the page does not have yet.
func (r *apiReader) id(prefix, name string) string {
	clean := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '-'
	}, name)
	id := prefix + strings.Trim(clean, "-")
	for n := 2; r.ids[id]; n++ {
		id = fmt.Sprintf("%s%s-%d", prefix, strings.Trim(clean, "-"), n)
	}
	r.ids[id] = true
	return id
}

// operations are the methods of one path, in the order of the document.
func (r *apiReader) operations(path string, raw json.RawMessage) ([]apiOperation, error) {
	var methods docObject
	if err := json.Unmarshal(raw, &methods); err != nil {
		return nil, fmt.Errorf("API page: %s: %w", path, err)
	}
	var common []docParameter
	if raw, ok := methods.get("parameters"); ok {
		if err := json.Unmarshal(raw, &common); err != nil {
			return nil, fmt.Errorf("API page: %s: parameters: %w", path, err)
		}
	}
	var out []apiOperation
	for _, m := range methods {
		switch m.Key {
		case "get", "put", "post", "delete", "options", "head", "patch", "trace":
		default:
			continue
		}
		var op docOperation
		if err := json.Unmarshal(m.Value, &op); err != nil {
			return nil, fmt.Errorf("API page: %s %s: %w", m.Key, path, err)
		}
		op.Parameters = append(common[:len(common):len(common)], op.Parameters...)
		v, err := r.docOperation(strings.ToUpper(m.Key), path, op)
		if err != nil {
			return nil, fmt.Errorf("API page: %s %s: %w", m.Key, path, err)
		}
		out = append(out, v)
	}
	return out, nil
}

func (r *apiReader) docOperation(method, path string, op docOperation) (apiOperation, error) {
	v := apiOperation{Method: method, Path: path, Tag: "Endpoints", Summary: op.Summary, Text: op.Description}
	if len(op.Tags) > 0 {
		v.Tag = op.Tags[0]
	}
	if v.Text == v.Summary {
		v.Text = ""
	}
	name := op.OperationID
	if name == "" {
		name = strings.ToLower(method) + path
	}
	v.ID = r.id("op-", name)
	address, query := path, url.Values{}
	for _, raw := range op.Parameters {
		prm, err := resolveDoc(r.doc, raw.Ref, raw)
		if err != nil {
			return v, err
		}
		example := scalar(firstExample(prm.Example, prm.Examples, prm.Schema.Example, prm.Schema.Examples, prm.Schema.Default))
		v.Parameters = append(v.Parameters, apiField{Name: prm.Name, In: prm.In, Required: prm.Required, Type: r.types(&prm.Schema, 0), Text: prm.Description, Example: example})
		switch {
		case example == "":
		case prm.In == "path":
			address = strings.ReplaceAll(address, "{"+prm.Name+"}", url.PathEscape(example))
		case prm.In == "query" && prm.Required:
			query.Set(prm.Name, example)
		}
	}
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	v.Curl = "curl -s " + shellQuote(r.base+address)
	if op.RequestBody != nil {
		body, err := resolveDoc(r.doc, op.RequestBody.Ref, *op.RequestBody)
		if err != nil {
			return v, err
		}
		v.Body = r.contents(body.Content)
		if media, raw := r.example(body.Content); len(raw) > 0 {
			v.Curl = fmt.Sprintf("curl -s -X %s -H %s -d %s %s", method, shellQuote("Content-Type: "+media), shellQuote(compactJSON(raw)), shellQuote(r.base+address))
		}
	} else if method != http.MethodGet {
		v.Curl = "curl -s -X " + method + " " + shellQuote(r.base+address)
	}
	for _, m := range op.Responses {
		var raw docResponse
		if err := json.Unmarshal(m.Value, &raw); err != nil {
			return v, fmt.Errorf("response %s: %w", m.Key, err)
		}
		resp, err := resolveDoc(r.doc, raw.Ref, raw)
		if err != nil {
			return v, err
		}
		v.Responses = append(v.Responses, apiResponse{Status: m.Key, Text: resp.Description, Contents: r.contents(resp.Content)})
		if _, raw := r.example(resp.Content); v.Example == "" && strings.HasPrefix(m.Key, "2") && len(raw) > 0 {
			v.Example = shorten(indentJSON(raw))
		}
	}
	return v, nil
}

func (r *apiReader) contents(content docObject) []apiContent {
	var out []apiContent
	for _, m := range content {
		var media docMedia
		if json.Unmarshal(m.Value, &media) != nil {
			continue
		}
		out = append(out, apiContent{m.Key, r.types(&media.Schema, 0)})
	}
	return out
}

// example is the first example of a body, with its media type.
func (r *apiReader) example(content docObject) (string, json.RawMessage) {
	for _, m := range content {
		var media docMedia
		if json.Unmarshal(m.Value, &media) != nil {
			continue
		}
		if raw := firstExample(media.Example, media.Examples, media.Schema.Example, media.Schema.Examples, nil); len(raw) > 0 {
			return m.Key, raw
		}
		if s, err := resolveDoc(r.doc, media.Schema.Ref, media.Schema); err == nil {
			if raw := firstExample(s.Example, nil, nil, s.Examples, nil); len(raw) > 0 {
				return m.Key, raw
			}
		}
	}
	return "", nil
}
