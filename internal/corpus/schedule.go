package corpus

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/day"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
)

var (
	// activating matches the heading, or the head of a table, of an activation schedule.
	activating = regexp.MustCompile(`(?i)\b(de)?activat|\bschedule\b`)
	// unixTime matches Unix seconds of the years 2001 to 2286 in a cell.
	unixTime = regexp.MustCompile(`(?:^|[^\d.])(\d{9,10})(?:$|[^\d.])`)
	// writtenDay matches a day within other words.
	writtenDay = regexp.MustCompile(
		`(?i)\d{4}-\d{1,2}-\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)?|` +
			`\d{1,2}(?:st|nd|rd|th)?\s+\pL{3,9}\.?,?\s+\d{4}|` +
			`\pL{3,9}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}`)
	// noTime matches text in place of a time that is not set yet.
	noTime = regexp.MustCompile(
		`(?i)^(?:tb[acd]\b.*|to be \pL+.*|not (?:yet )?\pL+|n/?a|none|unknown|pending|[-–—?.…]*)$`)
	// listed matches a list item with a name and a statement.
	listed = regexp.MustCompile(`(?s)^([^:–—]{1,80}?)\s*(?::|\s[-–—]\s)\s*(.*)$`)
)

// Schedule reads the activation times of networks from a proposal's text: from tables whose first
// column names networks, and from lists of networks, if a heading or the head of the table mentions
// activation. The result is in the order of the text, with the first statement for each network. It
// does not read sentences, and ignores block heights.
func (c *Corpus) Schedule(p *Proposal, networks []mip.Network) []mip.StatedActivation {
	out := []mip.StatedActivation{}
	add := func(name string, values []string) {
		n, ok := networkOf(name, networks)
		if !ok || slices.ContainsFunc(out, func(s mip.StatedActivation) bool {
			return s.Network == n.ID
		}) {
			return
		}
		if s, ok := stated(values); ok {
			s.Network = n.ID
			out = append(out, s)
		}
	}
	doc := markdown.Parse(p.Body)
	text := func(n ast.Node) string {
		return strings.Join(strings.Fields(markdown.PlainText(n, doc.Body)), " ")
	}
	within := false
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			within = activating.MatchString(text(n))
		case *extension.Table:
			of := within
			for row := n.FirstChild(); row != nil; row = row.NextSibling() {
				var cells []string
				for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
					cells = append(cells, text(cell))
				}
				switch {
				case row.Kind() == extension.KindTableHeader:
					of = of || slices.ContainsFunc(cells, activating.MatchString)
				case of && len(cells) > 1:
					add(cells[0], cells[1:])
				}
			}
		case *ast.List:
			for item := n.FirstChild(); within && item != nil; item = item.NextSibling() {
				if item.FirstChild() == nil {
					continue
				}
				if m := listed.FindStringSubmatch(text(item.FirstChild())); m != nil {
					add(m[1], []string{m[2]})
				}
			}
		}
	}
	return out
}

// networkOf finds the network that a text names: by its id or name, or by its id among other words,
// as in "Monad Testnet". ok is false if none or several match.
func networkOf(name string, networks []mip.Network) (found mip.Network, ok bool) {
	name = strings.ToLower(name)
	for _, n := range networks {
		if name == strings.ToLower(n.ID) || name == strings.ToLower(n.Name) {
			return n, true
		}
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(" ()/,", r) })
	for _, n := range networks {
		if slices.Contains(words, strings.ToLower(n.ID)) {
			if ok {
				return mip.Network{}, false
			}
			found, ok = n, true
		}
	}
	return found, ok
}

// stated reads a network's cells: Unix seconds take precedence over a day, and a day over a word
// for no time. ok is false if they have neither.
func stated(cells []string) (s mip.StatedActivation, ok bool) {
	for _, cell := range cells {
		m := unixTime.FindStringSubmatch(strings.NewReplacer(",", "", "_", "").Replace(cell))
		if m == nil {
			continue
		}
		if t, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			return mip.StatedActivation{Text: cell, Timestamp: &t}, true
		}
	}
	for _, cell := range cells {
		if d, ok := day.Parse(writtenDay.FindString(cell)); ok {
			return mip.StatedActivation{Text: cell, Date: d}, true
		}
	}
	for _, cell := range cells {
		if noTime.MatchString(cell) {
			return mip.StatedActivation{Text: cell}, true
		}
	}
	return mip.StatedActivation{}, false
}
