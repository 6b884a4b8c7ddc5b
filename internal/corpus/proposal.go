package corpus

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// Proposal is one sound file. Its Metadata lacks the fields that follow from the site: ID is
// set, but URL, APIURL, MarkdownURL, SourceURL and Hardfork are not.
type Proposal struct {
	header.Stated
	// File is the path, slash-separated, as in problems.
	File string
	// Name is the part of its path that names the proposal: MIP-7.md, or CIP-0001 of
	// CIP-0001/README.md.
	Name string
	// RepoPath is the path within the repository, that of the upstream when Upstream is set;
	// without git, the folder's last name and the file's own.
	RepoPath string
	// Commit is the newest one that touched the file; empty when unknown.
	Commit string
	// History has the file's versions; nil when git knows none.
	History *history.File
	// Upstream says that RepoPath, Commit and History are those of the repository that the file
	// was synced from.
	Upstream bool
	// Local says that the file was not synced, and others were.
	Local bool
	// Mentions are the proposals that the text names, published or not: each once, in the order of
	// ids.
	Mentions []mip.ID
	// Raw is the file, byte for byte.
	Raw string
	// Body is the text after the header, UTF-8 with LF line ends.
	Body string
	// NeedsTrialRender says that the HTML can be out of proportion to the text: whether it can be
	// published shows when it is rendered.
	NeedsTrialRender bool
	// CommittedSummary is nil when there is none, or its form is wrong.
	CommittedSummary *CommittedSummary
	// Translations are those that are published, stale ones among them, by locale.
	Translations []CommittedTranslation

	source folder.File
	// numberLine is where the header states the number; 0 when the file's name does.
	numberLine int
	// dates are those of the header that are to be settled.
	dates header.Dates
	// requireLine is where the header states Requires; 0 when it does not.
	requireLine int
	// alias is another prefix, in lower case, under which the header states the number.
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
	for _, numbers := range []*[]int{&out.RequiredBy, &out.Replaces, &out.ReplacedBy, &out.SupersededBy} {
		*numbers = slices.Clone(*numbers)
	}
	return &out
}
