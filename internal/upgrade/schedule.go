package upgrade

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/spelling"
)

var (
	// activating matches the heading, the paragraph or the item before an activation schedule, or
	// the head of a table.
	activating = regexp.MustCompile(`(?i)\b(de)?activat|\bschedule\b|\bfollowing blocks\b`)
	// blocks matches words for block numbers.
	blocks = regexp.MustCompile(`(?i)\bblocks?\b|\bheight\b`)
	// listed matches a list item with a name and a statement.
	listed = regexp.MustCompile(`(?s)^([^:–—]{1,80}?)\s*(?::|\s[-–—]\s)\s*(.*)$`)
	// from matches a list item with a statement, a network and further words, such as "Block >=
	// 1,150,000 on Mainnet (in March)".
	from = regexp.MustCompile(`^(.{1,40}?) on (?:the )?([^:;,(]{1,60})(.*)$`)
	// networked matches the head of a column of networks, and words in the name of a network.
	networked = regexp.MustCompile(`(?i)net|chain`)
	// partial matches words about a fork that changes only the number of blobs, such as "BPO 1".
	// Such a fork follows the upgrade whose text announces it.
	partial = regexp.MustCompile(`(?i)\bbpo(?:[ -]?\d+)?\b|\bblob[ -]parameter[ -]only\b`)
	// generic matches words around the name of a network, and around the number of a block.
	generic = regexp.MustCompile(`(?i)^(?:(?:for|the|at|block|blocks|number|height|activation|` +
		`activations|fork|hardfork|upgrade|date|time|timestamp|epoch)\b|[\s#=≥>~]+)+|` +
		`(?:\s+(?:block|number|height|activation|date|time|timestamp|epoch))+$`)
)

// Activation is a network's activation in a text.
type Activation struct {
	mip.ForkActivation
	// Date is the day, if the text gives no Unix seconds.
	Date mip.Date
	// Line is its line in the file.
	Line int

	// unix and none report whether the text states Unix seconds, or that there is no time.
	unix, none bool
	// zoneless reports whether the time has no zone.
	zoneless bool
	// certain reports whether the words name a network, of the site or not.
	certain bool
}

// Scheduled reports whether a text may have an activation schedule.
func Scheduled(body string) bool { return activating.MatchString(body) }

// Stated returns the activation times of networks in a text: from tables whose first column names
// networks, and from lists of networks, if a heading, a paragraph or an item before them or the
// head of the table mentions activation. The result is in the order of the text, with the first
// statement for each network. Sentences are not read, and block numbers are ignored.
func Stated(doc *markdown.Document, networks []mip.Network) []mip.StatedActivation {
	out := []mip.StatedActivation{}
	for _, s := range schedules(doc, "") {
		for _, a := range s {
			n, ok := networkOf(a.Network, networks)
			known := func(s mip.StatedActivation) bool { return s.Network == n.ID }
			if s, timed := a.stated(n.ID); ok && timed && !slices.ContainsFunc(out, known) {
				out = append(out, s)
			}
		}
	}
	return out
}

// stated returns the time as a statement about a network of the site. ok is false if there is
// neither a time nor a word for none.
func (a Activation) stated(network string) (s mip.StatedActivation, ok bool) {
	s = mip.StatedActivation{Network: network, Text: a.Text, Date: a.Date}
	if a.unix {
		s.Timestamp = a.Timestamp
	}
	return s, a.unix || a.none || !a.Date.IsZero()
}

// networkOf returns the network of the site that words name: by its id or its name, or by its id
// among words of its name and words for a network, as in "Monad Testnet". ok is false if none or
// several match.
func networkOf(name string, networks []mip.Network) (found mip.Network, ok bool) {
	for _, n := range networks {
		if slug := mip.Slug(name); slug == mip.Slug(n.ID) || slug == mip.Slug(n.Name) {
			return n, true
		}
	}
	words := fields(name)
	for _, n := range networks {
		id := spelling.Fold(n.ID)
		own := append(fields(n.Name), id, "network", "testnet", "chain")
		foreign := func(w string) bool { return !slices.Contains(own, w) }
		// Any words may name a main network that has no name of its own.
		unnamed := id == "mainnet" && spelling.Fold(n.Name) == id
		if slices.Contains(words, id) && (unnamed || !slices.ContainsFunc(words, foreign)) {
			if ok {
				return mip.Network{}, false
			}
			found, ok = n, true
		}
	}
	return found, ok
}

