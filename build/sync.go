package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/mipwatch/mipwatch/internal/folder"
)

// SyncOptions are callbacks of a Sync. Each may be nil.
type SyncOptions struct {
	// Waiting is called once when another build holds the folder.
	Waiting func()
	// Progress is called after each artifact, from any goroutine.
	Progress func(done, total int)
}

// Report counts the files of a Sync.
type Report struct {
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	Removed   int `json:"removed"`
}

// Sync writes the files of the plan into dir and removes other files of earlier plans. It leaves
// all other files alone, does not touch files that have the right bytes, and does not draw a share
// card that exists. Sync renames only whole files into place, writes leaves before the indexes that
// name them, and removes files last. If the process dies, indexes name existing files, and the next
// Sync repairs the rest. Two Syncs of one folder run one after the other. Errors name the path.
// They wrap [ErrNotOurs] for a refused folder, and [ErrMake] if the plan is at fault.
func Sync(ctx context.Context, p *Plan, dir string, o SyncOptions) (report Report, err error) {
	f, err := openOutput(ctx, p, dir, o.Waiting)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, f.close()) }()

	old, wanted := f.ours, make(map[string]bool, len(p.Artifacts))
	for _, a := range p.Artifacts {
		wanted[a.File] = true
	}
	// Files are recorded before they are written, so that a build after a kill finds all of them.
	both := maps.Clone(wanted)
	maps.Copy(both, old)
	if err := f.record(both); err != nil {
		return Report{}, err
	}
	defer p.made.versions.Close()
	var mu sync.Mutex
	put := func(a *Artifact) (err error) {
		changed := false
		// An existing hashed file has the right bytes, unless a power failure has left it empty.
		if !a.hashed() || !old[a.File] || f.size(a.File) <= 0 {
			if changed, err = f.replace(a); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if changed {
			report.Changed++
		} else {
			report.Unchanged++
		}
		if o.Progress != nil {
			o.Progress(report.Changed+report.Unchanged, len(wanted))
		}
		return nil
	}
	leaves, indexes := p.batches()
	if err := p.run(ctx, leaves, put); err != nil {
		return report, err
	}
	files, err := p.Index()
	if err != nil {
		return report, err
	}
	for _, a := range files {
		wanted[a.File], both[a.File] = true, true
	}
	if err := f.record(both); err != nil {
		return report, err
	}
	named, _ := (&Plan{Artifacts: files}).batches()
	for _, batches := range [][][]*Artifact{named, indexes} {
		if err := p.run(ctx, batches, put); err != nil {
			return report, err
		}
	}
	// No index names the remaining files.
	for _, file := range slices.Sorted(maps.Keys(old)) {
		if wanted[file] {
			continue
		}
		if err := f.remove(file); err != nil {
			return report, err
		}
		report.Removed++
	}
	return report, f.record(wanted)
}

// The output folder has a state, so that a build removes only files that a build has written. The
// first build writes the owner file, if no file of the plan exists with other bytes. The record
// lists the files of the last build and, while a build runs, the files of the new plan. The lock is
// held by one build at a time. While a build runs, the folder of the state also has temporary
// files. The state is not published.
const (
	stateDir   = ".mipwatch"
	ownerFile  = stateDir + "/owner"
	recordFile = stateDir + "/manifest.json"
	lockFile   = stateDir + "/lock"
	// ownerText is for a person who finds the owner file.
	ownerText = "This folder is written by mipwatch build, " +
		"which removes what it no longer publishes.\n"
	// lockRetry is how often a waiting build asks again for the lock.
	lockRetry = 50 * time.Millisecond
)

// ErrNotOurs is wrapped by errors of [Sync] and [CheckFolder] for a folder that is not a published
// tree.
var ErrNotOurs = errors.New("not an output folder")

// CheckFolder rejects a folder with a project, so that a mistyped --out does not mix a site into
// it. It also rejects a folder whose state is a link, which would lead elsewhere, or a pipe, which
// would block: a checkout can contain both. A missing folder is fine.
func CheckFolder(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if abs == filepath.Dir(abs) {
		return fmt.Errorf("%s is the root of the file system: %w", dir, ErrNotOurs)
	}
	for _, sign := range []string{"go.mod", ".git", "site.yaml"} {
		if _, err := os.Lstat(filepath.Join(dir, sign)); err == nil {
			return fmt.Errorf("%s holds %s, so it is a project and %w; name a folder of its own",
				dir, sign, ErrNotOurs)
		}
	}
	for _, name := range []string{stateDir, lockFile, ownerFile, recordFile} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Lstat(file)
		if err != nil {
			continue // there is none, or writing will fail with the reason
		}
		mode := info.Mode()
		if name == stateDir && !mode.IsDir() || name != stateDir && !mode.IsRegular() {
			return fmt.Errorf("%s is there as something else than a build makes it (%v), "+
				"so %s is %w; remove it", file, mode, dir, ErrNotOurs)
		}
	}
	return nil
}

