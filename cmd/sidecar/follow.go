package main

import (
	"context"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/follow"
)

// How often the site is looked at. An address is somebody's server, which need not be asked more often
// than proposals change; until it has answered once there is nothing to serve.
const (
	folderEvery  = 2 * time.Second
	addressEvery = time.Minute
	firstEvery   = 5 * time.Second
)

// followSite looks at the site at once and then again and again, until ctx ends. What is known stays
// while that fails.
func followSite(ctx context.Context, f *follow.Follower, every time.Duration) {
	for {
		f.Look(ctx)
		wait := every
		if !f.Known() {
			wait = min(wait, firstEvery)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}
