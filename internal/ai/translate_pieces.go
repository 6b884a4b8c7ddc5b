package ai

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mipwatch/mipwatch/internal/mip"
)

const (
	// pieceBytes is how much of the source is asked for at once: an answer of that size arrives within
	// seconds, and a whole proposal is not many of them.
	pieceBytes = 1500
	// mostAsked is how many pieces are asked for at a time.
	mostAsked = 4
	// mostPieceAdded is how many bytes a piece may have beyond mostGrowth times its source.
	mostPieceAdded = 400
	// mostReply bounds what is read of a reply, as a multiple of what a piece may have: JSON can write a
	// letter of three bytes in six.
	mostReply = 3
)

// pieces packs the segments in order.
func (s *segments) pieces() [][]*segment {
	var out [][]*segment
	size := 0
	for i, g := range s.all {
		if i == 0 || size+len(g.source) > pieceBytes {
			out = append(out, nil)
			size = 0
		}
		out[len(out)-1] = append(out[len(out)-1], g)
		size += len(g.source)
	}
	return out
}

// Piece tells one question for the translation of a text from the others.
type Piece struct {
	Hash     [32]byte // of its passages
	Passages int      // how many it has
}

// Passages are the passages of a piece in another language, in order.
type Passages struct {
	Source string   `json:"source"` // name of the model
	Texts  []string `json:"texts"`
	Made   mip.Time `json:"made"`
}

// Keep gives the passages of a piece: those that were made before, or those that ask makes now.
type Keep func(ctx context.Context, p Piece, ask func(context.Context) (Passages, error)) (Passages, error)

func pieceOf(passages []*segment) Piece {
	hash := sha256.New()
	for _, g := range passages {
		fmt.Fprintf(hash, "%d %q\n", g.kind, g.source)
	}
	return Piece{Hash: [32]byte(hash.Sum(nil)), Passages: len(passages)}
}

// translate fills in the results of the pieces that hold wanted passages, some pieces at a time. It returns
// the newest of them without its texts. The first failure ends the calls that are under way; it returns when
// all have ended.
func (s *segments) translate(ctx context.Context, m Model, locale string, wanted map[*segment]bool, keep Keep) (newest Passages, err error) {
	pieces := slices.DeleteFunc(s.pieces(), func(piece []*segment) bool {
		return !slices.ContainsFunc(piece, func(g *segment) bool { return wanted[g] })
	})
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	made := make([]Passages, len(pieces))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(mostAsked, len(pieces)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(pieces) {
					return
				}
				p, err := s.kept(ctx, m, locale, pieces[i], keep)
				if err != nil {
					cancel(err)
					return
				}
				made[i] = p
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return Passages{}, context.Cause(ctx)
	}
	for i, p := range made {
		for j, g := range pieces[i] {
			g.result = p.Texts[j]
		}
		if newest.Source == "" || p.Made.UTC().After(newest.Made.UTC()) {
			newest = Passages{Source: p.Source, Made: p.Made}
		}
	}
	return newest, nil
}

// kept is a piece out of keep.
func (s *segments) kept(ctx context.Context, m Model, locale string, piece []*segment, keep Keep) (Passages, error) {
	ask := func(ctx context.Context) (Passages, error) { return s.piece(ctx, m, locale, piece) }
	if keep == nil {
		return ask(ctx)
	}
	return keep(ctx, pieceOf(piece), ask)
}

// piece asks for segments, and once more for those whose translation breaks the rules.
func (s *segments) piece(ctx context.Context, m Model, locale string, all []*segment) (Passages, error) {
	const attempts = 2
	results := map[*segment]string{}
	ask := all
	var faults []fault
	for range attempts {
		prompt, codeWord := s.translatePrompt(ask, locale, faults)
		reply, err := m.Ask(ctx, prompt)
		if err != nil {
			return Passages{}, err
		}
		ask, faults = s.accept(ask, reply.Text, codeWord, results)
		if len(ask) > 0 {
			continue
		}
		if !s.fits(results) {
			return Passages{}, errBlocks
		}
		out := Passages{Source: reply.Model}
		for _, g := range all {
			out.Texts = append(out.Texts, results[g])
		}
		return out, nil
	}
	return Passages{}, NewError(ErrFailed, "the translation of a passage "+string(faults[0]))
}

// fits reports whether the sections keep their blocks with these results in them: what is kept of a piece
// must do wherever it is put.
func (s *segments) fits(results map[*segment]string) bool {
	return !slices.ContainsFunc(s.sections, func(t sectionText) bool {
		if !slices.ContainsFunc(t.segments, func(g *segment) bool { return results[g] != "" }) {
			return false
		}
		_, ok := t.with(func(g *segment) string { return cmp.Or(results[g], g.source) })
		return !ok
	})
}

// formFault is every passage's when the answer cannot be read at all.
const formFault fault = "is not in one JSON object of strings with the keys that were given"

// accept adds the translations that keep the rules to accepted, and returns the other segments with their
// faults.
func (s *segments) accept(asked []*segment, text, codeWord string, accepted map[*segment]string) (again []*segment, faults []fault) {
	source := 0
	for _, g := range asked {
		source += len(g.source)
	}
	most := mostGrowth*source + mostPieceAdded
	if len(text) > mostReply*most {
		return asked, slices.Repeat([]fault{lengthFault}, len(asked))
	}
	answers, err := readAnswers(text, len(asked))
	if err != nil || strings.Contains(text, codeWord) {
		return asked, slices.Repeat([]fault{formFault}, len(asked))
	}
	size := 0
	results := make([]string, len(asked))
	for i, g := range asked {
		result, f := s.check(g, answers[i])
		if f != noFault {
			again, faults = append(again, g), append(faults, f)
		}
		results[i] = result
		size += len(result)
	}
	if size > most {
		return asked, slices.Repeat([]fault{lengthFault}, len(asked))
	}
	for i, g := range asked {
		if results[i] != "" {
			accepted[g] = results[i]
		}
	}
	return again, faults
}