// output is an output folder, locked for one build. It cannot write outside of it.
type output struct {
	root *os.Root
	dir  string
	lock *flock.Flock
	// ours are the files that a build has written, or was about to write. Only these are removed.
	ours map[string]bool
	// empty is true if the folder had no files before this build, so that none is looked for.
	empty bool
}

// openOutput creates, checks and locks the output folder, and removes the temporary files of a
// killed build. waiting is called once when another build holds the lock; it may be nil.
func openOutput(ctx context.Context, p *Plan, dir string, waiting func()) (*output, error) {
	if err := CheckFolder(dir); err != nil {
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
	f := &output{root: root, dir: dir, lock: lock, ours: map[string]bool{}}
	if err = f.checkOwner(p); err == nil {
		if err = folder.Recover(root, stateDir); err != nil {
			err = fmt.Errorf("%s: %w", f.path(stateDir), err)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// close unlocks the folder. The lock file stays, so that later builds lock the same file.
func (f *output) close() error { return errors.Join(f.root.Close(), f.lock.Close()) }

// path names a file of the folder as messages do.
func (f *output) path(file string) string { return path.Join(filepath.ToSlash(f.dir), file) }

// checkOwner reads the record and writes the owner file if it is missing. A lost record is replaced
// by the files that only builds write. A folder without an owner file is refused if a file of the
// plan exists with other bytes, since it belongs to another program or a person.
func (f *output) checkOwner(p *Plan) error {
	raw, err := f.root.ReadFile(recordFile)
	var record struct{ Files []string }
	if err == nil && json.Unmarshal(raw, &record) == nil && record.Files != nil {
		for _, file := range record.Files {
			f.ours[file] = true
		}
		return nil
	}
	owner, ownerErr := f.root.ReadFile(ownerFile)
	if err == nil || ownerErr == nil && string(owner) == ownerText {
		generated := generatedFiles(p.made.options.Site.AllKinds())
		return fs.WalkDir(f.root.FS(), ".", func(file string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && generated.MatchString(file) {
				f.ours[file] = true
			}
			return nil // an unreadable file is left alone
		})
	}
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if f.empty = err == nil && len(entries) == 1; f.empty { // the folder of the state
		return f.write(ownerFile, []byte(ownerText))
	}
	for i := range p.Artifacts {
		a := &p.Artifacts[i]
		if _, err := f.root.Lstat(a.File); err != nil {
			continue
		}
		want, err := a.Bytes()
		if err == nil && f.has(a.File, want) {
			continue
		}
		// Remove the lock file and the folder of the state, unless it has other files.
		f.root.Remove(lockFile)
		f.root.Remove(stateDir)
		return fmt.Errorf("%s is there already and no build wrote it, so %s is %w; "+
			"name another folder, or remove the file", f.path(a.File), f.dir, ErrNotOurs)
	}
	return f.write(ownerFile, []byte(ownerText))
}

// record writes the record, unless it is the same.
func (f *output) record(files map[string]bool) error {
	if maps.Equal(files, f.ours) {
		return nil
	}
	names := slices.Sorted(maps.Keys(files))
	// One file on each line makes differences readable.
	text, err := json.MarshalIndent(map[string]any{"files": names}, "", "  ")
	if err != nil {
		return err
	}
	f.ours = maps.Clone(files)
	return f.write(recordFile, text)
}

// replace writes the bytes of an artifact, unless its file has them, and reports whether it wrote.
// The error wraps [ErrMake] if the body is at fault.
func (f *output) replace(a *Artifact) (changed bool, err error) {
	want, err := a.Bytes()
	if err != nil || !f.empty && f.has(a.File, want) {
		return false, err
	}
	return true, f.write(a.File, want)
}

// write replaces a file atomically, through a temporary file in the folder of the state.
func (f *output) write(file string, text []byte) error {
	temp, err := folder.CreateTemp(f.root, stateDir)
	if err == nil {
		if _, err = temp.Write(text); err == nil {
			err = temp.Commit(file)
		} else {
			temp.Remove()
		}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", f.path(file), err)
	}
	return nil
}

// has reports whether a regular file has this name and these bytes.
func (f *output) has(file string, want []byte) bool {
	if f.size(file) != int64(len(want)) {
		return false
	}
	got, err := f.root.ReadFile(file)
	return err == nil && bytes.Equal(got, want)
}

// size returns the size of a regular file in bytes, or -1 if there is none.
func (f *output) size(file string) int64 {
	info, err := f.root.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}

// remove deletes a file and the folders that it leaves empty.
func (f *output) remove(file string) error {
	// A file in place of one of its folders means that it is gone, too.
	err := f.root.Remove(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("remove %s: %w", f.path(file), err)
	}
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if f.root.Remove(dir) != nil {
			break // not empty, or gone already
		}
	}
	return nil
}
