package gitsync

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// clonePrefix begins the names of folders for fetched repositories in the system's temporary folder.
const clonePrefix = "mipwatch-sync-"

// makeClone makes a temporary folder for a repository. It is locked until remove is called, so that no other run
// takes it for one that was left behind. Those that were are removed first.
func makeClone() (dir string, remove func(), err error) {
	removeClones()
	// Another run may take a folder for one that was left behind before it is locked here.
	const tries = 100
	for range tries {
		dir, err = os.MkdirTemp("", clonePrefix)
		if err != nil {
			return "", nil, err
		}
		if lock, ok := lockClone(dir); ok {
			return dir, func() { os.RemoveAll(dir); lock.Close() }, nil
		}
		os.Remove(dir)
	}
	return "", nil, fmt.Errorf("%s cannot be locked", dir)
}

// removeClones removes what killed runs left: the folders that no process locks. What cannot be removed, such as
// another user's, stays.
func removeClones() {
	entries, _ := os.ReadDir(os.TempDir()) // those that could be read
	// Only names that makeClone gives are looked at.
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), clonePrefix) {
			continue
		}
		dir := filepath.Join(os.TempDir(), e.Name())
		if lock, ok := lockClone(dir); ok {
			os.RemoveAll(dir)
			lock.Close()
		}
	}
}

// lockClone locks a folder if nobody does and it is still there afterwards.
func lockClone(dir string) (*flock.Flock, bool) {
	// The folder may be removed by another run between the listing and the lock.
	before, err := os.Lstat(dir)
	if err != nil || !before.IsDir() {
		return nil, false
	}
	lock := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	if ok, err := lock.TryLock(); err != nil || !ok {
		lock.Close()
		return nil, false
	}
	if after, err := os.Lstat(dir); err != nil || !os.SameFile(before, after) {
		lock.Close()
		return nil, false
	}
	return lock, true
}
