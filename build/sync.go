package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/mipwatch/mipwatch/internal/atomicfile"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
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

// Sync makes dir hold the plan and no other file that an earlier plan wrote; files of others are
// left alone. A file that already has the right bytes is not touched, and a share card whose name is there is
// not drawn. Whole files only are put in place, leaves before the indexes that name them and removals last, so
// that a process which dies at any moment leaves a tree whose indexes name existing files; the next Sync repairs the
// rest. Another Sync on the same folder waits. Errors name the path; [ErrNotOurs] is wrapped for a refused
// folder, and a [MakeError] where the plan is at fault and not the folder.
func Sync(ctx context.Context, p *Plan, dir string, o SyncOptions) (report Report, err error) {
	f, err := openFolder(ctx, p, dir, o.Waiting)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, f.close()) }()

	old, wanted := f.ours, make(fileSet, len(p.Artifacts))
	for _, a := range p.Artifacts {
		wanted[a.File] = true
	}
	// Recorded before they are written: a build that is killed leaves no file that the next does not know.
	both := maps.Clone(wanted)
	maps.Copy(both, old)
	if err := f.record(both); err != nil {
		return Report{}, err
	}
	// Leaves are put in place before the indexes: see each.
	var mu sync.Mutex
	err = p.each(ctx, func(a *Artifact) error {
		changed := false
		if !a.hashed || !old[a.File] || !f.holds(a.File) {
			var err error
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
			o.Progress(report.Changed+report.Unchanged, len(p.Artifacts))
		}
		return nil
	})
	if err != nil {
		return report, err
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

// Snapshot writes into dir the files that a function embeds, since it is deployed as a binary alone: the
// JSON tree of /api/v1 and, in sidecar.json, the configuration of the live part, RPC addresses
// included. dir is kept as [Sync] keeps an output folder, and must not be published.
func Snapshot(ctx context.Context, p *Plan, dir string, s *site.Site) (Report, error) {
	sub := &Plan{}
	for _, a := range p.Artifacts {
		if strings.HasPrefix(a.Route, "/api/v1/") {
			sub.Artifacts = append(sub.Artifacts, a)
		}
	}
	config := mip.SidecarConfig{Networks: append([]mip.Endpoints{}, s.Networks...)}
	sub.Artifacts = append(sub.Artifacts, Artifact{
		File: "sidecar.json", Type: typeJSON, index: true, Body: jsonOf(config),
	})
	return Sync(ctx, sub, dir, SyncOptions{})
}

// replace leaves an artifact's file with the bytes of its body, and reports whether it had others. The error is
// a [MakeError] where the body is at fault and not the folder.
func (f *folder) replace(a *Artifact) (changed bool, err error) {
	r := &replacement{root: f.root}
	if r.old, err = openRegular(f.root, a.File); err == nil {
		defer r.old.Close()
	}
	bodyErr := a.Body(r)
	if bodyErr == nil && r.err == nil {
		changed, r.err = r.commit(a.File)
	} else if r.temp != nil {
		r.temp.Remove()
	}
	switch {
	case r.err != nil:
		return false, fmt.Errorf("write %s: %w", f.path(a.File), r.err)
	case bodyErr != nil:
		return false, a.makeError(bodyErr)
	}
	return changed, nil
}

// openRegular opens a regular file, without blocking should it be a pipe.
func openRegular(root *os.Root, name string) (*os.File, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fs.ErrInvalid, err, file.Close())
	}
	return file, nil
}

// replacement compares the bytes that are written to it with a file, and begins a temporary file at the first
// difference: most artifacts are on the disk already, and none has to be held in memory to find that out.
type replacement struct {
	root *os.Root
	old  *os.File         // nil: there is none
	same int64            // bytes that old and the written ones have in common
	temp *atomicfile.Temp // nil: no difference so far
	err  error            // the first of reading or writing files
}

// Write implements [io.Writer].
func (r *replacement) Write(b []byte) (n int, err error) {
	if r.err == nil && r.temp == nil {
		if r.matches(b) {
			r.same += int64(len(b))
			return len(b), nil
		}
		r.err = r.begin()
	}
	if r.err == nil {
		n, r.err = r.temp.Write(b)
	}
	return n, r.err
}

// matches reports whether the old file goes on with these bytes.
func (r *replacement) matches(b []byte) bool {
	if r.old == nil {
		return false
	}
	old := make([]byte, len(b))
	n, _ := r.old.ReadAt(old, r.same)
	return bytes.Equal(old[:n], b)
}

// begin makes the temporary file, with the bytes that both have.
func (r *replacement) begin() (err error) {
	r.temp, err = atomicfile.Create(r.root, stateDir)
	if err == nil && r.same > 0 {
		_, err = io.Copy(r.temp, io.NewSectionReader(r.old, 0, r.same))
	}
	return err
}

// commit puts the temporary file in place, unless the old one has the same bytes.
func (r *replacement) commit(name string) (changed bool, err error) {
	if r.temp == nil {
		if info, err := r.old.Stat(); err == nil && info.Size() == r.same {
			return false, nil
		}
		if err := r.begin(); err != nil {
			return false, err
		}
	}
	return true, r.temp.Commit(name)
}
