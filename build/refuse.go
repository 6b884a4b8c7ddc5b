package build

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
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

// checkState rejects a folder whose state is not what builds make it: a link would have files written elsewhere,
// and a pipe would never be opened. A checkout can bring both along.
func checkState(dir string) error {
	for _, name := range []string{stateDir, lockFile, ownerFile, manifestFile} {
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

// ownerText is what the mark of ownership says to a person who finds it.
const ownerText = "This folder is written by mipwatch build, which removes what it no longer publishes.\n"

// claim returns the record of the folder after making sure that the folder is a build's, which the mark
// says from the first build on. A record that is lost is begun again from what only builds write.
func (f *folder) claim(p *Plan) (manifest, error) {
	raw, err := f.root.ReadFile(manifestFile)
	record, recorded := decodeManifest(raw)
	switch {
	case recorded:
		return record, nil
	case err == nil, f.holds(ownerFile, sumOf([]byte(ownerText))):
		f.reclaim(record)
		return record, nil
	}
	if err := f.refuseForeign(p); err != nil {
		f.root.Remove(lockFile) // not ours to leave behind; a folder with something else in it stays
		f.root.Remove(stateDir)
		return manifest{}, err
	}
	return record, f.write(ownerFile, func(w io.Writer) error { _, err := io.WriteString(w, ownerText); return err })
}

// refuseForeign rejects a folder that no build has written to when a file of the plan is there
// already with other bytes: it is somebody's.
func (f *folder) refuseForeign(p *Plan) error {
	top := map[string]bool{} // whether it is there: mostly nothing is, and a plan has thousands of files
	for i := range p.Artifacts {
		a := &p.Artifacts[i]
		first, _, _ := strings.Cut(a.File, "/")
		there, asked := top[first]
		if !asked {
			_, err := f.root.Lstat(first)
			there = err == nil
			top[first] = there
		}
		if !there {
			continue
		}
		if _, err := f.root.Lstat(a.File); err != nil {
			continue
		}
		want, err := a.Bytes()
		if err != nil {
			return err
		}
		if !f.holds(a.File, sumOf(want)) {
			return fmt.Errorf("%s is there already and no build wrote it, so %s is %w; name another folder, or remove the file",
				f.path(a.File), f.dir, ErrNotOurs)
		}
	}
	return nil
}

// generated matches the files that only a build writes, whatever the proposals were: numbered ones,
// assets and share cards with a hash in their name, and the pages of a listing. mip/{n}/og.png is of builds
// before cards had one.
var generated = regexp.MustCompile(`^(mip/\d+/(([^/]+/)?index\.html|feed\.xml|og\.png)|(mip/\d+/)?og\.[0-9a-f]{8}\.png|mip/\d+\.md|api/v1/mips/\d+(/summary|/translations/[^/]+)?\.json|assets/[a-z]+\.[0-9a-f]{8}\.(css|js)|` +
	`(upgrade|status|category|type|author)/[^/]+/(index\.html|feed\.xml)|\.well-known/agent-skills/[^/]+/SKILL\.md)$`)

// reclaim enters into a lost record what stands in the generated places, so that what the plan no
// longer has is removed.
func (f *folder) reclaim(m manifest) {
	fs.WalkDir(f.root.FS(), ".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && generated.MatchString(file) {
			m.Files[file] = entry{}
		}
		return nil // what cannot be read is not entered
	})
}
