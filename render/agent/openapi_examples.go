package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// How much of a proposal's text stands in an example.
const (
	exampleSections = 2
	exampleText     = 400 // bytes of each text
	exampleForks    = 1

	exampleRequest = "9f2c6d1ab34e8075" // requestId of a live problem
)

// examples are the bodies that the document shows, by operationId, and values for its parameters.
// They are wire values, not text: the encoder that writes answers writes them too.
type examples struct {
	number   int
	locale   string
	segments map[string]string // path segments of lists, by parameter
	query    map[string]any
	bodies   map[string]exampleBody
}

type exampleBody struct {
	summary string
	value   any
}

func newExamples(info mip.SiteInfo, forks []mip.HardFork, given *Example) examples {
	if given == nil {
		given = &Example{Proposal: inventedProposal(info)}
	}
	p := excerpt(given.Proposal)
	forks = slices.Clone(forks[:min(len(forks), exampleForks)])
	if forks == nil {
		forks = []mip.HardFork{}
	}
	site := info
	site.Commit, site.CommittedAt = nil, nil
	site.Counts = mip.SiteCounts{Total: 1, ByStatus: map[string]int{string(p.Status): 1}, ByCategory: map[string]int{plain.Deref(p.Category): 1}}
	topic := exampleTopic(info, p)
	networks := exampleNetworks(info)
	summary, madeBy := given.Summary, ""
	if summary == nil {
		summary, madeBy = new(exampleImpact(p)), "Made of lines of the text; the severities are invented."
	}
	translation, oneSection := given.Translation, "A committed translation, cut to one section."
	if translation == nil {
		translation, oneSection = exampleTranslation(info, p), "A committed translation of one section; the text is invented."
	}
	translation = firstSection(translation)
	const cutText = "An excerpt: the real answer is longer."
	return examples{
		number:   p.Number,
		locale:   translation.Locale,
		segments: exampleSegments(p, forks),
		query:    map[string]any{"topicId": topic.TopicID},
		bodies: map[string]exampleBody{
			"listProposals":     {cutText, mip.List{Count: 1, UpdatedAt: p.Updated, MIPs: []mip.Summary{p.Summary}}},
			"getProposal":       {cutText, *p},
			"getSummary":        {madeBy, *summary},
			"getTranslation":    {oneSection, *translation},
			"listHardForks":     {cutText, mip.HardForks{HardForks: forks}},
			"getSite":           {"The counts are those of a site with one proposal.", site},
			"getDiagnostics":    {"What may be found in a file.", mip.Diagnostics{Problems: []mip.Problem{exampleFinding(info)}}},
			"getForumActivity":  {"A topic of the forum; the figures are invented.", topic},
			"getNetworkInfo":    {"The networks of this site; the figures are invented.", api.NetworkInfo{Networks: networks}},
			"getMIPWatch":       {"One proposal; the live figures are invented.", exampleWatch(p, topic, networks, forks)},
			"createSummary":     {madeBy, *summary},
			"createTranslation": {oneSection, answered(translation)},

			"createSummaryRequest":     {"", api.SummaryRequest{MIPNumber: p.Number}},
			"createTranslationRequest": {"", api.TranslateRequest{MIPNumber: p.Number, Locale: translation.Locale, Sections: idsOf(translation.Sections)}},
		},
	}
}

// exampleSegments are lists that the proposal is on, as far as it is on any.
func exampleSegments(p *mip.Proposal, forks []mip.HardFork) map[string]string {
	out := map[string]string{
		"s": p.Status.Slug(), "c": mip.Slug(cmp.Or(plain.Deref(p.Category), "Core")), "t": mip.Slug(cmp.Or(plain.Deref(p.Type), "Standards Track")),
		"name": "example", "login": "example",
	}
	if len(forks) > 0 {
		out["name"] = mip.Slug(forks[0].Name)
	}
	for _, a := range p.Authors {
		if slug := a.Slug(); slug != "" {
			out["login"] = slug
			break
		}
	}
	return out
}

