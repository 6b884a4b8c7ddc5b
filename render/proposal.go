package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// ProposalPage is the content of a proposal's page. Nil values are left out. Nothing in it depends
// on the number of proposals or on the newest commit, so that a page changes only with its
// proposal, or with one that it names.
type ProposalPage struct {
	All          []mip.Metadata // every proposal, sorted by id, for references
	Index        int            // of the proposal in All
	Sections     []mip.Section
	Body         []byte // safe HTML
	Fork         *mip.HardFork
	Stages       []mip.ForkStage   // in hard forks
	Summary      *api.Summary      // its meaning, with evidence
	Translations []mip.Translation // committed ones
	History      bool              // it has a page of versions
	Shown        []mip.Shown       // header keys that the details show unchanged
	Requirements []mip.Requirement // in the order of the text
	Commit       string            // the newest one that touched its file; empty: unknown
	// Entered has the known statuses of its versions, with the day on which each began, or zero.
	Entered map[mip.Status]mip.Date
}

// proposalView is a proposal's page in parts. Empty values are left out.
type proposalView struct {
	Page       ProposalPage
	Metadata   mip.Metadata    // Authors without a name are left out
	Authors    []template.HTML // rendered
	Steps      []step
	TOC, Text  template.HTML
	HistoryURL string // address of the history
	Previous   *mip.Metadata
	Next       *mip.Metadata
	Related    []relation
	Tied       bool // it has published relations, which can be drawn
	// Successors have replaced the proposal. Candidates ask to.
	Successors, Candidates relation
	Ended                  *ended             // why nobody should build on it
	Reason                 string             // for a withdrawal that the head does not show
	Plain                  bool               // its status is all that is known of where it stands
	Disagreements          []mip.Disagreement // of its text and its hard fork, at any time
	Languages              *languagesView     // committed translations
	Machine                *languagesView     // possible machine translations
	// its meaning for the groups; nil if it would only repeat the text
	Impact   *impact
	Needed   sentence  // about a duty of its text
	Ask      bool      // a model can make a summary
	Required *required // nil: the text requires nothing
}

// required counts a text's requirements of each level, with the place of the first.
type required struct {
	Must, Should int
	First        place
}

// required counts the requirements of a text, or returns nil for none.
func (p *Pages) required(v *proposalView) *required {
	if len(v.Page.Requirements) == 0 {
		return nil
	}
	out := &required{First: p.place(v, v.Page.Requirements[0].Section)}
	for _, r := range v.Page.Requirements {
		if r.Level == mip.Must {
			out.Must++
		} else {
			out.Should++
		}
	}
	return out
}

// relation is the proposals with one relation to a proposal.
type relation struct {
	Label    string
	Refs     []ref
	External []mip.External
}

// related returns the proposals with one relation to a proposal. all must be sorted by id.
func related(
	all []mip.Metadata, m mip.Metadata, label string, as mip.RelationType, refs []ref,
) relation {
	var external []mip.External
	for _, e := range m.External {
		if e.Relation != as {
			continue
		}
		// A proposal of another kind of the site is linked like one of the same kind.
		id, err := mip.ParseID(e.Text)
		if other, ok := mip.Find(all, id); err == nil && ok && id.Kind != m.ID.Kind {
			refs = append(refs, refTo(other))
			continue
		}
		external = append(external, e)
	}
	return relation{label, refs, external}
}

