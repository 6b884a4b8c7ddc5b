// Package corpus turns folders of proposal files into a Corpus: it guards and decodes headers, parses
// Markdown, resolves relations and asks git for times. It knows nothing of HTTP, output paths, HTML
// or the clock.
package corpus

import (
	"context"
	"time"

	"github.com/yuin/goldmark/ast"

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
	// error is an error of that proposal.
	Render func(*Document) error
}

// Corpus is everything that was found. It is immutable after Load and safe for concurrent use.
type Corpus struct {
	Proposals []*Proposal   // sound ones, ascending by number
	Problems  []mip.Problem // sorted; every file that is not in Proposals has at least one
	Commit    string        // newest commit that touched a proposal; empty without git
	History   string        // full, shallow, none or fixed: see [mip.SiteInfo.History]
}

// Proposal is one sound file. Its Summary lacks what follows from the site: ID is set, but URL,
// APIURL, MarkdownURL, SourceURL and Hardfork are not.
type Proposal struct {
	mip.Summary
	File      string    // slash-separated, as in problems
	RepoPath  string    // within its repository; File without git
	Published time.Time // first commit, zero when unknown
	// unexported: where to read it again
}

// Document is a parsed proposal.
type Document struct {
	Raw      []byte        // the file, byte for byte
	Body     []byte        // UTF-8 with LF line ends, after the header
	Root     ast.Node      // the tree over Body; each section's heading has its id attribute
	Sections []mip.Section // Markdown values concatenated are Body
}

// Load reads the folders. The error is non-nil only when a folder cannot be read at all or ctx ends;
// everything that concerns a file is in Problems.
func Load(ctx context.Context, o Options) (*Corpus, error) { panic("contract") }

// Read reads a proposal's file again and parses it. The error says so when the file has changed
// since Load.
func (c *Corpus) Read(p *Proposal) (*Document, error) { panic("contract") }

// Number returns the published proposal that a link to a file of that name (MIP-3.md, in any case)
// means.
func (c *Corpus) Number(file string) (int, bool) { panic("contract") }
