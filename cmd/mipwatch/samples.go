package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mipwatch/mipwatch/internal/samples"
)

// withHistory gives the samples their invented history: it returns a context in which git finds it,
// and the function that removes it. Other proposals, and the samples if their history cannot be
// made, keep the history of their own repository.
func (s *server) withHistory(ctx context.Context) (context.Context, func()) {
	o, err := s.options()
	if err != nil || len(o.Site.Sources) != 1 || !samples.Are(o.Site.Sources[0].Folder) {
		return ctx, func() {} // the build reports the error
	}
	dir, err := os.MkdirTemp("", "mipwatch-samples-")
	remove := func() { os.RemoveAll(dir) }
	with := ctx
	if err == nil {
		with, err = samples.Repository(ctx, dir, o.Site.Sources[0].Folder,
			filepath.Dir(s.config))
	}
	if err != nil {
		remove()
		fmt.Fprintf(s.stderr, "mipwatch: the samples are served without their history: %v\n", err)
		return ctx, func() {}
	}
	s.notice = samplesNotice
	return with, remove
}
