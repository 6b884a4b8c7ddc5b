package gitsync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	local "github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxTotal bounds the files that one run writes into a folder, in bytes. The files that texts name
// take at most two thirds of it. The texts of the largest known folder have 10 MB.
const maxTotal = 768 << 20

// folder is a proposals folder, locked for one sync.
type folder struct {
	Target
	report *Report
	// made is true if this run created the folder.
	made bool
	root *os.Root
	lock *flock.Flock
	// texts are the upstream's texts by local name, and the files that they name.
	texts map[string]*upstreamText
	// total is the size of the files to write, in bytes.
	total int
	old   *Record
	// here has the hashes of the folder's files by name, and of the files that the record or the
	// upstream's texts name.
	here map[string]string
	// next is the record to write, or nil if there is nothing to do.
	next *Record
	// gone are names of files to remove.
	gone []string
}

// open creates and locks a folder, and reads its record. The lock is on the folder itself, so that
// the folder needs no lock file. Only a folder that this run created may be removed after a
// failure.
func (s *syncer) open(ctx context.Context, t Target) error {
	lock := flock.New(t.Folder, flock.SetFlag(os.O_RDONLY))
	f := &folder{Target: t, report: s.Report, lock: lock}
	info, err := os.Stat(t.Folder)
	f.made = errors.Is(err, fs.ErrNotExist)
	for _, other := range s.folders {
		if same, err := other.root.Stat("."); err == nil && os.SameFile(info, same) {
			return fmt.Errorf("%w: %s and %s are one", ErrFolder, other.Folder, t.Folder)
		}
	}
	s.folders = append(s.folders, f) // so that it is closed
	err = os.MkdirAll(t.Folder, 0o755)
	if err == nil {
		err = f.wait(ctx, s.Waiting)
	}
	if err == nil {
		f.root, err = os.OpenRoot(t.Folder)
	}
	// Remove temporary files of a killed run. Nobody else can write here while the lock is held.
	if err == nil {
		err = local.Recover(f.root, ".")
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return f.failed("", err)
	}
	if f.old, err = ReadRecord(f.root); err != nil {
		return unreadable(t.Folder, err)
	}
	s.From = cmp.Or(s.From, f.old.Commit)
	return nil
}

// unreadable is the error of a folder's record.
func unreadable(folder string, err error) error {
	return fmt.Errorf("%s cannot be read (%w); restore it, or remove it",
		path.Join(filepath.ToSlash(folder), RecordName), local.Cause(err))
}

// wait locks the folder. It calls waiting once if another run has the lock.
func (f *folder) wait(ctx context.Context, waiting func()) error {
	locked, err := f.lock.TryLock()
	if err != nil || locked {
		return err
	}
	waiting()
	const retry = 50 * time.Millisecond
	_, err = f.lock.TryLockContext(ctx, retry)
	return err
}

// close removes leftover temporary files, and unlocks the folder. It removes an empty folder that
// this run created.
func (f *folder) close() {
	if f.root != nil {
		local.Recover(f.root, ".") // the next run tries again
		f.root.Close()
	}
	if f.made {
		os.Remove(f.Folder)
	}
	f.lock.Close()
}

// path is the path of a file in the folder, as in problems.
func (f *folder) path(name string) string { return path.Join(filepath.ToSlash(f.Folder), name) }

// failed names the file that could not be written, and the cause without its path.
func (f *folder) failed(name string, err error) error {
	return fmt.Errorf("%s %w: %w", f.path(name), ErrWrite, local.Cause(err))
}

// current reports whether the folder is unchanged since an earlier run with the same task.
func (f *folder) current(next *Record) bool {
	same := *next
	same.Files = f.old.Files
	return f.readFiles() == nil && reflect.DeepEqual(same, *f.old) &&
		!slices.ContainsFunc(f.old.Files, func(old File) bool {
			return f.here[old.Name] != old.SHA256
		})
}

// refuse reports why a text is not taken. file is the path in the upstream or the local one.
func (f *folder) refuse(x *upstreamText, file, code, format string, args ...any) {
	x.refused = true
	f.report.problem(x.Name, file, code, format, args...)
}

// compare determines the changes. It writes new texts under temporary names, and nothing else.
func (f *folder) compare(next *Record, k *repositories) error {
	// Files may have been edited during the fetch.
	if err := f.readFiles(); err != nil {
		return err
	}
	if err := f.leave(f.unique(), k); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(f.texts)) {
		if err := f.take(f.texts[name], k); err != nil {
			return err
		}
	}
	next.Files = f.entries()
	// A problem with a file that a text names stays until the upstream's next commit.
	next.Incomplete = slices.ContainsFunc(f.report.Problems, func(p mip.Problem) bool {
		return p.Code != pictureRefused && p.Code != fileRefused
	})
	// A run without changes writes nothing. A new commit of the upstream that touches none of the
	// files is no change.
	same := *next
	same.Commit = f.old.Commit
	if f.total > 0 || len(f.gone) > 0 || !reflect.DeepEqual(same, *f.old) {
		f.next = next
	}
	return nil
}

// unique returns the texts by folded name. Names that differ only by case or Unicode form are one
// file on some systems, where one would overwrite the other.
func (f *folder) unique() map[string]*upstreamText {
	first := map[string]*upstreamText{}
	for _, name := range slices.Sorted(maps.Keys(f.texts)) {
		x := f.texts[name]
		if twin := first[fold(name)]; twin != nil {
			twin.refused = true
			f.refuse(x, x.Path, "name-case",
				"the upstream has a file whose name differs only by case or by the Unicode form "+
					"of its letters, %s", twin.Name)
			continue
		}
		first[fold(name)] = x
	}
	return first
}

