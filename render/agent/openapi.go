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

// API has every endpoint of a site, static and live. It is the source of the OpenAPI document and
// of the page about it. The types below it are objects of OpenAPI 3.1.1 and are encoded unchanged.
type API struct {
	Title, Description, Base string
	Contact                  string // address of the people who run the site
	Tags                     []Tag
	Operations               []Operation
	Schemas                  map[string]*Schema
}

// Version is the version of the API.
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
	Tags       []string            `json:"tags"` // one name of [API.Tags]
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
	Schema   *Schema            `json:"schema,omitempty"`
	Examples map[string]Example `json:"examples,omitempty"`
}

// Example is an example of a body. The value is encoded like an answer.
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

// document collects the schemas and examples that the operations share.
type document struct {
	info       mip.Site
	parameters map[string]Parameter
	schemas    schemas
	examples   examples
}

// Describe lists every endpoint, static and live. Schemas come from the wire structs, so they
// cannot differ from the answers. Examples of answers are invented. Examples of parameters name
// subject, which is nil for a site without proposals.
func Describe(info mip.Site, forks []mip.HardFork, subject *mip.Proposal) *API {
	// Routes and texts that are the same for every site come from the embedded file.
	f := fixed()
	d := &document{info, f.Parameters, schemas{map[string]*Schema{}, info.Prefix},
		newExamples(info, forks, subject)}
	text := "The JSON API of this site: its proposals and the live figures around them. Answers " +
		"are UTF-8 and allow every origin; times are RFC 3339 in UTC; lists are never null; a " +
		"value that a proposal's header does not state is null. New fields may appear."
	// The schemas are complete only after all operations have been described.
	a := &API{
		Title:       plain.SiteTitle(info),
		Description: strings.TrimSpace(mip.OneLine(info.Description) + " " + text),
		Base:        info.BaseURL, Contact: contact(info, subject), Tags: f.Tags,
		Schemas: d.schemas.byName,
	}
	for _, r := range StaticRoutes(info) {
		if r.Name == "getStatusAtom" && info.Several() {
			a.Operations = append(a.Operations, d.static(StaticRoute{
				Pattern: "/kind/{kind}/feed.atom", Name: "getKindAtom", Type: r.Type, Tag: r.Tag,
				Summary: "What happened to the proposals of one kind, as Atom.",
				Text:    "The page of the same list is at the address without the file.",
			}))
		}
		a.Operations = append(a.Operations, d.static(r))
	}
	for _, r := range api.Routes() {
		a.Operations = append(a.Operations, d.live(r))
	}
	return a
}

// contact is the repository of the subject, else the forum, else the site.
func contact(info mip.Site, subject *mip.Proposal) string {
	if subject != nil {
		if repository, _, ok := strings.Cut(mip.Deref(subject.SourceURL), "/blob/"); ok {
			return strings.TrimSuffix(repository, "/-")
		}
	}
	return cmp.Or(mip.Deref(info.Forum), info.BaseURL+"/")
}

// JSON is the OpenAPI document.
func (a *API) JSON() ([]byte, error) {
	// Paths and the members of the document are in a natural reading order.
	var paths Ordered[any]
	for _, op := range a.Operations {
		paths = append(paths,
			Member[any]{op.Path, map[string]Operation{strings.ToLower(op.Method): op}})
	}
	return api.JSON(Ordered[any]{
		{"openapi", "3.1.1"},
		{"info", Ordered[any]{
			{"title", a.Title}, {"version", Version}, {"description", a.Description},
			{"contact", Ordered[string]{{"name", a.Title}, {"url", a.Contact}}},
			{"license", Ordered[string]{{"name", "Each proposal states its own"},
				{"url", a.Base + "/"}}},
		}},
		{"servers", []map[string]string{{"url": a.Base}}},
		{"security", []string{}}, // no key is needed
		{"tags", a.Tags},
		{"paths", paths},
		{"components", Ordered[any]{{"schemas", a.Schemas}, {"headers", fixed().Headers}}},
	})
}

// static describes a file of the published tree.
func (d *document) static(r StaticRoute) Operation {
	path := r.Pattern
	if d.info.Several() {
		path = strings.Replace(path, mip.PageFolder(d.info.Prefix)+"{n}", "/{kind}/{n}", 1)
	}
	op := Operation{
		ID: r.Name, Method: http.MethodGet, Path: path, Tags: []string{r.Tag}, Summary: r.Summary,
		Text: r.Text,
		Responses: map[string]Response{"200": {Text: r.Summary,
			Content: d.content(r.Type, r.Response)}},
	}
	tag(op.Responses)
	// The pattern has its parameters in braces.
	for _, part := range strings.Split(path, "{")[1:] {
		name, _, _ := strings.Cut(part, "}")
		p := d.parameters[name]
		switch {
		case name == "kind":
			p.Text, p.Schema = "The prefix of the kind of proposals, in lower case.",
				enum(d.kinds()...)
		case name == "n" && d.info.Several() && strings.HasPrefix(path, "/api/"):
			p.Text = "The number of a proposal of the main kind; of another kind its id in lower " +
				"case, such as " + d.kinds()[1] +
				"-1. Where a sidecar runs, other forms lead there."
			p.Schema = ofType("integer", "string")
		}
		p.Name, p.In, p.Required, p.Example = name, "path", true, d.examples.parameters[name]
		if p.Schema = cmp.Or(p.Schema, ofType("string")); name == "skill" {
			p.Schema = enum(SkillName(d.info))
		}
		op.Parameters = append(op.Parameters, p)
	}
	// Below /api all missing addresses have the same problem. Other missing addresses have the page
	// for people.
	missing := Response{Content: Content{typeHTML: {Schema: ofType("string")}}}
	if strings.HasPrefix(r.Pattern, "/api/") {
		missing = d.problems([]api.Code{api.NotFound}, "", api.NotPublished(d.info))
	}
	missing.Text = "Nothing is published at this address."
	op.Responses["404"] = missing
	return op
}

