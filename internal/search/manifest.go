package search

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Manifest is what a search begins with: the proposals, and which part of the index has what.
type Manifest struct {
	Version    int      `json:"version" doc:"2."`
	Kinds      []string `json:"kinds" doc:"Prefixes of ids, the main kind first."`
	Locales    []string `json:"locales" doc:"Locales with translations: the index of each is at /api/v1/search/{locale}."`
	Proposals  []string `json:"proposals" doc:"Each as in /api/v1/mips/{n}, in the order in which the index counts them from 0; then those with a translation."`
	Stages     string   `json:"stages" doc:"A letter for each: d draft, r review, l last-call, f final, v living, s stopped, or a hyphen."`
	Statuses   []string `json:"statuses" doc:"The statuses that there are, as in the addresses of their lists."`
	Status     []int    `json:"status" doc:"For each of proposals its place in statuses, from 0."`
	Shards     []Part   `json:"shards" doc:"Parts of the index, by their first term."`
	Translated []Part   `json:"translated" doc:"Parts with the terms of translations, by their first term; none in /api/v1/search."`
	Titles     []Part   `json:"titles" doc:"What rows of a list show of proposals, by the position of the first proposal in decimal digits."`
}

// last are the positions of proposals by their keys, of one with a translation that of the translation.
func (m *Manifest) last() map[string]int {
	out := make(map[string]int, len(m.Proposals))
	for i, key := range m.Proposals {
		out[key] = i
	}
	return out
}

// Part is a file of an index.
type Part struct {
	From string `json:"from" doc:"The first that is in it."`
	URL  string `json:"url" doc:"Where it is. The address changes with the content."`
}

// stageLetters are the letters of stages. Any other has a hyphen.
var stageLetters = map[string]byte{"draft": 'd', "review": 'r', "last-call": 'l', "final": 'f', "living": 'v', "stopped": 's'}

// Add adds a proposal or a translation of one behind those that are there: its key, its stage, and its status as the address
// of a list has it.
func (m *Manifest) Add(key, stage, status string) {
	i := slices.Index(m.Statuses, status)
	if i < 0 {
		i = len(m.Statuses)
		m.Statuses = append(m.Statuses, status)
	}
	m.Proposals, m.Stages, m.Status = append(m.Proposals, key), m.Stages+string(cmp.Or(stageLetters[stage], '-')), append(m.Status, i)
}

// Block has what is shown of some proposals that stand side by side.
type Block struct {
	Version   int     `json:"version" doc:"2."`
	Proposals []Entry `json:"proposals" doc:"In their order."`
}

// Entry is what is shown of one proposal. A row of a list can be drawn from it: what a [mip.Entry] has under the same name is
// the same, but for the title without Markdown, a deadline of a last call alone, and fewer lists.
type Entry struct {
	ID           string                  `json:"id" doc:"The id."`
	Locale       string                  `json:"locale" doc:"The language of the title and the texts: en, or that of a translation."`
	Title        string                  `json:"title" doc:"The title."`
	Status       string                  `json:"status" doc:"As in /api/v1/mips."`
	Mark         string                  `json:"mark" doc:"The class of the status in the site's style sheet."`
	Category     *string                 `json:"category" doc:"As in /api/v1/mips."`
	Hardfork     *string                 `json:"hardfork" doc:"As in /api/v1/mips."`
	Activations  []mip.NetworkActivation `json:"activations" doc:"As in /api/v1/mips."`
	Created      mip.Date                `json:"created" doc:"As in /api/v1/mips."`
	Updated      *mip.Time               `json:"updated" doc:"As in /api/v1/mips."`
	ForumTopicID *int                    `json:"forumTopicId" doc:"As in /api/v1/mips."`
	Ended        []string                `json:"ended" doc:"As in /api/v1/index."`
	Lists        []string                `json:"lists" doc:"As in /api/v1/index, those of its status and its upgrade."`
	URL          string                  `json:"url" doc:"The page."`
	Until        *string                 `json:"lastCallDeadline" doc:"The last day for comments in a last call, null for others."`
	Texts        []Part                  `json:"texts" doc:"The sections, by the position of the first one in decimal digits; 0 is the description."`
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

// Section is a section of a [Found], which has neither id nor title where it is the proposal as a whole.
func (e *Entry) Section(files Files, section int) (out SectionText, err error) {
	p, within, err := from(e.Texts, section)
	if err != nil {
		return out, err
	}
	t, err := files.Texts(p)
	if err == nil && within < len(t.Sections) {
		out = t.Sections[within]
	}
	return out, err
}

// BlockOf is how many proposals a block has: with fewer of them what is read of ten that are found is less, but the list of
// blocks, which every search reads, is longer.
const BlockOf = 4

// table is a shard with its lists taken apart.
type table struct{ terms, proposals, sections []string }

func newTable(s *Shard) table {
	return table{strings.Split(s.Terms, " "), strings.Split(s.Proposals, " "), strings.Split(s.Sections, " ")}
}

// Split takes the lists of a shard apart, once, for a shard that is kept and asked often. It comes before the first search.
func (s *Shard) Split() { s.split = new(newTable(s)) }

// posted is a term of a table, and where it stands.
type posted struct{ term, proposals, sections string }

func (p posted) hits() []hit { return decode(p.proposals, p.sections) }

// frequent orders terms, those in most proposals first, as many as are tried for one word.
func frequent(of []posted) []posted {
	slices.SortStableFunc(of, func(a, b posted) int { return len(b.proposals) - len(a.proposals) })
	return of[:min(len(of), mostNear)]
}

// hits are those of a term.
func (t table) hits(term string) []hit {
	i, ok := slices.BinarySearch(t.terms, term)
	if !ok {
		return nil
	}
	return t.at(i).hits()
}

// at is the i-th term. A damaged shard may have fewer postings than terms.
func (t table) at(i int) posted {
	if i >= len(t.proposals) || i >= len(t.sections) {
		return posted{term: t.terms[i]}
	}
	return posted{t.terms[i], t.proposals[i], t.sections[i]}
}

// beginning are the words that begin with one, which is not among them.
func (t table) beginning(with string) (out []posted) {
	i, _ := slices.BinarySearch(t.terms, with)
	for ; i < len(t.terms) && strings.HasPrefix(t.terms[i], with); i++ {
		if t.terms[i] != with && !strings.Contains(t.terms[i], ":") {
			out = append(out, t.at(i))
		}
	}
	return out
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

// like are the words that differ from one of five letters and more by one letter, or by two that changed places.
func (t table) like(term string) (out []posted) {
	if len([]rune(term)) < 5 {
		return nil
	}
	for i, other := range t.terms {
		// A letter has four bytes at most.
		if d := len(other) - len(term); d < -utf8.UTFMax || d > utf8.UTFMax {
			continue
		}
		if oneEdit([]rune(term), []rune(other)) {
			out = append(out, t.at(i))
		}
	}
	return out
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