// leave handles the files that the upstream lacks: synced ones are to be removed, and others stay.
func (f *folder) leave(texts map[string]*upstreamText, k *repositories) error {
	for _, name := range slices.Sorted(maps.Keys(f.here)) {
		x := texts[fold(name)]
		_, synced := f.old.File(name)
		switch {
		case f.texts[name] != nil:
		case synced:
			where, err := k.savedIn(f, name)
			if err != nil {
				return err
			}
			if where == nowhere {
				f.report.problem(name, f.path(name), "uncommitted",
					"it is gone from the upstream, and no commit has it as it is here; commit "+
						"it, or move it elsewhere, and sync again")
				continue
			}
			f.gone = append(f.gone, name)
			f.overwrites(name, where)
		case x != nil:
			f.refuse(x, f.path(name), "name-case",
				"its name differs only by case or by the Unicode form of its letters from the "+
					"upstream's %s; rename it", x.Name)
		}
	}
	return nil
}

// entries are the files of the record after this run. A file that stays keeps its entry, so that a
// later run recognizes it.
func (f *folder) entries() (files []File) {
	for _, x := range f.texts {
		if !x.refused {
			files = append(files, x.File)
		}
	}
	for _, old := range f.old.Files {
		x := f.texts[old.Name]
		_, here := f.here[old.Name]
		if x != nil && x.refused || x == nil && here && !slices.Contains(f.gone, old.Name) {
			files = append(files, old)
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files
}

// overwrites records a file whose bytes only a local commit has, and not the upstream.
func (f *folder) overwrites(name string, where saved) {
	if where == inLocalCommit {
		f.report.Overwritten = append(f.report.Overwritten, f.path(name))
	}
}

// take reads a text, and decides whether to write it. It refuses and reports a text that would
// replace a file whose bytes no commit has.
func (f *folder) take(x *upstreamText, k *repositories) error {
	if x.refused {
		return nil
	}
	if f.hasAttached(x) {
		x.SHA256 = f.here[x.Name]
		f.report.Unchanged++
		return nil
	}
	raw, err := k.upstream.Blob(x.Blob, maxFile)
	if err != nil || raw == nil {
		return cmp.Or(err, fmt.Errorf("%w: %s is not there", git.ErrFailed, x.Path))
	}
	x.SHA256 = hashOf(raw)
	here, isHere := f.here[x.Name]
	switch {
	case isPointer(raw):
		f.refuse(x, x.Path, "lfs-pointer", pointer)
		return nil
	case here == x.SHA256:
		f.report.Unchanged++
		return nil
	case isHere:
		where, err := k.savedIn(f, x.Name)
		if err != nil {
			return err
		}
		if where == nowhere {
			f.refuse(x, f.path(x.Name), "uncommitted",
				"the upstream's %s would replace it, and no commit has it as it is here; commit "+
					"it, or move it elsewhere, and sync again", x.Path)
			return nil
		}
		f.overwrites(x.Name, where)
	}
	x.fresh = !isHere
	if f.total += 1 + len(raw); f.total > maxTotal {
		return fmt.Errorf("%w: the upstream's files for %s have more than %d bytes",
			ErrFolder, f.Folder, maxTotal)
	}
	return f.stage(x, raw)
}

// stage writes a text under a temporary name. All texts are on disk before the first one is
// renamed, so that a full disk changes nothing.
func (f *folder) stage(x *upstreamText, raw []byte) (err error) {
	if x.temp, err = local.CreateTemp(f.root, "."); err == nil {
		_, err = x.temp.Write(raw)
		err = errors.Join(err, x.temp.Close())
	}
	if err != nil {
		return f.failed(x.Name, err)
	}
	return nil
}

// steps returns the steps that put everything in place, in order. A file is removed before it
// leaves the record, and is in the record before it is written. After a kill between two steps the
// record thus names all files from the upstream. Each has an old or a new text of the upstream, and
// the next run completes the rest.
func (f *folder) steps() (steps []func() error) {
	if f.next == nil {
		return nil
	}
	// On many systems two names that differ only by case or Unicode form are one file.
	for _, name := range f.gone {
		steps = append(steps, func() error {
			return f.done(name, f.remove(name), &f.report.Removed)
		})
	}
	steps = append(steps, f.record)
	for _, name := range slices.Sorted(maps.Keys(f.texts)) {
		x := f.texts[name]
		if x.temp == nil {
			continue
		}
		list := &f.report.Changed
		if x.fresh {
			list = &f.report.Added
		}
		steps = append(steps, func() error { return f.done(x.Name, x.temp.Commit(x.Name), list) })
	}
	return steps
}

// remove removes a file, and the folders below [FilesFolder] that it leaves empty.
func (f *folder) remove(name string) error {
	err := f.root.Remove(name)
	for dir := path.Dir(name); err == nil && dir != "."; dir = path.Dir(dir) {
		if f.root.Remove(dir) != nil {
			break // not empty
		}
	}
	return err
}

// done adds a file to a list of the report, which has only what really happened, or returns why it
// could not be written.
func (f *folder) done(name string, err error, list *[]string) error {
	if err != nil {
		return f.failed(name, err)
	}
	*list = append(*list, f.path(name))
	return nil
}

// record writes the next record atomically.
func (f *folder) record() error {
	text, err := f.next.encode()
	if err == nil {
		err = local.Write(f.root, RecordName, text)
	}
	if err != nil {
		return f.failed(RecordName, err)
	}
	return nil
}
