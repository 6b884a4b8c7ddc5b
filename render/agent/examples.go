package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/search"
	"github.com/mipwatch/mipwatch/render/plain"
)

const (
	exampleSections = 2   // of a proposal's text
	exampleText     = 400 // bytes of each text
	exampleForks    = 1

	exampleCommit  = "5f0c7127c1a4be2d1f6a0b3c9d8e7f6a5b4c3d2e" // of an event
	exampleRequest = "9f2c6d1ab34e8075"                         // requestId of a live problem
)

// Subject is the proposal that the examples speak of.
type Subject struct {
	Proposal    *mip.Proposal
	Summary     *api.Summary              // of it
	Translation *api.PublishedTranslation // of it; nil: one is invented
}

// inventions are the figures of live examples, and the proposal of a site that has none yet. They
// name no site.
type inventions struct {
	Proposal mip.Proposal
	Summary  api.Summary // of Proposal
	// Topic has a score that follows from its figures by the formula of the sidecar.
	Topic   api.ForumActivity
	Network api.NetworkStatus
	Finding mip.Problem
}

// examples are the values that the document shows: of parameters by their name, and of bodies by
// operationId, those of requests with "Request" after it.
type examples struct {
	parameters map[string]any
	bodies     map[string]Example
}

// newExamples makes the examples of a site. The proposal is cut short, and values that the subject
// lacks are invented.
func newExamples(info mip.Site, forks []mip.HardFork, subject *Subject) examples {
	invented, madeBy := fixed().Examples, ""
	if subject == nil {
		subject, madeBy = inventedSubject(info), "Made of lines of the text; the severities are invented."
	}
	p := excerpt(subject.Proposal)
	forks = append([]mip.HardFork{}, forks[:min(len(forks), exampleForks)]...)
	// The commit and the counts change with every commit; the document does not.
	site := mip.SiteInfo{Site: info, Counts: mip.SiteCounts{
		Total: 1, ByKind: map[string]int{p.ID.Kind: 1}, ByStatus: map[string]int{string(p.Status): 1}, ByCategory: map[string]int{mip.Deref(p.Category): 1},
	}}
	translation, oneSection := subject.Translation, "A committed translation, cut to one section."
	if translation == nil {
		translation = exampleTranslation(info, p)
		oneSection = "A committed translation of one section; the text is invented."
	}
	// One section is enough to show the form.
	published := *translation
	published.Sections = published.Sections[:min(len(published.Sections), 1)]
	answer := api.Translation{
		MIPNumber: published.MIPNumber, Locale: published.Locale, Title: published.Title, Description: published.Description,
		ContentHash: published.ContentHash, GeneratedAt: published.GeneratedAt,
		Source: published.Source, Stale: published.Stale,
	}
	var sections []string
	for _, s := range published.Sections {
		answer.Markdown += s.Markdown
		sections = append(sections, s.ID)
	}
	// Every network of the site has the same invented head.
	networks := map[string]api.NetworkStatus{}
	for _, n := range info.Networks {
		head := invented.Network
		head.Name, head.ChainID = n.Name, n.ChainID
		networks[n.ID] = head
	}
	topic, fetched := invented.Topic, &invented.Topic.FetchedAt
	if p.ForumTopicID != nil {
		topic.TopicID = *p.ForumTopicID
	}
	topic.Title = plain.ProposalTitle(p.Metadata)
	topic.URL = fmt.Sprintf("%s/t/%d", cmp.Or(mip.Deref(info.Forum), "https://forum.example.org"), topic.TopicID)
	// Only /api/mip-watch names the proposals of a topic.
	linked := topic
	linked.Proposals = []api.ProposalRef{{Number: p.Number, ID: p.ID, Title: p.Title}}
	compared, _ := mip.Compare([]mip.Metadata{p.Metadata}, mip.ID{Kind: info.Prefix}, forks, info.Networks)
	watch := api.MIPWatch{
		MIPs: []mip.Metadata{p.Metadata}, Forum: []api.ForumActivity{linked}, Networks: networks, HardForks: forks,
		Discrepancies: []api.Discrepancy{}, Compared: &compared, Errors: map[string]api.Code{},
		Freshness: api.Freshness{MIPs: p.Updated, Forum: fetched, Networks: fetched, HardForks: fetched},
	}
	finding := invented.Finding
	finding.File = "proposals/" + info.Prefix + "-1.md"
	events := exampleEvents(p)
	const cutText = "An excerpt: the real answer is longer."
	return examples{
		parameters: exampleParameters(info, p, forks, published.Locale, topic.TopicID),
		bodies: map[string]Example{
			"listProposals":          {cutText, mip.List{Count: 1, UpdatedAt: p.Updated, MIPs: []mip.Metadata{p.Metadata}}},
			"getIndex":               {cutText, mip.Index{Count: 1, UpdatedAt: p.Updated, MIPs: []mip.Entry{mip.NewEntry(p.Metadata, plain.Ended(p.Metadata), nil)}}},
			"getSearchIndex":         {cutText, exampleIndex(info, p)},
			"getSearchIndexOfLocale": {cutText, exampleIndex(info, p)},
			"getProposal":            {cutText, p},
			"getSummary":             {madeBy, subject.Summary},
			"getTranslation":         {oneSection, published},
			"listHardForks":          {cutText, mip.HardForks{HardForks: forks}},
			"getRole":                {madeBy, api.Role{Role: "validators", Count: 1, Claims: subject.Summary.Claims(p.Metadata)[2:3], Silent: []mip.ID{}}},
			"getHistory":             {"One version; the commit is invented.", exampleHistory(p, events.Events[0])},
			"listEvents":             {"One event; the commit is invented.", events},
			"listEventsOfYear":       {"One event; the commit is invented.", events},
			"getSite":                {"The counts are those of a site with one proposal.", site},
			"getDiagnostics":         {"What may be found in a file.", mip.Diagnostics{Problems: []mip.Problem{finding}}},
			"searchProposals":        {"What a question could find; the score is invented.", exampleSearch(p)},
			"getForumActivity":       {"A topic of the forum; the figures are invented.", topic},
			"getNetworkInfo":         {"The networks of this site; the figures are invented.", api.NetworkInfo{Networks: networks}},
			"getMIPWatch":            {"One proposal; the live figures are invented.", watch},
			"createSummary":          {madeBy, subject.Summary},
			"createTranslation":      {oneSection, answer},

			"createSummaryRequest": {"", api.SummaryRequest{MIPNumber: p.Number}},
			"createTranslationRequest": {"", api.TranslateRequest{
				MIPNumber: p.Number, Locale: published.Locale, Sections: sections,
			}},
		},
	}
}