// excerpt is a proposal with its text cut short.
func excerpt(p *mip.Proposal) *mip.Proposal {
	short := *p
	short.Translations = append([]mip.Translation{}, p.Translations...)
	short.RawMarkdown = head(p.RawMarkdown)
	short.Sections = []mip.Section{}
	for _, s := range p.Sections[:min(len(p.Sections), exampleSections)] {
		s.Markdown = head(s.Markdown)
		short.Sections = append(short.Sections, s)
	}
	return &short
}

// head is the first bytes of a text, up to the end of a line where there is one, else of a character.
func head(s string) string {
	if len(s) <= exampleText {
		return s
	}
	s = strings.ToValidUTF8(s[:exampleText], "")
	if i := strings.LastIndexByte(s, '\n'); i > 0 {
		return s[:i+1]
	}
	return s
}

// inventedProposal stands in where a site has no proposal yet.
func inventedProposal(info mip.SiteInfo) *mip.Proposal {
	text := "What a first proposal could say about the network.\n"
	first := mip.ID{Kind: info.Prefix, Number: 1}
	day := mip.Date{Year: 2026, Month: time.January, Day: 5}
	changed := mip.NewTime(day.Time())
	name, kind, category, summary := "A. Author", "Standards Track", "Core", "A proposal that stands for those to come."
	return &mip.Proposal{
		Summary: mip.Summary{
			Number: 1, ID: first, Title: "A first proposal", Description: &summary,
			Authors: []mip.Author{{Name: &name}}, Status: mip.Draft, Type: &kind, Category: &category, Created: day, Updated: &changed,
			Requires: []int{}, RequiredBy: []int{}, Replaces: []int{}, SupersededBy: []int{},
			URL: info.BaseURL + first.Page(), APIURL: info.BaseURL + "/api/v1/mips/1", MarkdownURL: info.BaseURL + mip.PageFolder(info.Prefix) + "1.md",
			ContentHash: strings.Repeat("0", 64), Frontmatter: mip.Frontmatter{strings.ToLower(info.Prefix): "1"}, Inferred: []string{},
		},
		RawMarkdown: "## Abstract\n\n" + text,
		Sections:    []mip.Section{{ID: "s-abstract", Level: 2, Title: "Abstract", Markdown: "## Abstract\n\n" + text}},
	}
}

func exampleFinding(info mip.SiteInfo) mip.Problem {
	return mip.Problem{
		Level: mip.Warning, Code: "unknown-status", File: "proposals/" + info.Prefix + "-1.md", Line: 4,
		Message: `status "Activated" is none of the known ones; it is published as written`,
	}
}

// exampleMoment is the time of all invented figures.
func exampleMoment() time.Time { return time.Date(2026, time.January, 9, 12, 0, 0, 0, time.UTC) }

// exampleTopic has a score that follows from its figures by the formula of the sidecar.
func exampleTopic(info mip.SiteInfo, p *mip.Proposal) api.ForumActivity {
	topic := 399
	if p.ForumTopicID != nil {
		topic = *p.ForumTopicID
	}
	last := mip.NewTime(exampleMoment().AddDate(0, 0, -2))
	forum := cmp.Or(plain.Deref(info.Forum), "https://forum.example.org")
	return api.ForumActivity{
		TopicID: topic, Title: plain.ProposalTitle(p.Summary), URL: fmt.Sprintf("%s/t/%d", forum, topic), ActivityScore: 67,
		Posts: 24, Replies: 23, Participants: 9, Views: 1200, Likes: 31,
		CreatedAt: mip.NewTime(exampleMoment().AddDate(0, 0, -30)), LastPostedAt: &last, FetchedAt: mip.NewTime(exampleMoment()),
	}
}

func exampleNetworks(info mip.SiteInfo) map[string]api.NetworkStatus {
	out := map[string]api.NetworkStatus{}
	const height, final = 46_810_112, 46_810_110
	for _, n := range info.Networks {
		fetched, block := mip.NewTime(exampleMoment()), mip.NewTime(exampleMoment().Add(-time.Second))
		out[n.ID] = api.NetworkStatus{
			Name: n.Name, ChainID: n.ChainID, Status: api.NetworkOK, BlockHeight: new(uint64(height)), FinalizedHeight: new(uint64(final)),
			BlockTime: &block, FetchedAt: &fetched, Recent: []api.Head{{BlockHeight: height, BlockTime: block}},
		}
	}
	return out
}

