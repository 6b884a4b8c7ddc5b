package gitsync

import (
	"bytes"
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
	refused bool // a problem says why
	numbers int  // how many Markdown files its first commit touched
	first   int64
}

// tree lists what a target takes, by the name that it has here.
func (s *syncer) tree(ctx context.Context, t Target) (map[string]*text, error) {
	texts := map[string]*text{}
	for _, from := range t.From {
		err := git.Tree(ctx, s.bare, s.commit, from, func(e git.Entry) error {
			if len(texts) >= maxFiles {
				return fmt.Errorf("%w: the upstream's %s has more than %d Markdown files at %.12s", ErrFolder, from, maxFiles, s.commit)
			}
			s.entry(texts, from, e)
			return nil
		})
		switch {
		case errors.Is(err, git.ErrNoFolder) && ctx.Err() == nil:
			return nil, s.noFolder(ctx, from)
		case errors.Is(err, git.ErrEntries):
			return nil, fmt.Errorf("%w: the upstream's %s: %w", ErrFolder, from, err)
		case err != nil:
			return nil, err
		}
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%w: the upstream's %s has no Markdown file at %.12s", ErrFolder, strings.Join(t.From, ", "), s.commit)
	}
	twins := map[string][]string{}
	for name := range texts {
		twins[fold(name)] = append(twins[fold(name)], name)
	}
	for _, names := range twins {
		slices.Sort(names)
		for _, name := range names[1:] {
			x := texts[name]
			x.refused, texts[names[0]].refused = true, true
			s.problem(x.Path, "name-case", "the upstream has a file whose name differs only by case or by the Unicode form of its letters, %s", names[0])
		}
	}
	return texts, nil
}

// fold is what a file name has in common with those that are the same file on half of all machines: they may tell
// neither case apart nor a letter with an accent from a letter and an accent.
func fold(name string) string {
	// To upper case first: some small letters are two of one capital.
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(name))))
}

// entry takes what corpus would read, and says of what looks like it why it is not taken.
func (s *syncer) entry(texts map[string]*text, from string, e git.Entry) {
	visible := local.Visible(e.Name)
	markdown := strings.EqualFold(path.Ext(e.Name), ".md") || visible != e.Name && strings.Contains(strings.ToLower(e.Name), ".md")
	if !markdown || strings.HasPrefix(e.Name, ".") && !strings.Contains(e.Name, "/") {
		return
	}
	file := path.Join(from, strings.ReplaceAll(visible, "/", `\x2f`))
	refuse := func(code, format string, args ...any) {
		s.problem(file, code, format, args...)
		if visible == e.Name && !strings.Contains(e.Name, "/") {
			texts[e.Name] = &text{File: File{Name: e.Name, Path: file}, refused: true}
		}
	}
	switch {
	case visible != e.Name, strings.ContainsAny(e.Name, `/\:`), len(e.Name) > maxName:
		refuse("bad-file-name", "the upstream has a file name that is longer than %d bytes, leads elsewhere, or holds what cannot be seen; it is not taken", maxName)
	case texts[e.Name] != nil:
		s.problem(file, "duplicate-file", "the upstream has a file of this name in %s as well; give each folder a proposals folder of its own", path.Dir(texts[e.Name].Path))
		texts[e.Name].refused = true
	case e.Mode == "120000":
		refuse("bad-symlink", "the upstream has a symbolic link here; only files are taken")
	case e.Mode == "160000":
		refuse("submodule", "the upstream has a submodule here; only files are taken")
	case !strings.HasPrefix(e.Mode, "100"):
		refuse("not-a-file", "the upstream has a folder here; only files are taken")
	case e.Size > local.MaxFile:
		refuse("too-large", "the upstream's file has %d bytes; at most %d are taken", e.Size, local.MaxFile)
	default:
		texts[e.Name] = &text{File: File{Name: e.Name, Path: file, Blob: e.Hash}}
	}
}

// noFolder names the folders that are there instead.
func (s *syncer) noFolder(ctx context.Context, from string) error {
	const most = 10
	var there []string
	// What cannot be listed has no folders to name.
	_ = git.Tree(ctx, s.bare, s.commit, ".", func(e git.Entry) error {
		if e.Mode == "040000" && !strings.HasPrefix(e.Name, ".") && len(there) < most {
			there = append(there, local.Visible(e.Name))
		}
		return nil
	})
	if len(there) == 0 {
		return fmt.Errorf("%w: the upstream has no %s at %.12s, and no other", ErrFolder, from, s.commit)
	}
	return fmt.Errorf("%w: the upstream has no %s at %.12s; it has %s", ErrFolder, from, s.commit, strings.Join(there, ", "))
}

// versions reads which commits made the texts.
func (s *syncer) versions(ctx context.Context, trees []map[string]*text) error {
	byPath := map[string]*text{}
	for _, texts := range trees {
		for _, x := range texts {
			byPath[x.Path] = x
		}
	}
	var prefixes []string
	for _, t := range s.Targets {
		for _, from := range t.From {
			prefixes = append(prefixes, strings.TrimPrefix(from+"/", "./"))
		}
	}
	slices.Sort(prefixes)
	prefixes = slices.Compact(prefixes)
	var newest, undated git.Commit
	without := 0
	// A commit's files follow one another, so that the count of the last one is all that is kept.
	var at string
	var beginning []*text
	touched := 0
	settle := func() {
		for _, x := range beginning {
			x.numbers = touched
		}
		beginning, touched = beginning[:0], 0
	}
	err := git.Log(ctx, s.bare, s.commit, prefixes, func(c git.Commit, f git.Touch) {
		if c.Hash != at {
			settle()
			at = c.Hash
			if c.Undated {
				without++
				undated = c
			}
			if c.When > newest.When {
				newest = c
			}
		}
		if strings.EqualFold(path.Ext(f.Path), ".md") {
			touched++
		}
		x := byPath[f.Path]
		if x == nil {
			return
		}
		if x.first == 0 || c.When <= x.first {
			x.first = c.When
			beginning = append(beginning, x)
		}
		if f.Blob != "" && len(x.Versions) < MaxVersions {
			x.Versions = append(x.Versions, Version{Commit: c.Hash, Time: mip.NewTime(time.Unix(c.When, 0)), Subject: subject(c.Subject), Blob: f.Blob})
		}
	})
	if err != nil {
		return err
	}
	settle()
	if without > 0 {
		s.notice("commit %.12s has no date from 1970 through 9999 and counts as of 1970 (such commits: %d)", undated.Hash, without)
	}
	if newest.When > time.Now().Unix() {
		s.notice("commit %.12s is dated %s, later than this machine's clock; what it changed stands first until then", newest.Hash, mip.NewTime(time.Unix(newest.When, 0)))
	}
	for _, x := range byPath {
		if x.numbers == 1 && x.first > 0 {
			added := mip.NewTime(time.Unix(x.first, 0))
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

// pointer reports whether a file only says where Git LFS keeps it.
func pointer(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("version https://git-lfs.github.com/spec/"))
}