// kinds are the prefixes of the kinds in lower case.
func (d *document) kinds() (out []string) {
	for _, k := range d.info.Kinds {
		out = append(out, strings.ToLower(k.Prefix))
	}
	return out
}

// tag adds an entity tag (RFC 9110 section 8.8.3), and its use, to the responses to a GET.
func tag(responses map[string]Response) {
	header := references("ETag")
	ok := responses["200"]
	ok.Headers = header
	responses["200"] = ok
	responses["304"] = Response{Text: "If-None-Match names the current entity tag. There " +
		"is no body.", Headers: header}
}

// references are header fields by their names in the document.
func references(names ...string) (out Ordered[*Schema]) {
	for _, name := range names {
		out = append(out, Member[*Schema]{name, &Schema{Ref: "#/components/headers/" + name}})
	}
	return out
}

// live describes an endpoint of the sidecar, with every problem that it may answer.
func (d *document) live(r api.Route) Operation {
	op := Operation{
		ID: r.Name, Method: r.Method, Path: r.Path, Tags: []string{"Live"}, Summary: r.Summary,
		Text: "A site that runs no sidecar answers 404 with the code not_found.",
		Responses: map[string]Response{"200": {Text: r.Summary,
			Content: d.content(typeJSON, r.Response)}},
	}
	for _, q := range r.Query {
		op.Parameters = append(op.Parameters, d.query(q))
	}
	if r.Request != nil {
		op.Body = &Body{Required: true, Content: d.content(typeJSON, r.Request)}
	}
	if r.Method == http.MethodGet {
		tag(op.Responses)
	}
	// An OpenAPI response has one status, and several codes may share it.
	byStatus := map[int][]api.Code{}
	for _, c := range r.Codes {
		byStatus[c.Status()] = append(byStatus[c.Status()], c)
	}
	// The order of a map does not matter: the responses are a map too.
	for status, codes := range byStatus {
		op.Responses[strconv.Itoa(status)] = d.problems(codes, r.Path, "")
	}
	return op
}

// query describes a query parameter: a number, a choice of words, or a text.
func (d *document) query(q api.Parameter) Parameter {
	p := Parameter{Name: q.Name, In: "query", Text: q.Doc, Required: q.Required,
		Example: cmp.Or(d.examples.parameters[q.Name], q.Example)}
	switch {
	case q.Values != nil: // OpenAPI cannot express that commas are accepted too
		p.Schema = &Schema{Types: Types{"array"}, Items: enum(q.Values...), MinItems: 1,
			UniqueItems: true}
		p.Style, p.Explode = "form", new(true)
	case q.Repeats:
		p.Schema = &Schema{Types: Types{"array"},
			Items:    &Schema{Types: Types{"string"}, MinLength: 1, MaxLength: q.Most},
			MaxItems: api.MostFilters}
		p.Style, p.Explode = "form", new(true)
		if one, ok := p.Example.(string); ok { // of a path
			p.Example = []string{one}
		}
	case q.Text:
		p.Schema = &Schema{Types: Types{"string"}, MaxLength: q.Most}
	default:
		p.Schema = integerFrom(q.Least)
		p.Schema.Maximum, p.Schema.Default = q.Most, q.Usual
	}
	return p
}

// problems is the response of one HTTP status with an example for each of its codes. An empty
// detail means a sentence that fits the code. A static answer has no instance and no request.
func (d *document) problems(codes []api.Code, instance, detail string) Response {
	media := Media{Schema: d.schemas.of(reflect.TypeFor[api.Problem]()),
		Examples: map[string]Example{}}
	var texts []string
	for _, c := range codes {
		p := api.NewProblem(d.info.BaseURL, c, instance, cmp.Or(detail, c.Meaning()))
		if instance != "" {
			p.RequestID = exampleRequest
		}
		media.Examples[string(c)] = Example{Value: p}
		texts = append(texts, string(c)+": "+c.Meaning())
	}
	out := Response{Text: strings.Join(texts, " "), Content: Content{typeProblem: media}}
	names := map[api.Code][]string{
		api.RateLimited: {"Retry-After", "RateLimit",
			"RateLimit-Policy"}, api.MethodNotAllowed: {"Allow"},
	}
	out.Headers = references(names[codes[0]]...)
	return out
}

// content is the schema and the example of a body. A foreign format has only its media type.
func (d *document) content(mediaType string, value any) Content {
	if value == nil {
		switch {
		case strings.HasSuffix(mediaType, "json"):
			return Content{mediaType: {Schema: anyObject()}}
		// a string would be the text in the document's element
		case strings.HasSuffix(mediaType, "xml"):
			return Content{mediaType: {}}
		}
		return Content{mediaType: {Schema: ofType("string")}}
	}
	// Operations with the same body share its schema by reference.
	media := Media{Schema: d.schemas.of(reflect.TypeOf(value))}
	if e, ok := d.examples.bodies[media.Schema.Name()]; ok {
		media.Examples = map[string]Example{"example": e}
	}
	return Content{mediaType: media}
}
