package gitsync

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
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
)

// maxTotal bounds the texts that one run writes into a folder, in bytes. The largest real folder has 10 MB.
const maxTotal = 256 << 20

// folder is a proposals folder, locked for one sync.
type folder struct {
	Target
	report *Report
	// made is true when this run made the folder.
	made bool
	root *os.Root
	lock *flock.Flock
	// texts are the upstream's, by the name that they have here.
	texts map[string]*upstreamText
	// total is the size of those that are to be written, in bytes.
	total int
	old   *Record
	// here has the sums by name of what is in the folder.
	here map[string]string
	// next is nil when nothing has to be done.
	next *Record
	// gone are names of files to remove.
	gone []string
}

// open makes and locks a folder, and reads its record. The lock is on the folder itself, so that no file of ours lies
// in it. Only a folder that was not there before may be removed after a failure.
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
	s.folders = append(s.folders, f) // to be closed
	err = os.MkdirAll(t.Folder, 0o755)
	if err == nil {
		err = f.wait(ctx, s.Waiting)
	}
	if err == nil {
		f.root, err = os.OpenRoot(t.Folder)
	}
	// Temporary files of a killed run are removed, since nobody else can write here by now.
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
		return fmt.Errorf("%s cannot be read (%w); restore it, or remove it",
			f.path(RecordName), local.Cause(err))
	}
	s.From = cmp.Or(s.From, f.old.Commit)
	return nil
}

// irregular stands for the sum of a folder, a link or a file that cannot be read: no file has it.
const irregular = "irregular"

// look reads what is in the folder. A link counts as a file of somebody else, wherever it leads.
func (f *folder) look() error {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return f.failed("", err)
	}
	f.here = map[string]string{}
	for _, e := range entries {
		f.here[e.Name()] = irregular
		if !e.Type().IsRegular() {
			continue
		}
		if raw, err := local.Read(f.root, e.Name(), local.MaxFile); err == nil {
			f.here[e.Name()] = hashOf(raw)
		}
	}
	return nil
}

// wait locks the folder, and calls waiting once if another run has the lock.
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

// close removes the temporary files that were not put in place, and gives the folder back. A folder that is empty and
// was not there before is removed.
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

// path is that of a file in the folder, as problems name it.
func (f *folder) path(name string) string { return path.Join(filepath.ToSlash(f.Folder), name) }

// failed says which file could not be written, and why without its path.
func (f *folder) failed(name string, err error) error {
	return fmt.Errorf("%s %w: %w", f.path(name), ErrWrite, local.Cause(err))
}

// current reports whether the folder is as an earlier run left it, and that run had the same to do as this one.
func (f *folder) current(next *Record) bool {
	same := *next
	same.Files = f.old.Files
	return f.look() == nil && reflect.DeepEqual(same, *f.old) &&
		!slices.ContainsFunc(f.old.Files, func(old File) bool { return f.here[old.Name] != old.SHA256 })
}

// refuse reports why a text is not taken. The file is that of the upstream or the one here.
func (f *folder) refuse(x *upstreamText, file, code, format string, args ...any) {
	x.refused = true
	f.report.problem(file, code, format, args...)
}

