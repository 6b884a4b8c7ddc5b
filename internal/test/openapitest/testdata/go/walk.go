// Command walk requests everything that a site answers, through a client that oapi-codegen made
// from its OpenAPI document. It prints operation and status of each answer that was decoded without
// loss.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"
)

// arguments are the command's input.
var arguments struct {
	// Bases are the address of the site without faults, named sound, and of others by their fault.
	Bases map[string]string
	// Examples are the document's examples of parameters.
	Examples struct {
		N, TopicID, Year                                            int
		Locale, Skill, Status, Category, Type, Name, Login, Role, Q string
	}
}

// call makes one request. The value is a pointer to a response of the client.
type call func(c *ClientWithResponses, edits ...RequestEditorFn) (any, error)

var background = context.Background()

func main() {
	if err := json.Unmarshal([]byte(os.Args[1]), &arguments); err != nil {
		fail("%v", err)
	}
	sound := client("sound")
	proposals := proposals(sound)
	for name, calls := range static(proposals) {
		for _, ask := range calls {
			response := check(name, ask, sound)
			check(name, ask, sound, field("If-None-Match", response.Header.Get("ETag")))
		}
		check(name, calls[0], client("empty"))
	}
	for name, calls := range live(proposals) {
		for _, ask := range calls {
			response := check(name, ask, sound)
			if tag := response.Header.Get("ETag"); tag != "" {
				check(name, ask, sound, field("If-None-Match", tag))
			}
		}
		for _, base := range []string{"empty", "busy", "busy", "closed"} {
			check(name, calls[0], client(base))
		}
		for _, ask := range calls {
			check(name, ask, client("down"))
			check(name, ask, client("late"))
		}
		for _, wrong := range []RequestEditorFn{
			func(_ context.Context, r *http.Request) error {
				r.Method = http.MethodPut
				return nil
			},
			func(_ context.Context, r *http.Request) error {
				r.URL.RawQuery = "topicId=0&parts=0"
				return nil
			},
			body("{}"), body(strings.Repeat(" ", 1<<20)), field("Content-Type", "text/plain"),
		} {
			check(name, calls[0], sound, wrong)
		}
	}
}

// client is the client of a base.
func client(name string) *ClientWithResponses {
	c, err := NewClientWithResponses(arguments.Bases[name])
	if err != nil {
		fail("%v", err)
	}
	return c
}

// field sets a header field.
func field(name, value string) RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set(name, value)
		return nil
	}
}

// body replaces the body of a request that has one.
func body(text string) RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		if r.Body != nil {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
		}
		return nil
	}
}

// decoded matches the name of a response's field with a body, and its status.
var decoded = regexp.MustCompile(`(JSON|XML)(\d{3})$`)

// check makes a request, and compares the decoded value with the answer: encoded again, it is the
// same JSON.
func check(name string, ask call, c *ClientWithResponses, edits ...RequestEditorFn) *http.Response {
	out, err := ask(c, edits...)
	if err != nil {
		fail("%s: %v", name, err)
	}
	v := reflect.ValueOf(out).Elem()
	response, raw := v.FieldByName("HTTPResponse").Interface().(*http.Response),
		v.FieldByName("Body").Bytes()
	found := 0
	for f, value := range v.Fields() {
		m := decoded.FindStringSubmatch(f.Name)
		if m == nil || value.IsNil() {
			continue
		}
		found++
		again, err := json.Marshal(value.Interface())
		if err != nil || m[2] != fmt.Sprint(response.StatusCode) ||
			!reflect.DeepEqual(read(again), read(raw)) {
			fail("%s: %s of a %d is %s, %v, of %s", name, f.Name, response.StatusCode, again,
				err, raw)
		}
	}
	isJSON := strings.Contains(response.Header.Get("Content-Type"), "json")
	if isJSON != (found == 1) {
		fail("%s: %d bodies decoded of a %d, %s", name, found, response.StatusCode, raw)
	}
	if empty := len(raw) == 0; empty != (response.StatusCode == http.StatusNotModified) {
		fail("%s: a %d of %d bytes", name, response.StatusCode, len(raw))
	}
	fmt.Println(name, response.StatusCode)
	return response
}

// read parses JSON and keeps the digits of numbers.
func read(raw []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		fail("%v in %s", err, raw)
	}
	return v
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

// proposals returns the site's proposals one by one.
func proposals(c *ClientWithResponses) (all []Proposal) {
	list, err := c.ListProposalsWithResponse(background)
	if err != nil || list.JSON200 == nil {
		fail("no list of proposals: %v", err)
	}
	for _, p := range list.JSON200.Mips {
		one, err := c.GetProposalWithResponse(background, p.Number)
		if err != nil || one.JSON200 == nil {
			fail("no proposal %d: %v", p.Number, err)
		}
		all = append(all, *one.JSON200)
	}
	return all
}

// none returns the call of an operation without arguments.
func none[R any](
	f func(*ClientWithResponses, context.Context, ...RequestEditorFn) (*R, error),
) []call {
	return []call{func(c *ClientWithResponses, edits ...RequestEditorFn) (any, error) {
		return f(c, background, edits...)
	}}
}

// each returns the calls of an operation with these arguments.
func each[A, R any](
	f func(*ClientWithResponses, context.Context, A, ...RequestEditorFn) (*R, error),
	arguments ...A,
) (calls []call) {
	for _, a := range arguments {
		calls = append(calls, func(c *ClientWithResponses, edits ...RequestEditorFn) (any, error) {
			return f(c, background, a, edits...)
		})
	}
	return calls
}

