// Package corpus turns folders of proposal files into a Corpus: it reads the files and what is
// committed beside them, resolves relations and dates the texts. It knows nothing of git, HTTP,
// output paths, HTML or the clock.
package corpus

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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

// numberedPath matches the beginning of a name such as eip-721, up to its number's first digit.
var numberedPath = regexp.MustCompile(`(^|/)[a-z]+-\d`)

// Locate finds a file or folder of a proposal's repository. Where the proposal's header has its
// number under another prefix, a path with that prefix is tried with the site's: assets/eip-721 is
// assets/erc-721. When nothing is there, missing is the first part of the path that is not. In a
// repository that is not here, only the proposals' own folders are known; everything else counts as
// there.
func (c *Corpus) Locate(p *Proposal, repoPath string) (found, missing string) {
	other := numberedPath.ReplaceAllStringFunc(repoPath, func(part string) string {
		if strings.Trim(part, "/-0123456789") != p.alias {
			return part
		}
		return strings.Replace(part, p.alias, strings.ToLower(p.ID.Kind), 1)
	})
	if other != repoPath && !c.exists(p, repoPath) && c.exists(p, other) {
		return other, ""
	}
	for i := range len(repoPath) + 1 {
		if (i == len(repoPath) || repoPath[i] == '/') && !c.exists(p, repoPath[:i]) {
			return repoPath, repoPath[:i]
		}
	}
	return repoPath, ""
}

// exists reports whether a file or folder is in a proposal's repository. It says nothing of
// files outside, whichever way a path or a link leads there.
func (c *Corpus) exists(p *Proposal, repoPath string) bool {
	top := c.Log.Top(p.source.Folder)
	switch {
	case p.Upstream:
		// Sync takes the texts of a folder and nothing else.
		dir, name := path.Split(repoPath)
		_, numbered := filename.Number(name)
		here := c.folders[path.Clean(dir)]
		return !numbered || path.Ext(name) != ".md" || here == "" || c.holds(here, name)
	case top == "":
		folder, name := c.folderOf(p, repoPath)
		return folder == "" || c.holds(folder, name)
	case c.holds(top, repoPath):
		return true
	}
	// A clone need not have all files checked out.
	tracked, known := c.Log.Tracked(p.source.Folder, repoPath)
	return tracked || !known
}

// folderOf is the proposals folder that holds a path, and the path in it. Without git the path of a
// file begins with the last name of its folder. The proposal's own folder comes first, since two
// may share that name.
func (c *Corpus) folderOf(p *Proposal, repoPath string) (folder, name string) {
	for _, folder := range append([]string{p.source.Folder}, c.Folders...) {
		base := filepath.Base(folder)
		if name, ok := strings.CutPrefix(repoPath, base+"/"); ok {
			return folder, name
		} else if base == "." {
			return folder, cmp.Or(repoPath, ".")
		}
	}
	return "", ""
}

// holds reports whether a folder holds a file or folder, by a path that does not lead out of it.
// One that may not be looked at counts as there.
func (c *Corpus) holds(folder, name string) bool {
	// A text has thousands of links. The garbage collector closes the folders.
	opened, ok := c.roots.Load(folder)
	if !ok {
		root, err := os.OpenRoot(folder)
		if err != nil {
			return errors.Is(err, fs.ErrPermission)
		}
		opened, _ = c.roots.LoadOrStore(folder, root)
	}
	_, err := opened.(*os.Root).Lstat(cmp.Or(name, "."))
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// find returns the position of a proposal that is published.
func (c *Corpus) find(id mip.ID) (int, bool) {
	return slices.BinarySearchFunc(c.Proposals, id, func(p *Proposal, id mip.ID) int { return p.ID.Compare(id) })
}

// At returns the published proposal that a path in the repository leads to: that of its file, or of
// a folder of its own.
func (c *Corpus) At(repoPath string) (id mip.ID, published bool) {
	if p := c.places[repoPath]; p != nil {
		return p.ID, true
	}
	return mip.ID{}, false
}

// Named returns the published proposal whose number ends an address of the web:
// https://example.org/MIPs/MIP-3.md or https://example.org/mip/3.
func (c *Corpus) Named(address string) (id mip.ID, published bool) {
	for _, kind := range c.options.Kinds() {
		if n, ok := header.Reference(address, kind); ok {
			id = mip.ID{Kind: kind, Number: n}
			_, published = c.find(id)
			return id, published
		}
	}
	return mip.ID{}, false
}

// ID returns the published proposal that a link to a file of that name (MIP-3.md, in any case)
// means.
func (c *Corpus) ID(file string) (id mip.ID, published bool) {
	name := strings.ToLower(path.Base(file))
	if p, known := c.files[name]; p != nil {
		return p.ID, true
	} else if known {
		return mip.ID{}, false
	}
	name = strings.TrimSuffix(name, ".md")
	for _, kind := range c.options.Kinds() {
		digits, ok := header.StripPrefix(name, kind)
		if n, small := mip.ParseNumber(digits); ok && small && digits != name {
			id = mip.ID{Kind: kind, Number: n}
			_, published = c.find(id)
			return id, published
		}
	}
	// The header of ERC-721 says eip: 721, so eip-721.md means it, too.
	n, numbered := filename.Number(name + ".md")
	if !numbered {
		return mip.ID{}, false
	}
	for _, kind := range c.options.Kinds() {
		id = mip.ID{Kind: kind, Number: n}
		if at, found := c.find(id); found && c.Proposals[at].alias != "" && strings.HasPrefix(name, c.Proposals[at].alias) {
			return id, true
		}
	}
	return mip.ID{Kind: c.options.Prefix, Number: n}, false
}
