package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// quiet is how long nothing must change before the site is built again: editors save in several steps,
// git changes many files at once.
const quiet = 100 * time.Millisecond

// watch rebuilds the preview when its sources change, until ctx ends.
func (v *preview) watch(ctx context.Context) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		newProgress(v.stderr).say("changes are not noticed: %v", err)
		return
	}
	defer w.Close()
	v.follow(w)
	settle(ctx, w.Events, w.Errors, v.concerns, func() {
		v.again(ctx)
		v.follow(w)
	})
}

// follow watches every folder that matters. Folders that were watched before stay so: one that is
// gone may come back.
func (v *preview) follow(w *fsnotify.Watcher) {
	dirs := []string{filepath.Dir(v.config)}
	for _, dir := range v.watched {
		// The parent tells when the folder itself is replaced.
		dirs = append(dirs, dir, filepath.Dir(filepath.Clean(dir)))
	}
	for _, dir := range dirs {
		if err := w.Add(dir); err != nil {
			newProgress(v.stderr).say("changes in %s are not noticed: %v", dir, err)
		}
	}
}

// concerns reports whether a change could change the site.
func (v *preview) concerns(e fsnotify.Event) bool {
	name := filepath.Clean(e.Name)
	switch {
	case e.Op == fsnotify.Chmod:
		return false
	case name == filepath.Clean(v.config):
		return true
	}
	return slices.ContainsFunc(v.watched, func(dir string) bool {
		dir = filepath.Clean(dir)
		return name == dir || filepath.Dir(name) == dir && strings.EqualFold(filepath.Ext(name), ".md")
	})
}

// settle calls do after each run of events that concern it, once none has come for a while. Lost events
// (an error, such as an overflow) count as one.
func settle(ctx context.Context, events <-chan fsnotify.Event, errs <-chan error, concerns func(fsnotify.Event) bool, do func()) {
	timer := time.NewTimer(quiet)
	timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-events:
			if !ok {
				return
			}
			if concerns(e) {
				timer.Reset(quiet)
			}
		case _, ok := <-errs:
			if !ok {
				return
			}
			timer.Reset(quiet)
		case <-timer.C:
			do()
		}
	}
}
