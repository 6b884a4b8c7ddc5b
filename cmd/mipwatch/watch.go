package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/mipwatch/mipwatch/internal/corpus"
)

// quiet is how long nothing must change before the site is built again: editors save in several steps,
// git changes many files at once.
const quiet = 100 * time.Millisecond

// patience is how long a change waits at the most, should changes never cease.
const patience = 2 * time.Second

// watcher notices changes of the preview's sources. Its zero value notices nothing.
type watcher struct {
	*fsnotify.Watcher
	config  string
	live    string // the file of --live, empty: none
	folders []string
}

func newWatcher(config, live string) (*watcher, error) {
	w, err := fsnotify.NewWatcher()
	return &watcher{Watcher: w, config: config, live: live}, err
}

// follow watches the folders from now on, and what says that one was replaced. It is called before
// they are read, so that no change falls in between. A folder that was watched before stays so: it may
// come back.
func (w *watcher) follow(folders []string) error {
	if w.Watcher == nil {
		return nil
	}
	w.folders = folders
	dirs := []string{filepath.Dir(w.config)}
	if w.live != "" {
		dirs = append(dirs, filepath.Dir(w.live))
	}
	for _, dir := range folders {
		dirs = append(dirs, dir, filepath.Dir(filepath.Clean(dir)))
		dirs = append(dirs, besideFolders(dir)...)
	}
	var errs []error
	for _, dir := range dirs {
		if err := w.Add(dir); err != nil {
			errs = append(errs, fmt.Errorf("watch %s: %w", dir, err))
		}
	}
	return errors.Join(errs...)
}

// besideFolders are the folders of what is committed beside the proposals, as far as they are there.
func besideFolders(dir string) []string {
	translations := filepath.Join(dir, corpus.TranslationsDir)
	candidates := []string{filepath.Join(dir, corpus.SummariesDir), translations}
	entries, _ := os.ReadDir(translations) // most folders have none
	for _, e := range entries {
		candidates = append(candidates, filepath.Join(translations, e.Name()))
	}
	return slices.DeleteFunc(candidates, func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || !info.IsDir()
	})
}

// concerns reports whether a change could change the site.
func (w *watcher) concerns(e fsnotify.Event) bool {
	name := filepath.Clean(e.Name)
	switch {
	case e.Op == fsnotify.Chmod:
		return false
	case name == filepath.Clean(w.config), w.live != "" && name == filepath.Clean(w.live):
		return true
	}
	return slices.ContainsFunc(w.folders, func(dir string) bool {
		dir = filepath.Clean(dir)
		return name == dir || filepath.Dir(name) == dir && strings.EqualFold(filepath.Ext(name), ".md") ||
			!strings.HasPrefix(filepath.Base(name), ".") &&
				(within(name, filepath.Join(dir, corpus.SummariesDir)) || within(name, filepath.Join(dir, corpus.TranslationsDir)))
	})
}

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
	timer := time.NewTimer(quiet)
	timer.Stop()
	var latest time.Time // when the events since the last call must be dealt with; zero without any
	changed := func() {
		if latest.IsZero() {
			latest = time.Now().Add(patience)
		}
		timer.Reset(min(quiet, time.Until(latest)))
	}
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-events:
			if !ok {
				return
			}
			if concerns(e) {
				changed()
			}
		case _, ok := <-errs:
			if !ok {
				return
			}
			changed()
		case <-timer.C:
			latest = time.Time{}
			do()
		}
	}
}