func exampleWatch(p *mip.Proposal, topic api.ForumActivity, networks map[string]api.NetworkStatus, forks []mip.HardFork) api.MIPWatch {
	fetched := mip.NewTime(exampleMoment())
	topic.Proposals = []api.ProposalRef{{Number: p.Number, ID: p.ID, Title: p.Title}}
	return api.MIPWatch{
		MIPs: []mip.Summary{p.Summary}, Forum: []api.ForumActivity{topic}, Networks: networks, HardForks: forks, Discrepancies: []api.Discrepancy{},
		Freshness: api.Freshness{MIPs: p.Updated, Forum: &fetched, Networks: &fetched, HardForks: &fetched}, Errors: map[string]api.Code{},
	}
}

// exampleImpact stands in where there is no summary: it takes its sentences from the text.
func exampleImpact(p *mip.Proposal) api.Summary {
	quotes := quotes(p)
	axis := func(s api.Severity) api.Axis {
		return api.Axis{Impact: quotes[0].Quote, Severity: s, Evidence: quotes[:1]}
	}
	points := []string{}
	for i := range 3 {
		points = append(points, quotes[i%len(quotes)].Quote)
	}
	return api.Summary{
		MIPNumber: p.Number, TLDR: cmp.Or(plain.Description(p.Summary), plain.ProposalTitle(p.Summary)), WhatsChanging: points,
		Developers: axis(api.Medium), Users: axis(api.Low), Validators: axis(api.Low), Foundation: axis(api.Low),
		GeneratedAt: mip.NewTime(exampleMoment()), ContentHash: p.ContentHash, Locale: "en", Source: "extractive",
	}
}

// quotes are lines of prose of the sections, verbatim, one at least.
func quotes(p *mip.Proposal) []api.Evidence {
	var out []api.Evidence
	for _, s := range p.Sections {
		for line := range strings.Lines(s.Markdown) {
			line = strings.TrimSpace(line)
			if line == "" || strings.ContainsAny(line[:1], "#`~|<>-*+[!:0123456789") {
				continue
			}
			out = append(out, api.Evidence{Section: s.ID, Quote: line})
		}
	}
	if out == nil {
		out = []api.Evidence{{Section: "s-abstract", Quote: plain.ProposalTitle(p.Summary)}}
	}
	return out
}

// exampleTranslation stands in where none is committed.
func exampleTranslation(info mip.SiteInfo, p *mip.Proposal) *api.PublishedTranslation {
	locale := "ko"
	if len(info.Locales) > 0 {
		locale = info.Locales[0]
	}
	t := &api.PublishedTranslation{
		MIPNumber: p.Number, Locale: locale, Title: p.Title + " (" + locale + ")", Description: p.Description, Sections: []mip.Section{},
		ContentHash: p.ContentHash, GeneratedAt: mip.NewTime(exampleMoment()), Source: "file",
	}
	for _, s := range p.Sections {
		t.Sections = append(t.Sections, mip.Section{ID: s.ID, Level: s.Level, Title: s.Title + " (" + locale + ")", Markdown: "## …\n"})
	}
	return t
}

// firstSection is a translation without the rest.
func firstSection(t *api.PublishedTranslation) *api.PublishedTranslation {
	short := *t
	short.Sections = short.Sections[:min(len(short.Sections), 1)]
	return &short
}

// answered is a committed translation as /api/ai-translate gives it.
func answered(t *api.PublishedTranslation) api.Translation {
	out := api.Translation{
		MIPNumber: t.MIPNumber, Locale: t.Locale, Title: t.Title, Description: t.Description,
		ContentHash: t.ContentHash, GeneratedAt: t.GeneratedAt, Source: t.Source, Stale: t.Stale,
	}
	for _, s := range t.Sections {
		out.Markdown += s.Markdown
	}
	return out
}

func idsOf(sections []mip.Section) []string {
	var out []string
	for _, s := range sections {
		out = append(out, s.ID)
	}
	return out
}
