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
	"regexp"
	"slices"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/mipwatch/mipwatch/internal/atomicfile"
)

// The output folder has a state of its own, so that a build can remove files without ever removing one of a person.
// The owner file is written by the first build, into a folder that holds nothing of the plan with other bytes. The
// record lists the files of the last build and, while a build runs, those of the new plan too: a build that is killed
// leaves no file that the next one does not know. The lock keeps two builds apart.

// stateDir is the folder in the output that is not published: the record of the files that builds wrote, the mark
// that the output is a build's, the lock and, while a build runs, temporary files.
const (
	stateDir   = ".mipwatch"
	ownerFile  = stateDir + "/owner"
	recordFile = stateDir + "/manifest.json"
	lockFile   = stateDir + "/lock"
)

// ownerText is the content of the mark of ownership, for a person who finds it.
const ownerText = "This folder is written by mipwatch build, which removes what it no longer publishes.\n"

// lockRetry is how often a waiting build asks again for the lock.
const lockRetry = 50 * time.Millisecond

// ErrNotOurs is wrapped by the error of [Sync] and [CheckFolder] for a folder that holds something
// else than a published tree.
var ErrNotOurs = errors.New("not an output folder")

// CheckFolder rejects a folder that holds a project: a mistyped --out must not mix a site into it. A
// folder that does not exist yet is fine.
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
	return nil
}

// checkState rejects a folder whose state no build made: a link would have files written elsewhere,
// and a pipe would never be opened. A checkout can bring both along.
func checkState(dir string) error {
	for _, name := range []string{stateDir, lockFile, ownerFile, recordFile} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if ours := info.IsDir() && name == stateDir || info.Mode().IsRegular() && name != stateDir; !ours {
			return fmt.Errorf("%s is there as something else than a build makes it (%v), so %s is %w; remove it", path, info.Mode(), dir, ErrNotOurs)
		}
	}
	return nil
}

// fileSet is a set of files of the output folder, by slash-separated names.
type fileSet map[string]bool

// folder is an output folder, locked for one build. No name leads out of it.
type folder struct {
	root *os.Root
	dir  string
	lock *flock.Flock
	ours fileSet // files that a build wrote, or was about to; the only licence to remove one
}

// openFolder creates, checks and locks the output folder, and removes the temporary files of a killed build. waiting is called
// once when another build holds the lock; it may be nil.
func openFolder(ctx context.Context, p *Plan, dir string, waiting func()) (*folder, error) {
	if err := errors.Join(CheckFolder(dir), checkState(dir)); err != nil {
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
	if err := f.checkOwner(p); err != nil {
		return nil, errors.Join(err, f.close())
	}
	if err := atomicfile.Recover(root, stateDir); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", f.path(stateDir), err), f.close())
	}
	return f, nil
}

// close gives the folder back. The lock file stays, so that two later builds agree on one.
func (f *folder) close() error { return errors.Join(f.root.Close(), f.lock.Close()) }

// path names a file of the folder as messages do.
func (f *folder) path(file string) string { return path.Join(filepath.ToSlash(f.dir), file) }

// checkOwner reads the record after making sure that the folder is a build's, which the mark says from the first
// build on. A record that is lost is begun again from the files that only builds write.
func (f *folder) checkOwner(p *Plan) error {
	raw, err := f.root.ReadFile(recordFile)
	var record struct{ Files []string }
	f.ours = fileSet{}
	if err == nil && json.Unmarshal(raw, &record) == nil && record.Files != nil {
		for _, file := range record.Files {
			f.ours[file] = true
		}
		return nil
	}
	if owner, ownerErr := f.root.ReadFile(ownerFile); err == nil || ownerErr == nil && string(owner) == ownerText {
		f.recoverRecord(generatedFiles(p.kind))
		return nil
	}
	if err := f.refuseForeign(p); err != nil {
		f.root.Remove(lockFile) // not ours to leave behind; a folder with something else in it stays
		f.root.Remove(stateDir)
		return err
	}
	return f.write(ownerFile, []byte(ownerText))
}

// refuseForeign rejects a folder that no build has written to when a file of the plan is there
// already with other bytes: it belongs to another program or a person.
func (f *folder) refuseForeign(p *Plan) error {
	for i := range p.Artifacts {
		a := &p.Artifacts[i]
		info, err := f.root.Lstat(a.File)
		if err != nil {
			continue
		}
		want, err := a.Bytes()
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() && info.Size() == int64(len(want)) {
			if got, err := f.root.ReadFile(a.File); err == nil && bytes.Equal(got, want) {
				continue
			}
		}
		return fmt.Errorf("%s is there already and no build wrote it, so %s is %w; name another folder, or remove the file",
			f.path(a.File), f.dir, ErrNotOurs)
	}
	return nil
}

// recoverRecord takes the files in places of generated files for those of a build.
func (f *folder) recoverRecord(generated *regexp.Regexp) {
	fs.WalkDir(f.root.FS(), ".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && generated.MatchString(file) {
			f.ours[file] = true
		}
		return nil // an unreadable file is left alone
	})
}

// record writes which files are a build's, unless the record says so already.
func (f *folder) record(files fileSet) error {
	if maps.Equal(files, f.ours) {
		return nil
	}
	// A file a line, so that a diff of two can be read.
	text, err := json.MarshalIndent(map[string]any{"files": slices.Sorted(maps.Keys(files))}, "", "  ")
	if err != nil {
		return err
	}
	f.ours = files
	return f.write(recordFile, text)
}

// write puts a small file in place.
func (f *folder) write(file string, text []byte) error {
	if err := atomicfile.Write(f.root, file, text); err != nil {
		return fmt.Errorf("write %s: %w", f.path(file), err)
	}
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

// holds reports whether a regular file has this name.
func (f *folder) holds(file string) bool {
	info, err := f.root.Lstat(file)
	return err == nil && info.Mode().IsRegular()
}