// schedules returns the activation schedules of a text by their tables and lists. It leaves out the
// schedules of forks that change only the number of blobs, unless title names such a fork.
func schedules(doc *markdown.Document, title string) map[ast.Node][]Activation {
	r := scheduleReader{doc: doc, whole: !partial.MatchString(title)}
	out := map[ast.Node][]Activation{}
	var heading, before string
	left := 0 // the level of the heading whose schedules are left out, 0 for none
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		r.found = nil
		switch n := n.(type) {
		case *ast.Heading:
			heading, before = r.text(n), ""
			switch {
			case left != 0 && n.Level > left:
			case r.isPartial(heading):
				left = n.Level
			default:
				left = 0
			}
			continue
		case *ast.Paragraph:
			if before = r.text(n); !strings.HasSuffix(before, ":") {
				before = ""
			}
			continue
		case *extension.Table:
			r.table(n, scheduleScope{}.below(heading).below(before).activation)
		case *ast.List:
			r.list(n, scheduleScope{}.below(heading).below(before))
		}
		if r.found != nil && left == 0 && !r.isPartial(before) {
			out[n] = r.found
		}
		before = ""
	}
	return out
}

// scheduleReader reads the schedules of a text.
type scheduleReader struct {
	doc *markdown.Document
	// whole reports whether words about a fork of blobs are about another upgrade.
	whole bool
	// found are the activations in the current table or list.
	found []Activation
}

// isPartial reports whether words are about a fork of blobs that is not the text's upgrade.
func (r *scheduleReader) isPartial(words string) bool {
	return r.whole && partial.MatchString(words)
}

// text returns the plain text of a node.
func (r *scheduleReader) text(n ast.Node) string { return markdown.PlainText(n, r.doc.Body) }

// add adds an activation at the line of a node.
func (r *scheduleReader) add(n ast.Node, a Activation) {
	if a.Network != "" && !r.isPartial(a.Network) && n.Lines().Len() > 0 {
		a.Line = bytes.Count(r.doc.Body[:n.Lines().At(0).Start], []byte("\n"))
		r.found = append(r.found, a)
	}
}

// table reads the rows of a table whose first column names networks.
func (r *scheduleReader) table(n ast.Node, within bool) {
	var heads []string
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, r.text(cell))
		}
		switch {
		case row.Kind() == extension.KindTableHeader:
			heads = cells
			within = (within || slices.ContainsFunc(cells, activating.MatchString)) &&
				slices.ContainsFunc(cells[1:], func(c string) bool { return !r.isPartial(c) })
		case within && len(cells) > 1:
			a := Activation{certain: networked.MatchString(heads[0])}
			a.Network = cells[0]
			for i, cell := range cells[1:] {
				if !r.isPartial(heads[i+1]) {
					a.read(cell, heads[i+1])
				}
			}
			r.add(row.FirstChild(), a)
		}
	}
}

// scheduleScope is the context of a list, from the words before it.
type scheduleScope struct {
	activation bool
	blocks     bool // its numbers are block numbers
}

// below returns the scope after further words.
func (s scheduleScope) below(words string) scheduleScope {
	return scheduleScope{s.activation || activating.MatchString(words),
		s.blocks || blocks.MatchString(words)}
}

// list reads the items of a list, and the lists in them.
func (r *scheduleReader) list(list ast.Node, s scheduleScope) {
items:
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		inner := s
		for n := item.FirstChild(); n != nil; n = n.NextSibling() {
			switch {
			case n.Kind() == ast.KindList:
				r.list(n, inner)
			case n == item.FirstChild() && !struck(n.FirstChild(), r.doc.Body):
				words := r.text(n)
				label, _, _ := strings.Cut(words, ":")
				if r.isPartial(label) {
					continue items
				}
				if s.activation {
					r.add(n, itemOf(words, s.blocks))
				}
				inner = s.below(label)
			}
		}
	}
}

// itemOf reads the activation in a list item. The network is empty if the item names none. If
// ofBlocks is true, a number is a block number.
func itemOf(words string, ofBlocks bool) (a Activation) {
	name, value := "", ""
	if m := from.FindStringSubmatch(words); m != nil {
		v := generic.ReplaceAllString(m[1], "")
		if _, _, numbered := leadingNumber(v); numbered || v != "" && noTime.MatchString(v) {
			name, value, a.certain = strings.TrimSpace(m[2]), strings.TrimSpace(v+" "+m[3]), true
			ofBlocks = ofBlocks || blocks.MatchString(m[1])
		}
	}
	if m := listed.FindStringSubmatch(words); m != nil && name == "" {
		name, value = m[1], m[2]
		ofBlocks = ofBlocks || blocks.MatchString(words)
	}
	head := ""
	if ofBlocks {
		head, value = "block", generic.ReplaceAllString(value, "")
	}
	a.read(value, head)
	a.Network = strings.TrimSpace(generic.ReplaceAllString(name, ""))
	a.certain = a.certain || a.Block != nil || a.Timestamp != nil ||
		networked.MatchString(a.Network)
	return a
}
