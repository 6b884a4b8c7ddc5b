package companion

import (
	"github.com/mipwatch/mipwatch/internal/ai"
)

// Outdated are the committed summaries to make: those that are missing, of an older text or refused, and with
// the name of a model those of another source. A proposal for whose place several files compete is left out: the
// problem was found when they were read.
func (s *Set) Outdated(model string) []ai.Outdated {
	var out []ai.Outdated
	for i, p := range s.Proposals.Corpus.Proposals {
		if sum := s.Summary(p.Number); sum != nil && !sum.Stale && (model == "" || sum.Source == model) {
			continue
		}
		if dir, name, ok := s.Place(p); ok {
			out = append(out, ai.Outdated{File: p.File, Dir: dir, Name: name, Subject: func() (ai.Subject, error) { return s.Proposals.Subject(i) }})
		}
	}
	return out
}
