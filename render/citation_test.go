package render

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// citation is a proposal's citation in its three formats.
type citation struct{ Text, BibTeX, CSL string }

// citationOf reads the citation from a proposal's page.
func citationOf(t *testing.T, p *Pages, m mip.Metadata) (c citation) {
	t.Helper()
	page, err := p.Proposal(ProposalPage{All: []mip.Metadata{m}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range pageElements(t, page) {
		switch e.attr["id"] {
		case "cite":
			c.Text = e.text
		case "bibtex":
			c.BibTeX = e.text
		case "csl":
			c.CSL = e.text
		}
	}
	return c
}

func TestCitation(t *testing.T) {
	p := newTestPages(t, pageInfo("https://example.org/p"), nil)
	m := pageList()[2]
	m.Title, m.Authors[0].Name = `50% {of} a_b \\ "c" & d`, new("Doe, Ada and Sons")
	m.Authors = m.Authors[:2]
	c := citationOf(t, p, m)
	if want := `Doe, Ada and Sons, b@example.org, "MIP-3: 50% {of} a_b \\ "c" & d," Example proposals, no. 3, January 2026. https://example.org/p/mip/3/`; c.Text != want {
		t.Errorf("text: got %s\nwant %s", c.Text, want)
	}
	want := `@misc{mip-3,
  author = {{Doe, Ada and Sons} and {b@example.org}},
  title = {{MIP-3: 50\% \{of\} a\_b \textbackslash{}\textbackslash{} "c" \& d}},
  howpublished = {Example proposals, no. 3},
  year = {2026},
  month = {jan},
  note = {Last Call},
  url = {https://example.org/p/mip/3/},
}`
	if c.BibTeX != want {
		t.Errorf("BibTeX: got %s\nwant %s", c.BibTeX, want)
	}
	var csl []map[string]any
	if err := json.Unmarshal([]byte(c.CSL), &csl); err != nil || len(csl) != 1 ||
		csl[0]["title"] != "MIP-3: "+m.Title || csl[0]["number"] != "3" ||
		csl[0]["author"].([]any)[0].(map[string]any)["literal"] != "Doe, Ada and Sons" ||
		!strings.Contains(strings.Join(strings.Fields(c.CSL), ""), `"date-parts":[[2026,1,3]]`) {
		t.Errorf("CSL-JSON: error %v in %s", err, c.CSL)
	}

	bare := citationOf(t, p, mip.Metadata{Number: 9, ID: mip.ID{Kind: "MIP", Number: 9}})
	for _, no := range []string{"author", "year", "note", "issued", "status"} {
		if strings.Contains(bare.BibTeX+bare.CSL, no) {
			t.Errorf("without it in the header, %q is in %s\n%s", no, bare.BibTeX, bare.CSL)
		}
	}
}

// TestCitationForPrograms checks the metadata for citation managers in the head of a page, with
// hostile titles.
func TestCitationForPrograms(t *testing.T) {
	p, all := newTestPages(t, pageInfo("https://example.org"), nil), pageList()
	all[2].Title = pageHostile("title")
	all[2].SourceURL = new("https://git.example.org/x/blob/0123/MIP-3.md")
	page, err := p.Proposal(proposalPage(p, all, 2))
	if err != nil {
		t.Fatal(err)
	}
	meta, history := "", ""
	for _, e := range pageElements(t, page) {
		switch {
		case e.attr["name"] == "citation_title":
			meta = e.attr["content"]
		case e.text == "History":
			history = e.attr["href"] + " " + e.attr["rel"]
		}
	}
	if meta != "MIP-3: "+all[2].Title ||
		history != "https://git.example.org/x/commits/0123/MIP-3.md noopener" {
		t.Errorf("citation_title %q, history %q", meta, history)
	}
}
