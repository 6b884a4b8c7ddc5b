// Package companion reads what is committed beside the proposals of a folder: summaries in
// summaries/MIP-7.json and translations in translations/ja/MIP-7.md. It holds them to the proposals'
// present texts and says what is wrong with those that it drops. It knows nothing of HTTP, HTML or the
// clock.
package companion

import (
	"fmt"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// The folders within a proposals folder.
const (
	SummariesDir    = "summaries"
	TranslationsDir = "translations"
)

// Proposals is what companions belong to.
type Proposals struct {
	Corpus    *corpus.Corpus
	Summaries []mip.Summary  // of the corpus's proposals, in their order, completed by the site
	Forks     []mip.HardFork // with their status
	Prefix    string         // what ids and file names start with
	Locales   []string       // of the translations that are published
	// Render is as in [corpus.Options.Render], for translations.
	Render func(*corpus.Document) error
}

// Set is what was found. It is immutable after [Load] and safe for concurrent use.
type Set struct {
	Proposals Proposals
	Problems  []mip.Problem // sorted; every file that is not published has at least one
	Files     []string      // every file that was read, as in problems

	summaries    map[int]*api.Summary
	translations map[int][]Translation
	places       map[int]place
}

// place is what stands where the committed summary of a proposal belongs.
type place struct {
	file  folder.File
	taken bool // by several files, so that none can be chosen
}

// Translation is a committed translation that is published, without its text: see [Set.Read].
type Translation struct {
	Number      int
	Locale      string
	Stale       bool // the English text has changed since it was made
	GeneratedAt mip.Time
	FileHash    string // hex SHA-256 of the file

	file folder.File
}

// Summary is the committed summary of a proposal, nil when none is published. Its Stale tells one of an
// older text, which still passes [ai.Check] against the present one.
func (s *Set) Summary(number int) *api.Summary { return s.summaries[number] }

// Translations are the published translations of a proposal, by locale. A stale one is among them.
func (s *Set) Translations(number int) []Translation { return s.translations[number] }

// Place is the folder of proposals in which the summary of a proposal belongs, and its name there: where
// one stands, else beside the proposal. ok is false when several files claim the place.
func (s *Set) Place(p *corpus.Proposal) (dir, name string, ok bool) {
	if at, found := s.places[p.Number]; found {
		return at.file.Folder, at.file.Name, !at.taken
	}
	return p.Source().Folder, fmt.Sprintf("%s/%s-%d.json", SummariesDir, s.Proposals.Prefix, p.Number), true
}

// Subject is what a summary of the i-th proposal speaks of: the proposal with its sections, the fork that
// it has to do with and, for a fork's meta proposal, what that bundles. Now is not set.
func (ps *Proposals) Subject(i int) (ai.Subject, error) {
	p, err := ps.read(i)
	if err != nil {
		return ai.Subject{}, err
	}
	s := ai.Subject{Proposal: p, Fork: ai.ForkOf(p.Summary, ps.Forks)}
	if !ai.IsMeta(p.Summary, s.Fork) {
		return s, nil
	}
	for _, n := range s.Fork.BundledMIPs {
		k, ok := ps.index(n)
		if !ok {
			continue
		}
		b, err := ps.read(k)
		if err != nil {
			return ai.Subject{}, err
		}
		s.Bundled = append(s.Bundled, b)
	}
	return s, nil
}

func (ps *Proposals) read(i int) (*mip.Proposal, error) {
	d, err := ps.Corpus.Read(ps.Corpus.Proposals[i])
	if err != nil {
		return nil, err
	}
	return &mip.Proposal{Summary: ps.Summaries[i], Translations: []mip.Translation{}, RawMarkdown: d.Raw, Sections: d.Sections}, nil
}
