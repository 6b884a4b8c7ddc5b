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
	"github.com/mipwatch/mipwatch/internal/gitsync"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Target is the target of a link in a text: a published proposal, a proposal of another site, a
// file of the repository, or none.
type Target struct {
	// ID is the published proposal's, or the zero ID.
	ID mip.ID
	// Address is the address of a proposal of another site.
	Address string
	// Path is the file's path in the repository.
	Path string
	// Problem is the id of the problem of a dead link. Args are its arguments before the
	// destination.
	Problem string
	Args    []string
}

// Resolve finds the target of a relative destination in a proposal's text.
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
		ours := slices.ContainsFunc(c.options.Kinds(), func(k string) bool {
			return strings.EqualFold(k, letters)
		})
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
	refused := func(problem string, args ...string) Target {
		return Target{Problem: problem, Args: args}
	}
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

// published returns the published proposal whose file or folder a destination names. target is the
// destination relative to the top of the repository.
func (c *Corpus) published(file, target string) (id mip.ID, published bool) {
	if path.IsAbs(file) {
		// The address form of a site generator: /sips/sip-305.
		if id, published = c.named("https://" + c.options.Prefix + path.Clean(file)); published {
			return id, true
		}
	} else if id, published = c.at(target); published {
		return id, true
	}
	name := path.Base(file)
	if path.Clean(file) == name && path.Ext(name) == "" {
		// The form [MIP-3](MIP-3). In another folder such a name means a folder: ../assets/MIP-3.
		name += ".md"
	}
	if strings.HasSuffix(file, "/") || path.Ext(name) == "" {
		return mip.ID{}, false
	}
	return c.byFile(name)
}

// Place returns the file that a destination in a proposal's text names, as a folder that the file
// may not leave and a name in it. The folder is the top of the repository, else the folder of the
// site, else the proposals folder; for a synced text it is the folder of the files that came with
// it. If the destination can mean several files, Place returns the first that exists. The file may
// be missing. ok is false for a destination outside of the folder.
func (c *Corpus) Place(from *Proposal, dest string) (dir, name string, ok bool) {
	text := from.RepoPath
	dir = c.Log.Top(from.source.Folder)
	switch {
	case from.Upstream:
		dir = filepath.Join(from.source.Folder, gitsync.FilesFolder)
	case dir == "" && c.options.Config != "":
		// Without git, paths are relative to the folder of the site.
		config := filepath.Dir(c.options.Config)
		at, err := filepath.Rel(config,
			filepath.Join(from.source.Folder, filepath.FromSlash(from.source.Name)))
		if err == nil && filepath.IsLocal(at) {
			dir, text = config, filepath.ToSlash(at)
		}
	}
	paths := c.options.Paths(from, text, dest)
	if len(paths) == 0 {
		return "", "", false
	}
	name = paths[0]
	if dir == "" {
		dir, name = c.folderOf(from, name)
		return dir, name, dir != ""
	}
	for _, other := range paths {
		if c.holds(dir, other) {
			return dir, other, true
		}
	}
	return dir, name, true
}

// viewed matches the path of a file or folder below a repository's web address.
var viewed = regexp.MustCompile(`^(?:-/)?(?:blob|tree|raw|src/branch|src/commit|src/tag)/` +
	`(?:refs/(?:heads|tags)/)?([^/]+)/(.+)$`)

// aCommit matches a commit hash in place of a branch: such a link is meant for that version.
var aCommit = regexp.MustCompile(`^[0-9a-f]{7,40}$`)

// Own returns the published proposal of an address below one of [header.Options.Addresses]. The
// first of these is the site's.
func (c *Corpus) Own(address string) (id mip.ID, published bool) {
	for i, base := range c.options.Addresses {
		rest, below := mip.Below(address, base)
		// A picture is no proposal.
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

// locate finds a file or folder in a proposal's repository, in any of its forms. If nothing is
// found, missing is the first missing part of the path. If the repository is not local, only the
// proposals' own folders are known, and everything else counts as existing.
func (c *Corpus) locate(p *Proposal, repoPath string) (found, missing string) {
	for _, other := range p.forms(repoPath)[1:] {
		if !c.exists(p, repoPath) && c.exists(p, other) {
			return other, ""
		}
	}
	for i := range len(repoPath) + 1 {
		if (i == len(repoPath) || repoPath[i] == '/') && !c.exists(p, repoPath[:i]) {
			return repoPath, repoPath[:i]
		}
	}
	return repoPath, ""
}

// exists reports whether a file or folder is in a proposal's repository. It never looks outside of
// it, even through links.
func (c *Corpus) exists(p *Proposal, repoPath string) bool {
	top := c.Log.Top(p.source.Folder)
	switch {
	case p.Upstream:
		// Sync copies only the texts of a folder.
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
	// A clone may not have all files checked out.
	tracked, known := c.Log.Tracked(p.source.Folder, repoPath)
	return tracked || !known
}

// folderOf returns the proposals folder that contains a path, and the path in it. Without git the
// path of a file begins with the last name of its folder. The proposal's own folder comes first,
// since several may share that name.
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

// holds reports whether a folder contains a file or folder, without leaving the folder. An
// unreadable one counts as existing.
func (c *Corpus) holds(folder, name string) bool {
	// A text may have thousands of links, so keep the folders open. The garbage collector closes
	// them.
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

// find returns the position of a published proposal.
func (c *Corpus) find(id mip.ID) (int, bool) {
	return slices.BinarySearchFunc(c.Proposals, id, func(p *Proposal, id mip.ID) int {
		return p.ID.Compare(id)
	})
}

// at returns the published proposal of a path in the repository: of its file, or of a folder of its
// own.
func (c *Corpus) at(repoPath string) (id mip.ID, published bool) {
	if p := c.places[repoPath]; p != nil {
		return p.ID, true
	}
	return mip.ID{}, false
}

// named returns the published proposal whose number ends a web address:
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

// byFile returns the published proposal of a file name (MIP-3.md, in any case).
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
	// The header of ERC-721 has eip: 721, so eip-721.md names it too.
	n, numbered := filename.Number(name + ".md")
	if !numbered {
		return mip.ID{}, false
	}
	for _, kind := range c.options.Kinds() {
		id = mip.ID{Kind: kind, Number: n}
		at, found := c.find(id)
		if found && c.Proposals[at].alias != "" && strings.HasPrefix(name, c.Proposals[at].alias) {
			return id, true
		}
	}
	return mip.ID{Kind: c.options.Prefix, Number: n}, false
}
