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
// on the number of proposals or on the newest commit, so that a page changes only when its proposal
// does, or one that it names.
type ProposalPage struct {
	All          []mip.Metadata // every proposal, in the order of ids: references lead to them
	Index        int            // of the proposal in All
	Sections     []mip.Section
	Body         []byte // HTML that is safe as it stands
	Fork         *mip.HardFork
	Upgrades     bool              // the site has hard forks
	Summary      *api.Summary      // what it means, and where it says so
	Translations []mip.Translation // the committed ones
	History      bool              // there is a page of its versions
	Seen         []mip.Status      // of its earlier versions, as far as they are known
	Shown        []mip.Shown       // keys of the header that the details show as they are
	Requirements []mip.Requirement // in the order of the text
	Commit       string            // the newest one that touched its file; empty: not known
}

// proposalView is a proposal's page in parts. Empty values are left out.
type proposalView struct {
	Page       ProposalPage
	Metadata   mip.Metadata    // Authors are those with a name
	Authors    []template.HTML // the same
	Steps      []step
	TOC, Text  template.HTML
	HistoryURL string // where the history is shown
	Previous   *mip.Metadata
	Next       *mip.Metadata
	Related    []relation
	Relations  *neighbourhood
	// Successors took the proposal's place; Candidates ask for it.
	Successors, Candidates relation
	Stated                 []mip.Disagreement // times in its text that are not those of its hard fork: true at any time
	Disagreements          []mip.Disagreement // the others of its text and its hard fork
	Languages              *languagesView     // committed translations
	Machine                *languagesView     // those that a model can be asked for
	Impact                 *impact            // what it means for whom, nil where that would only repeat the text
	Ask                    bool               // a model can be asked for a summary
	Required               *required          // nil: the text requires nothing
}

// required is how many requirements of each level a text has, and where the first stands.
type required struct {
	Must, Should int
	First        place
}

// required counts the requirements of a text; nil for none.
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

// relation is the proposals that a proposal is tied to in one way.
type relation struct {
	Label    string
	Refs     []ref
	External []mip.External
}

// related are the ties of a proposal in one relation, all must be in the order of ids.
func related(all []mip.Metadata, m mip.Metadata, label string, as mip.RelationType, refs []ref) relation {
	var external []mip.External
	for _, e := range m.External {
		if e.Relation != as {
			continue
		}
		// One of another kind of the site is as good as one of the same kind.
		id, err := mip.ParseID(e.Text)
		if other, ok := mip.Find(all, id); err == nil && ok && id.Kind != m.ID.Kind {
			refs = append(refs, refTo(other))
			continue
		}
		external = append(external, e)
	}
	return relation{label, refs, external}
}

// facts are what the pages of a proposal and of its translations say above the text. v.All is shared
// and stays as it is.
func (p *Pages) facts(v ProposalPage) (*proposalView, error) {
	// An author without a name, login and address cannot be named.
	m := v.All[v.Index]
	m.Authors = slices.DeleteFunc(slices.Clone(m.Authors), func(a mip.Author) bool { return authorName(a) == "" })
	w := &proposalView{Page: v, Metadata: m}
	refs := func(numbers []int) []ref { return refs(v.All, m.ID, numbers) }
	asking := slices.DeleteFunc(slices.Clone(m.ReplacedBy), func(n int) bool { return slices.Contains(m.SupersededBy, n) })
	tie := func(label string, as mip.RelationType, numbers []int) relation {
		return related(v.All, m, label, as, refs(numbers))
	}
	w.Successors = tie("Superseded by", mip.SupersededBy, m.SupersededBy)
	w.Candidates = tie("To be replaced by", mip.ReplacedBy, asking)
	w.Related = []relation{
		tie("Requires", mip.Requires, m.Requires), tie("Required by", mip.RequiredBy, m.RequiredBy),
		tie("Replaces", mip.Replaces, m.Replaces), w.Successors, w.Candidates, tie("Related to", mip.Related, nil),
	}
	// Each author stands on the page twice: below the title and in the details.
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
	w.Steps, w.Text, w.HistoryURL = steps(p.info.Statuses, m, v.Seen), template.HTML(bytes.TrimSpace(v.Body)), p.historyURL(m, v.History)
	if v.Summary != nil && (v.Summary.Committed || words(v.Sections) > leastToSummarise) {
		w.Impact, w.Ask = p.impact(w), !v.Summary.Committed
	}
	w.Required = p.required(w)
	w.Languages, w.Machine = p.languages(m, v.Translations, "en")
	// The neighbours are those in the order of ids, whatever their status.
	if v.Index > 0 {
		w.Previous = &v.All[v.Index-1]
	}
	if v.Index+1 < len(v.All) {
		w.Next = &v.All[v.Index+1]
	}
	if v.Fork != nil {
		// Beside the proposal itself no other has to be looked at.
		_, all := mip.Compare(v.All[v.Index:v.Index+1], mip.ID{Kind: p.info.Prefix}, []mip.HardFork{*v.Fork}, p.info.Networks)
		for _, d := range all {
			switch {
			case d.ID != m.ID:
			case d.Code == mip.ActivationInTextDiffers:
				w.Stated = append(w.Stated, d)
			default:
				w.Disagreements = append(w.Disagreements, d)
			}
		}
	}
	// Relations are shown twice: in the details and in a drawing.
	after := append(slices.Clone(w.Successors.Refs), w.Candidates.Refs...)
	w.Relations = relations(m, w.Related[0].Refs, w.Related[2].Refs, w.Related[1].Refs, after)
	if w.TOC, err = p.tableOfContents(v.Sections, v.Body); err != nil {
		return nil, fmt.Errorf("%s: %w", m.ID, err)
	}
	return p.page("proposal", head{
		Section: "/", Title: fullTitle(m), Description: describe(m), Route: m.ID.Page(), Article: true, Proposal: &m,
		Alternates: p.alternates(v, m), Script: textScript,
	}, w)
}

