package corpus

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// Proposal is one sound file. Its Metadata has ID, but not the fields that depend on the site: URL,
// APIURL, MarkdownURL, SourceURL and Hardfork.
type Proposal struct {
	header.Stated
	// File is the path, slash-separated, as in problems.
	File string
	// Name is the part of its path that identifies the proposal: MIP-7.md, or CIP-0001 of
	// CIP-0001/README.md.
	Name string
	// RepoPath is the path within the repository: the upstream's if Upstream is set. Without git it
	// is the folder's last name and the file's name.
	RepoPath string
	// Commit is the newest commit that touched the file, or "" if unknown.
	Commit string
	// History has the file's versions. It is nil if git has none.
	History *history.File
	// Upstream means that RepoPath, Commit and History are of the repository from which the file
	// was synced.
	Upstream bool
	// Local means that other files were synced, and this was not.
	Local bool
	// Mentions are the proposals that the text names, published or not: each once, sorted by id.
	Mentions []mip.ID
	// Raw is the file, byte for byte.
	Raw string
	// Body is the text after the header, in UTF-8 with LF line ends.
	Body string
	// NeedsTrialRender means that the HTML may be out of proportion to the text, so that only
	// rendering shows whether it can be published.
	NeedsTrialRender bool
	// CommittedSummary is nil if there is none, or its form is invalid.
	CommittedSummary *CommittedSummary
	// Translations are the published translations by locale, including stale ones.
	Translations []CommittedTranslation

	source folder.File
	// numberLine is the line of the number in the header, or 0 if only the file's name has it.
	numberLine int
	// dates are the header's ambiguous dates.
	dates header.Dates
	// requireLine is the line of Requires in the header, or 0.
	requireLine int
	// alias is another prefix, in lower case, under which the header has the number.
	alias    string
	requires []*Proposal
	report   *problem.Report
}

// byID orders proposals.
func byID(a, b *Proposal) int { return a.ID.Compare(b.ID) }

// copyFor returns a proposal whose relations and times can be changed.
func (p *Proposal) copyFor(r *problem.Report) *Proposal {
	out := *p
	out.report, out.Inferred = r, slices.Clone(p.Inferred)
	for _, numbers := range []*[]int{&out.RequiredBy, &out.Replaces, &out.ReplacedBy,
		&out.SupersededBy} {
		*numbers = slices.Clone(*numbers)
	}
	return &out
}
