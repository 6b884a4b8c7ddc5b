package agent

import (
	"cmp"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// Tags of the operations, in the order in which documentation shows them.
const (
	tagStatic = "Static"
	tagLive   = "Live"
	tagAgents = "Feeds and agents"
)

// API is every endpoint of a site, static and live: the OpenAPI document and the page about it are made of it. The
// types below it are objects of OpenAPI 3.1.1 and are encoded as they stand.
type API struct {
	Title, Description, Base string
	Tags                     []Tag
	Operations               []Operation
	Schemas                  map[string]*Schema
}

// Version is that of the API.
const Version = "1"

// Tag is a group of operations.
type Tag struct {
	Name string `json:"name"`
	Text string `json:"description"`
}

// Operation is one method of one path.
type Operation struct {
	Method     string              `json:"-"`
	Path       string              `json:"-"`
	ID         string              `json:"operationId"`
	Tags       []string            `json:"tags"`
	Summary    string              `json:"summary"`
	Text       string              `json:"description,omitempty"`
	Parameters []Parameter         `json:"parameters,omitempty"`
	Body       *Body               `json:"requestBody,omitempty"`
	Responses  map[string]Response `json:"responses"` // by HTTP status
}

// Parameter is a variable part of an address.
type Parameter struct {
	Name     string  `json:"name"`
	In       string  `json:"in"`
	Text     string  `json:"description"`
	Required bool    `json:"required"`
	Style    string  `json:"style,omitempty"`
	Explode  *bool   `json:"explode,omitempty"`
	Schema   *Schema `json:"schema"`
	Example  any     `json:"example"`
}

// Body is the body of a request.
type Body struct {
	Required bool    `json:"required"`
	Content  Content `json:"content"`
}

// Content is a body by its media type, of which there is one.
type Content map[string]Media

// Media is a body in one media type.
type Media struct {
	Schema   *Schema            `json:"schema"`
	Examples map[string]Example `json:"examples,omitempty"`
}

// Example is an example of a body. The value is encoded as an answer is.
type Example struct {
	Summary string `json:"summary,omitempty"`
	Value   any    `json:"value"`
}

// Response is the answer of one HTTP status.
type Response struct {
	Text    string           `json:"description"`
	Headers Ordered[*Schema] `json:"headers,omitempty"`
	Content Content          `json:"content,omitempty"`
}

// Describe lists every endpoint, static and live. Schemas come from the wire structs, so they cannot drift from the
// answers. Examples speak of subject; nil, for a site without proposals, gives an invented one. The values that change
// with every commit are left out of the examples, so that the document changes only when the subject, a hard fork or
// the site's own settings do.
func Describe(info mip.SiteInfo, forks []mip.HardFork, subject *Subject) *API {
	d := &document{info: info, schemas: schemas{}, examples: newExamples(info, forks, subject)}
	// The schemas are complete only when all operations have been described.
	a := &API{Title: plain.SiteTitle(info), Description: documentText(info), Base: info.BaseURL, Schemas: d.schemas, Tags: []Tag{
		{tagStatic, "Files: what follows from the proposals' texts. Always answered."},
		{tagLive, "Answered where the site runs its sidecar; elsewhere a 404 problem with the code not_found."},
		{tagAgents, "The same content for feed readers, crawlers and agents."},
	}}
	for _, r := range StaticRoutes(d.info.Prefix) {
		a.Operations = append(a.Operations, d.static(r))
	}
	for _, r := range api.Routes() {
		a.Operations = append(a.Operations, d.live(r))
	}
	return a
}

// JSON is the OpenAPI document.
func (a *API) JSON() ([]byte, error) {
	// Paths, and the members of the document, stand in the order in which a person would write them.
	var paths Ordered[any]
	for _, op := range a.Operations {
		paths = append(paths, Member[any]{op.Path, map[string]Operation{strings.ToLower(op.Method): op}})
	}
	return api.JSON(Ordered[any]{
		{"openapi", "3.1.1"},
		{"info", Ordered[string]{{"title", a.Title}, {"version", Version}, {"description", a.Description}}},
		{"servers", []map[string]string{{"url": a.Base}}},
		{"tags", a.Tags},
		{"paths", paths},
		{"components", Ordered[any]{{"schemas", a.Schemas}, {"headers", headers()}}},
	})
}

// header is a response header of the document's components.
type header struct {
	Text    string  `json:"description"`
	Schema  *Schema `json:"schema"`
	Example any     `json:"example"`
}

// headers are the response headers that operations refer to.
func headers() map[string]header {
	text := ofType("string")
	return map[string]header{
		"Allow":            {"The methods that the address answers.", text, "GET, HEAD, OPTIONS"},
		"RateLimit":        {"What is left of the limit (r) and the seconds until it is full again (t).", text, `"default";r=0;t=42`},
		"RateLimit-Policy": {"The limit: so many requests (q) in so many seconds (w).", text, `"default";q=10;w=60`},
		"Retry-After":      {"Seconds to wait.", integerFrom(1), 42},
	}
}

// documentText introduces the API: the rules that hold for every answer.
func documentText(info mip.SiteInfo) string {
	text := "The improvement proposals published at " + info.BaseURL + "/ and the live figures around them. " +
		"Answers are UTF-8 and allow every origin; times are RFC 3339 in UTC; lists are never null; " +
		"a value that a proposal's header does not state is null. New fields may appear."
	if d := plain.OneLine(info.Description); d != "" {
		return d + " " + text
	}
	return text
}

// document collects the schemas and examples that the operations share.
type document struct {
	info     mip.SiteInfo
	schemas  schemas
	examples examples
}

// static describes a file of the published tree. Only one with a variable part may be missing.
func (d *document) static(r StaticRoute) Operation {
	tag := tagAgents
	if strings.HasPrefix(r.Pattern, "/api/") || r.Name == "getProposalMarkdown" {
		tag = tagStatic
	}
	op := Operation{
		ID: r.Name, Method: http.MethodGet, Path: r.Pattern, Tags: []string{tag}, Summary: r.Summary,
		Responses: map[string]Response{"200": {Text: r.Summary, Content: d.content(r.Type, r.Response, r.Name)}},
	}
	// The pattern holds its parameters in braces.
	for _, part := range strings.Split(r.Pattern, "{")[1:] {
		name, _, _ := strings.Cut(part, "}")
		op.Parameters = append(op.Parameters, d.parameter(name))
	}
	switch {
	case op.Parameters == nil:
	// Below /api everything that is missing is the same problem; elsewhere it is the page for people.
	case tag == tagStatic && r.Type == typeJSON:
		op.Responses["404"] = d.problems([]api.Code{api.NotFound}, "", notFoundDetail(d.info))
	default:
		op.Responses["404"] = Response{
			Text:    "There is no such file; the body is a page for people.",
			Content: Content{typeHTML: {Schema: ofType("string")}},
		}
	}
	return op
}

// parameter describes the variable part of a static address.
func (d *document) parameter(name string) Parameter {
	p := Parameter{Name: name, In: "path", Required: true, Schema: ofType("string"), Example: d.examples.parameters[name]}
	switch name {
	case "n":
		p.Text, p.Schema = "The proposal's number, without leading zeros.", integerFrom(0)
	case "locale":
		p.Text = "One of the site's locales, as the site writes it."
	case "skill":
		p.Text, p.Schema = "The skill's name, from the index.", enum(SkillName(d.info))
	default:
		p.Text = map[string]string{
			"s": "A status", "c": "A category", "t": "A type", "name": "A hard fork's name", "login": "An author's GitHub login",
		}[name] + " in lower case; what is no letter or digit becomes one hyphen."
	}
	return p
}

// live describes an endpoint of the sidecar, with every problem that it may answer.
func (d *document) live(r api.Route) Operation {
	op := Operation{
		ID: r.Name, Method: r.Method, Path: r.Path, Tags: []string{tagLive}, Summary: r.Summary,
		Text:      "A site that runs no sidecar answers 404 with the code not_found.",
		Responses: map[string]Response{"200": {Text: r.Summary, Content: d.content(typeJSON, r.Response, r.Name)}},
	}
	// A parameter is a number from 1, or a choice of words.
	for _, q := range r.Query {
		p := Parameter{
			Name: q.Name, In: "query", Text: q.Doc, Required: q.Required, Schema: integerFrom(1),
			Example: cmp.Or(d.examples.parameters[q.Name], q.Example),
		}
		if q.Values != nil { // form without explode is the style with commas
			p.Schema = &Schema{Types: Types{"array"}, Items: enum(q.Values...), MinItems: 1, UniqueItems: true}
			p.Style, p.Explode = "form", new(false)
		}
		op.Parameters = append(op.Parameters, p)
	}
	if r.Request != nil {
		op.Body = &Body{Required: true, Content: d.content(typeJSON, r.Request, r.Name+"Request")}
	}
	// Answers to GET carry an entity tag (RFC 9110 section 8.8.3).
	if r.Method == http.MethodGet {
		op.Responses["304"] = Response{Text: "If-None-Match names the current entity tag. There is no body."}
	}
	// An OpenAPI response has one status, and several codes may share it.
	byStatus := map[int][]api.Code{}
	for _, c := range r.Codes {
		byStatus[c.Status()] = append(byStatus[c.Status()], c)
	}
	for status, codes := range byStatus {
		op.Responses[strconv.Itoa(status)] = d.problems(codes, r.Path, "")
	}
	return op
}

// problems is the response of one HTTP status with an example for each of its codes. An empty detail means a sentence
// that fits the code.
func (d *document) problems(codes []api.Code, instance, detail string) Response {
	media := Media{Schema: d.schemas.define(reflect.TypeFor[api.Problem]()), Examples: map[string]Example{}}
	var texts []string
	for _, c := range codes {
		p := api.NewProblem(d.info.BaseURL, c, instance, cmp.Or(detail, c.Meaning()))
		// A static answer has no request to name.
		if instance != "" {
			p.RequestID = exampleRequest
		}
		media.Examples[string(c)] = Example{Value: p}
		texts = append(texts, string(c)+": "+c.Meaning())
	}
	out := Response{Text: strings.Join(texts, " "), Content: Content{typeProblem: media}}
	var names []string
	switch codes[0].Status() {
	case http.StatusTooManyRequests:
		names = []string{"Retry-After", "RateLimit", "RateLimit-Policy"}
	case http.StatusMethodNotAllowed:
		names = []string{"Allow"}
	}
	for _, name := range names {
		out.Headers = append(out.Headers, Member[*Schema]{name, &Schema{Ref: "#/components/headers/" + name}})
	}
	return out
}

// content is schema and example of a body. Bodies of formats that are not ours are described by their media type alone.
func (d *document) content(mediaType string, value any, name string) Content {
	if value == nil {
		if strings.HasSuffix(mediaType, "json") {
			return Content{mediaType: {Schema: ofType("object")}}
		}
		return Content{mediaType: {Schema: ofType("string")}}
	}
	media := Media{Schema: d.schemas.of(reflect.TypeOf(value))}
	if e, ok := d.examples.bodies[name]; ok {
		media.Examples = map[string]Example{"example": e}
	}
	return Content{mediaType: media}
}
