package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/mipwatch/mipwatch/internal/corpus"
)

// How changes are gathered before a build.
const (
	// quietTime is how long nothing must change before the site is built again: editors save in several steps,
	// git changes many files at once.
	quietTime = 100 * time.Millisecond
	// maxDelay is how long a change waits at the most, should changes never cease.
	maxDelay = 2 * time.Second
)

// watcher notices changes of the preview's sources. Without an fsnotify.Watcher it notices nothing.
type watcher struct {
	*fsnotify.Watcher
	// files are site.yaml, and the live snapshot if there is one.
	files []string
	// folders hold the proposals.
	folders []string
}

// newWatcher watches for changes of these files, of which empty names are left out. After an error the watcher notices
// nothing, and can be used all the same.
func newWatcher(files ...string) (*watcher, error) {
	// It fails where the system allows no more watchers.
	w, err := fsnotify.NewWatcher()
	return &watcher{Watcher: w, files: slices.DeleteFunc(files, func(name string) bool { return name == "" })}, err
}

// watch notices changes in the folders from now on, and that one is replaced. It is called before
// they are read, so that no change falls in between. A folder that was watched before stays so: it may
// come back.
func (w *watcher) watch(folders []string) error {
	// newWatcher has returned the error that says why.
	if w.Watcher == nil {
		return nil
	}
	w.folders = folders
	var dirs []string
	// Editors replace files, so that the folder is watched and not the file.
	for _, name := range w.files {
		dirs = append(dirs, filepath.Dir(name))
	}
	for _, dir := range folders {
		dirs = append(dirs, dir, filepath.Dir(filepath.Clean(dir)))
		for _, pattern := range []string{corpus.SummariesDir, corpus.TranslationsDir, corpus.TranslationsDir + "/*"} {
			names, _ := fs.Glob(os.DirFS(dir), pattern) // the pattern is sound
			for _, name := range names {
				if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
					dirs = append(dirs, filepath.Join(dir, name))
				}
			}
		}
	}
	// Folders that cannot be watched are reported, and the others are watched.
	var errs []error
	for _, dir := range dirs {
		if err := w.Add(dir); err != nil {
			errs = append(errs, fmt.Errorf("watch %s: %w", dir, err))
		}
	}
	return errors.Join(errs...)
}

// concerns reports whether a change could change the site.
func (w *watcher) concerns(e fsnotify.Event) bool {
	name := filepath.Clean(e.Name)
	if e.Op == fsnotify.Chmod {
		return false
	}
	if slices.ContainsFunc(w.files, func(file string) bool { return name == filepath.Clean(file) }) {
		return true
	}
	return slices.ContainsFunc(w.folders, func(dir string) bool {
		// Hidden files are those of editors, but the folder itself is reported as a change of itself.
		rel, err := filepath.Rel(dir, name)
		if err != nil || strings.HasPrefix(filepath.Base(name), ".") && rel != "." {
			return false
		}
		top, _, deeper := strings.Cut(filepath.ToSlash(rel), "/")
		return rel == "." || top == corpus.SummariesDir || top == corpus.TranslationsDir ||
			!deeper && strings.EqualFold(filepath.Ext(rel), ".md")
	})
}

// close ends run.
func (w *watcher) close() {
	if w.Watcher != nil {
		w.Watcher.Close()
	}
}

// run calls rebuild after changes, until ctx ends.
func (w *watcher) run(ctx context.Context, rebuild func()) {
	if w.Watcher != nil {
		settle(ctx, w.Events, w.Errors, w.concerns, rebuild)
	}
}

// settle calls do after each run of events that concern it, once none has come for a while or the first
// has waited long enough. Lost events (an error, such as an overflow) count as one.
func settle(ctx context.Context, events <-chan fsnotify.Event, errs <-chan error, concerns func(fsnotify.Event) bool, do func()) {
	// The timer runs only while events wait to be dealt with.
	timer := time.NewTimer(quietTime)
	timer.Stop()
	var latest time.Time // when the events since the last call must be dealt with; zero without any
	for {
		changed, open := false, true
		select {
		case <-ctx.Done():
			return
		// Events of files that are not published, such as swap files, are common.
		case e, ok := <-events:
			changed, open = ok && concerns(e), ok
		case _, ok := <-errs:
			changed, open = ok, ok
		case <-timer.C:
			latest = time.Time{}
			do()
		}
		// The watcher was closed.
		if !open {
			return
		}
		if changed {
			if latest.IsZero() {
				latest = time.Now().Add(maxDelay)
			}
			timer.Reset(min(quietTime, time.Until(latest)))
		}
	}
}