// exampleEvents are that the proposal got the status that it has.
func exampleEvents(p *mip.Proposal) mip.Events {
	e := mip.Event{
		Kind: mip.EventStatus, MIP: p.ID, Title: p.Title, From: new(string(mip.Draft)), To: new(string(cmp.Or(p.Status, mip.Review))),
		Commit: exampleCommit, Author: "Ada Example", URL: &p.URL,
	}
	if p.Updated != nil {
		e.Time = *p.Updated
	}
	e.ID = mip.EventID(e.MIP, e.Kind, e.From, e.To, e.Commit)
	return mip.Events{Count: 1, Complete: true, Years: []int{e.Time.UTC().Year()}, Events: []mip.Event{e}}
}

// exampleHistory is that of a proposal to which an event happened.
func exampleHistory(p *mip.Proposal, e mip.Event) mip.History {
	text := fmt.Sprintf("@@ -4,1 +4,1 @@\n-status: %s\n+status: %s\n", *e.From, *e.To)
	return mip.History{ID: p.ID, Before: "more", Versions: []mip.Version{{
		Commit: e.Commit, Time: e.Time, Author: e.Author, Subject: "Move to " + *e.To,
		Changes: []mip.FieldChange{{Field: "status", From: e.From, To: e.To}}, Added: new(1), Removed: new(1), Diff: &text,
	}}}
}

