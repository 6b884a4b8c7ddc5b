package search

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Manifest is read first in a search: it lists the proposals and the parts of the index.
type Manifest struct {
	Version   int      `json:"version" doc:"5."`
	Kinds     []string `json:"kinds" doc:"Prefixes of ids, the main kind first."`
	Proposals []string `json:"proposals" doc:"Each as n of getProposal, in the order in which the index counts them from 0."`
	Stages    string   `json:"stages" doc:"A letter for each: d draft, r review, l last-call, f final, v living, s stopped, or a hyphen."`
	Statuses  []string `json:"statuses" doc:"The statuses that there are, as in the addresses of their lists."`
	Status    []int    `json:"status" doc:"For each of proposals its place in statuses, from 0."`
	Parts     []int    `json:"parts" doc:"For each how many parts its texts have."`
	Shards    []Part   `json:"shards" doc:"Parts of the index, by their first term."`
	Titles    []Part   `json:"titles" doc:"What rows of a list show of proposals, by the position of the first proposal in decimal digits."`
}

// Part is a part of an index: some bytes of a file, which [Unpack] reads.
type Part struct {
	From string `json:"from" doc:"The first that is in it."`
	URL  string `json:"url" doc:"A file, whose address changes with its content, and the first and last byte of the part as the fragment."`
}

// stageLetters are the letters of the stages. Any other stage has a hyphen.
var stageLetters = map[string]byte{"draft": 'd', "review": 'r', "last-call": 'l', "final": 'f',
	"living": 'v', "stopped": 's'}

// Add appends a proposal: its key, its stage, its status slug, and the number of parts of its
// texts.
func (m *Manifest) Add(key, stage, status string, parts int) {
	i := slices.Index(m.Statuses, status)
	if i < 0 {
		i = len(m.Statuses)
		m.Statuses = append(m.Statuses, status)
	}
	m.Proposals = append(m.Proposals, key)
	m.Stages += string(cmp.Or(stageLetters[stage], '-'))
	m.Status = append(m.Status, i)
	m.Parts = append(m.Parts, parts)
}

// Block holds the entries of some consecutive proposals.
type Block struct {
	Version   int     `json:"version" doc:"5."`
	Proposals []Entry `json:"proposals" doc:"In their order."`
}

// Entry is the data of one proposal that a result shows. It suffices to draw a row of a list:
// fields with the name of one of [mip.Entry] have the same value, except that the title is without
// Markdown, only a last call has a deadline, and there are fewer lists.
type Entry struct {
	ID           string                  `json:"id" doc:"The id."`
	Title        string                  `json:"title" doc:"The title."`
	Status       string                  `json:"status" doc:"As in listProposals."`
	Mark         string                  `json:"mark" doc:"The class of the status in the site's style sheet."`
	Category     *string                 `json:"category" doc:"As in listProposals."`
	Hardfork     *string                 `json:"hardfork" doc:"As in listProposals."`
	Activations  []mip.NetworkActivation `json:"activations" doc:"As in listProposals."`
	Created      mip.Date                `json:"created" doc:"As in listProposals."`
	Updated      *mip.Time               `json:"updated" doc:"As in listProposals."`
	ForumTopicID *int                    `json:"forumTopicId" doc:"As in listProposals."`
	Ended        []string                `json:"ended" doc:"As in getIndex."`
	Lists        []string                `json:"lists" doc:"As in getIndex, those of its status and its upgrade."`
	URL          string                  `json:"url" doc:"The page."`
	Until        *string                 `json:"lastCallDeadline" doc:"The last day for comments in a last call, null for others."`
	Texts        []string                `json:"texts" doc:"The parts of its texts, as url of shards. The first section of the first one is the description."`
}

// errParts reports parts of an index that do not belong together.
var errParts = errors.New("parts of the search index do not belong together")

// Shown returns the entry of a proposal, given its position among all.
func Shown(m *Manifest, files Files, proposal int) (*Entry, error) {
	// A From that is not a number comes first.
	first := func(p Part) int { n, _ := strconv.Atoi(p.From); return n }
	behind, _ := slices.BinarySearchFunc(m.Titles, proposal+1, func(p Part, at int) int {
		return cmp.Compare(first(p), at)
	})
	if behind > 0 {
		p := m.Titles[behind-1]
		b, err := files.Block(p.URL)
		if err != nil {
			return nil, err
		}
		if i := proposal - first(p); i >= 0 && i < len(b.Proposals) {
			return &b.Proposals[i], nil
		}
	}
	return nil, fmt.Errorf("%w: proposal %d has no title", errParts, proposal)
}

// Part returns one of the parts of the proposal's texts.
func (e *Entry) Part(files Files, part int) (*Texts, error) {
	if part < 0 || part >= len(e.Texts) {
		return nil, fmt.Errorf("%w: the texts of %s have no part %d", errParts, e.ID, part)
	}
	return files.Texts(e.Texts[part])
}

// BlockOf is the number of proposals in a block. Smaller blocks reduce the data read for ten
// results, but lengthen the list of blocks, which every search reads.
const BlockOf = 4