// facts are the facts above the text, on the pages of a proposal and of its translations. It does
// not change v.All, which is shared.
func (p *Pages) facts(v ProposalPage) (*proposalView, error) {
	// An author without a name, login and address cannot be shown.
	m := v.All[v.Index]
	m.Authors = slices.DeleteFunc(slices.Clone(m.Authors), func(a mip.Author) bool {
		return authorName(a) == ""
	})
	w := &proposalView{Page: v, Metadata: m}
	refs := func(numbers []int) []ref { return refs(v.All, m.ID, numbers) }
	asking := slices.DeleteFunc(slices.Clone(m.ReplacedBy), func(n int) bool {
		return slices.Contains(m.SupersededBy, n)
	})
	tie := func(label string, as mip.RelationType, numbers []int) relation {
		return related(v.All, m, label, as, refs(numbers))
	}
	w.Successors = tie("Superseded by", mip.SupersededBy, m.SupersededBy)
	w.Candidates = tie("To be replaced by", mip.ReplacedBy, asking)
	w.Related = []relation{
		tie("Requires", mip.Requires, m.Requires), tie("Required by", mip.RequiredBy, m.RequiredBy),
		tie("Replaces", mip.Replaces, m.Replaces), tie("Related to", mip.Related, nil),
	}
	// The head of the page has the others.
	if w.Candidates.Refs == nil {
		w.Related = append(w.Related, w.Candidates)
	}
	w.Tied = slices.ContainsFunc(append(w.Related, w.Successors, w.Candidates),
		func(r relation) bool {
			return slices.ContainsFunc(r.Refs, func(r ref) bool {
				return r.Published && r.ID != m.ID
			})
		})
	if w.Ended = w.ended(); w.Ended == nil || !w.Ended.Stopped {
		w.Reason = mip.Deref(m.WithdrawalReason)
	}
	w.Plain = w.Ended == nil && v.Fork == nil && m.CommentsUntil() == nil &&
		plain.StatusMeaning(m.Standing) != "" && m.Status != ""
	if v.Fork != nil {
		// Only the proposal itself has to be compared.
		_, all := mip.Compare(v.All[v.Index:v.Index+1], mip.ID{Kind: p.info.Prefix},
			[]mip.HardFork{*v.Fork}, p.info.Networks)
		w.Disagreements = slices.DeleteFunc(all, func(d mip.Disagreement) bool {
			return d.ID != m.ID
		})
	}
	// An author appears in the head, in the details and on paper.
	for _, a := range m.Authors {
		person, err := p.fragment("person", a)
		if err != nil {
			return nil, err
		}
		w.Authors = append(w.Authors, person)
	}
	return w, nil
}

// Proposal renders a proposal's page.
func (p *Pages) Proposal(v ProposalPage) ([]byte, error) {
	w, err := p.facts(v)
	if err != nil {
		return nil, err
	}
	m := w.Metadata
	w.Steps, w.Text, w.HistoryURL = steps(p.info.Statuses, m, v.Entered),
		template.HTML(bytes.TrimSpace(v.Body)), p.historyURL(m, v.History)
	if v.Summary != nil && (v.Summary.Committed || isLong(v.Sections)) {
		w.Impact, w.Ask = p.impact(w), !v.Summary.Committed
	}
	w.Required = p.required(w)
	w.Languages, w.Machine = p.languages(m, v.Translations, "en")
	// The neighbors are the adjacent ids, with any status.
	if v.Index > 0 {
		w.Previous = &v.All[v.Index-1]
	}
	if v.Index+1 < len(v.All) {
		w.Next = &v.All[v.Index+1]
	}
	if w.TOC, err = p.tableOfContents(v.Sections, v.Body); err != nil {
		return nil, fmt.Errorf("%s: %w", m.ID, err)
	}
	return p.page("proposal", head{
		Section: "/", Title: fullTitle(m), Description: describe(m), Route: m.ID.Page(),
		Article: true, Proposal: &m,
		Alternates: p.alternates(v, m), Script: textScript,
	}, w)
}

// isLong reports whether a text has more words than its summary would. The summary of a short one,
// such as a notice of a move, would repeat it.
func isLong(sections []mip.Section) bool {
	const short = 60 // words
	n := 0
	for _, s := range sections {
		for range strings.FieldsSeq(s.Markdown) {
			if n++; n > short {
				return true
			}
		}
	}
	return false
}

// alternates are the other formats and languages of a proposal, in the order of the page's head.
func (p *Pages) alternates(v ProposalPage, m mip.Metadata) []alternate {
	// Programs that look for the Markdown or the JSON of a page find them first.
	id := m.ID.String()
	out := []alternate{
		{"text/markdown", id + " as Markdown",
			strings.TrimSuffix(p.proposalPath(m.ID), "/") + ".md", ""},
		{"application/json", id + " as JSON", p.jsonPath(m.ID), ""},
	}
	out = append(out, p.feedOf(m.ID.Page(), "Changes of "+id))
	out = append(out, p.hreflangs(m, v.Translations)...)
	for _, t := range v.Translations {
		out = append(out, p.translationJSON(m, t.Locale))
	}
	return out
}

