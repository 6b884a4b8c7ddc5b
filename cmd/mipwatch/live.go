package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/release"
	"github.com/mipwatch/mipwatch/internal/upstreamtest"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/assistant"
	"github.com/mipwatch/mipwatch/sidecar/knowledge"
)

// demoNotice stands above every page of a demo.
const demoNotice = "Demo: forum activity and block heights are invented on this machine; nothing is asked on the network. The proposals are those of the folder."

// live is the sidecar on the preview's own origin, and in a demo the hosts behind it.
type live struct {
	*sidecar.Sidecar
	demo *upstreamtest.Network // nil: the real hosts are asked
}

// newLive reads the environment for the language model only, and not in a demo: nothing is asked on the
// network there. The error has an exit code.
func newLive(demo bool, env func(string) (string, bool), log io.Writer) (*live, error) {
	l, build := &live{}, release.Current()
	c := sidecar.Config{
		Log:     slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Version: build.Version, Revision: build.Commit,
	}
	if demo {
		l.demo = upstreamtest.NewNetwork()
		c.Transport = l.demo
	} else {
		var errs []error
		if c.Assistant, errs = assistant.Environment(env); len(errs) > 0 {
			return nil, exit(exitUsage, errors.Join(errs...))
		}
	}
	var err error
	if l.Sidecar, err = sidecar.New(c); err != nil {
		return nil, exit(exitWrite, fmt.Errorf("start the sidecar: %w", err))
	}
	return l, nil
}

// know shows the sidecar a new build, as it would read the published folder.
func (l *live) know(ctx context.Context, p *build.Published, networks []mip.Endpoints) error {
	k, err := knowledge.FromFS(p).Load(ctx)
	if err != nil {
		return fmt.Errorf("read the built site: %w", err)
	}
	k.Endpoints = networks
	if l.demo != nil {
		l.demo.Demo(time.Now, k.Site, k.List.MIPs, k.Endpoints)
	}
	return l.Know(k)
}

func (l *live) close() {
	l.Close()
	if l.demo != nil {
		l.demo.Close()
	}
}

// isLive reports whether a path is one of the sidecar's.
func isLive(r *http.Request) bool {
	return slices.ContainsFunc(api.Routes(), func(route api.Route) bool { return route.Path == r.URL.Path })
}
