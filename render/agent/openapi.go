package agent

import (
	"cmp"
	"maps"
	"net/http"
	"reflect"
	"slices"
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

// API is every endpoint of a site, static and live: what the OpenAPI document and the page about it are made of.
type API struct {
	Title, Description, Base string
	Tags                     []Tag
	Operations               []Operation
	Schemas                  []NamedSchema // by name
}

// Version is that of the API.
const Version = "1"

// Tag is a group of operations.
type Tag struct{ Name, Text string }

// Operation is one method of one path.
type Operation struct {
	ID, Method, Path   string
	Tag, Summary, Text string
	Parameters         []Parameter
	Body               *Content // of the request, nil: none
	Responses          []Response
}

// Parameter is a variable part of an address.
type Parameter struct {
	Name, In, Text string
	Required       bool
	Schema         *Schema
	Example        any
}

// Content is a body in one media type.
type Content struct {
	Media    string
	Schema   *Schema
	Examples []Sample
}

// Sample is an example of a body: a wire value.
type Sample struct {
	Name, Summary string
	Value         any
}

// Response is the answer of one HTTP status.
type Response struct {
	Status  int
	Text    string
	Headers []string
	Content *Content // nil: no body
}

// NamedSchema is a schema that others refer to.
type NamedSchema struct {
	Name string
	*Schema
}

// document collects what the operations need of each other: schemas by name, and the examples.
type document struct {
	info     mip.SiteInfo
	schemas  *schemas
	examples examples
}

// Example is the proposal that the examples of documentation speak of.
type Example struct {
	Proposal    *mip.Proposal
	Summary     *api.Summary              // of it; nil: one is invented
	Translation *api.PublishedTranslation // of it; nil: one is invented
}

// Describe lists every endpoint, static and live. Schemas come from the wire structs, so they cannot drift from
// what is sent. example is what examples speak of; nil, for a site without proposals, gives an invented one. What
// changes with every commit (the commit itself, the counts) is left out of the examples, so that the document
// changes only when the example proposal, a hard fork or the site's own settings do.
func Describe(info mip.SiteInfo, forks []mip.HardFork, example *Example) *API {
	d := &document{info: info, schemas: &schemas{named: map[string]*Schema{}}, examples: newExamples(info, forks, example)}
	a := &API{Title: plain.SiteTitle(info), Description: documentText(info), Base: info.BaseURL, Tags: []Tag{
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
	d.schemas.define(reflect.TypeFor[api.Problem]())
	for _, name := range slices.Sorted(maps.Keys(d.schemas.named)) {
		a.Schemas = append(a.Schemas, NamedSchema{name, d.schemas.named[name]})
	}
	return a
}

func documentText(info mip.SiteInfo) string {
	text := "The improvement proposals published at " + info.BaseURL + "/ and the live figures around them. Answers are UTF-8 and allow every origin; " +
		"times are RFC 3339 in UTC; lists are never null; a value that a proposal's header does not state is null. New fields may appear."
	if d := plain.OneLine(info.Description); d != "" {
		return d + " " + text
	}
	return text
}

func (d *document) static(r StaticRoute) Operation {
	tag := tagAgents
	if strings.HasPrefix(r.Pattern, "/api/") || r.Name == "getProposalMarkdown" {
		tag = tagStatic
	}
	op := Operation{ID: r.Name, Method: http.MethodGet, Path: r.Pattern, Tag: tag, Summary: r.Summary}
	op.Responses = []Response{{Status: http.StatusOK, Text: r.Summary, Content: d.content(r.Type, r.Response, r.Name)}}
	for _, part := range strings.Split(r.Pattern, "{")[1:] {
		name, _, _ := strings.Cut(part, "}")
		op.Parameters = append(op.Parameters, d.parameter(name))
	}
	if op.Parameters != nil {
		op.Responses = append(op.Responses, d.missing(r))
	}
	return op
}

// parameter describes the variable part of a static address.
func (d *document) parameter(name string) Parameter {
	p := Parameter{Name: name, In: "path", Required: true, Schema: ofType("string")}
	switch name {
	case "n":
		p.Text, p.Schema, p.Example = "The proposal's number, without leading zeros.", integerFrom(0), d.examples.number
	case "locale":
		p.Text, p.Example = "One of the site's locales, as the site writes it.", d.examples.locale
	case "skill":
		skill := SkillName(d.info)
		p.Text, p.Schema, p.Example = "The skill's name, from the index.", enum(skill), skill
	default:
		p.Text = map[string]string{
			"s": "A status", "c": "A category", "t": "A type", "name": "A hard fork's name", "login": "An author's GitHub login",
		}[name] + " in lower case; what is no letter or digit becomes one hyphen."
		p.Example = d.examples.segments[name]
	}
	return p
}

// missing is the 404 of a static address: a problem below /api, a page elsewhere.
func (d *document) missing(r StaticRoute) Response {
	if strings.HasPrefix(r.Pattern, "/api/") {
		return d.problems([]api.Code{api.NotFound}, "", notFoundDetail(d.info))
	}
	return Response{
		Status: http.StatusNotFound, Text: "There is no such file; the body is a page for people.",
		Content: &Content{Media: typeHTML, Schema: ofType("string")},
	}
}

func (d *document) live(r api.Route) Operation {
	op := Operation{
		ID: r.Name, Method: r.Method, Path: r.Path, Tag: tagLive, Summary: r.Summary,
		Text: "A site that runs no sidecar answers 404 with the code not_found.",
	}
	for _, q := range r.Query {
		p := Parameter{Name: q.Name, In: "query", Text: q.Doc, Required: q.Required, Schema: integerFrom(1), Example: cmp.Or(d.examples.query[q.Name], q.Example)}
		if q.Values != nil {
			p.Schema = &Schema{Types: []string{"array"}, Items: enum(q.Values...), Unique: true}
		}
		op.Parameters = append(op.Parameters, p)
	}
	if r.Request != nil {
		op.Body = d.content(typeJSON, r.Request, r.Name+"Request")
	}
	op.Responses = []Response{{Status: http.StatusOK, Text: r.Summary, Content: d.content(typeJSON, r.Response, r.Name)}}
	if r.Method == http.MethodGet {
		op.Responses = append(op.Responses, Response{Status: http.StatusNotModified, Text: "If-None-Match names the current entity tag. There is no body."})
	}
	op.Responses = append(op.Responses, d.failures(r)...)
	return op
}

// failures groups a route's codes by HTTP status: an OpenAPI response has one status.
func (d *document) failures(r api.Route) []Response {
	byStatus := map[int][]api.Code{}
	for _, c := range r.Codes {
		byStatus[c.Status()] = append(byStatus[c.Status()], c)
	}
	var out []Response
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		out = append(out, d.problems(byStatus[status], r.Path, ""))
	}
	return out
}

// problems is the response of one HTTP status with an example for each of its codes. An empty detail
// means a sentence that fits the code.
func (d *document) problems(codes []api.Code, instance, detail string) Response {
	content := &Content{Media: typeProblem, Schema: d.schemas.ref(reflect.TypeFor[api.Problem]())}
	var texts []string
	for _, c := range codes {
		p := api.NewProblem(d.info.BaseURL, c, instance, cmp.Or(detail, problemDetail(c)))
		if instance != "" {
			p.RequestID = exampleRequest
		}
		content.Examples = append(content.Examples, Sample{Name: string(c), Value: p})
		texts = append(texts, string(c)+": "+problemDetail(c))
	}
	out := Response{Status: codes[0].Status(), Text: strings.Join(texts, " "), Content: content}
	switch out.Status {
	case http.StatusTooManyRequests:
		out.Headers = []string{"Retry-After", "RateLimit", "RateLimit-Policy"}
	case http.StatusMethodNotAllowed:
		out.Headers = []string{"Allow"}
	}
	return out
}

// content is schema and example of a body; bodies of formats that are not ours are described by
// their media type alone.
func (d *document) content(mediaType string, value any, name string) *Content {
	if value == nil {
		if strings.HasSuffix(mediaType, "json") {
			return &Content{Media: mediaType, Schema: ofType("object")}
		}
		return &Content{Media: mediaType, Schema: ofType("string")}
	}
	out := &Content{Media: mediaType, Schema: d.schemas.ref(reflect.TypeOf(value))}
	if e, ok := d.examples.bodies[name]; ok {
		out.Examples = []Sample{{"example", e.summary, e.value}}
	}
	return out
}
