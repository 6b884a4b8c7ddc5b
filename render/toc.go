package render

import (
	"bytes"
	"html/template"
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// tocEntry is a heading of level 2, or 3 at the start, with those of level 3 below it.
type tocEntry struct {
	ID, Title string
	Below     []tocEntry
}

// tableOfContents renders the list of a page's headings, empty when there are fewer than two.
func (p *Pages) tableOfContents(sections []mip.Section, body []byte) (template.HTML, error) {
	entries := tocEntries(sections, body)
	if entries == nil {
		return "", nil
	}
	return p.fragment("toc", entries)
}

// tocEntries are the headings h2 and h3 of the text. They are looked for in the body: a section whose heading was left
// out, because it repeats the title, has no place to lead to, and a heading's level on the page is not always that in
// the source. Fewer than two entries are no table.
func tocEntries(sections []mip.Section, body []byte) []tocEntry {
	var out []tocEntry
	count := 0
	for part := range bytes.SplitSeq(body, []byte("<h")) {
		level, id, ok := headingAt(part)
		if !ok {
			continue
		}
		// Headings come in the order of the sections; those of raw HTML are in none of them.
		i := slices.IndexFunc(sections, func(s mip.Section) bool { return s.Level > 0 && template.HTMLEscapeString(s.ID) == id })
		if i < 0 {
			continue
		}
		s := sections[i]
		sections = sections[i+1:]
		if s.Title == "" {
			continue
		}
		count++
		entry := tocEntry{ID: s.ID, Title: s.Title}
		if level == '3' && len(out) > 0 {
			last := &out[len(out)-1]
			last.Below = append(last.Below, entry)
			continue
		}
		out = append(out, entry)
	}
	if count < 2 {
		return nil
	}
	return out
}

// headingAt reads `2 id="x">`, what follows "<h" in a heading of level 2 or 3; the id stays escaped.
func headingAt(b []byte) (level byte, id string, ok bool) {
	if len(b) == 0 || b[0] != '2' && b[0] != '3' {
		return 0, "", false
	}
	rest, ok := bytes.CutPrefix(b[1:], []byte(` id="`))
	if !ok {
		return 0, "", false
	}
	before, _, ok := bytes.Cut(rest, []byte{'"'})
	return b[0], string(before), ok
}
