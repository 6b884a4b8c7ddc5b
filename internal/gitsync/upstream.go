package gitsync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	local "github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/mip"
)

const (
	// maxFiles bounds the texts of a folder. The record of more files could exceed its limit.
	maxFiles = 10_000
	// maxName bounds a file name, and maxSubject the first line of a commit message, in bytes.
	maxName    = 200
	maxSubject = 500
)

// upstreamText is one Markdown file of the upstream.
type upstreamText struct {
	File
	// refused is true if a problem explains the reason.
	refused bool
	// first is the oldest commit that touches the file.
	first *git.Commit
	// temp is the temporary file with the text, or nil if the text is not to be written.
	temp *local.Temp
	// fresh is true if no local file has the name.
	fresh bool
}

// list lists the upstream's texts for a folder.
func (s *syncer) list(ctx context.Context, f *folder) error {
	f.texts = map[string]*upstreamText{}
	for _, from := range f.From {
		if err := s.listFrom(ctx, f, from); err != nil {
			return err
		}
	}
	if len(f.texts) > maxFiles {
		return fmt.Errorf("%w: the upstream's %s has more than %d Markdown files at %.12s",
			ErrFolder, strings.Join(f.From, ", "), maxFiles, s.To)
	}
	if len(f.texts)+len(s.Problems) == 0 {
		return fmt.Errorf("%w: the upstream's %s has no Markdown file at %.12s",
			ErrFolder, strings.Join(f.From, ", "), s.To)
	}
	return nil
}

// listFrom lists one folder of the upstream, or the matches of a pattern, segment by segment, with
// their translations. A file in a folder of its own gets the folder's name.
func (s *syncer) listFrom(ctx context.Context, f *folder, from string) error {
	dir, pattern := local.Split(from)
	dirs, parts := []string{dir}, strings.Split(pattern, "/")
	for _, part := range parts {
		last := part == parts[len(parts)-1]
		var below []string
		for _, dir := range dirs {
			entries, err := git.Tree(ctx, s.clone, s.To, dir)
			switch {
			case errors.Is(err, git.ErrNoFolder):
				return s.noFolder(ctx, dir)
			case err != nil:
				return err
			}
			for _, e := range entries {
				switch matches := pattern == "" || like(part, e.Name); {
				case matches && e.Mode == git.ModeFolder && pattern != "":
					if !last {
						below = append(below, path.Join(dir, e.Name))
					}
				case matches && last && pattern == "":
					f.add(dir, e, e.Name)
				case matches && last:
					f.add(dir, e, nameOf(path.Join(dir, e.Name)))
				}
			}
		}
		dirs = below
	}
	return nil
}

// like reports whether a name matches a pattern, or is a translation of a match: README.fr.md of
// README.md.
func like(pattern, name string) bool {
	exact, _ := path.Match(pattern, name) // site.yaml is checked
	beside, _ := path.Match(strings.TrimSuffix(pattern, ".md")+".*.md", name)
	return exact || beside && strings.HasSuffix(pattern, ".md")
}

// nameOf is the local name of a file in a folder of its own: CIP-0001.md for CIP-0001/README.md. A
// name with a number is kept.
func nameOf(file string) string {
	base, dir := path.Base(file), path.Base(path.Dir(file))
	_, end, ok := strings.Cut(base, ".")
	if ok && dir != "." && !strings.ContainsAny(base, "0123456789") {
		return dir + "." + end
	}
	return base
}

// fold maps names to one form if they are one file on systems that ignore case or the Unicode form.
func fold(name string) string {
	// Convert to upper case first: some lower-case letters have the same capital.
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(name))))
}

// add takes a file whose name is of a text, or reports why it is not taken. It ignores hidden files
// and other kinds of files. name is the local name.
func (f *folder) add(from string, e git.Entry, name string) {
	// A name with invisible characters may look like the name of a text.
	visible, inside := local.Visible(e.Name), !strings.Contains(e.Name, "/")
	markdown := isMarkdown(e.Name) ||
		visible != e.Name && strings.Contains(strings.ToLower(e.Name), ".md")
	if !markdown || strings.HasPrefix(e.Name, ".") && inside {
		return
	}
	x := &upstreamText{File: File{Name: name,
		Path: path.Join(from, strings.ReplaceAll(visible, "/", `\x2f`)), Blob: e.Hash}}
	// Report only the first reason.
	switch other := f.texts[name]; {
	case visible != e.Name, strings.ContainsAny(e.Name, `/\:`), len(name) > maxName:
		f.refuse(x, x.Path, "bad-file-name",
			"the upstream has a file name that is longer than %d bytes, leads elsewhere, or "+
				"holds what cannot be seen; it is not taken", maxName)
		return // no local file has the name
	case other != nil:
		f.refuse(x, x.Path, "duplicate-file",
			"the upstream has a file of this name in %s as well; give each folder a proposals "+
				"folder of its own", path.Dir(other.Path))
	case e.Mode == git.ModeSymlink:
		f.refuse(x, x.Path, "bad-symlink",
			"the upstream has a symbolic link here; only files are taken")
	case e.Mode == git.ModeSubmodule:
		f.refuse(x, x.Path, "submodule", "the upstream has a submodule here; only files are taken")
	case !strings.HasPrefix(e.Mode, git.ModeFile):
		f.refuse(x, x.Path, "not-a-file", "the upstream has a folder here; only files are taken")
	case e.Size > local.MaxFile:
		f.refuse(x, x.Path, "too-large", "the upstream's file has %d bytes; at most %d are taken",
			e.Size, local.MaxFile)
	}
	// Keep a refused text in the list: the local file of that name is not gone from the upstream.
	f.texts[name] = x
}

