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

const (
	exampleSections = 2   // of a proposal's text
	exampleText     = 400 // bytes of each text
	exampleForks    = 1

	exampleRequest = "9f2c6d1ab34e8075" // requestId of a live problem
)

// Subject is the proposal that the examples speak of.
type Subject struct {
	Proposal    *mip.Proposal
	Summary     *api.Summary              // of it
	Translation *api.PublishedTranslation // of it; nil: one is invented
}

// examples are the values that the document shows: of parameters by their name, and of bodies by operationId, those of
// requests with "Request" after it.
type examples struct {
	parameters map[string]any
	bodies     map[string]Example
}

// newExamples makes the examples of a site. The proposal is cut short, and values that the subject lacks are invented.
func newExamples(info mip.SiteInfo, forks []mip.HardFork, subject *Subject) examples {
	madeBy := ""
	if subject == nil {
		subject, madeBy = inventedSubject(info), "Made of lines of the text; the severities are invented."
	}
	p := excerpt(subject.Proposal)
	forks = append([]mip.HardFork{}, forks[:min(len(forks), exampleForks)]...)
	// The commit and the counts change with every commit; the document does not.
	site := info
	site.Commit, site.CommittedAt = nil, nil
	site.Counts = mip.SiteCounts{
		Total: 1, ByStatus: map[string]int{string(p.Status): 1}, ByCategory: map[string]int{plain.Deref(p.Category): 1},
	}
	topic, networks := exampleTopic(info, p), exampleNetworks(info)
	translation, oneSection := subject.Translation, "A committed translation, cut to one section."
	if translation == nil {
		translation, oneSection = exampleTranslation(info, p), "A committed translation of one section; the text is invented."
	}
	// One section is enough to show the form.
	published := *translation
	published.Sections = published.Sections[:min(len(published.Sections), 1)]
	answer := api.Translation{
		MIPNumber: published.MIPNumber, Locale: published.Locale, Title: published.Title, Description: published.Description,
		ContentHash: published.ContentHash, GeneratedAt: published.GeneratedAt, Source: published.Source, Stale: published.Stale,
	}
	var sections []string
	for _, s := range published.Sections {
		answer.Markdown += s.Markdown
		sections = append(sections, s.ID)
	}
	finding := mip.Problem{
		Level: mip.Warning, Code: "unknown-status", File: "proposals/" + info.Prefix + "-1.md", Line: 4,
		Message: `status "Activated" is none of the known ones; it is published as written`,
	}
	const cutText = "An excerpt: the real answer is longer."
	return examples{
		parameters: exampleParameters(info, p, forks, published.Locale, topic.TopicID),
		bodies: map[string]Example{
			"listProposals":     {cutText, mip.List{Count: 1, UpdatedAt: p.Updated, MIPs: []mip.Summary{p.Summary}}},
			"getProposal":       {cutText, p},
			"getSummary":        {madeBy, subject.Summary},
			"getTranslation":    {oneSection, published},
			"listHardForks":     {cutText, mip.HardForks{HardForks: forks}},
			"getSite":           {"The counts are those of a site with one proposal.", site},
			"getDiagnostics":    {"What may be found in a file.", mip.Diagnostics{Problems: []mip.Problem{finding}}},
			"getForumActivity":  {"A topic of the forum; the figures are invented.", topic},
			"getNetworkInfo":    {"The networks of this site; the figures are invented.", api.NetworkInfo{Networks: networks}},
			"getMIPWatch":       {"One proposal; the live figures are invented.", exampleWatch(p, topic, networks, forks)},
			"createSummary":     {madeBy, subject.Summary},
			"createTranslation": {oneSection, answer},

			"createSummaryRequest":     {"", api.SummaryRequest{MIPNumber: p.Number}},
			"createTranslationRequest": {"", api.TranslateRequest{MIPNumber: p.Number, Locale: published.Locale, Sections: sections}},
		},
	}
}

// exampleParameters name the proposal, and lists that it is on as far as it is on any.
func exampleParameters(info mip.SiteInfo, p *mip.Proposal, forks []mip.HardFork, locale string, topic int) map[string]any {
	// Examples of lists lead to lists that the site has, where it can.
	out := map[string]any{
		"n": p.Number, "locale": locale, "skill": SkillName(info), "topicId": topic, "s": p.Status.Slug(),
		"c":    mip.Slug(cmp.Or(plain.Deref(p.Category), "Core")),
		"t":    mip.Slug(cmp.Or(plain.Deref(p.Type), "Standards Track")),
		"name": "example", "login": "example",
	}
	if len(forks) > 0 {
		out["name"] = mip.Slug(forks[0].Name)
	}
	if i := slices.IndexFunc(p.Authors, func(a mip.Author) bool { return a.Slug() != "" }); i >= 0 {
		out["login"] = p.Authors[i].Slug()
	}
	return out
}

// excerpt is a proposal with its text cut short.
func excerpt(p *mip.Proposal) *mip.Proposal {
	// The proposal is the site's own, so its fields are copied and not changed.
	short := *p
	short.Translations = append([]mip.Translation{}, p.Translations...)
	short.RawMarkdown = firstLines(p.RawMarkdown)
	short.Sections = []mip.Section{}
	for _, s := range p.Sections[:min(len(p.Sections), exampleSections)] {
		s.Markdown = firstLines(s.Markdown)
		short.Sections = append(short.Sections, s)
	}
	return &short
}

