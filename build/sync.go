package build

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
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
// left alone. A file that already has the right bytes is not touched, and a share card whose name is there is
// not drawn. Whole files only are put in place, leaves before the indexes that name them and removals last, so
// that a process which dies at any moment leaves a tree whose indexes name what exists; the next Sync mends the
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

// Snapshot writes into dir what a function must carry, since it is deployed as a binary alone: the
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
