// Package corpus turns folders of proposal files into a Corpus: it reads the proposals with their
// committed summaries and translations, resolves relations and dates the texts. It does not know
// git, HTTP, output paths, HTML or the clock.
package corpus

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Options are the input of [Load].
type Options struct {
	// Options configure how headers are parsed. Their Prefix may be empty here, which means MIP.
	header.Options
	// Rules decide which files are texts. They need a source. The result does not depend on the
	// order of the folders.
	filename.Rules
	// Epoch, if set (SOURCE_DATE_EPOCH), is the time of every change, and git is not run.
	Epoch *time.Time
	// Upstream is the upstream's address in site.yaml. A folder's record of a sync counts only with
	// the same address, since anybody can commit a record.
	Upstream string
	// Config, if set, is the site's file. Log then has its history.
	Config string
	// Cache, if set, keeps what is read for the next call of Load.
	Cache *Cache
	// sum is a hash of Options and Rules.
	sum [sha256.Size]byte
}

// Corpus is the content of the folders. It is immutable and safe for concurrent use.
type Corpus struct {
	// Proposals are the sound ones, sorted by id.
	Proposals []*Proposal
	// Folders are the folders, cleaned, sorted, each once.
	Folders []string
	// Problems are sorted. Every file that is not published has at least one.
	Problems []mip.Problem
	// Claimed are the numbers of all texts, including faulty ones.
	Claimed map[mip.ID]bool
	// CommittedFiles are the paths of all summaries and translations whose name belongs to a
	// proposal, as in problems, sorted.
	CommittedFiles []string
	// Commit is the newest commit that touched a proposal, or "" without git.
	Commit string
	// CommittedAt is the time of Commit, or nil without git.
	CommittedAt *mip.Time
	// History is full, shallow, none or fixed: see [mip.Site.History].
	History string
	// Log has the commits of the files.
	Log *history.Log

	// options are the options of Load, with Prefix set.
	options Options
	// texts are the files that may be proposals. beside are the summaries and translations. Both
	// are as read.
	texts, beside []*entry
	// files are the proposals by lower-case file name. A name of two files has nil.
	files map[string]*Proposal
	// places are the proposals by path in the repository: the file's path, and the path of a folder
	// that belongs to the proposal alone.
	places map[string]*Proposal
	// folders are the folders of proposals, by their path in the repository.
	folders map[string]string
	// roots are the opened folders for link lookups.
	roots sync.Map
}
