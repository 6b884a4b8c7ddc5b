// Package corpus turns folders of proposal files into a Corpus: it guards and decodes headers,
// checks texts, resolves relations and asks git for times. It knows nothing of HTTP, output paths, HTML
// or the clock.
package corpus

import (
	"fmt"
	"time"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Options says what to load. Folders must not be empty.
type Options struct {
	// Prefix is what ids start with; in lower case it is the header key of the number. Empty means MIP.
	Prefix string
	// Folders are read without their sub-folders, in any order: the result does not depend on it.
	Folders []string
	// Epoch, when set (SOURCE_DATE_EPOCH), is the time of every change and git is not asked.
	Epoch *time.Time
	// Render, when set, is called for documents whose rendering could grow out of proportion; its
	// error is an error of that proposal. It is called from several goroutines.
	Render func(*markdown.Document) error
	// Refused are errors by file, in addition to those that are found.
	Refused map[string]mip.Problem
}

// Corpus is everything that was found. It is immutable after Load and safe for concurrent use.
type Corpus struct {
	Proposals []*Proposal   // sound ones, ascending by number
	Folders   []string      // that were read: cleaned, sorted, each once
	Problems  []mip.Problem // sorted; every file that is not in Proposals has at least one
	Commit    string        // newest commit that touched a proposal; empty without git
	Committed *mip.Time     // its time; nil without git
	History   string        // full, shallow, none or fixed: see [mip.SiteInfo.History]

	prefix  string
	render  func(*markdown.Document) error
	history *history
	files   map[string]mip.ID // by file name in lower case; the zero id where two files share the name
}

// Proposal is one sound file. Its Summary lacks what follows from the site: ID is set, but URL,
// APIURL, MarkdownURL, SourceURL and Hardfork are not.
type Proposal struct {
	mip.Summary
	File     string // slash-separated, as in problems
	RepoPath string // within its repository, that of the upstream when Upstream; without git, its folder's last name and its own
	Commit   string // newest commit that touched the file; empty when unknown
	Past     *Past  // the file's versions; nil when git knows none
	Upstream bool   // RepoPath, Commit and Past are those of the upstream that the file was synced from
	Local    bool   // the file was not synced, and others were
	Raw      string // the file, byte for byte

	source      folder.File
	body        string // UTF-8 with LF line ends, after the header; shares the memory of Raw where it can
	numberLine  int    // where the header states the number; 0 when the file's name does
	requireLine int    // where the header states Requires; 0 when it does not
}

// report collects what is found in one file.
type report struct {
	file     string
	problems []mip.Problem
	failed   bool
}

func (r *report) add(level mip.Level, line int, code, format string, args ...any) {
	r.failed = r.failed || level == mip.Error
	r.problems = append(r.problems, mip.Problem{
		Level: level, Code: code, File: r.file, Line: line, Message: fmt.Sprintf(format, args...),
	})
}

// mostAlike is how many problems of one code are reported of one file: a header can hold thousands.
const mostAlike = 25

// most returns the problems, of each code the first mostAlike and how many more there are.
func (r *report) most() []mip.Problem {
	if len(r.problems) <= mostAlike {
		return r.problems
	}
	count := map[string]int{}
	last := map[string]int{} // by code: the position in out of the last problem that is reported
	out := make([]mip.Problem, 0, len(r.problems))
	for _, p := range r.problems {
		if count[p.Code]++; count[p.Code] <= mostAlike {
			last[p.Code] = len(out)
			out = append(out, p)
		}
	}
	for code, i := range last {
		if more := count[code] - mostAlike; more > 0 {
			out[i].Message += fmt.Sprintf("; and %d more of this code in the file", more)
		}
	}
	return out
}

func (r *report) errorf(line int, code, format string, args ...any) {
	r.add(mip.Error, line, code, format, args...)
}

func (r *report) warnf(line int, code, format string, args ...any) {
	r.add(mip.Warning, line, code, format, args...)
}

func (r *report) noticef(line int, code, format string, args ...any) {
	r.add(mip.Notice, line, code, format, args...)
}
