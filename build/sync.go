package build

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// SyncOptions are what a caller may want to hear. Both functions may be nil.
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

// Sync makes dir hold the plan and nothing that an earlier plan wrote beside it; files of others are
// left alone. A file that already has the right bytes is not touched. Whole files only are put in
// place, leaves before the indexes that name them and removals last, so that a process which dies at
// any moment leaves a tree whose indexes name what exists; the next Sync mends the rest. Into an empty
// folder the tree comes as a whole when all of it is made. Another Sync
// on the same folder waits. Errors name the path; [ErrNotOurs] is wrapped for a refused folder,
// and a [MakeError] where the plan is at fault and not the folder.
func Sync(ctx context.Context, p *Plan, dir string, o SyncOptions) (report Report, err error) {
	f, err := openFolder(ctx, dir, o.Waiting)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, f.close()) }()

	old, err := f.claim(p)
	if err != nil {
		return Report{}, err
	}
	if err := f.sweep(old.Files, p); err != nil {
		return Report{}, err
	}
	if f.empty {
		if err := f.stage(); err != nil {
			return Report{}, err
		}
	} else if announced, grew := old.announce(p); grew {
		if err := f.record(announced); err != nil {
			return Report{}, err
		}
	}
	s := &syncer{folder: f, old: old, plan: p, progress: o.Progress, next: manifest{Files: make(map[string]entry, len(p.Artifacts))}}
	for ph := range phases {
		if err := p.each(ctx, ph, s.artifact); err != nil {
			return s.report(), err
		}
	}
	if f.staged {
		return s.report(), f.unveil(p, s.next)
	}
	for _, file := range slices.Sorted(maps.Keys(old.Files)) {
		if _, ok := s.next.Files[file]; ok {
			continue
		}
		if err := f.remove(file); err != nil {
			return s.report(), err
		}
		s.removed++
	}
	if maps.Equal(s.next.Files, old.Files) {
		return s.report(), nil // as the record says already
	}
	return s.report(), f.record(s.next)
}

// record writes the manifest, unless it stands there already.
func (f *folder) record(m manifest) error {
	b, err := m.encode()
	if err != nil || f.holds(manifestFile, sumOf(b)) {
		return err
	}
	return f.write(manifestFile, func(w io.Writer) error { _, err := w.Write(b); return err })
}

// syncer is the state of one Sync.
type syncer struct {
	folder   *folder
	plan     *Plan
	old      manifest
	progress func(done, total int)
	done     atomic.Int64
	bodies   scratch

	mu        sync.Mutex
	next      manifest
	changed   int
	unchanged int
	removed   int
}

func (s *syncer) report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Report{Changed: s.changed, Unchanged: s.unchanged, Removed: s.removed}
}

func (s *syncer) artifact(a *Artifact) error {
	e, changed, err := s.update(a)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.next.Files[a.File] = e
	if changed {
		s.changed++
	} else {
		s.unchanged++
	}
	s.mu.Unlock()
	if n := s.done.Add(1); s.progress != nil {
		s.progress(int(n), len(s.plan.Artifacts))
	}
	return nil
}

// update leaves the file with the artifact's bytes. What the same input gave the last time is not
// made again, provided that the file still has the bytes that were recorded.
func (s *syncer) update(a *Artifact) (entry, bool, error) {
	was := s.old.Files[a.File]
	if a.key != "" && was.Key == a.key && s.folder.holds(a.File, was.Sum) {
		return was, false, nil
	}
	if a.Stream != nil {
		return s.stream(a)
	}
	b := s.bodies.get()
	defer s.bodies.put(b)
	body, err := a.append(*b)
	if err != nil {
		return entry{}, false, err
	}
	*b = body
	e := entry{Sum: sumOf(body), Key: a.key}
	if !s.folder.empty && s.folder.holds(a.File, e.Sum) {
		return e, false, nil
	}
	return e, true, s.folder.write(a.File, func(w io.Writer) error { _, err := w.Write(body); return err })
}

// stream is update for an artifact that is not held in memory: it is written beside the old file and
// only put in place when the two differ.
func (s *syncer) stream(a *Artifact) (entry, bool, error) {
	var c checksum
	d, err := s.folder.draft(a.File, func(w io.Writer) error { return a.stream(io.MultiWriter(w, &c)) })
	if err != nil {
		return entry{}, false, err
	}
	e := entry{Sum: c.String(), Key: a.key}
	if !s.folder.empty && s.folder.holds(a.File, e.Sum) {
		d.drop()
		return e, false, nil
	}
	return e, true, d.place()
}