// firstLines is the beginning of a text, up to the end of a line where there is one, else of a character.
func firstLines(s string) string {
	if len(s) <= exampleText {
		return s
	}
	// The cut may have left a part of a character.
	s = strings.ToValidUTF8(s[:exampleText], "")
	if i := strings.LastIndexByte(s, '\n'); i > 0 {
		return s[:i+1]
	}
	return s
}

// inventedSubject is the subject of a site that has no proposal yet.
func inventedSubject(info mip.SiteInfo) *Subject {
	const about, sentence = "A proposal that stands for those to come.", "What a first proposal could say about the network."
	text := "## Abstract\n\n" + sentence + "\n"
	id, day := mip.ID{Kind: info.Prefix, Number: 1}, mip.Date{Year: 2026, Month: time.January, Day: 5}
	p := &mip.Proposal{
		Summary: mip.Summary{
			Number: 1, ID: id, Title: "A first proposal", Description: new(about),
			Authors: []mip.Author{{Name: new("A. Author")}}, Status: mip.Draft, Type: new("Standards Track"), Category: new("Core"),
			Created: day, Updated: new(mip.NewTime(day.Time())),
			Requires: []int{}, RequiredBy: []int{}, Replaces: []int{}, SupersededBy: []int{},
			URL: info.BaseURL + id.Page(), APIURL: info.BaseURL + "/api/v1/mips/1",
			MarkdownURL: info.BaseURL + mip.PageFolder(id.Kind) + "1.md",
			ContentHash: strings.Repeat("0", 64), Frontmatter: mip.Frontmatter{strings.ToLower(info.Prefix): "1"}, Inferred: []string{},
		},
		RawMarkdown: text,
		Sections:    []mip.Section{{ID: "s-abstract", Level: 2, Title: "Abstract", Markdown: text}},
	}
	axis := func(s api.Severity) api.Axis {
		return api.Axis{Impact: sentence, Severity: s, Evidence: []api.Evidence{{Section: "s-abstract", Quote: sentence}}}
	}
	return &Subject{Proposal: p, Summary: &api.Summary{
		MIPNumber: p.Number, TLDR: about, WhatsChanging: []string{sentence, sentence, sentence},
		Developers: axis(api.Medium), Users: axis(api.Low), Validators: axis(api.Low), Foundation: axis(api.Low),
		GeneratedAt: mip.NewTime(exampleMoment()), ContentHash: p.ContentHash, Locale: "en", Source: "extractive",
	}}
}

// exampleMoment is the time of all invented figures.
func exampleMoment() time.Time { return time.Date(2026, time.January, 9, 12, 0, 0, 0, time.UTC) }

// exampleTopic has a score that follows from its figures by the formula of the sidecar.
func exampleTopic(info mip.SiteInfo, p *mip.Proposal) api.ForumActivity {
	topic := 399
	if p.ForumTopicID != nil {
		topic = *p.ForumTopicID
	}
	// The last post is younger than the topic and older than the look at it.
	forum, last := cmp.Or(plain.Deref(info.Forum), "https://forum.example.org"), mip.NewTime(exampleMoment().AddDate(0, 0, -2))
	return api.ForumActivity{
		TopicID: topic, Title: plain.ProposalTitle(p.Summary), URL: fmt.Sprintf("%s/t/%d", forum, topic), ActivityScore: 67,
		Posts: 24, Replies: 23, Participants: 9, Views: 1200, Likes: 31,
		CreatedAt: mip.NewTime(exampleMoment().AddDate(0, 0, -30)), LastPostedAt: &last, FetchedAt: mip.NewTime(exampleMoment()),
	}
}

// exampleNetworks gives every network of the site the same invented head, a block below which is final.
func exampleNetworks(info mip.SiteInfo) map[string]api.NetworkStatus {
	// The latest block of a chain is some blocks ahead of the one that is final.
	const height, final = uint64(46_810_112), uint64(46_810_110)
	fetched, block := mip.NewTime(exampleMoment()), mip.NewTime(exampleMoment().Add(-time.Second))
	out := map[string]api.NetworkStatus{}
	for _, n := range info.Networks {
		out[n.ID] = api.NetworkStatus{
			Name: n.Name, ChainID: n.ChainID, Status: api.NetworkOK, BlockHeight: new(height), FinalizedHeight: new(final),
			BlockTime: &block, FetchedAt: &fetched, Recent: []api.Head{{BlockHeight: height, BlockTime: block}},
		}
	}
	return out
}

// exampleWatch is the answer of /api/mip-watch with all its parts, made of the other examples.
func exampleWatch(
	p *mip.Proposal, topic api.ForumActivity, networks map[string]api.NetworkStatus, forks []mip.HardFork,
) api.MIPWatch {
	fetched := mip.NewTime(exampleMoment())
	topic.Proposals = []api.ProposalRef{{Number: p.Number, ID: p.ID, Title: p.Title}}
	return api.MIPWatch{
		MIPs: []mip.Summary{p.Summary}, Forum: []api.ForumActivity{topic}, Networks: networks, HardForks: forks,
		Discrepancies: []api.Discrepancy{}, Errors: map[string]api.Code{},
		Freshness: api.Freshness{MIPs: p.Updated, Forum: &fetched, Networks: &fetched, HardForks: &fetched},
	}
}

// exampleTranslation marks the titles of the proposal with the first locale of the site. The text is invented.
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
