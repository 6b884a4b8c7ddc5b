package build

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

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

// refuseForeign rejects a folder that no build has written to when a file of the plan is there
// already with other bytes: it is somebody's.
func (f *folder) refuseForeign(p *Plan) error {
	for i := range p.Artifacts {
		a := &p.Artifacts[i]
		if _, err := f.root.Lstat(a.File); err != nil {
			continue
		}
		want, err := a.Bytes()
		if err != nil {
			return err
		}
		if got, err := f.root.ReadFile(a.File); err != nil || !bytes.Equal(got, want) {
			return fmt.Errorf("%s is there already and no build wrote it, so %s is %w; name another folder, or remove the file",
				f.path(a.File), f.dir, ErrNotOurs)
		}
	}
	return nil
}

// generated are the places in which every file is one that a build wrote, whatever the proposals were.
func generated() []string {
	return []string{
		"mip/*/index.html", "mip/*.md", "api/v1/mips/*.json", "assets/*.*", "upgrade/*/index.html",
		"status/*/index.html", "category/*/index.html", "type/*/index.html", ".well-known/agent-skills/*/SKILL.md",
	}
}

// reclaim enters into a lost record what stands in the generated places, so that what the plan no
// longer has is removed.
func (f *folder) reclaim(m manifest) {
	for _, pattern := range generated() {
		files, _ := fs.Glob(f.root.FS(), pattern) // the patterns are right
		for _, file := range files {
			m.Files[file] = entry{}
		}
	}
}
