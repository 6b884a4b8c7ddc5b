// Package upgrade reads network upgrades from the texts of proposals: the names of the upgrades,
// and which proposals each of them lists at which stage. It does not know site.yaml, git or HTML.
//
// A text is read by its headings. A heading that names a stage, such as "Considered for Inclusion",
// begins a list, which includes what is below its subheadings. A list belongs to the stage of the
// headings above it, and of an item or a paragraph that names a stage, such as "Included EIPs:". A
// list item or a row of a table stands for a proposal if it begins with the proposal's id. A
// proposal below no such heading has no stage: nothing is guessed.
package upgrade

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// Source is a text that may define upgrades.
type Source struct {
	Metadata mip.Metadata
	// File is the path in problems. Head is the number of lines before the body.
	File string
	Head int
	Doc  *markdown.Document
}

// Text is what a text states about upgrades.
type Text struct {
	// Meta is the proposal of the text.
	Meta mip.ID
	File string
	// Upgrades are in the order of the text.
	Upgrades []Upgrade
	// Headings are the headings of lists whose proposals are in no upgrade, since they have no
	// stage.
	Headings []Heading
	// Problems are its doubtful statements.
	Problems []mip.Problem

	source Source
}

// Heading is a heading with its number of proposals.
type Heading struct {
	Words     string
	Proposals int
}

// Upgrade is an upgrade as a text states it.
type Upgrade struct {
	Name string
	// Fork is the name of the hard fork after [Merge], or empty if it was left out.
	Fork string
	// Proposals are in the order of the text, each once.
	Proposals []Proposal
	// Schedule has the activations of networks, in the order of the text.
	Schedule []Activation
	// Unread are the proposals that are in lists without a stage alone.
	Unread []mip.ID
	// Releases are the rows of a table of clients.
	Releases []mip.Release
}

// Proposal is a proposal in an upgrade. Line is its line in the file.
type Proposal struct {
	ID    mip.ID
	Stage mip.Inclusion
	Line  int
}

// Read reads a text. It has no upgrade and no problem if neither its title nor a code name names
// one. A proposal that is not about process defines only upgrades with a list at a stage. Without
// one it has no problem.
func (r *Reader) Read(s Source) Text {
	t := text{
		Reader: r, doc: s.Doc, meta: s.Metadata.ID, title: nameIn(s.Metadata.Title), head: s.Head,
		line: s.Head + 1, report: problem.Report{File: s.File},
	}
	t.forks = []fork{{name: t.title, known: map[mip.ID]int{}}}
	t.read()
	out := Text{Meta: s.Metadata.ID, File: s.File, source: s}
	out.source.Doc = nil
	meta := isMeta(s.Metadata)
	for i := range t.forks {
		f := &t.forks[i]
		if meta && !f.staged {
			t.includePlain(f)
		}
		f.unread = slices.DeleteFunc(f.unread, func(u unread) bool {
			_, known := f.known[u.ID]
			return known
		})
		if f.name != "" && (len(f.proposals) > 0 || meta && f.staged) {
			u := Upgrade{Name: f.name, Proposals: f.proposals, Schedule: f.schedule,
				Releases: f.releases}
			for _, left := range f.unread {
				u.Unread = append(u.Unread, left.ID)
			}
			out.Upgrades = append(out.Upgrades, u)
		}
	}
	if t.forks[0].name != "" && (meta || len(out.Upgrades) > 0) {
		out.Headings = t.reportUnread()
		out.Problems = t.report.Problems
	}
	return out
}

// text is a text that is being read.
type text struct {
	*Reader
	doc   *markdown.Document
	meta  mip.ID // the proposal of the text
	title string // the name in the title
	// forks are the upgrades of the text. The first is the title's.
	forks []fork
	// above are the headings above the current block, the outermost first.
	above  []scope
	report problem.Report
	// head is the number of lines before the body. line is the number of the line at offset.
	head, offset, line int
}

// fork is an upgrade that is being read.
type fork struct {
	name string
	// staged reports whether a heading or an item names a stage.
	staged    bool
	proposals []Proposal
	known     map[mip.ID]int // positions in proposals
	unread    []unread
	schedule  []Activation
	releases  []mip.Release
}

// unread is a proposal in a list without a stage.
type unread struct {
	Proposal
	under scope
}

// scope is the context of lists, from the heading or the item above them.
type scope struct {
	level int
	words string
	// stage is empty if nothing names one. fork is a position in forks.
	stage mip.Inclusion
	fork  int
	// plain is true directly below the heading Specification or the heading of an upgrade. A list
	// there has the included proposals if nothing names a stage.
	plain bool
}

// read reads the blocks of the text.
func (t *text) read() {
	s, scheduled := scope{}, schedules(t.doc, t.title)
	for n := t.doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		t.schedule(s, scheduled[n])
		switch n := n.(type) {
		case *ast.Heading:
			s = t.heading(n)
		case *ast.Paragraph:
			s = scope{}
			if len(t.above) > 0 {
				s = t.above[len(t.above)-1]
			}
			s = t.below(s, markdown.PlainText(n, t.doc.Body))
		case *ast.List:
			t.list(n, s)
		case *extension.Table:
			t.releases(s, n)
			t.table(n, s)
		}
	}
}

