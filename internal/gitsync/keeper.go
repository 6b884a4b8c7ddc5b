package gitsync

import (
	"bytes"
	"context"
	"strings"

	local "github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
)

// keeper is who has the bytes of a file, so that nothing is lost when it is replaced or removed.
type keeper int

const (
	nobody keeper = iota
	theUpstream
	commitHere
)

// keepers are the repositories that may have the bytes of a folder's files.
type keepers struct {
	upstream *git.Objects
	// commit is that of the upstream.
	commit string
	// here is nil where no repository is around the folder, which lies there below prefix.
	here   *git.Objects
	prefix string
}

// newKeepers opens the repository around a folder. One that cannot be read keeps nothing.
func newKeepers(ctx context.Context, upstream *git.Objects, commit, folder string) *keepers {
	k := &keepers{upstream: upstream, commit: commit}
	place, err := git.Locate(ctx, folder)
	if err != nil {
		return k
	}
	if k.here, err = git.OpenObjects(ctx, place.Top); err != nil {
		k.here = nil
	}
	k.prefix = place.Prefix
	return k
}

func (k *keepers) close() {
	if k.here != nil {
		k.here.Close()
	}
}

// keeperOf tells who has a file of a folder as it is now. A link or a folder is nobody's.
func (k *keepers) keeperOf(f *folder, name string) (keeper, error) {
	raw, err := local.Read(f.root, name, local.MaxFile)
	if err != nil || hashOf(raw) != f.here[name] {
		return nobody, nil
	}
	// Count a text that was synced before as the upstream's, which may have rewritten its history and lost it.
	if old, ok := f.old.File(name); ok && old.SHA256 == f.here[name] {
		return theUpstream, nil
	}
	if blob, err := k.upstream.Blob(git.BlobName(k.commit, raw), local.MaxFile); err != nil || blob != nil {
		return theUpstream, err
	}
	if k.here == nil || strings.Contains(name, "\n") {
		return nobody, nil
	}
	committed, err := k.here.Blob("HEAD:"+k.prefix+name, local.MaxFile)
	if err == nil && committed != nil && bytes.Equal(committed, raw) {
		return commitHere, nil
	}
	return nobody, err
}