// leastToSummarise is the number of words of a text that a summary would repeat: the note that a proposal has moved.
const leastToSummarise = 60

// words counts the words of a text.
func words(sections []mip.Section) (n int) {
	for _, s := range sections {
		n += len(strings.Fields(s.Markdown))
	}
	return n
}

// alternates are the other formats and languages of a proposal, in the order in which the head of
// its page names them.
func (p *Pages) alternates(v ProposalPage, m mip.Metadata) []alternate {
	// Programs that look for the Markdown or the JSON of a page find them first.
	id := m.ID.String()
	out := []alternate{
		{"text/markdown", id + " as Markdown", strings.TrimSuffix(p.proposalPath(m.ID), "/") + ".md", ""},
		{"application/json", id + " as JSON", p.jsonPath(m.ID), ""},
	}
	out = append(out, p.feedOf(m.ID.Page(), "Changes of "+id))
	out = append(out, p.hreflangs(m, v.Translations)...)
	for _, t := range v.Translations {
		out = append(out, p.translationJSON(m, t.Locale))
	}
	return out
}

// describe is the sentence for previews: the proposal's own, else what its header says.
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

// step is one station of the way to the end of the process. One that the proposal has behind it and that neither its
// header nor its history shows is unknown: many processes have no such station.
type step struct {
	mip.Standing
	Class   string
	Now     bool
	Unknown bool
}

// steps places a proposal on the way from its first draft to the end of the process. A proposal with a status beside that
// way, such as Withdrawn, is on no station, and one that is superseded on none any more.
func steps(process mip.Process, m mip.Metadata, seen []mip.Status) []step {
	way := process.Way()
	at := slices.Index(way, m.Standing)
	if at < 0 || m.Superseded() {
		return nil
	}
	out := make([]step, len(way))
	for i, w := range way {
		shown := slices.Contains(seen, w.Status) || w.Stage == mip.StageLastCall && !m.LastCallDeadline.IsZero()
		out[i] = step{w, "s-draft", i == at, i < at && !shown}
		switch {
		case out[i].Unknown:
			out[i].Class = "none"
		case i < at || w.Settled() && i == at:
			out[i].Class = "s-final done"
		case i == at:
			out[i].Class = statusClass(w)
		}
	}
	return out
}

// way says how a proposal goes through the process. It is empty where no status of the process is among those that readers
// are told of.
func way(process mip.Process, named []mip.Standing) string {
	var words []string
	for _, s := range process.Way() {
		words = append(words, string(s.Status))
	}
	last := len(words) - 1
	if last < 1 || !slices.ContainsFunc(named, func(s mip.Standing) bool { return s.Stage != "" }) {
		return ""
	}
	through := ""
	if last > 1 {
		through = " through " + strings.Join(words[1:last], " and ")
	}
	return "A proposal goes from " + words[0] + through + " to " + words[last] + "."
}

// historyURL is the address at which people see a proposal's history: that of its own page, or of the file's history on
// its host. GitHub, GitLab and hosts that follow them have file and history at addresses that differ in one word. For
// another host it is empty.
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

// cite makes plain text. It refers to a proposal in one of the forms of templates/citation.txt:
// cite or bibtex.
func (p *Pages) cite(form string, m *mip.Metadata) (string, error) {
	var b strings.Builder
	err := p.citations.ExecuteTemplate(&b, form, m)
	return b.String(), err
}

// csl refers to a proposal in CSL-JSON (1.0.2).
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

// texSpecial escapes what TeX would obey; a brace without its fellow would end a field.
var texSpecial = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
)

// texText is a text for a field of BibTeX, in one line. Letters of other scripts stay: biber and
// recent BibTeX read UTF-8.
func texText(s string) string { return texSpecial.Replace(mip.OneLine(s)) }

// heading is an entry of a table of contents: a heading of level 2, or 3 at the start, with those
// of level 3 below it.
type heading struct {
	ID, Title string
	Below     []heading
}

// tableOfContents renders the list of a page's headings h2 and h3, empty when there are fewer than
// two. They are looked for in the body: a section whose heading was left out, because it repeats
// the title, has no place to lead to, and a heading's level on the page is not always that in the
// source.
func (p *Pages) tableOfContents(sections []mip.Section, body []byte) (template.HTML, error) {
	// The markup is that of package markdown: a heading begins with its level and its id, in this
	// order.
	var out []heading
	count := 0
	for part := range bytes.SplitSeq(body, []byte("<h")) {
		level, rest, ok := bytes.Cut(part, []byte(` id="`))
		if !ok || string(level) != "2" && string(level) != "3" {
			continue
		}
		id, _, _ := bytes.Cut(rest, []byte{'"'})
		// Headings come in the order of the sections; those of raw HTML are in none of them.
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
