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
	"time"

	"github.com/gofrs/flock"

	"github.com/mipwatch/mipwatch/internal/atomicfile"
	local "github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
)

// folder is a proposals folder, locked for one sync.
type folder struct {
	Target
	report *Report
	// made is true when this run made the folder.
	made bool
	root *os.Root
	lock *flock.Flock
	// texts are the upstream's, by the name that they have here.
	texts map[string]*text

	// old is nil when the folder was never synced.
	old *Record
	// next is nil when nothing has to be done.
	next    *Record
	pending []pending
	// gone are names of files to remove.
	gone []string
}

// pending is a whole file under a temporary name.
type pending struct {
	temp      *atomicfile.Temp
	name, sum string
	// changed is true when a file has the name.
	changed bool
}

// openFolder makes and locks a folder. The lock is on the folder itself, so that no file of ours lies in it.
func openFolder(ctx context.Context, t Target, waiting func()) (*folder, error) {
	f := &folder{Target: t, lock: flock.New(t.Folder, flock.SetFlag(os.O_RDONLY))}
	// Only a folder that was not there before may be removed after a failure.
	if _, err := os.Stat(t.Folder); errors.Is(err, fs.ErrNotExist) {
		f.made = true
	}
	if err := os.MkdirAll(t.Folder, 0o755); err != nil {
		return nil, f.failed("", err)
	}
	// Temporary files of a killed run are removed once nobody else can write here.
	err := f.wait(ctx, waiting)
	if err == nil {
		f.root, err = os.OpenRoot(t.Folder)
	}
	if err == nil {
		err = atomicfile.Recover(f.root, ".")
	}
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err != nil:
		err = f.failed("", err)
	default:
		if f.old, err = ReadRecord(f.root); err != nil {
			err = fmt.Errorf("%s cannot be read (%w); bring it back, or remove it: files that differ from the upstream's then count as written here",
				f.path(RecordName), local.Cause(err))
		}
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// wait locks the folder, and calls waiting once if another run has the lock.
func (f *folder) wait(ctx context.Context, waiting func()) error {
	// The first try finds out whether waiting has to be announced.
	locked, err := f.lock.TryLock()
	if err != nil || locked {
		return err
	}
	if waiting != nil {
		waiting()
	}
	const retry = 50 * time.Millisecond
	_, err = f.lock.TryLockContext(ctx, retry)
	return err
}

// close gives the folder back: without what was not put in place, and without itself when it is empty and was not
// there before.
func (f *folder) close() {
	for _, p := range f.pending {
		p.temp.Remove()
	}
	if f.root != nil {
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
	// Errors of renaming hold both paths, one of them temporary.
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = e.Err
	}
	return fmt.Errorf("%s %w: %w", f.path(name), ErrWrite, local.Cause(err))
}

// current reports whether the folder is as an earlier run left it, and that run had the same to do as this one.
func (f *folder) current(next *Record) bool {
	if f.old == nil || f.old.Incomplete || len(f.old.Placing) > 0 || f.old.Commit != next.Commit {
		return false
	}
	if f.old.Git != next.Git || f.old.Ref != next.Ref || !slices.Equal(f.old.Folders, next.Folders) {
		return false
	}
	return !slices.ContainsFunc(f.old.Files, func(old File) bool { return f.sum(old.Name) != old.SHA256 })
}

// compare finds out what has to change, and writes new texts under temporary names.
func (f *folder) compare(next *Record, objects *git.Objects) error {
	if err := f.refuseTwins(); err != nil {
		return err
	}
	// A file that stays as it is keeps its entry in the record, so that a later run knows it again.
	keep := func(name string) {
		next.Incomplete = true
		if old, ok := f.old.File(name); ok {
			next.Files = append(next.Files, old)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.texts)) {
		x := f.texts[name]
		if !x.refused {
			if err := f.take(x, objects); err != nil {
				return err
			}
		}
		if x.refused {
			keep(name)
			continue
		}
		next.Files = append(next.Files, x.File)
	}
	// A file that left the upstream is removed here as well, unless somebody edited it.
	for _, name := range f.old.names() {
		sum := f.sum(name)
		switch {
		case f.texts[name] != nil || sum == "":
		case f.old.Ours(name, sum):
			f.gone = append(f.gone, name)
		default:
			f.report.problem(f.path(name), "edited-here",
				"it is gone from the upstream, and was edited here since it was synced; move it out of the folder, or delete it")
			keep(name)
		}
	}
	slices.SortFunc(next.Files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	// A run without changes writes nothing, not even the record.
	if len(f.pending) > 0 || len(f.gone) > 0 || !sameRecord(f.old, next) {
		f.next = next
	}
	return nil
}

// take prepares a text that is new or changed, unless it would replace a file that sync did not write: that is
// reported and the text refused.
func (f *folder) take(x *text, objects *git.Objects) error {
	old, had := f.old.File(x.Name)
	here := f.sum(x.Name)
	// Neither side has changed: the text need not be read.
	if had && old.Blob == x.Blob && here == old.SHA256 {
		x.SHA256 = here
		f.report.Unchanged++
		return nil
	}
	raw, err := objects.Blob(x.Blob, local.MaxFile)
	if err == nil && raw == nil {
		err = fmt.Errorf("%w: %s is not there", git.ErrFailed, x.Path)
	}
	if err != nil {
		return err
	}
	// The hash is needed even if the file stays: the same bytes may have been copied by hand.
	x.SHA256 = hashOf(raw)
	refuse := func(file, code, format string, args ...any) {
		x.refused = true
		f.report.problem(file, code, format, args...)
	}
	// Nothing is written over a file that is neither as the last sync left it nor the same as the new text.
	switch {
	case bytes.HasPrefix(raw, []byte("version https://git-lfs.github.com/spec/")):
		refuse(x.Path, "lfs-pointer", "the upstream keeps this file with Git LFS, and here is only a pointer to it")
	case here == x.SHA256:
		f.report.Unchanged++
	case here == "" || f.old.Ours(x.Name, here):
		return f.prepare(x, raw, here != "")
	case had:
		refuse(f.path(x.Name), "edited-here",
			"it was edited here since it was synced; take the edit to the upstream, then delete or restore this file and sync again")
	default:
		refuse(f.path(x.Name), "not-synced",
			"it is in the way of the upstream's %s and was not synced from there; move it out of the folder, or sync into another one", x.Path)
	}
	return nil
}

// prepare writes a text under a temporary name.
func (f *folder) prepare(x *text, raw []byte, changed bool) error {
	// All texts are on the disk before the first one is put in place: a full disk changes nothing.
	temp, err := atomicfile.Create(f.root, ".")
	if err != nil {
		return f.failed(x.Name, err)
	}
	// From here on close removes the temporary file.
	f.pending = append(f.pending, pending{temp, x.Name, x.SHA256, changed})
	_, err = temp.Write(raw)
	if err = errors.Join(err, temp.Close()); err != nil {
		return f.failed(x.Name, err)
	}
	return nil
}

// refuseTwins refuses texts whose names differ only by case or Unicode form from those of files that were not synced.
func (f *folder) refuseTwins() error {
	// Files of any kind are looked at: on such a system they are in the way as well.
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return f.failed("", err)
	}
	folded := map[string]*text{}
	for name, x := range f.texts {
		folded[fold(name)] = x
	}
	for _, e := range entries {
		x := folded[fold(e.Name())]
		_, synced := f.old.File(e.Name())
		if x == nil || x.Name == e.Name() || synced || f.old.Ours(e.Name(), f.sum(e.Name())) {
			continue
		}
		x.refused = true
		f.report.problem(f.path(e.Name()), "name-case",
			"its name differs only by case or by the Unicode form of its letters from the upstream's %s; rename it", path.Base(x.Path))
	}
	return nil
}

// sameRecord reports whether a folder's record need not be written again. A commit of the upstream that touched
// none of the files is no reason.
func sameRecord(old, next *Record) bool {
	if old == nil {
		return false
	}
	// About is the same in every record, and Encode sets it.
	a, b := *old, *next
	a.About, a.Commit, b.Commit = "", "", ""
	return reflect.DeepEqual(a, b)
}

// steps put everything in place, one after the other. Killed in between, the record says which bytes are ours, old
// or new.
func (f *folder) steps() []func() error {
	if f.next == nil {
		return nil
	}
	// Until the last step the record names both the files of before and those that are being put in place.
	during := *f.next
	during.Files, during.Incomplete = nil, true
	if f.old != nil {
		during = *f.old
	}
	// A file that is found with one of these hashes was put there by this run.
	for _, p := range f.pending {
		during.Placing = append(during.Placing, Placed{Name: p.name, SHA256: p.sum})
	}
	steps := []func() error{func() error { return f.record(&during) }}
	var last []func() error
	for _, name := range f.gone {
		remove := func() error { return f.remove(name) }
		// A file whose new name differs only by case or Unicode form is one file on half of all machines.
		if slices.ContainsFunc(f.pending, func(p pending) bool { return fold(p.name) == fold(name) }) {
			steps = append(steps, remove)
		} else {
			last = append(last, remove)
		}
	}
	for _, p := range f.pending {
		steps = append(steps, func() error { return f.put(p) })
	}
	return append(append(steps, last...), func() error { return f.record(f.next) })
}

// put gives a pending file its name.
func (f *folder) put(p pending) error {
	if err := p.temp.Commit(p.name); err != nil {
		return f.failed(p.name, err)
	}
	// The report has only what really happened, should a later step fail.
	list := &f.report.Added
	if p.changed {
		list = &f.report.Changed
	}
	*list = append(*list, f.path(p.name))
	return nil
}

// remove removes a file that left the upstream. It may be gone already.
func (f *folder) remove(name string) error {
	if err := f.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.failed(name, err)
	}
	f.report.Removed = append(f.report.Removed, f.path(name))
	return nil
}

// record writes the record as a whole.
func (f *folder) record(r *Record) error {
	text, err := r.Encode()
	if err == nil {
		err = atomicfile.Write(f.root, RecordName, text)
	}
	if err != nil {
		return f.failed(RecordName, err)
	}
	return nil
}

// irregular stands for the sum of a folder, a link or a file that cannot be read: no file has it.
const irregular = "irregular"

// sum is the SHA-256 of the file under a name; empty when nothing is there.
func (f *folder) sum(name string) string {
	// A link counts as a file of somebody else, wherever it leads.
	info, err := f.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil || !info.Mode().IsRegular() {
		return irregular
	}
	file := local.File{Folder: f.Folder, Name: name, Path: name}
	raw, err := file.Read(f.root)
	if err != nil {
		return irregular
	}
	return hashOf(raw)
}

// hashOf is the SHA-256 of a file in hexadecimal digits.
func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
