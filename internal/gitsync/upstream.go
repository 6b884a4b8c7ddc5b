package gitsync

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	local "github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Limits of a folder. The largest real ones have about a thousand files.
const (
	maxFiles   = 10_000
	maxName    = 200 // bytes
	maxSubject = 500 // bytes of a commit's first line
)

// text is one Markdown file of the upstream.
type text struct {
	File
	// refused is true when a problem names the reason.
	refused bool
	// first is the oldest commit that touches the file.
	first git.Commit
}

// list finds the texts of the upstream that a folder takes.
func (s *syncer) list(ctx context.Context, f *folder) error {
	f.texts = map[string]*text{}
	for _, from := range f.From {
		entries, err := git.Tree(ctx, s.clone, s.commit, from)
		switch {
		case errors.Is(err, git.ErrNoFolder):
			return s.noFolder(ctx, from)
		case errors.Is(err, git.ErrEntries):
			return fmt.Errorf("%w: the upstream's %s: %w", ErrFolder, from, err)
		case err != nil:
			return err
		}
		for _, e := range entries {
			f.add(from, e)
		}
		// Files of other kinds do not count.
		if len(f.texts) > maxFiles {
			return fmt.Errorf("%w: the upstream's %s has more than %d Markdown files at %.12s", ErrFolder, from, maxFiles, s.commit)
		}
	}
	if len(f.texts) == 0 {
		return fmt.Errorf("%w: the upstream's %s has no Markdown file at %.12s", ErrFolder, strings.Join(f.From, ", "), s.commit)
	}
	// Two names that are one file elsewhere would overwrite each other there.
	twins := map[string][]string{}
	for name := range f.texts {
		twins[fold(name)] = append(twins[fold(name)], name)
	}
	for _, names := range twins {
		slices.Sort(names)
		for _, name := range names[1:] {
			x := f.texts[name]
			x.refused, f.texts[names[0]].refused = true, true
			f.report.problem(x.Path, "name-case",
				"the upstream has a file whose name differs only by case or by the Unicode form of its letters, %s", names[0])
		}
	}
	return nil
}

// fold is the same for names of one file on systems that ignore case or the Unicode form of letters.
func fold(name string) string {
	// To upper case first: some small letters are two of one capital.
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(name))))
}

// add takes a file whose name is that of a text, or reports why it is not taken.
func (f *folder) add(from string, e git.Entry) {
	// A name with hidden characters may look like that of a text without being one.
	visible := local.Visible(e.Name)
	markdown := isMarkdown(e.Name) || visible != e.Name && strings.Contains(strings.ToLower(e.Name), ".md")
	plain := visible == e.Name && !strings.Contains(e.Name, "/")
	// Hidden files and files of other kinds are no proposals, and nothing is said of them.
	if !markdown || strings.HasPrefix(e.Name, ".") && !strings.Contains(e.Name, "/") {
		return
	}
	x := &text{File: File{Name: e.Name, Path: path.Join(from, strings.ReplaceAll(visible, "/", `\x2f`)), Blob: e.Hash()}}
	refuse := func(code, format string, args ...any) {
		f.report.problem(x.Path, code, format, args...)
		x.refused = true
	}
	// The first reason is enough.
	switch other := f.texts[e.Name]; {
	case !plain, strings.ContainsAny(e.Name, `\:`), len(e.Name) > maxName:
		refuse("bad-file-name",
			"the upstream has a file name that is longer than %d bytes, leads elsewhere, or holds what cannot be seen; it is not taken", maxName)
	case other != nil:
		refuse("duplicate-file", "the upstream has a file of this name in %s as well; give each folder a proposals folder of its own",
			path.Dir(other.Path))
	case e.Mode == git.ModeSymlink:
		refuse("bad-symlink", "the upstream has a symbolic link here; only files are taken")
	case e.Mode == git.ModeSubmodule:
		refuse("submodule", "the upstream has a submodule here; only files are taken")
	case !strings.HasPrefix(e.Mode, git.ModeFile):
		refuse("not-a-file", "the upstream has a folder here; only files are taken")
	case e.Size > local.MaxFile:
		refuse("too-large", "the upstream's file has %d bytes; at most %d are taken", e.Size, local.MaxFile)
	}
	// A refused text keeps its place: the file of that name here is not gone from the upstream.
	if plain {
		f.texts[e.Name] = x
	}
}

