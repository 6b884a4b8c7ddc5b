package assist

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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

// translate asks for all pieces, some at a time, and returns the model's name. The first failure ends
// the calls that are under way; it returns when all have ended.
func (s *segments) translate(ctx context.Context, m Model, locale string) (model string, err error) {
	pieces := s.pieces()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	names := make([]string, len(pieces)+1)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(mostAsked, len(pieces)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(pieces) {
					return
				}
				name, err := s.piece(ctx, m, locale, pieces[i])
				if err != nil {
					cancel(err)
					return
				}
				names[i] = name
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return names[0], nil
}

// piece asks for segments, and once more for those whose translation breaks the rules.
func (s *segments) piece(ctx context.Context, m Model, locale string, ask []*segment) (model string, err error) {
	const attempts = 2
	var faults []fault
	for range attempts {
		prompt, codeWord := s.translatePrompt(ask, locale, faults)
		reply, err := m.Ask(ctx, prompt)
		if err != nil {
			return "", err
		}
		model = reply.Model
		ask, faults = s.accept(ask, reply.Text, codeWord)
		if len(ask) == 0 {
			return model, nil
		}
	}
	return "", fmt.Errorf("%w: the translation of a passage %s", ErrFailed, faults[0])
}

// formFault is every passage's when the answer cannot be read at all.
const formFault fault = "is not in one JSON object of strings with the keys that were given"

// accept takes the translations that keep the rules, and returns the other segments with their faults.
func (s *segments) accept(asked []*segment, text, codeWord string) (again []*segment, faults []fault) {
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
			g.result = results[i]
		}
	}
	return again, faults
}
