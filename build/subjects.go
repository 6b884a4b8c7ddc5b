package build

import (
	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Subjects are the proposals as summaries speak of them.
type Subjects struct {
	Corpus    *corpus.Corpus
	Summaries []mip.Summary  // of the corpus's proposals, in their order, completed by the site
	Forks     []mip.HardFork // with their status
}

// Subject is what a summary of the i-th proposal speaks of: the proposal with its sections, the fork that
// it has to do with and, for a fork's meta proposal, what that bundles. Now is not set.
func (s *Subjects) Subject(i int) summary.Subject {
	p := s.read(i)
	fork, bundled := summary.Context(p.Summary, s.Summaries, s.Forks)
	out := summary.Subject{Proposal: p, Fork: fork}
	for _, m := range bundled {
		k, _ := mip.Search(s.Summaries, m.ID)
		out.Bundled = append(out.Bundled, s.read(k))
	}
	return out
}

func (s *Subjects) read(i int) *mip.Proposal {
	p := s.Corpus.Proposals[i]
	return &mip.Proposal{Summary: s.Summaries[i], Translations: []mip.Translation{}, RawMarkdown: p.Raw, Sections: s.Corpus.Read(p).Sections}
}

// Check says what the text of the i-th proposal does not bear out of a summary, as [summary.Check] does.
func (s *Subjects) Check(sum *api.Summary, i int) error { return summary.Check(*sum, s.Subject(i)) }

// Outdated are the committed summaries to make: those that are missing, of an older text or refused, and with
// the name of a model those of another source. A proposal for whose place several files compete is left out: the
// problem was found when they were read.
func (s *Subjects) Outdated(committed *corpus.Committed, model string) []ai.Outdated {
	var out []ai.Outdated
	for i, p := range s.Corpus.Proposals {
		if sum := committed.Summary(p.ID); sum != nil && !sum.Stale && (model == "" || sum.Source == model) {
			continue
		}
		if dir, name, ok := committed.SummaryFile(p); ok {
			out = append(out, ai.Outdated{File: p.File, Dir: dir, Name: name, Subject: func() summary.Subject { return s.Subject(i) }})
		}
	}
	return out
}
