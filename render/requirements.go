package render

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// RequirementsPage is what /mip/{n}/requirements/ shows: what a text requires of those who implement it.
type RequirementsPage struct {
	Metadata     mip.Metadata
	Sections     []mip.Section
	Body         []byte            // of the proposal's page
	Requirements []mip.Requirement // in the order of the text
}

// requirementsView is the page in parts.
type requirementsView struct {
	RequirementsPage
	Counts requirementCounts
	Groups []requirementGroup
	// Terms are the sections that say what words mean, and Sources those that name other texts.
	Terms, Sources []requirementGroup
}

// requirementGroup is a section with its requirements, or with its text as the proposal's page has it.
type requirementGroup struct {
	Section      mip.Section
	Requirements []mip.Requirement
	Text         template.HTML
}

// requirementCounts are how many requirements there are of each level.
type requirementCounts struct{ Must, Should int }

func countRequirements(all []mip.Requirement) (n requirementCounts) {
	for _, r := range all {
		if r.Level == mip.Must {
			n.Must++
		} else {
			n.Should++
		}
	}
	return n
}

// Titles of sections that a reader of requirements needs as they are. "Reference Implementation" is none.
var (
	termsTitle = regexp.MustCompile(`(?i)^(?:[\d.]+ +)?(?:new +)?(?:key +)?` +
		`(?:terms?|terminology|definitions?|glossary|notations?|abbreviations|acronyms)(?:(?:,| and| &|/) *[\w ]+)*$`)
	sourcesTitle = regexp.MustCompile(`(?i)^(?:[\d.]+ +)?(?:(?:normative|informative|external) +)?(?:references|bibliography)$`)
)

// Requirements renders the page of a proposal's requirements, section by section.
func (p *Pages) Requirements(v RequirementsPage) ([]byte, error) {
	w := requirementsView{
		RequirementsPage: v, Counts: countRequirements(v.Requirements),
		Terms: p.asTheyAre(v, termsTitle), Sources: p.asTheyAre(v, sourcesTitle),
	}
	for _, r := range v.Requirements {
		if last := len(w.Groups) - 1; last >= 0 && w.Groups[last].Section.ID == r.Section {
			w.Groups[last].Requirements = append(w.Groups[last].Requirements, r)
			continue
		}
		at := slices.IndexFunc(v.Sections, func(s mip.Section) bool { return s.ID == r.Section })
		if at < 0 {
			return nil, fmt.Errorf("%s: requirement %s is of no section", v.Metadata.ID, r.ID)
		}
		w.Groups = append(w.Groups, requirementGroup{Section: v.Sections[at], Requirements: []mip.Requirement{r}})
	}
	title := fullTitle(v.Metadata)
	return p.page("requirements", head{
		Section: "/", Title: "Requirements of " + title, Route: v.Metadata.ID.Page() + "requirements/", Script: upgradeScript,
		Description: "What " + title + " says that implementations must and should do, sentence by sentence.",
	}, w)
}

// asTheyAre are the sections with such titles, each with those below it, but for those without a heading on the page.
func (p *Pages) asTheyAre(v RequirementsPage, title *regexp.Regexp) (out []requirementGroup) {
	// The markup is that of package markdown, see tableOfContents.
	heading := func(s mip.Section) int {
		at := bytes.Index(v.Body, []byte(` id="`+template.HTMLEscapeString(s.ID)+`"`))
		return bytes.LastIndex(v.Body[:max(at, 0)], []byte("<h"))
	}
	for i := 0; i < len(v.Sections); i++ {
		s := v.Sections[i]
		from := heading(s)
		if s.Level == 0 || from < 0 || !title.MatchString(s.Title) {
			continue
		}
		to := len(v.Body)
		for _, next := range v.Sections[i+1:] {
			if next.Level <= s.Level {
				if at := heading(next); at > from {
					to = at
				}
				break
			}
			i++
		}
		_, text, _ := bytes.Cut(v.Body[from:to], []byte("</h"))
		text = p.moved(text[bytes.IndexByte(text, '>')+1:], v.Metadata.ID, int(v.Body[from+len("<h")]-'2'))
		if len(text) > 0 {
			out = append(out, requirementGroup{Section: s, Text: template.HTML(text)})
		}
	}
	return out
}

// moved is a part of a proposal's text for another page: links within the text lead to its own page, headings are so many
// levels higher, and what raw HTML left open or closes from before is closed or left out. A part that is nested deeper than
// package html reads is empty.
func (p *Pages) moved(part []byte, id mip.ID, up int) []byte {
	nodes, err := html.ParseFragment(bytes.NewReader(bytes.TrimSpace(part)), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return nil
	}
	whole := &html.Node{Type: html.ElementNode, Data: "div"}
	for _, n := range nodes {
		whole.AppendChild(n)
	}
	for n := range whole.Descendants() {
		if len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6' && n.Type == html.ElementNode {
			n.Data = fmt.Sprintf("h%d", max(3, int(n.Data[1]-'0')-up))
		}
		for i, a := range n.Attr {
			if a.Key == "href" && strings.HasPrefix(a.Val, "#") {
				n.Attr[i].Val = p.proposalPath(id) + a.Val
			}
		}
	}
	var out bytes.Buffer
	for _, n := range nodes {
		if err := html.Render(&out, n); err != nil {
			return nil
		}
	}
	return out.Bytes()
}