// describe is the sentence for previews: the proposal's description, else a sentence from its
// header.
func describe(m mip.Metadata) string {
	if d := mip.Deref(m.Description); d != "" {
		return plain.Text(d)
	}
	out := fullTitle(m) + "."
	if m.Status != "" {
		out += " Status: " + string(m.Status) + "."
	}
	return out
}

// historyURL is the address of a proposal's history: its own page, or the file's history on its
// host. On GitHub, GitLab and similar hosts the addresses of file and history differ in one word.
// For another host it is empty.
func (p *Pages) historyURL(m mip.Metadata, page bool) string {
	if page {
		return p.proposalPath(m.ID) + "history/"
	}
	before, after, ok := strings.Cut(webAddress(m.SourceURL), "/blob/")
	if !ok {
		return ""
	}
	return before + "/commits/" + after
}

// cite formats a citation as plain text by a template of templates/citation.txt: cite or bibtex.
func (p *Pages) cite(form string, m *mip.Metadata) (string, error) {
	var b strings.Builder
	err := p.citations.ExecuteTemplate(&b, form, m)
	return b.String(), err
}

// csl formats a citation as CSL-JSON (1.0.2).
func (p *Pages) csl(m *mip.Metadata) (string, error) {
	type name struct {
		Literal string `json:"literal"`
	}
	type date struct {
		DateParts [][]int `json:"date-parts"`
	}
	item := struct {
		ID         string     `json:"id"`
		Type       string     `json:"type"`
		Title      string     `json:"title"`
		Author     []name     `json:"author,omitempty"`
		Issued     date       `json:"issued,omitzero"`
		Collection string     `json:"collection-title"`
		Number     string     `json:"number"`
		Status     mip.Status `json:"status,omitempty"`
		URL        string
	}{
		ID: m.ID.String(), Type: "standard", Title: fullTitle(*m), Collection: p.info.Title,
		Number: strconv.Itoa(m.Number), Status: m.Status, URL: p.info.BaseURL + m.ID.Page(),
	}
	for _, a := range m.Authors {
		item.Author = append(item.Author, name{authorName(a)})
	}
	if c := m.Created; !c.IsZero() {
		item.Issued.DateParts = [][]int{{c.Year, int(c.Month), c.Day}}
	}
	out, err := json.MarshalIndent([]any{item}, "", " ")
	return string(out), err
}

// texSpecial escapes the special characters of TeX. An unbalanced brace would end a field.
var texSpecial = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`,
	"_", `\_`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
)

// texText escapes a text for a field of BibTeX, in one line. Letters of other scripts are kept:
// biber and recent BibTeX read UTF-8.
func texText(s string) string { return texSpecial.Replace(mip.OneLine(s)) }

// heading is an entry of a table of contents: a heading of level 2, or one of level 3 at the start,
// with the following headings of level 3.
type heading struct {
	ID, Title string
	Below     []heading
}

// tableOfContents renders the list of a page's headings h2 and h3, or "" if there are fewer than
// two. It searches the body: a section whose heading was left out, because it repeats the title,
// has no target, and a heading's level on the page may differ from the source.
func (p *Pages) tableOfContents(sections []mip.Section, body []byte) (template.HTML, error) {
	// Package markdown makes the markup: a heading begins with its level and its id, in this order.
	var out []heading
	count := 0
	for part := range bytes.SplitSeq(body, []byte("<h")) {
		level, rest, ok := bytes.Cut(part, []byte(` id="`))
		if !ok || string(level) != "2" && string(level) != "3" {
			continue
		}
		id, _, _ := bytes.Cut(rest, []byte{'"'})
		// Headings come in the order of the sections. Headings of raw HTML are in no section.
		i := slices.IndexFunc(sections, func(s mip.Section) bool {
			return s.Level > 0 && template.HTMLEscapeString(s.ID) == string(id)
		})
		if i < 0 {
			continue
		}
		entry := heading{ID: sections[i].ID, Title: sections[i].Title}
		sections = sections[i+1:]
		if entry.Title == "" {
			continue
		}
		count++
		if last := len(out) - 1; last >= 0 && string(level) == "3" {
			out[last].Below = append(out[last].Below, entry)
			continue
		}
		out = append(out, entry)
	}
	if count < 2 {
		return "", nil
	}
	return p.fragment("toc", out)
}
