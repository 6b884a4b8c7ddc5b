package gitsync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	local "github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
)

// FetchTexts fetches the texts of earlier versions that the records of the folders name and the
// folders' own repositories lack, into these repositories. No file, branch or tag changes. It
// returns the number of texts. Folders that were never synced, and folders outside of a repository,
// need none. The error wraps [ErrUpstream], [git.ErrNoGit] or the context's.
func FetchTexts(ctx context.Context, o Options) (n int, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	lacking := map[string][]string{} // by the repository's top folder
	for _, t := range o.Targets {
		top, blobs, err := o.lacking(ctx, t.Folder)
		if err != nil {
			return 0, err
		}
		lacking[top] = append(lacking[top], blobs...)
	}
	for _, top := range slices.Sorted(maps.Keys(lacking)) {
		slices.Sort(lacking[top])
		blobs := slices.Compact(lacking[top])
		if len(blobs) == 0 {
			continue
		}
		if err := git.FetchBlobs(ctx, top, o.Git, blobs, maxRepository); err != nil {
			return n, fmt.Errorf("%w: %s: %w", ErrUpstream, git.Public(o.Git), err)
		}
		n += len(blobs)
	}
	return n, nil
}

// lacking returns the texts in the record of a folder that its repository lacks.
func (o Options) lacking(
	ctx context.Context, folder string,
) (top string, blobs []string, err error) {
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", folder, local.Cause(err))
	}
	defer root.Close()
	record, err := ReadRecord(root)
	if err != nil {
		return "", nil, unreadable(folder, err)
	}
	place, err := git.Locate(ctx, folder)
	if record.Git != git.Public(cmp.Or(o.Named, o.Git)) || errors.Is(err, git.ErrNoRepo) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	objects, err := git.OpenObjects(ctx, place.Top)
	if err != nil {
		return "", nil, err
	}
	defer objects.Close()
	for _, blob := range record.blobs() {
		text, err := objects.Blob(blob, local.MaxFile)
		if err != nil {
			return "", nil, err
		}
		if text == nil {
			blobs = append(blobs, blob)
		}
	}
	return place.Top, blobs, nil
}

// blobs returns git's names for the texts of all versions.
func (r *Record) blobs() (out []string) {
	for _, f := range r.Files {
		for _, v := range f.Versions {
			for _, blob := range []*string{&v.Blob, v.Before} {
				if blob != nil && *blob != "" {
					out = append(out, *blob)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
