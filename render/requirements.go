package render

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"slices"

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

// headingTag is the beginning of a heading's tag, in HTML that is safe: no text has it.
var headingTag = regexp.MustCompile(`</?h[1-6]`)

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
	// The markup is that of package markdown, see tableOfContents. Headings part the text at its top: what lies between
	// two of them is whole.
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
		// Its heading is one of level 2 here, and those below it follow.
		up := v.Body[from+len("<h")] - '2'
		_, text, _ := bytes.Cut(v.Body[from:to], []byte("</h"))
		text = headingTag.ReplaceAllFunc(bytes.TrimSpace(text[bytes.IndexByte(text, '>')+1:]), func(tag []byte) []byte {
			tag = bytes.Clone(tag)
			tag[len(tag)-1] = max('3', tag[len(tag)-1]-up)
			return tag
		})
		// Links within the text lead to its own page.
		text = bytes.ReplaceAll(text, []byte(`href="#`), []byte(`href="`+template.HTMLEscapeString(p.proposalPath(v.Metadata.ID))+`#`))
		if len(text) > 0 {
			out = append(out, requirementGroup{Section: s, Text: template.HTML(text)})
		}
	}
	return out
}
