package agent

import (
	"cmp"
	"maps"
	"net/http"
	"reflect"
	"slices"
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

// OpenAPI is the OpenAPI 3.1.1 document of every endpoint, static and live, as JSON. Schemas come from
// the wire structs, so they cannot drift from what is sent. example is what examples speak of; nil, for a
// site without proposals, gives an invented one. What changes with every commit
// (the commit itself, the counts) is left out of the examples, so that the document changes only when
// the example proposal, a hard fork or the site's own settings do.
func OpenAPI(info mip.SiteInfo, forks []mip.HardFork, example *Example) ([]byte, error) {
	d := &document{info: info, schemas: &schemas{named: map[string]object{}}, examples: newExamples(info, forks, example)}
	var paths object
	for _, r := range StaticRoutes() {
		paths = append(paths, member{r.Pattern, object{{"get", d.static(r)}}})
	}
	for _, r := range api.Routes() {
		paths = append(paths, member{r.Path, object{{strings.ToLower(r.Method), d.live(r)}}})
	}
	d.schemas.define(reflect.TypeFor[api.Problem]())
	return api.JSON(object{
		{"openapi", "3.1.1"},
		{"info", object{{"title", plain.SiteTitle(info)}, {"version", "1"}, {"description", documentText(info)}}},
		{"servers", []object{{{"url", info.BaseURL}}}},
		{"tags", []object{
			{{"name", tagStatic}, {"description", "Files: what follows from the proposals' texts. Always answered."}},
			{{"name", tagLive}, {"description", "Answered where the site runs its sidecar; elsewhere a 404 problem with the code not_found."}},
			{{"name", tagAgents}, {"description", "The same content for feed readers, crawlers and agents."}},
		}},
		{"paths", paths},
		{"components", object{{"schemas", sorted(d.schemas.named)}, {"headers", headers()}}},
	})
}

func documentText(info mip.SiteInfo) string {
	text := "The improvement proposals published at " + info.BaseURL + "/ and the live figures around them. Answers are UTF-8 and allow every origin; " +
		"times are RFC 3339 in UTC; lists are never null; a value that a proposal's header does not state is null. New fields may appear."
	if d := plain.OneLine(info.Description); d != "" {
		return d + " " + text
	}
	return text
}

func sorted(m map[string]object) object {
	var out object
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, member{k, m[k]})
	}
	return out
}

func (d *document) static(r StaticRoute) object {
	tag := tagAgents
	if strings.HasPrefix(r.Pattern, "/api/") || r.Type == typeMarkdown && strings.HasPrefix(r.Pattern, "/mip/") {
		tag = tagStatic
	}
	op := operation(r.Name, tag, r.Summary, "")
	responses := object{{"200", object{
		{"description", r.Summary},
		{"content", object{{r.Type, d.content(r.Type, r.Response, r.Name)}}},
	}}}
	var parameters []object
	for _, part := range strings.Split(r.Pattern, "{")[1:] {
		name, _, _ := strings.Cut(part, "}")
		parameters = append(parameters, d.parameter(name))
	}
	if parameters != nil {
		op = append(op, member{"parameters", parameters})
		responses = append(responses, d.missing(r))
	}
	return append(op, member{"responses", responses})
}

// parameter describes the variable part of a static address.
func (d *document) parameter(name string) object {
	switch name {
	case "n":
		return pathParameter(name, "The proposal's number, without leading zeros.", object{{"type", "integer"}, {"minimum", 0}}, d.examples.number)
	case "locale":
		return pathParameter(name, "One of the site's locales, as the site writes it.", object{{"type", "string"}}, d.examples.locale)
	case "skill":
		skill := SkillName(d.info)
		return pathParameter(name, "The skill's name, from the index.", enum(skill), skill)
	}
	doc := map[string]string{
		"s": "A status", "c": "A category", "t": "A type", "name": "A hard fork's name", "login": "An author's GitHub login",
	}[name] + " in lower case; what is no letter or digit becomes one hyphen."
	return pathParameter(name, doc, object{{"type", "string"}}, d.examples.segments[name])
}

// missing is the 404 of a static address: a problem below /api, a page elsewhere.
func (d *document) missing(r StaticRoute) member {
	if strings.HasPrefix(r.Pattern, "/api/") {
		return member{"404", d.problems([]api.Code{api.NotFound}, "", notFoundDetail(d.info))}
	}
	return member{"404", object{
		{"description", "There is no such file; the body is a page for people."},
		{"content", object{{typeHTML, object{{"schema", object{{"type", "string"}}}}}}},
	}}
}