// compare finds out what has to change. It writes new texts under temporary names, and nothing else.
func (f *folder) compare(next *Record, k *keepers) error {
	// Files may have been edited while the upstream was fetched.
	if err := f.look(); err != nil {
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
	next.Incomplete = len(f.report.Problems) > 0
	// A run without changes writes nothing. A commit of the upstream that touched none of the files does not count as
	// one.
	same := *next
	same.Commit = f.old.Commit
	if f.total > 0 || len(f.gone) > 0 || !reflect.DeepEqual(same, *f.old) {
		f.next = next
	}
	return nil
}

// unique returns the texts by their folded names. Names that differ only by case or Unicode form are one file elsewhere,
// and one would overwrite the other.
func (f *folder) unique() map[string]*upstreamText {
	first := map[string]*upstreamText{}
	for _, name := range slices.Sorted(maps.Keys(f.texts)) {
		x := f.texts[name]
		if twin := first[fold(name)]; twin != nil {
			twin.refused = true
			f.refuse(x, x.Path, "name-case",
				"the upstream has a file whose name differs only by case or by the Unicode form of its letters, %s", twin.Name)
			continue
		}
		first[fold(name)] = x
	}
	return first
}

// leave looks at the files that the upstream does not have: those that were synced are to be removed, and the others stay.
func (f *folder) leave(texts map[string]*upstreamText, k *keepers) error {
	for _, name := range slices.Sorted(maps.Keys(f.here)) {
		x := texts[fold(name)]
		_, synced := f.old.File(name)
		switch {
		case f.texts[name] != nil:
		case synced:
			by, err := k.keeperOf(f, name)
			if err != nil {
				return err
			}
			if by == nobody {
				f.report.problem(f.path(name), "uncommitted",
					"it is gone from the upstream, and no commit has it as it is here; commit it, or move it elsewhere, and sync again")
				continue
			}
			f.gone = append(f.gone, name)
			f.overwrites(name, by)
		case x != nil:
			f.refuse(x, f.path(name), "name-case",
				"its name differs only by case or by the Unicode form of its letters from the upstream's %s; rename it", x.Name)
		}
	}
	return nil
}

// entries are the files of the record after this run. One that stays as it is keeps its entry, so that a later run knows it
// again.
func (f *folder) entries() (files []File) {
	for _, x := range f.texts {
		if !x.refused {
			files = append(files, x.File)
		}
	}
	for _, old := range f.old.Files {
		x := f.texts[old.Name]
		if _, here := f.here[old.Name]; x != nil && x.refused || x == nil && here && !slices.Contains(f.gone, old.Name) {
			files = append(files, old)
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files
}

// overwrites notes a file that only a commit here has, and not the upstream.
func (f *folder) overwrites(name string, by keeper) {
	if by == commitHere {
		f.report.Overwritten = append(f.report.Overwritten, f.path(name))
	}
}

// take reads a text, and decides whether it is written here. It would not replace a file of which no commit has the
// bytes: that is reported and the text refused.
func (f *folder) take(x *upstreamText, k *keepers) error {
	if x.refused {
		return nil
	}
	raw, err := k.upstream.Blob(x.Blob, local.MaxFile)
	if err != nil || raw == nil {
		return cmp.Or(err, fmt.Errorf("%w: %s is not there", git.ErrFailed, x.Path))
	}
	x.SHA256 = hashOf(raw)
	here, isHere := f.here[x.Name]
	switch {
	case bytes.HasPrefix(raw, []byte("version https://git-lfs.github.com/spec/")):
		f.refuse(x, x.Path, "lfs-pointer", "the upstream keeps this file with Git LFS, and here is only a pointer to it")
		return nil
	case here == x.SHA256:
		f.report.Unchanged++
		return nil
	case isHere:
		by, err := k.keeperOf(f, x.Name)
		if err != nil {
			return err
		}
		if by == nobody {
			f.refuse(x, f.path(x.Name), "uncommitted",
				"the upstream's %s would replace it, and no commit has it as it is here; commit it, or move it elsewhere, and sync again", x.Path)
			return nil
		}
		f.overwrites(x.Name, by)
	}
	x.fresh = !isHere
	if f.total += 1 + len(raw); f.total > maxTotal {
		return fmt.Errorf("%w: the upstream's files for %s have more than %d bytes", ErrFolder, f.Folder, maxTotal)
	}
	return f.stage(x, raw)
}

// stage writes a text under a temporary name. All texts are on the disk before the first is put in place, so that a
// full disk changes nothing.
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

// steps put everything in place, one after the other. A file is removed before it leaves the record, and is in the
// record before it is written. If the run is killed in between, the record thus names all files that are of the
// upstream. Each holds an old or a new text of the upstream, and the next run completes the rest.
func (f *folder) steps() (steps []func() error) {
	if f.next == nil {
		return nil
	}
	// On half of all machines two names that differ only by case or Unicode form are one file.
	for _, name := range f.gone {
		steps = append(steps, func() error { return f.done(name, f.root.Remove(name), &f.report.Removed) })
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

// done adds a file to a list of the report, which has only what really happened, or explains why it could not be
// written.
func (f *folder) done(name string, err error, list *[]string) error {
	if err != nil {
		return f.failed(name, err)
	}
	*list = append(*list, f.path(name))
	return nil
}

// record writes the next record as a whole.
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

// hashOf is the SHA-256 of a file in hexadecimal digits.
func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
