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

// SyncOptions report on a Sync while it runs. A nil function is not called.
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

// Sync makes dir hold the plan and no other file that an earlier plan wrote; files of others are left alone. A file
// that already has the right bytes is not touched, and a share card whose name is there is not drawn. Sync puts only
// whole files in place, leaves before the indexes that name them, and removes files last. A process that dies at any
// moment thus leaves a tree whose indexes name existing files; the next Sync repairs the rest. Another Sync on the same
// folder waits. Errors name the path; [ErrNotOurs] is wrapped for a refused folder, and [ErrMake] where the plan is at
// fault and not the folder.
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
	// Recorded before they are written: a build that is killed leaves no file that the next does not know.
	both := maps.Clone(wanted)
	maps.Copy(both, old)
	if err := f.record(both); err != nil {
		return Report{}, err
	}
	defer p.made.versions.Close()
	var mu sync.Mutex
	put := func(a *Artifact) (err error) {
		changed := false
		// The name of a hashed file says what it holds. A power failure can leave an empty one.
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
	// No index names these files any more.
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

// The output folder has a state of its own, so that a build can remove files without ever removing one of a person.
// The owner file is written by the first build, into a folder that holds nothing of the plan with other bytes. The
// record lists the files of the last build and, while a build runs, those of the new plan too: a build that is killed
// leaves no file that the next one does not know. The lock keeps two builds apart. Beside them stand, while a build
// runs, temporary files. None of the state is published.
const (
	stateDir   = ".mipwatch"
	ownerFile  = stateDir + "/owner"
	recordFile = stateDir + "/manifest.json"
	lockFile   = stateDir + "/lock"
	// ownerText is for a person who finds the owner file.
	ownerText = "This folder is written by mipwatch build, which removes what it no longer publishes.\n"
	// lockRetry is how often a waiting build asks again for the lock.
	lockRetry = 50 * time.Millisecond
)

// ErrNotOurs is wrapped by the error of [Sync] and [CheckFolder] for a folder that holds something
// else than a published tree.
var ErrNotOurs = errors.New("not an output folder")

// CheckFolder rejects a folder that holds a project, so that a mistyped --out does not mix a site into it. It also
// rejects a folder whose state no build made: through a link files would be written elsewhere, and opening a pipe would
// never end. A checkout can bring both along. A folder that does not exist yet is fine.
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
			return fmt.Errorf("%s holds %s, so it is a project and %w; name a folder of its own", dir, sign, ErrNotOurs)
		}
	}
	for _, name := range []string{stateDir, lockFile, ownerFile, recordFile} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Lstat(file)
		if err != nil {
			continue // there is none, or writing fails with the reason
		}
		if mode := info.Mode(); name == stateDir && !mode.IsDir() || name != stateDir && !mode.IsRegular() {
			return fmt.Errorf("%s is there as something else than a build makes it (%v), so %s is %w; remove it", file, mode, dir, ErrNotOurs)
		}
	}
	return nil
}

// output is an output folder, locked for one build. No name leads out of it.
type output struct {
	root *os.Root
	dir  string
	lock *flock.Flock
	// ours are the files that a build wrote, or was about to: the only licence to remove one.
	ours map[string]bool
}

// openOutput creates, checks and locks the output folder, and removes the temporary files of a killed build. waiting
// is called once when another build holds the lock; it may be nil.
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

// close gives the folder back. The lock file stays, so that two later builds agree on one.
func (f *output) close() error { return errors.Join(f.root.Close(), f.lock.Close()) }

// path names a file of the folder as messages do.
func (f *output) path(file string) string { return path.Join(filepath.ToSlash(f.dir), file) }

// checkOwner reads the record after making sure that the folder is a build's, which the mark says from the first
// build on. A record that is lost is begun again from the files that only builds write. A folder that no build has
// written to is refused when a file of the plan is there already with other bytes: it belongs to another program or a
// person.
func (f *output) checkOwner(p *Plan) error {
	raw, err := f.root.ReadFile(recordFile)
	var record struct{ Files []string }
	if err == nil && json.Unmarshal(raw, &record) == nil && record.Files != nil {
		for _, file := range record.Files {
			f.ours[file] = true
		}
		return nil
	}
	if owner, ownerErr := f.root.ReadFile(ownerFile); err == nil || ownerErr == nil && string(owner) == ownerText {
		generated := generatedFiles(p.made.options.Site.AllKinds())
		return fs.WalkDir(f.root.FS(), ".", func(file string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && generated.MatchString(file) {
				f.ours[file] = true
			}
			return nil // an unreadable file is left alone
		})
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
		// Remove the lock file and the folder of the state, which this run made. A folder with something else in it
		// stays.
		f.root.Remove(lockFile)
		f.root.Remove(stateDir)
		return fmt.Errorf("%s is there already and no build wrote it, so %s is %w; name another folder, or remove the file",
			f.path(a.File), f.dir, ErrNotOurs)
	}
	return f.write(ownerFile, []byte(ownerText))
}

// record writes which files are a build's, unless the record says so already.
func (f *output) record(files map[string]bool) error {
	if maps.Equal(files, f.ours) {
		return nil
	}
	// A file a line, so that a diff of two can be read.
	text, err := json.MarshalIndent(map[string]any{"files": slices.Sorted(maps.Keys(files))}, "", "  ")
	if err != nil {
		return err
	}
	f.ours = maps.Clone(files)
	return f.write(recordFile, text)
}

// replace leaves an artifact's file with the bytes of its body, and reports whether it had others. The error
// wraps [ErrMake] where the body is at fault and not the folder.
func (f *output) replace(a *Artifact) (changed bool, err error) {
	want, err := a.Bytes()
	if err != nil || f.has(a.File, want) {
		return false, err
	}
	return true, f.write(a.File, want)
}

// write puts a file with this text in place, from a temporary one in the folder of the state.
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

// size is that of a regular file in bytes, -1 when none has this name.
func (f *output) size(file string) int64 {
	info, err := f.root.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}

// remove deletes a file and the folders that it leaves empty.
func (f *output) remove(file string) error {
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
