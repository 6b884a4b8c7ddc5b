// Package corpus turns folders of proposal files into a Corpus: it reads the files and what is
// committed beside them, resolves relations and dates the texts. It knows nothing of git, HTTP,
// output paths, HTML or the clock.
package corpus

import (
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Options are the input of [Load].
type Options struct {
	// Options are how headers are read. Their Prefix may be empty here: MIP.
	header.Options
	// Rules say which files are texts. They need a source; the result does not depend on the order
	// of its folders.
	filename.Rules
	// Epoch, when set (SOURCE_DATE_EPOCH), is the time of every change, and git is not run.
	Epoch *time.Time
	// Upstream is the address that site.yaml names as the upstream's. A folder's record of what was
	// synced counts only if it names the same one: anybody can commit a record.
	Upstream string
	// Config, when set, is the site's file, whose history is in Log.
	Config string
	// Log, when set, is that of an earlier corpus: see [history.Options].
	Log *history.Log
}

// Corpus is everything that was found. It is immutable and safe for concurrent use.
type Corpus struct {
	// Proposals are the sound ones, in the order of their ids.
	Proposals []*Proposal
	// Folders are those that were read: cleaned, sorted, each once.
	Folders []string
	// Problems are sorted; every file that is not published has at least one.
	Problems []mip.Problem
	// Claimed are the numbers that texts have, and those that texts in error would have.
	Claimed map[mip.ID]bool
	// CommittedFiles are the paths of all summaries and translations that belong to a proposal by
	// name, as in problems, sorted.
	CommittedFiles []string
	// Commit is the newest one that touched a proposal; empty without git.
	Commit string
	// CommittedAt is the time of Commit; nil without git.
	CommittedAt *mip.Time
	// History is full, shallow, none or fixed: see [mip.Site.History].
	History string
	// Log has the commits of the files.
	Log *history.Log

	// options are those that it was loaded with, Prefix set.
	options Options
	// texts and beside are the files as they were read: those that may be proposals, and the
	// summaries and translations.
	texts, beside []*entry
	// files are the proposals by file name in lower case; nil where two files share the name.
	files map[string]*Proposal
	// places are the proposals by path in the repository: that of the file, and that of a folder
	// which is the proposal's own.
	places map[string]*Proposal
	// folders are those of the proposals, by the folder in the repository.
	folders map[string]string
	// roots are the folders in which links were looked up, opened.
	roots sync.Map
}