// static returns the calls of the operations that answer with a file. The first of each has the
// examples' arguments.
func static(proposals []Proposal) map[string][]call {
	type client = ClientWithResponses
	x := arguments.Examples
	translation := func(n int, locale string) call {
		return func(c *client, edits ...RequestEditorFn) (any, error) {
			return c.GetTranslationWithResponse(background, n, locale, edits...)
		}
	}
	numbers, translated := []int{x.N}, []call{translation(x.N, x.Locale)}
	for _, p := range proposals {
		numbers = append(numbers, p.Number)
		for _, t := range p.Translations {
			translated = append(translated, translation(p.Number, t.Locale))
		}
	}
	return map[string][]call{
		"listProposals":       none((*client).ListProposalsWithResponse),
		"getSearchIndex":      none((*client).GetSearchIndexWithResponse),
		"getIndex":            none((*client).GetIndexWithResponse),
		"getProposal":         each((*client).GetProposalWithResponse, numbers...),
		"getSummary":          each((*client).GetSummaryWithResponse, numbers...),
		"getTranslation":      translated,
		"getHistory":          each((*client).GetHistoryWithResponse, numbers...),
		"listHardForks":       none((*client).ListHardForksWithResponse),
		"getRole":             each((*client).GetRoleWithResponse, GetRoleParamsRole(x.Role)),
		"listEvents":          none((*client).ListEventsWithResponse),
		"listEventsOfYear":    each((*client).ListEventsOfYearWithResponse, x.Year),
		"getSite":             none((*client).GetSiteWithResponse),
		"getDiagnostics":      none((*client).GetDiagnosticsWithResponse),
		"getProposalMarkdown": each((*client).GetProposalMarkdownWithResponse, numbers...),
		"getUpgradeMarkdown":  each((*client).GetUpgradeMarkdownWithResponse, x.Name),
		"getRSS":              none((*client).GetRSSWithResponse),
		"getAtom":             none((*client).GetAtomWithResponse),
		"getJSONFeed":         none((*client).GetJSONFeedWithResponse),
		"getChangesRSS":       none((*client).GetChangesRSSWithResponse),
		"getChangesAtom":      none((*client).GetChangesAtomWithResponse),
		"getChangesJSONFeed":  none((*client).GetChangesJSONFeedWithResponse),
		"getStatusAtom":       each((*client).GetStatusAtomWithResponse, x.Status),
		"getCategoryAtom":     each((*client).GetCategoryAtomWithResponse, x.Category),
		"getTypeAtom":         each((*client).GetTypeAtomWithResponse, x.Type),
		"getUpgradeAtom":      each((*client).GetUpgradeAtomWithResponse, x.Name),
		"getAuthorAtom":       each((*client).GetAuthorAtomWithResponse, x.Login),
		"getProposalAtom":     each((*client).GetProposalAtomWithResponse, x.N),
		"getCalendar":         none((*client).GetCalendarWithResponse),
		"getUpgradeCalendar":  each((*client).GetUpgradeCalendarWithResponse, x.Name),
		"getRoleCalendar": each((*client).GetRoleCalendarWithResponse,
			GetRoleCalendarParamsRole(x.Role)),
		"getLLMs":     none((*client).GetLLMsWithResponse),
		"getLLMsFull": none((*client).GetLLMsFullWithResponse),
		"getSkill":    none((*client).GetSkillWithResponse),
		"listSkills":  none((*client).ListSkillsWithResponse),
		"getSkillFile": each((*client).GetSkillFileWithResponse,
			GetSkillFileParamsSkill(x.Skill)),
		"getOpenAPI":    none((*client).GetOpenAPIWithResponse),
		"getAPICatalog": none((*client).GetAPICatalogWithResponse),
		"getSitemap":    none((*client).GetSitemapWithResponse),
		"getRobots":     none((*client).GetRobotsWithResponse),
	}
}

// live returns the calls of the sidecar's operations, with proposals in each spelling.
func live(proposals []Proposal) map[string][]call {
	type client = ClientWithResponses
	topics := []*GetForumActivityParams{{TopicId: arguments.Examples.TopicID}}
	var summaries []SummaryRequest
	translations := []TranslateRequest{{Locale: arguments.Examples.Locale}}
	translations[0].MipNumber.FromMIPNumber0(arguments.Examples.N)
	for i, p := range proposals {
		if p.ForumTopicId != nil {
			topics = append(topics, &GetForumActivityParams{TopicId: *p.ForumTopicId})
		}
		var name MIPNumber
		switch i % 3 {
		case 0:
			name.FromMIPNumber0(p.Number)
		case 1:
			name.FromMIPNumber1(fmt.Sprint(p.Number))
		case 2:
			name.FromMIPNumber1(p.Id)
		}
		summaries = append(summaries, SummaryRequest{MipNumber: name})
		translations = append(translations,
			TranslateRequest{MipNumber: name, Locale: arguments.Examples.Locale})
	}
	parts := []GetMIPWatchParamsParts{Forum, Networks}
	limit, statuses := 50, []string{arguments.Examples.Status, "draft"}
	searches := []*SearchProposalsParams{{Q: arguments.Examples.Q},
		{Limit: &limit, Status: &statuses}}
	for _, p := range proposals {
		searches = append(searches, &SearchProposalsParams{Q: p.Title})
	}
	return map[string][]call{
		"searchProposals":  each((*client).SearchProposalsWithResponse, searches...),
		"getForumActivity": each((*client).GetForumActivityWithResponse, topics...),
		"getNetworkInfo":   none((*client).GetNetworkInfoWithResponse),
		"getMIPWatch": each((*client).GetMIPWatchWithResponse, nil,
			&GetMIPWatchParams{Parts: &parts}),
		"createSummary":     each((*client).CreateSummaryWithResponse, summaries...),
		"createTranslation": each((*client).CreateTranslationWithResponse, translations...),
	}
}
