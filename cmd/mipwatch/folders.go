package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mipwatch/mipwatch/build"
)

// checkFolders refuses, before anything is read, output folders that would mix with something else:
// a project, the proposals, or each other. A snapshot within the published folder would publish the
// addresses of nodes.
func (b *builder) checkFolders(proposals []string) error {
	if b.out == "" {
		return errors.New("--out: want a folder")
	}
	if err := build.CheckFolder(b.out); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if err := apart("--out", b.out, proposals); err != nil {
		return err
	}
	if b.snapshot == "" {
		return nil
	}
	if err := build.CheckFolder(b.snapshot); err != nil {
		return fmt.Errorf("--snapshot: %w", err)
	}
	if err := apart("--snapshot", b.snapshot, proposals); err != nil {
		return err
	}
	out, snapshot := resolved(b.out), resolved(b.snapshot)
	if within(out, snapshot) || within(snapshot, out) {
		return fmt.Errorf("--snapshot: %s and the published %s lie one within the other; what the sidecar must carry is not for publication", b.snapshot, b.out)
	}
	return nil
}

// apart refuses an output folder that holds proposals: a build removes what is no longer published. One
// below the proposals is fine, since sub-folders are not read.
func apart(flag, out string, proposals []string) error {
	for _, dir := range proposals {
		if within(resolved(dir), resolved(out)) {
			return fmt.Errorf("%s: %s holds the proposals folder %s; name a folder of its own", flag, out, dir)
		}
	}
	return nil
}

// resolved is a folder's absolute path without symbolic links, as far as it exists.
func resolved(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	rest := ""
	for at := abs; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return abs
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// within reports whether a folder is another one or lies in it.
func within(dir, parent string) bool {
	return dir == parent || strings.HasPrefix(dir, strings.TrimSuffix(parent, string(os.PathSeparator))+string(os.PathSeparator))
}
