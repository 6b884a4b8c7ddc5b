package gitsync

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"

	local "github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
)

// What to do about a file that was edited here.
const edited = "it was edited here since it was synced; take the edit to the upstream, then delete or restore this file and sync again"

// compare finds out what has to change in a folder, and writes it under temporary names.
func (s *syncer) compare(f *folder, t Target, texts map[string]*text, blobs *git.Blobs) error {
	next := &Record{Git: s.report.Git, Ref: s.Ref, Folders: t.From, Commit: s.commit}
	if err := s.apart(f, texts); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		x := texts[name]
		old, had := f.old.File(name)
		here := stateOf(f.root, f.dir, name)
		if x.refused {
			next.Incomplete = true
			if had {
				next.Files = append(next.Files, old)
			}
			continue
		}
		if had && old.Blob == x.Blob && here.sum == old.SHA256 {
			x.SHA256 = old.SHA256
			next.Files = append(next.Files, x.File)
			f.unchanged++
			continue
		}
		raw, err := blobs.Read(x.Blob, local.MaxFile)
		if err == nil && raw == nil {
			err = fmt.Errorf("%w: %s is not there", git.ErrFailed, x.Path)
		}
		if err != nil {
			return err
		}
		sum := sha256.Sum256(raw)
		x.SHA256 = hex.EncodeToString(sum[:])
		ours := f.old.Ours(name, here.sum) || here.sum == x.SHA256
		switch {
		case pointer(raw):
			s.problem(x.Path, "lfs-pointer", "the upstream keeps this file with Git LFS, and here is only a pointer to it")
		case !here.there || ours && here.sum != x.SHA256:
			temp, err := f.draft(name, raw)
			if err != nil {
				return err
			}
			f.drafts = append(f.drafts, draft{temp, name, x.SHA256, here.there})
		case ours:
			f.unchanged++
		case had:
			s.problem(f.path(name), "edited-here", "%s", edited)
		default:
			s.problem(f.path(name), "not-synced", "it is in the way of the upstream's %s and was not synced from there; move it out of the folder, or sync into another one", x.Path)
		}
		if pointer(raw) || here.there && !ours {
			next.Incomplete = true
			if had {
				next.Files = append(next.Files, old)
			}
			continue
		}
		next.Files = append(next.Files, x.File)
	}
	s.gone(f, next, texts)
	slices.SortFunc(next.Files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	f.next, f.same = next, len(f.drafts) == 0 && len(f.gone) == 0 && sameRecord(f.old, next)
	return nil
}

// gone finds what left the upstream.
func (s *syncer) gone(f *folder, next *Record, texts map[string]*text) {
	var names []string
	if f.old != nil {
		for _, file := range f.old.Files {
			names = append(names, file.Name)
		}
		for _, p := range f.old.Placing {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if texts[name] != nil {
			continue
		}
		here := stateOf(f.root, f.dir, name)
		switch {
		case !here.there:
		case f.old.Ours(name, here.sum):
			f.gone = append(f.gone, name)
		default:
			s.problem(f.path(name), "edited-here", "it is gone from the upstream, and was edited here since it was synced; move it out of the folder, or delete it")
			if old, ok := f.old.File(name); ok {
				next.Files = append(next.Files, old)
			}
			next.Incomplete = true
		}
	}
}

// apart refuses texts whose names differ only by case or Unicode form from those of files that were not synced.
func (s *syncer) apart(f *folder, texts map[string]*text) error {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return fmt.Errorf("%s %w: %w", f.dir, ErrWrite, local.Cause(err))
	}
	folded := map[string]string{}
	for name := range texts {
		folded[fold(name)] = name
	}
	for _, e := range entries {
		name := folded[fold(e.Name())]
		_, synced := f.old.File(e.Name())
		if name == "" || name == e.Name() || synced || f.old.Ours(e.Name(), stateOf(f.root, f.dir, e.Name()).sum) {
			continue
		}
		s.problem(f.path(e.Name()), "name-case", "its name differs only by case or by the Unicode form of its letters from the upstream's %s; rename it", path.Base(texts[name].Path))
		texts[name].refused = true
	}
	return nil
}

// sameRecord reports whether a folder's record need not be written again. A commit of the upstream that touched
// none of the files is no reason.
func sameRecord(old, next *Record) bool {
	if old == nil {
		return false
	}
	a, b := *old, *next
	a.About, a.Commit, b.Commit = "", "", ""
	return reflect.DeepEqual(a, b)
}
