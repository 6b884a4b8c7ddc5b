// Package samples has the sample site, its proposals and their history, and makes a git repository
// of that history.
//
// The repository is for "mipwatch serve --demo" and for tests. [Stream] makes it from history.txt,
// a list of commits that people edit, and from the present texts, which are its end. The same files
// give the same commits. The package does not know how a history is read or shown.
package samples

import (
	"bytes"
	"context"
	"embed"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/mipwatch/mipwatch/internal/git"
)

// files are site.yaml, the folder proposals, and history.txt.
//
//go:embed site.yaml proposals history.txt
var files embed.FS

// Are reports whether a folder of proposals has the samples: more than half of their texts,
// unchanged. The others may be edited or missing.
func Are(folder string) bool {
	names, _ := fs.Glob(files, "proposals/*.md") // the pattern is sound
	same := 0
	for _, name := range names {
		want, _ := files.ReadFile(name)
		file := filepath.Join(folder, path.Base(name))
		if info, err := os.Stat(file); err != nil || info.Size() != int64(len(want)) {
			continue
		}
		if got, err := os.ReadFile(file); err == nil && bytes.Equal(got, want) {
			same++
		}
	}
	return same > len(names)/2
}

// Repository makes the repository in dir, an empty folder, and returns a context in which package
// git finds it in place of the repository around two folders: the one with the proposals and the
// one with site.yaml. It checks no file out.
func Repository(ctx context.Context, dir, proposals, config string) (context.Context, error) {
	stream, err := Stream(files)
	if err != nil {
		return ctx, err
	}
	if err := git.Import(ctx, dir, stream); err != nil {
		return ctx, err
	}
	other := filepath.Join(dir, "proposals")
	if err := os.Mkdir(other, 0o755); err != nil {
		return ctx, err
	}
	return git.InPlaceOf(git.InPlaceOf(ctx, config, dir), proposals, other), nil
}