// isMarkdown reports whether a name ends in .md, in any letter case.
func isMarkdown(name string) bool { return strings.EqualFold(path.Ext(name), ".md") }

// noFolder lists the existing folders: the right name is probably among them.
func (s *syncer) noFolder(ctx context.Context, from string) error {
	var there []string
	entries, _ := git.Tree(ctx, s.clone, s.To, ".") // on an error those that could be read
	for _, e := range entries {
		if e.Mode == git.ModeFolder && !strings.HasPrefix(e.Name, ".") {
			there = append(there, local.Visible(e.Name))
		}
	}
	const most = 10
	names := cmp.Or(strings.Join(there[:min(len(there), most)], ", "), "no other")
	return fmt.Errorf("%w: the upstream has no %s at %.12s; it has %s",
		ErrFolder, from, s.To, names)
}

// versions reads the commits of the texts.
func (s *syncer) versions(ctx context.Context) error {
	// Paths are unique: each folder of the upstream goes to one local folder.
	texts := map[string]*upstreamText{} // by path
	folders := map[string]bool{}
	for _, f := range s.folders {
		for _, x := range f.texts {
			texts[x.Path] = x
			folders[strings.TrimPrefix(path.Dir(x.Path)+"/", "./")] = true
		}
	}
	commits, err := git.Walk(ctx, s.clone, s.To,
		slices.Sorted(maps.Keys(folders)), func(name string) bool {
			dir, _ := path.Split(name)
			return folders[dir] && isMarkdown(name)
		})
	if err != nil {
		return err
	}
	undated := 0
	var newest, lastUndated *git.Commit
	for _, c := range git.AsListed(commits) {
		if c.Undated {
			undated, lastUndated = undated+1, c
		}
		if newest == nil || c.When > newest.When {
			newest = c
		}
		for _, f := range c.Files {
			if x := texts[f.Path]; x != nil {
				x.add(c, f)
			}
		}
	}
	if undated > 0 {
		s.Notices = append(s.Notices, fmt.Sprintf(
			"commit %.12s has no date from 1970 through 9999 and counts as of 1970 (such "+
				"commits: %d)",
			lastUndated.Hash, undated))
	}
	if newest != nil && newest.When > time.Now().Unix() {
		s.Notices = append(s.Notices, fmt.Sprintf(
			"commit %.12s is dated %s, later than this machine's clock; what it changed stands "+
				"first until then",
			newest.Hash, timeOf(newest)))
	}
	for _, x := range texts {
		x.relate()
	}
	return nil
}

// add adds an older commit of the text.
func (x *upstreamText) add(c *git.Commit, f git.Step) {
	if x.first == nil || c.When <= x.first.When {
		x.first = c
	}
	if len(x.Versions) == maxVersions {
		return
	}
	// Make the line valid for JSON. The pages decide what they show.
	fit := func(s string) string {
		return strings.ToValidUTF8(s[:min(len(s), maxSubject)], "\uFFFD")
	}
	var landed *mip.Time
	if c.Landed != c.When {
		landed = new(mip.NewTime(time.Unix(c.Landed, 0)))
	}
	x.Versions = append(x.Versions, Version{
		Commit: c.Hash, Time: timeOf(c), Author: fit(c.Author), Subject: fit(c.Subject),
		Blob: f.After, Before: &f.Before, Landed: landed,
	})
}

// relate drops the text before a version if it is the next version's, and sets Added.
func (x *upstreamText) relate() {
	for i := range x.Versions {
		older := ""
		if i+1 < len(x.Versions) {
			older = x.Versions[i+1].Blob
		}
		if v := &x.Versions[i]; *v.Before == older {
			v.Before = nil
		}
	}
	// Take no time from a commit that touches several files: it imported or moved them.
	if c := x.first; c != nil && len(c.Files)+len(c.GivenUp) == 1 && c.When > 0 {
		x.Added = new(timeOf(c))
	}
}

// timeOf is the time of a commit by its committer's clock.
func timeOf(c *git.Commit) mip.Time { return mip.NewTime(time.Unix(c.When, 0)) }
