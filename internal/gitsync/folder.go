package gitsync

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	local "github.com/mipwatch/mipwatch/internal/folder"
)

const (
	lockRetry = 50 * time.Millisecond
	// tempPrefix begins the names of files that are not in place yet. They are hidden from whoever reads proposals.
	tempPrefix = ".mipwatch-sync-"
)

// folder is a proposals folder, locked for one sync.
type folder struct {
	dir  string
	made bool // by this run
	root *os.Root
	lock *flock.Flock

	old    *Record // nil: the folder was never synced
	next   *Record
	same   bool     // nothing has to be done
	drafts []draft  // whole files under temporary names
	gone   []string // names of files to remove

	added, changed, removed []string // paths, for the report
	unchanged               int
}

// draft is a file that waits to be put in place.
type draft struct {
	temp, name, sum string
	changed         bool // a file has the name
}

// openFolder makes and locks a folder. The lock is on the folder itself, so that no file of ours lies in it.
func openFolder(ctx context.Context, dir string, waiting func()) (*folder, error) {
	f := &folder{dir: dir}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		f.made = true
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("%s %w: %w", dir, ErrWrite, local.Cause(err))
	}
	f.lock = flock.New(dir, flock.SetFlag(os.O_RDONLY))
	ok, err := f.lock.TryLock()
	if err == nil && !ok {
		if waiting != nil {
			waiting()
		}
		_, err = f.lock.TryLockContext(ctx, lockRetry)
	}
	if err != nil {
		f.close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s %w: lock: %w", dir, ErrWrite, err)
	}
	if f.root, err = os.OpenRoot(dir); err == nil {
		err = f.sweep()
	}
	if err != nil {
		f.close()
		return nil, fmt.Errorf("%s %w: %w", dir, ErrWrite, local.Cause(err))
	}
	if f.old, err = ReadRecord(f.root); err != nil {
		f.close()
		return nil, fmt.Errorf("%s cannot be read (%w); bring it back, or remove it: files that differ from the upstream's then count as written here", f.path(RecordName), local.Cause(err))
	}
	return f, nil
}

// close gives the folder back: without what was not put in place, and without itself when it is empty and was not
// there before.
func (f *folder) close() {
	if f.root != nil {
		for _, d := range f.drafts {
			f.root.Remove(d.temp)
		}
		f.root.Close()
	}
	if f.made {
		os.Remove(f.dir)
	}
	f.lock.Close()
}

// sweep removes what a sync that was killed left half written.
func (f *folder) sweep() error {
	names, err := fs.ReadDir(f.root.FS(), ".")
	for _, e := range names {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			err = errors.Join(err, f.root.Remove(e.Name()))
		}
	}
	return err
}

func (f *folder) path(name string) string { return path.Join(filepath.ToSlash(f.dir), name) }

// draft writes a file under a temporary name.
func (f *folder) draft(name string, text []byte) (string, error) {
	temp := tempPrefix + strconv.Itoa(len(f.drafts)) + "-" + strconv.Itoa(os.Getpid())
	err := f.root.WriteFile(temp, text, 0o644)
	if err != nil {
		f.root.Remove(temp)
		return "", fmt.Errorf("%s %w: %w", f.path(name), ErrWrite, local.Cause(err))
	}
	return temp, nil
}

// place puts everything in place. Killed in between, the record says which bytes are ours, old or new.
func (f *folder) place() error {
	if f.same {
		return nil
	}
	for _, step := range f.steps() {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// steps are what place does, one after the other.
func (f *folder) steps() []func() error {
	during := Record{Git: f.next.Git, Ref: f.next.Ref, Folders: f.next.Folders, Commit: f.next.Commit, Incomplete: true}
	if f.old != nil {
		during = *f.old
	}
	for _, d := range f.drafts {
		during.Placing = append(during.Placing, Placed{Name: d.name, SHA256: d.sum})
	}
	steps := []func() error{func() error { return f.record(&during) }}
	var last []func() error
	for _, name := range f.gone {
		remove := func() error { return f.remove(name) }
		// A file whose new name differs only by case or Unicode form is one file on half of all machines.
		if slices.ContainsFunc(f.drafts, func(d draft) bool { return fold(d.name) == fold(name) }) {
			steps = append(steps, remove)
		} else {
			last = append(last, remove)
		}
	}
	for _, d := range f.drafts {
		steps = append(steps, func() error { return f.put(d) })
	}
	return append(append(steps, last...), func() error { return f.record(f.next) })
}

func (f *folder) put(d draft) error {
	if err := f.root.Rename(d.temp, d.name); err != nil {
		return fmt.Errorf("%s %w: %w", f.path(d.name), ErrWrite, cause(err))
	}
	if d.changed {
		f.changed = append(f.changed, f.path(d.name))
	} else {
		f.added = append(f.added, f.path(d.name))
	}
	return nil
}

func (f *folder) remove(name string) error {
	if err := f.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s %w: remove: %w", f.path(name), ErrWrite, local.Cause(err))
	}
	f.removed = append(f.removed, f.path(name))
	return nil
}

// record writes the record as a whole.
func (f *folder) record(r *Record) error {
	text, err := r.Encode()
	if err != nil {
		return err
	}
	temp := tempPrefix + "record-" + strconv.Itoa(os.Getpid())
	if err = f.root.WriteFile(temp, text, 0o644); err == nil {
		err = f.root.Rename(temp, RecordName)
	}
	if err != nil {
		f.root.Remove(temp)
		return fmt.Errorf("%s %w: %w", f.path(RecordName), ErrWrite, cause(err))
	}
	return nil
}

// cause drops the paths from an error of the file system, which the message has already.
func cause(err error) error {
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return local.Cause(err)
}

// state is what stands under a name.
type state struct {
	there bool
	sum   string // SHA-256 of a file; empty for anything else
}

func stateOf(root *os.Root, dir, name string) state {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return state{}
	}
	if err != nil || !info.Mode().IsRegular() {
		return state{there: true}
	}
	file := local.File{Folder: dir, Name: name, Path: name}
	raw, err := file.Read(root)
	if err != nil {
		return state{there: true}
	}
	sum := sha256.Sum256(raw)
	return state{true, hex.EncodeToString(sum[:])}
}
