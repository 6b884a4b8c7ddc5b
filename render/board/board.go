// Package board arranges the proposals of a hard fork by stage, with what their texts state: the
// status and the groups that have to act. It does not know any format.
package board

import (
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Board is the proposals of a hard fork by stage.
type Board struct {
	mip.HardFork
	// Meta is the proposal that defines the fork, nil if the fork names none.
	Meta *Row
	// Open are the stages of proposals that are or may come into the fork. Left are the stages of
	// proposals that were declined or left the lists. Each stage has proposals.
	Open, Left []Stage
	// Moves are all moves in the history of the fork's text, the newest first.
	Moves []Move
}

// Stage is the proposals at one stage, in the order of the fork's text.
type Stage struct {
	// Name is the stage, or [Bundled].
	Name mip.Inclusion
	Rows []Row
}

// Bundled is the stage of scheduled proposals in a fork with networks whose other proposals are all
// included: the present time decides whether they are included too.
const Bundled mip.Inclusion = "bundled"

// Row is a proposal on a board.
type Row struct {
	mip.ForkProposal
	// Published is nil if the text of the proposal is not on this site.
	Published *mip.Metadata
	// Address is the proposal's page on another site, or empty.
	Address string
	// Asks are the groups that have to act according to the text, in the order of its claims.
	Asks []string
	// Text is the meta proposal if the page of its versions shows the commit, else nil.
	Text *mip.ID
}

// Move is a group of proposals that came to one stage with one commit.
type Move struct {
	Stage Stage
	// First is one of the proposals, for the day and the commit that all have.
	First Row
}

// Texts is the input of a board, beside its fork.
type Texts struct {
	// Kind is the kind of the number of a meta proposal.
	Kind string
	// All are the published proposals, sorted by id.
	All []mip.Metadata
	// Claims are about the proposals of the board and the meta proposal.
	Claims []api.Claim
	// References are the addresses of other sites' proposals.
	References mip.References
	// Moves are the changes of stages, the newest first. Changes by one commit to one stage are
	// neighbors.
	Moves []mip.ForkProposal
	// Versions are the commits that the page of the meta proposal's versions shows.
	Versions []string
	meta     *mip.ID
}

// New returns the board of a hard fork.
func New(f mip.HardFork, t Texts) Board {
	b := Board{HardFork: f}
	if f.MetaMIP != nil {
		t.meta = &mip.ID{Kind: t.Kind, Number: *f.MetaMIP}
		b.Meta = new(t.row(mip.ForkProposal{ID: *t.meta}))
	}
	unsettled := func(of mip.ForkProposal) bool { return !of.Stage.Bundled() }
	timed := f.HasNetworks() && !slices.ContainsFunc(f.Proposals, unsettled)
	stageOf := func(of mip.ForkProposal) mip.Inclusion {
		if timed && of.Stage == mip.Scheduled {
			return Bundled
		}
		return of.Stage
	}
	for _, stage := range append(mip.Inclusions(), Bundled) {
		s := Stage{Name: stage}
		for _, of := range f.Proposals {
			if stageOf(of) != stage {
				continue
			}
			s.Rows = append(s.Rows, t.row(of))
		}
		switch {
		case s.Rows == nil:
		case left(stage):
			b.Left = append(b.Left, s)
		default:
			b.Open = append(b.Open, s)
		}
	}
	for _, of := range t.Moves {
		r, last := t.row(of), len(b.Moves)-1
		if last < 0 || !b.Moves[last].with(r) {
			last++
			b.Moves = append(b.Moves, Move{Stage{Name: r.Stage}, r})
		}
		b.Moves[last].Stage.Rows = append(b.Moves[last].Stage.Rows, r)
	}
	return b
}

// with reports whether a row came to the stage with the same commit.
func (m Move) with(r Row) bool {
	return m.Stage.Name == r.Stage && mip.Deref(m.First.Commit) == mip.Deref(r.Commit)
}

// left reports whether proposals at the stage will not come into their fork.
func left(stage mip.Inclusion) bool { return stage == mip.Declined || stage == mip.Unlisted }

// Awaits reports whether a proposal is a part of a hard fork or may become one.
func Awaits(f mip.HardFork, id mip.ID) bool {
	return slices.ContainsFunc(f.Proposals, func(of mip.ForkProposal) bool {
		return of.ID == id && !left(of.Stage)
	})
}

// row returns the row of a proposal.
func (t Texts) row(of mip.ForkProposal) Row {
	r := Row{ForkProposal: of}
	if m, ok := mip.Find(t.All, of.ID); ok {
		r.Published = &m
	} else {
		_, r.Address, _ = t.References.Find(of.ID.Kind, of.ID.Number)
	}
	for _, c := range t.Claims {
		if c.ID == of.ID && c.ActionRequired {
			r.Asks = append(r.Asks, c.Group)
		}
	}
	if slices.Contains(t.Versions, mip.Deref(of.Commit)) {
		r.Text = t.meta
	}
	return r
}

// Stages returns all stages.
func (b Board) Stages() []Stage { return slices.Concat(b.Open, b.Left) }

// Title returns the name of the stage as a heading.
func (s Stage) Title() string {
	return strings.ToUpper(string(s.Name[:1])) + string(s.Name[1:])
}

// Main returns the open stage that has more than twice as many proposals as all others together, or
// "" if none does or no other is open.
func (b Board) Main() mip.Inclusion {
	total := 0
	for _, s := range b.Open {
		total += len(s.Rows)
	}
	for _, s := range b.Open {
		if rows := len(s.Rows); rows < total && rows > 2*(total-rows) {
			return s.Name
		}
	}
	return ""
}