// schedule adds the activations in a table or a list to the upgrade of its scope. Only its first
// schedule counts, and in it the first line of a network: another one is about a part of it, or
// about a further upgrade.
func (t *text) schedule(s scope, found []Activation) {
	f := &t.forks[s.fork]
	if f.schedule != nil {
		return
	}
	for _, a := range found {
		n, ours := networkOf(a.Network, t.networks)
		_, timed := a.stated(n.ID)
		if _, isProposal := t.leading(a.Network); isProposal || !a.certain && !(ours && timed) {
			continue
		}
		again := func(b Activation) bool { return mip.Slug(b.Network) == mip.Slug(a.Network) }
		if slices.ContainsFunc(f.schedule, again) {
			continue
		}
		same := func(b Activation) bool { return mip.Deref(b.ID) == n.ID }
		if ours && !slices.ContainsFunc(f.schedule, same) {
			a.ID = &n.ID
		}
		a.Line += t.head + 1
		if a.zoneless {
			t.report.Add(a.Line, "upgrade-zone", mip.Quote(a.Text), a.Network)
		}
		f.schedule = append(f.schedule, a)
	}
}

// heading returns the scope of a heading.
func (t *text) heading(n *ast.Heading) scope {
	for len(t.above) > 0 && t.above[len(t.above)-1].level >= n.Level {
		t.above = t.above[:len(t.above)-1]
	}
	s := scope{}
	if len(t.above) > 0 {
		s = t.above[len(t.above)-1]
	}
	words := markdown.PlainText(n, t.doc.Body)
	s = t.below(s, words)
	s.level, s.words, s.plain = n.Level, words, false
	switch name := t.forkName(s.words); {
	case s.stage != "":
	case name != "":
		s.fork, s.plain = len(t.forks), true
		t.forks = append(t.forks, fork{name: name, known: map[mip.ID]int{}})
	default:
		s.plain = t.fold(s.words) == "specification"
	}
	t.above = append(t.above, s)
	return s
}

// forkName returns the name of the upgrade that a heading names, such as "Berlin [EL]", or "Berlin"
// below the title "Berlin to Shapella". It is empty for other headings.
func (t *text) forkName(heading string) string {
	name, _, tagged := strings.Cut(heading, "[")
	if name = strings.TrimSpace(name); tagged && strings.HasSuffix(heading, "]") {
		return name
	}
	if heading != t.title && strings.Contains(" "+t.title+" ", " "+heading+" ") {
		return heading
	}
	return ""
}

// longestLabel is the number of words up to which a text is a label rather than a sentence.
const longestLabel = 6

// below returns the scope of the lists below words, such as "Included EIPs:", in s. Words without a
// stage keep the stage of s. If they suggest another stage, the lists have none.
func (t *text) below(s scope, words string) scope {
	label, _, ends := strings.Cut(words, ":")
	short := len(fields(label)) <= longestLabel
	own, guess := t.stage(label), Guess(label)
	switch {
	case own != "":
		s.stage, t.forks[s.fork].staged = own, true
	case short && guess != "" && guess != s.stage:
		s.stage, s.plain = "", false
	case !short || !ends:
		return s
	}
	s.words = label
	return s
}

// table reads the rows of a table: the first cell, or else that in a column of proposals, such as
// "EIP", where a number is enough.
func (t *text) table(table ast.Node, s scope) {
	column, head := 0, ""
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []ast.Node
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, cell)
		}
		if row.Kind() == extension.KindTableHeader {
			column = max(0, slices.IndexFunc(cells, func(cell ast.Node) bool {
				words := fields(markdown.PlainText(cell, t.doc.Body))
				if len(words) != 1 || !t.isProposal(words[0]) {
					return false
				}
				head = strings.TrimSuffix(words[0], "s")
				return true
			}))
		} else if len(cells) > column && !t.proposal(cells[0], "", s) {
			t.proposal(cells[column], head, s)
		}
	}
}

// list reads the items of a list, and the lists in them.
func (t *text) list(list ast.Node, s scope) {
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		first := item.FirstChild()
		if first == nil {
			continue
		}
		inner := s
		if !t.proposal(first, "", s) && first.Kind() != ast.KindList {
			words := markdown.PlainText(first, t.doc.Body)
			if name, ok := strings.CutPrefix(words, codename); ok {
				t.rename(strings.TrimSpace(name))
			}
			inner = t.below(s, words)
			inner.plain = inner.plain && !strings.Contains(words, ":")
		}
		for n := first; n != nil; n = n.NextSibling() {
			if n.Kind() == ast.KindList {
				t.list(n, inner)
			}
		}
	}
}

// rename gives the upgrade of the title its code name. A title may have further words, such as
// "Proposes the Napoli Hardfork".
func (t *text) rename(code string) {
	f := &t.forks[0]
	if f.name == "" || code != "" && strings.Contains(f.name, code) {
		f.name = code
	}
}
