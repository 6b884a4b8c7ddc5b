package search

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Manifest is what a search begins with: the proposals, and which part of the index has what.
type Manifest struct {
	Version   int      `json:"version" doc:"1."`
	Kinds     []string `json:"kinds" doc:"Prefixes of ids, the main kind first."`
	Proposals []string `json:"proposals" doc:"Each as in /api/v1/mips/{n}, in the order in which the index counts them from 0."`
	Stages    string   `json:"stages" doc:"A letter for each: d draft, r review, l last-call, f final, v living, s stopped, or a hyphen."`
	Shards    []Part   `json:"shards" doc:"Parts of the index, by their first term."`
	Titles    []Part   `json:"titles" doc:"Titles of proposals and sections, by the position of the first proposal in decimal digits."`
}

// Part is a file of an index.
type Part struct {
	From string `json:"from" doc:"The first that is in it."`
	URL  string `json:"url" doc:"Where it is. The address changes with the content."`
}

// stageLetters are the letters of stages.
var stageLetters = map[string]byte{"draft": 'd', "review": 'r', "last-call": 'l', "final": 'f', "living": 'v', "stopped": 's'}

// StageLetter is that of a stage, a hyphen for any other text.
func StageLetter(stage string) byte { return cmp.Or(stageLetters[stage], '-') }

// Block has what is shown of some proposals that stand side by side.
type Block struct {
	Version   int     `json:"version" doc:"1."`
	Proposals []Entry `json:"proposals" doc:"In their order."`
}

// Entry is what is shown of one proposal.
type Entry struct {
	ID       string      `json:"id" doc:"The id."`
	Title    string      `json:"title" doc:"The title."`
	Status   string      `json:"status" doc:"As in /api/v1/mips."`
	Mark     string      `json:"mark" doc:"The class of the status in the site's style sheet."`
	URL      string      `json:"url" doc:"The page."`
	Until    *string     `json:"lastCallDeadline" doc:"The last day for comments in a last call, null for others."`
	Sections [][2]string `json:"sections" doc:"The id and the title of each section."`
	Texts    []Part      `json:"texts" doc:"What is read of the sections, by the position of the first one in decimal digits; 0 is the description."`
}

// errParts says that parts of an index do not belong together.
var errParts = errors.New("parts of the search index do not belong together")

// from is the part that has a position: the last that does not begin behind it, and the position within.
func from(parts []Part, position int) (p Part, within int, err error) {
	for i, of := range slices.Backward(parts) {
		n, err := strconv.Atoi(of.From)
		if err == nil && n >= 0 && n <= position {
			return parts[i], position - n, nil
		}
	}
	return p, 0, fmt.Errorf("%w: none has position %d", errParts, position)
}

// Shown is what is shown of a proposal, which is a position among all.
func Shown(m *Manifest, files Files, proposal int) (*Entry, error) {
	p, within, err := from(m.Titles, proposal)
	if err != nil {
		return nil, err
	}
	b, err := files.Block(p)
	if err != nil {
		return nil, err
	}
	if within >= len(b.Proposals) {
		return nil, fmt.Errorf("%w: proposal %d has no title", errParts, proposal)
	}
	return &b.Proposals[within], nil
}

// Section is the title and the text of a section of a [Found].
func (e *Entry) Section(files Files, section int) (title, text string, err error) {
	title = e.Title
	if section > 0 && section <= len(e.Sections) {
		title = e.Sections[section-1][1]
	}
	p, within, err := from(e.Texts, section)
	if err != nil {
		return title, "", err
	}
	t, err := files.Texts(p)
	if err == nil && within < len(t.Sections) {
		text = t.Sections[within]
	}
	return title, text, err
}

// BlockOf is how many proposals a block has.
const BlockOf = 8

// table is a shard with its lists taken apart.
type table struct{ terms, proposals, sections []string }

func newTable(s *Shard) table {
	return table{strings.Split(s.Terms, " "), strings.Split(s.Proposals, " "), strings.Split(s.Sections, " ")}
}

// Split takes the lists of a shard apart, once, for a shard that is kept and asked often. It comes before the first search.
func (s *Shard) Split() { s.split = new(newTable(s)) }

// hits are those of a term.
func (t table) hits(term string) []hit {
	i, ok := slices.BinarySearch(t.terms, term)
	if !ok {
		return nil
	}
	return t.decode(i)
}

func (t table) decode(i int) []hit {
	if i >= len(t.proposals) || i >= len(t.sections) {
		return nil
	}
	return decode(t.proposals[i], t.sections[i])
}

// beginning are the positions of the words that begin with one, which is not among them: those in most proposals.
func (t table) beginning(with string) (out []int) {
	i, _ := slices.BinarySearch(t.terms, with)
	for ; i < len(t.terms) && strings.HasPrefix(t.terms[i], with); i++ {
		if t.terms[i] != with && !strings.Contains(t.terms[i], ":") {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return len(t.proposals[b]) - len(t.proposals[a]) })
	return out[:min(len(out), mostNear)]
}

// nearest are the values of the filters with this beginning that stand nearest to one in the alphabet.
func (t table) nearest(filter, with string) []string {
	at, _ := slices.BinarySearch(t.terms, filter)
	first, _ := slices.BinarySearch(t.terms, with)
	values := []string{}
	for _, term := range t.terms[first:] {
		value, ok := strings.CutPrefix(term, with)
		if !ok {
			break
		}
		values = append(values, value)
	}
	at = max(0, min(at-first-mostKnown/2, len(values)-mostKnown))
	return values[at:min(len(values), at+mostKnown)]
}

// like is the position of the word that differs from one of five letters and more by one letter, or by two that changed
// places: of several the one in most proposals, -1 for none.
func (t table) like(term string) int {
	best := -1
	if len([]rune(term)) < 5 {
		return best
	}
	for i, other := range t.terms {
		// A letter has four bytes at most.
		if d := len(other) - len(term); d < -utf8.UTFMax || d > utf8.UTFMax {
			continue
		}
		if oneEdit([]rune(term), []rune(other)) && (best < 0 || len(t.proposals[i]) > len(t.proposals[best])) {
			best = i
		}
	}
	return best
}

// oneEdit reports whether two words differ by one letter that is there, missing or another, or by two neighbours in the other
// order.
func oneEdit(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch rest := a[i:]; {
	case len(a) < len(b):
		return slices.Equal(rest, b[i+1:])
	case len(rest) == 0:
		return false
	case len(rest) > 1 && rest[0] == b[i+1] && rest[1] == b[i] && slices.Equal(rest[2:], b[i+2:]):
		return true
	default:
		return slices.Equal(rest[1:], b[i+1:])
	}
}
