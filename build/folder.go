package build

import (
	"context"
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

// lockRetry is how often a waiting build asks again for the lock.
const lockRetry = 50 * time.Millisecond

// folder is an output folder, locked for one build. Every path in it is relative and slash-separated,
// and none can lead out of it.
type folder struct {
	root  *os.Root // the folder itself
	dir   string
	lock  *flock.Flock
	temps atomic.Int64
	empty bool // nothing of the plan, or of an earlier one, was there when the build began

	mu      sync.Mutex
	shelves map[string]*os.Root // of the folder or, while there is one, of its stage
	made    map[string]bool     // folders that exist
	staged  bool

	buffers sync.Pool // *[]byte of readSize
}

// readSize is how much of a file is read at a time.
const readSize = 64 << 10

// openFolder creates, checks and locks the output folder. waiting is called once when another build
// holds it.
func openFolder(ctx context.Context, dir string, waiting func()) (*folder, error) {
	if err := CheckFolder(dir); err != nil {
		return nil, err
	}
	if err := checkState(dir); err != nil {
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
	f := &folder{root: root, dir: dir, lock: lock, shelves: map[string]*os.Root{".": root}, made: map[string]bool{}}
	f.buffers.New = func() any { b := make([]byte, readSize); return &b }
	return f, nil
}

// shelfOf names the folder from which a file is reached, and the file's name there. It is the file's
// own, but for what each page has the one above, which its siblings share: a folder that is held open saves
// the walk through all above it, and a site has thousands of files in a handful of such places.
func shelfOf(file string) (shelf, name string) {
	shelf = path.Dir(file)
	base := path.Base(file)
	card := strings.HasPrefix(base, "og.") && strings.HasSuffix(base, ".png")
	if base == "index.html" || base == feedFile || card {
		shelf = path.Dir(shelf)
	}
	if shelf == "." {
		return shelf, file
	}
	return shelf, strings.TrimPrefix(file, shelf+"/")
}

// shelf opens the folder, once.
func (f *folder) shelf(dir string) (*os.Root, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r, ok := f.shelves[dir]; ok {
		return r, nil
	}
	r, err := f.shelves["."].OpenRoot(dir)
	if err == nil {
		f.shelves[dir] = r
	}
	return r, err
}

// sweep removes what a killed build left half written, on a stage or in the folders of these files, and
// notes whether any of it, or of the plan, is there.
func (f *folder) sweep(files map[string]entry, p *Plan) error {
	shelves, tops := map[string]bool{".": true, stateDir: true}, map[string]bool{}
	for file := range files {
		dir, _ := shelfOf(file)
		shelves[dir] = true
	}
	for _, a := range p.Artifacts { // should the record have been lost
		dir, _ := shelfOf(a.File)
		shelves[dir] = true
		top, _, _ := strings.Cut(a.File, "/")
		tops[top] = true
	}
	f.empty = len(files) == 0
	if err := f.root.RemoveAll(stageDir); err != nil {
		return fmt.Errorf("%s: %w", f.path(stageDir), err)
	}
	for dir := range shelves {
		if err := f.sweepShelf(dir, tops); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", f.path(dir), err)
		}
	}
	return nil
}

func (f *folder) sweepShelf(dir string, tops map[string]bool) error {
	shelf, err := f.shelf(dir)
	if err != nil {
		return err
	}
	d, err := shelf.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	for _, name := range names {
		switch {
		case strings.HasPrefix(name, tempPrefix):
			err = errors.Join(err, shelf.Remove(name))
		case dir == "." && tops[name]:
			f.empty = false
		}
	}
	return err
}

// holds reports whether the file has this checksum. Of a file that is longer, or of something without an end
// that is in its place, it reads no more than it has to.
func (f *folder) holds(file, sum string) bool {
	dir, name := shelfOf(file)
	shelf, err := f.shelf(dir)
	if err != nil {
		return false
	}
	// Without blocking, should somebody have put a pipe there.
	r, err := shelf.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer r.Close()
	most, err := lengthOf(sum)
	if err != nil {
		return false
	}
	buf := f.buffers.Get().(*[]byte)
	defer f.buffers.Put(buf)
	var c checksum
	_, err = io.CopyBuffer(&c, io.LimitReader(r, most+1), *buf)
	return err == nil && c.String() == sum
}

// write puts a whole file in place: into a temporary one first, then by rename. There is no fsync:
// after a power failure the next build compares the checksums and mends.
func (f *folder) write(file string, fill func(io.Writer) error) error {
	d, err := f.draft(file, fill)
	if err != nil {
		return err
	}
	return d.place()
}

// draft is a whole file under a temporary name beside its place.
type draft struct {
	folder     *folder
	shelf      *os.Root
	file       string // in the folder
	name, temp string // on the shelf
}

// draft writes the temporary file. It is for the caller to place or drop it.
func (f *folder) draft(file string, fill func(io.Writer) error) (*draft, error) {
	dir, name := shelfOf(file)
	d := &draft{folder: f, file: file, name: name, temp: tempPrefix + strconv.FormatInt(f.temps.Add(1), 10)}
	err := f.mkdir(dir)
	if err == nil && f.staged {
		d.temp, err = name, f.mkdir(path.Dir(file))
	}
	if err == nil {
		d.shelf, err = f.shelf(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", f.path(file), err)
	}
	w, err := d.shelf.OpenFile(d.temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", f.path(file), err)
	}
	if err := errors.Join(fill(w), w.Close()); err != nil {
		d.drop()
		return nil, fmt.Errorf("write %s: %w", f.path(file), err)
	}
	return d, nil
}

// place gives the draft its name. On a stage it has it.
func (d *draft) place() error {
	if d.temp == d.name {
		return nil
	}
	err := d.folder.mkdir(path.Dir(d.file))
	if err == nil {
		err = d.shelf.Rename(d.temp, d.name)
	}
	if err != nil {
		d.drop()
		return fmt.Errorf("write %s: %w", d.folder.path(d.file), err)
	}
	return nil
}

// drop removes the draft, as far as that can be done: the next build sweeps.
func (d *draft) drop() { d.shelf.Remove(d.temp) }

// mkdir makes a folder and those above it.
func (f *folder) mkdir(dir string) error {
	f.mu.Lock()
	made := f.made[dir]
	f.mu.Unlock()
	if made || dir == "." {
		return nil
	}
	if err := f.mkdir(path.Dir(dir)); err != nil {
		return err
	}
	parent, err := f.shelf(path.Dir(dir))
	if err != nil {
		return err
	}
	if err := parent.Mkdir(path.Base(dir), 0o755); err != nil {
		if st, serr := parent.Stat(path.Base(dir)); serr != nil || !st.IsDir() {
			return err
		}
	}
	f.mu.Lock()
	f.made[dir] = true
	f.mu.Unlock()
	return nil
}

// remove deletes a file and the folders that it leaves empty.
func (f *folder) remove(file string) error {
	// Below a file there is nothing either.
	if err := f.root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
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
	err := f.closeShelves()
	if f.staged { // of no use without the rest
		err = errors.Join(err, f.root.RemoveAll(stageDir))
	}
	return errors.Join(err, f.root.Close(), f.lock.Close())
}

func (f *folder) closeShelves() (err error) {
	for _, shelf := range f.shelves {
		if shelf != f.root {
			err = errors.Join(err, shelf.Close())
		}
	}
	return err
}

func (f *folder) path(file string) string { return path.Join(filepath.ToSlash(f.dir), file) }