func (d *document) live(r api.Route) object {
	op := operation(r.Name, tagLive, r.Summary, "A site that runs no sidecar answers 404 with the code not_found.")
	var parameters []object
	for _, q := range r.Query {
		p := object{{"name", q.Name}, {"in", "query"}, {"description", q.Doc}, {"required", q.Required}}
		if q.Values != nil { // form without explode is the style with commas
			p = append(p, object{{"style", "form"}, {"explode", false}, {"schema", object{
				{"type", "array"}, {"items", enum(q.Values...)}, {"minItems", 1}, {"uniqueItems", true},
			}}}...)
		} else {
			p = append(p, member{"schema", object{{"type", "integer"}, {"minimum", 1}}})
		}
		parameters = append(parameters, append(p, member{"example", cmp.Or(d.examples.query[q.Name], q.Example)}))
	}
	if parameters != nil {
		op = append(op, member{"parameters", parameters})
	}
	if r.Request != nil {
		op = append(op, member{"requestBody", object{
			{"required", true},
			{"content", object{{typeJSON, d.content(typeJSON, r.Request, r.Name+"Request")}}},
		}})
	}
	responses := object{{"200", object{
		{"description", r.Summary},
		{"content", object{{typeJSON, d.content(typeJSON, r.Response, r.Name)}}},
	}}}
	if r.Method == http.MethodGet {
		responses = append(responses, member{"304", object{{"description", "If-None-Match names the current entity tag. There is no body."}}})
	}
	return append(op, member{"responses", append(responses, d.failures(r)...)})
}

// failures groups a route's codes by HTTP status: an OpenAPI response has one status.
func (d *document) failures(r api.Route) object {
	byStatus := map[int][]api.Code{}
	for _, c := range r.Codes {
		byStatus[c.Status()] = append(byStatus[c.Status()], c)
	}
	var out object
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		out = append(out, member{strconv.Itoa(status), d.problems(byStatus[status], r.Path, "")})
	}
	return out
}

// problems is the response of one HTTP status with an example for each of its codes. An empty detail
// means a sentence that fits the code.
func (d *document) problems(codes []api.Code, instance, detail string) object {
	var samples object
	var texts []string
	for _, c := range codes {
		p := api.NewProblem(d.info.BaseURL, c, instance, cmp.Or(detail, problemDetail(c)))
		if instance != "" {
			p.RequestID = exampleRequest
		}
		samples = append(samples, member{string(c), object{{"value", p}}})
		texts = append(texts, string(c)+": "+problemDetail(c))
	}
	response := object{{"description", strings.Join(texts, " ")}}
	switch codes[0].Status() {
	case http.StatusTooManyRequests:
		response = append(response, member{"headers", object{headerRef("Retry-After"), headerRef("RateLimit"), headerRef("RateLimit-Policy")}})
	case http.StatusMethodNotAllowed:
		response = append(response, member{"headers", object{headerRef("Allow")}})
	}
	return append(response, member{"content", object{{typeProblem, object{
		{"schema", d.schemas.ref(reflect.TypeFor[api.Problem]())}, {"examples", samples},
	}}}})
}

// content is schema and example of a body; bodies of formats that are not ours are described by
// their media type alone.
func (d *document) content(mediaType string, value any, name string) object {
	if value == nil {
		kind := "string"
		if strings.HasSuffix(mediaType, "json") {
			kind = "object"
		}
		return object{{"schema", object{{"type", kind}}}}
	}
	out := object{{"schema", d.schemas.ref(reflect.TypeOf(value))}}
	if e, ok := d.examples.bodies[name]; ok {
		sample := object{{"value", e.value}}
		if e.summary != "" {
			sample = object{{"summary", e.summary}, {"value", e.value}}
		}
		out = append(out, member{"examples", object{{"example", sample}}})
	}
	return out
}

func operation(id, tag, summary, note string) object {
	op := object{{"operationId", id}, {"tags", []string{tag}}, {"summary", summary}}
	if note != "" {
		op = append(op, member{"description", note})
	}
	return op
}

func pathParameter(name, doc string, schema object, example any) object {
	return object{{"name", name}, {"in", "path"}, {"description", doc}, {"required", true}, {"schema", schema}, {"example", example}}
}

func headerRef(name string) member {
	return member{name, object{{"$ref", "#/components/headers/" + name}}}
}

func headers() object {
	text := object{{"type", "string"}}
	return object{
		{"Allow", object{{"description", "The methods that the address answers."}, {"schema", text}, {"example", "GET, HEAD, OPTIONS"}}},
		{"RateLimit", object{{"description", "What is left of the limit (r) and the seconds until it is full again (t)."}, {"schema", text}, {"example", `"default";r=0;t=42`}}},
		{"RateLimit-Policy", object{{"description", "The limit: so many requests (q) in so many seconds (w)."}, {"schema", text}, {"example", `"default";q=10;w=60`}}},
		{"Retry-After", object{{"description", "Seconds to wait."}, {"schema", object{{"type", "integer"}, {"minimum", 1}}}, {"example", 42}}},
	}
}
