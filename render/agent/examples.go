package agent

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// examplesData has an invented answer by the name of each schema that is a whole answer. {prefix}
// and {page} stand for the site's prefix and the folder of its pages, {api} for the route of the
// first proposal.
//
//go:embed data/examples.json
var examplesData string

const exampleRequest = "9f2c6d1ab34e8075" // requestId of a live problem

// examples are the example values of the document: parameters by their name, and bodies by the name
// of their schema.
type examples struct {
	parameters map[string]any
	bodies     map[string]Example
}

// newExamples makes the examples of a site. The examples of parameters and requests name subject,
// so that they work on the site. subject is nil for a site without proposals.
func newExamples(info mip.Site, forks []mip.HardFork, subject *mip.Proposal) examples {
	p := mip.Proposal{Metadata: mip.Metadata{Number: 1, ID: mip.ID{Kind: info.Prefix, Number: 1}}}
	p.Status = mip.Draft
	if subject != nil {
		p = *subject
	}
	locales := append(slices.Clone(info.Locales), "ko")
	if len(p.Translations) > 0 {
		locales[0] = p.Translations[0].Locale
	}
	e := examples{exampleParameters(info, p, forks, locales[0]), map[string]Example{}}
	text := strings.NewReplacer("{prefix}", inJSON(info.Prefix),
		"{page}", inJSON(mip.PageFolder(info.Prefix)),
		"{api}", info.Host.Route("/api/v1/mips/1")).Replace(examplesData)
	var bodies map[string]json.RawMessage
	// The file is embedded, so every test would notice a broken one.
	if err := json.Unmarshal([]byte(text), &bodies); err != nil {
		panic("data/examples.json: " + err.Error())
	}
	for name, body := range bodies {
		e.bodies[name] = Example{"An invented answer.", body}
	}
	for _, request := range []any{
		api.SummaryRequest{MIPNumber: p.Number},
		api.TranslateRequest{MIPNumber: p.Number, Locale: locales[0]},
	} {
		e.bodies[schemaName(reflect.TypeOf(request))] = Example{Value: request}
	}
	return e
}

// inJSON is a text in the form between the quotes of a JSON string.
func inJSON(s string) string {
	text, _ := json.Marshal(s) // a string can be encoded
	return string(text[1 : len(text)-1])
}

// exampleParameters name the proposal, and its lists if it is on any.
func exampleParameters(
	info mip.Site, p mip.Proposal, forks []mip.HardFork, locale string,
) map[string]any {
	// Use existing lists if possible.
	out := map[string]any{
		"n": p.Number, "kind": strings.ToLower(p.ID.Kind), "locale": locale,
		"skill": SkillName(info), "status": p.Status.Slug(),
		"category": mip.Slug(cmp.Or(mip.Deref(p.Category), "Core")),
		"type":     mip.Slug(cmp.Or(mip.Deref(p.Type), "Standards Track")),
		"topicId":  399, "year": 2026, "name": "example", "login": "example",
		"role": api.Roles()[0],
	}
	if p.ForumTopicID != nil {
		out["topicId"] = *p.ForumTopicID
	}
	if p.Updated != nil {
		out["year"] = p.Updated.UTC().Year()
	}
	if len(forks) > 0 {
		out["name"] = mip.Slug(forks[0].Name)
	}
	if i := slices.IndexFunc(p.Authors, func(a mip.Author) bool { return a.Slug() != "" }); i >= 0 {
		out["login"], out["author"] = p.Authors[i].Slug(), p.Authors[i].Slug()
	}
	return out
}
