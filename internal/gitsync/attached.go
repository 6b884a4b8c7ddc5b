package gitsync

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/attachment"
	local "github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/picture"
)

const (
	// pictureRefused and fileRefused are the codes of problems of pictures and other files that are
	// not taken.
	pictureRefused, fileRefused = "picture-refused", "file-refused"
	// maxFile bounds a file that a run compares or writes, in bytes.
	maxFile = max(local.MaxFile, picture.MaxBytes)
	// maxPaths bounds the paths that all texts of a folder name.
	maxPaths = 50_000
)

// Texts finds the files that texts name: pictures, and linked files that a site copies.
type Texts interface {
	// Files returns the files that a text names, in its order. f is the local file of the text, and
	// path its path in the upstream. Files on other hosts are left out.
	Files(f local.File, path string, text []byte) []Named
}

// Named is a file as a text names it.
type Named struct {
	// Dest is the destination, and Line its line.
	Dest string
	Line int
	// Link is true for a link, and false for a picture.
	Link bool
	// Paths are the paths in the upstream that it can mean, the likeliest first. There are none if
	// it leads out of the repository.
	Paths []string
}

// naming is a use of a file by a text.
type naming struct {
	Named
	text *upstreamText
	// before is the number of files that the text names earlier.
	before int
}

// attachedAt returns the local name of a file that a text names, by its path in the upstream.
func attachedAt(file string) string { return FilesFolder + "/" + file }

// isAttached reports whether a local name is the name of a file that a text names.
func isAttached(name string) bool { return strings.HasPrefix(name, FilesFolder+"/") }

// attach adds to the folder's texts the files that they name, and reports those that are not taken.
// They count towards the limits of all folders.
func (s *syncer) attach(
	ctx context.Context, f *folder, upstream *git.Objects, count *attachment.Count,
) error {
	all, err := s.named(f, upstream)
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, n := range all {
		for _, name := range n.Paths {
			if len(wanted) < maxPaths {
				wanted[name] = true
			}
		}
	}
	entries, err := git.Files(ctx, s.clone, s.To, slices.Sorted(maps.Keys(wanted)))
	if err != nil {
		return err
	}
	// If several paths have the same folded name, the first is taken: on some systems they are one
	// file.
	taken, results := map[string]string{}, map[use]error{}
	for _, n := range all {
		at := slices.IndexFunc(n.Paths, func(name string) bool { return entries[name].Hash != "" })
		switch err := attachment.CheckText(attachment.DefaultLimits(), n.before); {
		case len(n.Paths) == 0:
			s.refuseNamed(n, n.Dest, errors.New("it leads out of the repository"))
			continue
		case err != nil:
			s.refuseNamed(n, n.Paths[0], err)
			continue
		case at < 0:
			s.refuseNamed(n, n.Paths[0], errors.New("the upstream has no such file"))
			continue
		}
		file := n.Paths[at]
		as := use{file, n.Link}
		why, known := results[as]
		if !known {
			why = f.attach(as, entries[file], taken[fold(file)], upstream, count)
			if _, failed := errors.AsType[*readError](why); failed {
				return why
			}
			if results[as] = why; why == nil {
				taken[fold(file)] = file
			}
		}
		if why != nil {
			s.refuseNamed(n, file, why)
		}
	}
	return nil
}

// use is a file of the upstream, as a picture or as the target of a link.
type use struct {
	file string
	link bool
}

// readError is a failure of git, which ends the run.
type readError struct{ error }

// Unwrap returns the error of git.
func (e *readError) Unwrap() error { return e.error }

// named returns the files that the folder's texts name, each once for a text.
func (s *syncer) named(f *folder, upstream *git.Objects) (all []naming, err error) {
	for _, name := range slices.Sorted(maps.Keys(f.texts)) {
		x := f.texts[name]
		if x.refused || s.Texts == nil {
			continue
		}
		raw, err := upstream.Blob(x.Blob, local.MaxFile)
		if err != nil {
			return nil, err
		}
		here := local.File{Folder: f.Folder, Name: x.Name}
		for i, n := range s.Texts.Files(here, x.Path, raw) {
			all = append(all, naming{n, x, i})
		}
	}
	return all, nil
}

// refuseNamed reports why a file is not taken.
func (s *syncer) refuseNamed(n naming, file string, why error) {
	code := pictureRefused
	if n.Link {
		code = fileRefused
	}
	s.Problems = append(s.Problems, mip.Problem{Level: mip.Warning, Code: code,
		File: n.text.Path, Line: n.Line, Message: mip.Escape(
			local.Visible(mip.ShortenRunes(file, maxName)) + ": " + why.Error())})
}

// attach adds a file of the upstream to the files to take, or returns why it is not taken. twin is
// the path of the file that is taken under the same folded name, or empty.
func (f *folder) attach(
	as use, e git.Entry, twin string, upstream *git.Objects, count *attachment.Count,
) error {
	file := as.file
	switch {
	case e.Mode == git.ModeSymlink:
		return errors.New("a symbolic link; only files are taken")
	case e.Mode == git.ModeSubmodule:
		return errors.New("a submodule; only files are taken")
	case !strings.HasPrefix(e.Mode, git.ModeFile):
		return errors.New("a folder; only files are taken")
	case !plainPath(file):
		return fmt.Errorf("its path is longer than %d bytes, hidden, or has what cannot be seen",
			maxName)
	case twin != "" && twin != file:
		return fmt.Errorf("its name differs only by case or by the Unicode form of its letters "+
			"from %s", twin)
	case e.Size > picture.MaxBytes:
		return fmt.Errorf("want at most %d bytes, got %d", picture.MaxBytes, e.Size)
	}
	// A file that turns out to be no picture counts too, and a file with two uses counts twice, so
	// that reading is bounded.
	if err := count.Add(attachment.DefaultLimits(), int(e.Size)); err != nil {
		return err
	}
	x := &upstreamText{File: File{Name: attachedAt(file), Path: file, Blob: e.Hash}}
	f.readFile(x.Name)
	if !f.hasAttached(x) {
		raw, err := upstream.Blob(e.Hash, picture.MaxBytes)
		if err != nil {
			return &readError{err}
		}
		if isPointer(raw) {
			return errors.New(pointer)
		}
		_, _, err = picture.Parse(raw)
		if err != nil && !(as.link && errors.Is(err, picture.ErrUnknown)) {
			return err
		}
	}
	f.texts[x.Name] = x
	return nil
}

// pointer is the reason for not taking a file for which [isPointer] is true.
const pointer = "the upstream keeps this file with Git LFS, and here is only a pointer to it"

// isPointer reports whether a file is only a pointer of Git LFS.
func isPointer(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("version https://git-lfs.github.com/spec/"))
}

// hasAttached reports whether a file that a text names is in the folder as the upstream has it: it
// was synced and has not changed since, here or there.
func (f *folder) hasAttached(x *upstreamText) bool {
	old, ok := f.old.File(x.Name)
	return ok && isAttached(x.Name) && old.Blob == x.Blob && old.SHA256 == f.here[x.Name]
}

// plainPath reports whether a path is safe for a file that a text names: it misleads nobody, and no
// program takes its folders for a repository.
func plainPath(file string) bool {
	for part := range strings.SplitSeq(file, "/") {
		if fold(part) == ".git" || part != local.Visible(part) || strings.ContainsAny(part, `\:`) {
			return false
		}
	}
	return fs.ValidPath(file) && !strings.HasPrefix(path.Base(file), ".") && len(file) <= maxName
}