// exampleIndex is the index of the proposal, without its parts.
func exampleIndex(info mip.Site, p *mip.Proposal) search.Manifest {
	m := search.Manifest{
		Version: search.Version, Kinds: []string{p.ID.Kind}, Locales: info.Locales, Shards: []search.Part{}, Translated: []search.Part{}, Titles: []search.Part{},
	}
	m.Add(strconv.Itoa(p.Number), string(p.Stage), p.Status.Slug(), 1)
	return m
}

// exampleSearch finds the first section of the proposal with a title by that.
func exampleSearch(p *mip.Proposal) api.SearchResults {
	hit := api.SearchHit{ID: p.ID, Locale: api.English, Title: plain.Text(p.Title), Status: p.Status, Excerpt: []api.Fragment{}, Score: 9141, URL: p.URL}
	asked := hit.Title
	if i := slices.IndexFunc(p.Sections, func(s mip.Section) bool { return s.Title != "" }); i >= 0 {
		s := p.Sections[i]
		asked = s.Title
		hit.Section, hit.URL = &api.SearchSection{ID: s.ID, Title: s.Title}, p.URL+"#"+s.ID
	}
	hit.Excerpt = append(hit.Excerpt, api.Fragment{Text: asked, Mark: true}, api.Fragment{Text: " …"})
	return api.SearchResults{
		Query: asked, Count: 1, Hits: []api.SearchHit{hit}, DidYouMean: []api.Replacement{}, Unknown: []api.Unknown{}, Ignored: []string{},
		IndexedAt: p.Updated,
	}
}

// exampleParameters name the proposal, and lists that it is on as far as it is on any.
func exampleParameters(
	info mip.Site, p *mip.Proposal, forks []mip.HardFork, locale string, topic int,
) map[string]any {
	// Examples of lists lead to lists that the site has, where it can.
	out := map[string]any{
		"n": p.Number, "kind": strings.ToLower(p.ID.Kind), "locale": locale, "skill": SkillName(info), "topicId": topic, "status": p.Status.Slug(),
		"category": mip.Slug(cmp.Or(mip.Deref(p.Category), "Core")),
		"type":     mip.Slug(cmp.Or(mip.Deref(p.Type), "Standards Track")),
		"year":     2026, "name": "example", "login": "example", "role": api.Roles()[0],
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

// excerpt is a copy of a proposal with its text cut short.
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
	short.Relations = append([]mip.Relation{}, p.Relations[:min(len(p.Relations), 1)]...)
	short.Requirements = append([]mip.Requirement{}, p.Requirements[:min(len(p.Requirements), 1)]...)
	return &short
}

// firstLines is the beginning of a text, up to the end of a line where there is one, else of a
// character.
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
func inventedSubject(info mip.Site) *Subject {
	invented := fixed().Examples
	p := &invented.Proposal
	p.ID = mip.ID{Kind: info.Prefix, Number: p.Number}
	p.URL, p.APIURL = info.BaseURL+p.ID.Page(), info.BaseURL+"/api/v1/mips/1"
	p.MarkdownURL = info.BaseURL + mip.PageFolder(info.Prefix) + "1.md"
	p.Frontmatter = mip.Frontmatter{strings.ToLower(info.Prefix): "1"}
	return &Subject{Proposal: p, Summary: &invented.Summary}
}

// exampleTranslation marks the titles of the proposal with the first locale of the site. The text
// is invented.
func exampleTranslation(info mip.Site, p *mip.Proposal) *api.PublishedTranslation {
	locale := append(slices.Clone(info.Locales), "ko")[0]
	t := &api.PublishedTranslation{
		MIPNumber: p.Number, Locale: locale, Title: p.Title + " (" + locale + ")", Description: p.Description,
		Sections: []mip.Section{}, ContentHash: p.ContentHash, GeneratedAt: fixed().Examples.Topic.FetchedAt, Source: "file",
	}
	for _, s := range p.Sections {
		s.Title, s.Markdown = s.Title+" ("+locale+")", "## …\n"
		t.Sections = append(t.Sections, s)
	}
	return t
}
