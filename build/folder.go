package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// ErrNotOurs is wrapped by the error of [Sync] for a folder that holds something else than a
// published tree.
var ErrNotOurs = errors.New("not an output folder")

// lockRetry is how often a waiting build asks again for the lock.
const lockRetry = 50 * time.Millisecond

// folder is an output folder, locked for one build. Every path in it is relative and slash-separated,
// and none can lead out of it.
type folder struct {
	root  *os.Root
	dir   string
	lock  *flock.Flock
	temps atomic.Int64
	made  sync.Map // folders that exist
	empty bool     // nothing to compare with when the build began

	buffers sync.Pool // *[]byte of readSize
}

// readSize is how much of a file is hashed at a time.
const readSize = 64 << 10

// openFolder creates, checks and locks the output folder. waiting is called once when another build
// holds it.
func openFolder(ctx context.Context, dir string, waiting func()) (*folder, error) {
	if err := refuse(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, stateDir), 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, lockFile))
	ok, err := lock.TryLock()
	if err == nil && !ok {
		if waiting != nil {
			waiting()
		}
		_, err = lock.TryLockContext(ctx, lockRetry)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	f := &folder{root: root, dir: dir, lock: lock}
	f.buffers.New = func() any { b := make([]byte, readSize); return &b }
	if err := f.sweep(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), f.close())
	}
	return f, nil
}

// sweep removes what a killed build left half written, and notes whether anything else is there.
func (f *folder) sweep() error {
	top, err := f.root.Open(".")
	if err != nil {
		return err
	}
	defer top.Close()
	entries, err := top.ReadDir(-1)
	f.empty = true
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name(), tempPrefix):
			err = errors.Join(err, f.root.Remove(e.Name()))
		case e.Name() != stateDir:
			f.empty = false
		}
	}
	return err
}

// refuse rejects a folder that holds a project: a mistyped --out must not mix a site into it.
func refuse(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if abs == filepath.Dir(abs) {
		return fmt.Errorf("%s is the root of the file system: %w", dir, ErrNotOurs)
	}
	for _, sign := range []string{"go.mod", ".git", "site.yaml"} {
		if _, err := os.Lstat(filepath.Join(dir, sign)); err == nil {
			return fmt.Errorf("%s holds %s, so it is a project and %w; name a folder of its own", dir, sign, ErrNotOurs)
		}
	}
	return nil
}

// holds reports whether the file is a regular one with this hash.
func (f *folder) holds(file, hash string) bool {
	// Without blocking, should somebody have put a pipe there.
	r, err := f.root.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer r.Close()
	if st, err := r.Stat(); err != nil || !st.Mode().IsRegular() {
		return false
	}
	buf := f.buffers.Get().(*[]byte)
	defer f.buffers.Put(buf)
	h := sha256.New()
	// The file's own WriteTo would allocate a buffer each time.
	_, err = io.CopyBuffer(h, struct{ io.Reader }{r}, *buf)
	return err == nil && hex.EncodeToString(h.Sum(nil)) == hash
}

// write puts a whole file in place: into a temporary one first, then by rename. There is no fsync:
// after a power failure the next build compares the hashes and mends.
func (f *folder) write(file string, fill func(io.Writer) error) error {
	temp, err := f.writeTemp(fill)
	if err != nil {
		return fmt.Errorf("write %s: %w", f.path(file), err)
	}
	return f.place(temp, file)
}

func (f *folder) writeTemp(fill func(io.Writer) error) (temp string, err error) {
	temp = tempPrefix + strconv.FormatInt(f.temps.Add(1), 10)
	w, err := f.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return "", err
	}
	err = errors.Join(fill(w), w.Close())
	if err != nil {
		f.root.Remove(temp) // best effort: the next build sweeps
		return "", err
	}
	return temp, nil
}

func (f *folder) place(temp, file string) error {
	err := f.mkdir(path.Dir(file))
	if err == nil {
		err = f.root.Rename(temp, file)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", f.path(file), err)
	}
	return nil
}

func (f *folder) mkdir(dir string) error {
	if _, ok := f.made.Load(dir); ok || dir == "." {
		return nil
	}
	if err := f.root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f.made.Store(dir, true)
	return nil
}

// remove deletes a file and the folders that it leaves empty.
func (f *folder) remove(file string) error {
	if err := f.root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", f.path(file), err)
	}
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if f.root.Remove(dir) != nil {
			break // not empty, or gone already
		}
	}
	return nil
}

// close gives the folder back. The lock file stays, so that two later builds agree on one.
func (f *folder) close() error {
	return errors.Join(f.root.Close(), f.lock.Close())
}

func (f *folder) path(file string) string { return path.Join(filepath.ToSlash(f.dir), file) }