// isMarkdown reports whether a name is that of a text, in any case.
func isMarkdown(name string) bool { return strings.EqualFold(path.Ext(name), ".md") }

// noFolder names the folders that are there instead.
func (s *syncer) noFolder(ctx context.Context, from string) error {
	// The right name is probably among those that are there.
	entries, err := git.Tree(ctx, s.clone, s.commit, ".")
	if ctx.Err() != nil {
		return err
	}
	const most = 10
	var there []string
	for _, e := range entries {
		if e.Mode == git.ModeFolder && !strings.HasPrefix(e.Name, ".") && len(there) < most {
			there = append(there, local.Visible(e.Name))
		}
	}
	if len(there) == 0 {
		return fmt.Errorf("%w: the upstream has no %s at %.12s, and no other", ErrFolder, from, s.commit)
	}
	return fmt.Errorf("%w: the upstream has no %s at %.12s; it has %s", ErrFolder, from, s.commit, strings.Join(there, ", "))
}

// versions reads which commits made the texts.
func (s *syncer) versions(ctx context.Context) error {
	// Paths are unique: each folder of the upstream goes to one folder here.
	texts := map[string]*text{} // by path
	var prefixes []string
	for _, f := range s.folders {
		for _, x := range f.texts {
			texts[x.Path] = x
		}
		for _, from := range f.From {
			prefixes = append(prefixes, strings.TrimPrefix(from+"/", "./"))
		}
	}
	// Two targets may take the same folder.
	slices.Sort(prefixes)
	touched := map[string]int{} // Markdown files, by commit
	undated := map[string]bool{}
	var newest, lastUndated git.Commit
	// Commits come newest first, so that the last one seen is the oldest.
	err := git.Log(ctx, s.clone, s.commit, slices.Compact(prefixes), func(c git.Commit, t git.Touch) {
		if c.Undated {
			undated[c.Hash], lastUndated = true, c
		}
		if c.When > newest.When {
			newest = c
		}
		if isMarkdown(t.Path) {
			touched[c.Hash]++
		}
		x := texts[t.Path]
		if x == nil {
			return
		}
		if x.first.Hash == "" || c.When <= x.first.When {
			x.first = c
		}
		if t.Blob != "" && len(x.Versions) < MaxVersions {
			x.Versions = append(x.Versions, Version{c.Hash, mip.NewTime(time.Unix(c.When, 0)), subject(c.Subject), t.Blob})
		}
	})
	if err != nil {
		return err
	}
	if len(undated) > 0 {
		s.report.notice("commit %.12s has no date from 1970 through 9999 and counts as of 1970 (such commits: %d)", lastUndated.Hash, len(undated))
	}
	if newest.When > time.Now().Unix() {
		s.report.notice("commit %.12s is dated %s, later than this machine's clock; what it changed stands first until then",
			newest.Hash, mip.NewTime(time.Unix(newest.When, 0)))
	}
	// A commit that adds several files imported or moved them, and says nothing of when they were written.
	for _, x := range texts {
		if touched[x.first.Hash] == 1 && x.first.When > 0 {
			added := mip.NewTime(time.Unix(x.first.When, 0))
			x.Added = &added
		}
	}
	return nil
}

// subject makes a line fit for JSON. What may stand on a page is decided where pages are made.
func subject(line string) string {
	if len(line) > maxSubject {
		line = strings.ToValidUTF8(line[:maxSubject], "") // a character that was cut
	}
	return strings.ToValidUTF8(line, "\uFFFD")
}
