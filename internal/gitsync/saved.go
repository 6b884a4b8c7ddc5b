package gitsync

import (
	"bytes"
	"context"
	"strings"

	local "github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
)

// saved is where git has the bytes of a file, so that nothing is lost when the file is replaced or
// removed.
type saved int

const (
	nowhere saved = iota
	inUpstream
	inLocalCommit
)

// repositories are the git repositories that may have the bytes of a folder's files.
type repositories struct {
	upstream *git.Objects
	// commit is the upstream's commit.
	commit string
	// here is the local repository of the folder, which is at prefix in it, or nil if there is
	// none.
	here   *git.Objects
	prefix string
}

// openRepositories opens the repositories. An unreadable local repository counts as missing.
func openRepositories(
	ctx context.Context, upstream *git.Objects, commit, folder string,
) *repositories {
	r := &repositories{upstream: upstream, commit: commit}
	place, err := git.Locate(ctx, folder)
	if err != nil {
		return r
	}
	if r.here, err = git.OpenObjects(ctx, place.Top); err != nil {
		r.here = nil
	}
	r.prefix = place.Prefix
	return r
}

func (r *repositories) close() {
	if r.here != nil {
		r.here.Close()
	}
}

// savedIn returns where git has the present bytes of a file. It is nowhere for a link or a folder.
func (r *repositories) savedIn(f *folder, name string) (saved, error) {
	raw, err := local.Read(f.root, name, maxFile)
	if err != nil || hashOf(raw) != f.here[name] {
		return nowhere, nil
	}
	// A text that was synced before counts as the upstream's, even if the upstream has rewritten
	// its history and lost it.
	if old, ok := f.old.File(name); ok && old.SHA256 == f.here[name] {
		return inUpstream, nil
	}
	blob, err := r.upstream.Blob(git.BlobName(r.commit, raw), maxFile)
	if err != nil || blob != nil {
		return inUpstream, err
	}
	if r.here == nil || strings.Contains(name, "\n") {
		return nowhere, nil
	}
	committed, err := r.here.Blob("HEAD:"+r.prefix+name, maxFile)
	if err == nil && committed != nil && bytes.Equal(committed, raw) {
		return inLocalCommit, nil
	}
	return nowhere, err
}
