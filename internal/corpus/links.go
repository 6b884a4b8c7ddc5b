package corpus

import (
	"cmp"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Target is where a link of a text leads: to a published proposal, to one of another site, to a file
// of the repository, or nowhere.
type Target struct {
	// ID is the published proposal's; the zero ID for none.
	ID mip.ID
	// Address is that of a proposal of another site.
	Address string
	// Path is the file's in the repository.
	Path string
	// Problem is the id of the problem of a link that leads nowhere, and Args are its arguments before
	// the destination.
	Problem string
	Args    []string
}

// Resolve finds where a relative destination in a proposal's text leads.
func (c *Corpus) Resolve(from *Proposal, dest string) (t Target) {
	file, err := url.PathUnescape(dest)
	if err != nil {
		file = dest
	}
	// A link to GitHub's view of a file may end in ?raw=true.
	file, _, _ = strings.Cut(file, "?")
	target := path.Join(path.Dir(from.RepoPath), file)
	if id, published := c.published(file, target); published {
		t.ID = id
		return t
	}
	letters := ""
	if m := numberedFile.FindStringSubmatch(path.Base(file)); m != nil {
		letters = m[1]
		ours := slices.ContainsFunc(c.options.Kinds(), func(k string) bool { return strings.EqualFold(k, letters) })
		if n, small := mip.ParseNumber(m[2]); small && !ours {
			if _, address, known := c.options.References.Find(letters, n); known {
				t.Address = address
				return t
			}
		}
		if ours {
			letters = ""
		}
	}
	refused := func(problem string, args ...string) Target { return Target{Problem: problem, Args: args} }
	u, err := url.Parse(dest)
	switch {
	case strings.Contains(dest, ":") && (err != nil || u.IsAbs()):
		return refused("dead-link/scheme")
	case path.IsAbs(file):
		return refused("dead-link/site")
	case target == ".." || strings.HasPrefix(target, "../"):
		return refused("dead-link/outside")
	}
	found, missing := c.locate(from, target)
	switch {
	case missing == target && letters != "":
		return refused("dead-link/prefix", strings.ToUpper(letters))
	case missing != "":
		return refused("dead-link", missing)
	}
	t.Path = found
	return t
}

// numberedFile matches the name of a proposal's file: its prefix and its number.
var numberedFile = regexp.MustCompile(`^([A-Za-z]+)[-_]?([0-9]+)(?:\.md)?$`)

// published is the published proposal whose file, or folder of its own, a destination in a text
// names; target is the same from the top of the repository.
func (c *Corpus) published(file, target string) (id mip.ID, published bool) {
	if path.IsAbs(file) {
		// As on the site of a static generator: /sips/sip-305.
		if id, published = c.named("https://" + c.options.Prefix + path.Clean(file)); published {
			return id, true
		}
	} else if id, published = c.at(target); published {
		return id, true
	}
	name := path.Base(file)
	if path.Clean(file) == name && path.Ext(name) == "" {
		// As in [MIP-3](MIP-3). In another folder such a name is a folder's: ../assets/MIP-3.
		name += ".md"
	}
	if strings.HasSuffix(file, "/") || path.Ext(name) == "" {
		return mip.ID{}, false
	}
	return c.byFile(name)
}

// viewed is the path of a file or folder below a repository's address, as hosts show it.
var viewed = regexp.MustCompile(`^(?:-/)?(?:blob|tree|raw|src/branch)/([^/]+)/(.+)$`)

// aCommit is a commit in the place of a branch: who links to a version means that one.
var aCommit = regexp.MustCompile(`^[0-9a-f]{7,40}$`)

// Own returns the published proposal that an address below one of [header.Options.Addresses] is of.
// The first of these is the site's.
func (c *Corpus) Own(address string) (id mip.ID, published bool) {
	for i, base := range c.options.Addresses {
		rest, below := mip.Below(address, base)
		// No picture is a proposal.
		if base == "" || !below || !slices.Contains([]string{"", ".md", ".html"}, path.Ext(rest)) {
			continue
		}
		switch m := viewed.FindStringSubmatch(rest); {
		case m != nil && !aCommit.MatchString(m[1]) && !strings.Contains("/"+m[2], "/assets/"):
			if id, published = c.at(m[2]); !published {
				id, published = c.named(address)
			}
		case m == nil && i == 0:
			id, published = c.named(address)
		}
		if published {
			return id, true
		}
	}
	return mip.ID{}, false
}

// numberedPath matches the beginning of a name such as eip-721, up to its number's first digit.
var numberedPath = regexp.MustCompile(`(^|/)[a-z]+-\d`)

// locate finds a file or folder of a proposal's repository. Where the proposal's header has its
// number under another prefix, a path with that prefix is tried with the site's: assets/eip-721 is
// assets/erc-721. When nothing is there, missing is the first part of the path that is not. In a
// repository that is not here, only the proposals' own folders are known; everything else counts as
// there.
func (c *Corpus) locate(p *Proposal, repoPath string) (found, missing string) {
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

// at returns the published proposal that a path in the repository leads to: that of its file, or of
// a folder of its own.
func (c *Corpus) at(repoPath string) (id mip.ID, published bool) {
	if p := c.places[repoPath]; p != nil {
		return p.ID, true
	}
	return mip.ID{}, false
}

// named returns the published proposal whose number ends an address of the web:
// https://example.org/MIPs/MIP-3.md or https://example.org/mip/3.
func (c *Corpus) named(address string) (id mip.ID, published bool) {
	for _, kind := range c.options.Kinds() {
		if n, ok := header.Reference(address, kind); ok {
			id = mip.ID{Kind: kind, Number: n}
			_, published = c.find(id)
			return id, published
		}
	}
	return mip.ID{}, false
}

// byFile returns the published proposal that a link to a file of that name (MIP-3.md, in any case)
// means.
func (c *Corpus) byFile(file string) (id mip.ID, published bool) {
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
