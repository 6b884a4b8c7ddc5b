package build

import (
	"context"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// Snapshot writes into dir what a function must carry, since it is deployed as a binary alone: the
// JSON tree of /api/v1 and, in sidecar.json, the configuration of the live part, RPC addresses
// included. dir is kept as [Sync] keeps an output folder, and must not be published.
func Snapshot(ctx context.Context, p *Plan, dir string, s *site.Site) (Report, error) {
	sub := &Plan{}
	for _, a := range p.Artifacts {
		if strings.HasPrefix(a.Route, "/api/v1/") {
			sub.Artifacts = append(sub.Artifacts, a)
		}
	}
	config := mip.SidecarConfig{Networks: append([]mip.Endpoints{}, s.Networks...)}
	sub.Artifacts = append(sub.Artifacts, Artifact{
		File: "sidecar.json", Type: typeJSON, Cache: revalidate, phase: index,
		Body: func(to []byte) ([]byte, error) { return api.AppendJSON(to, config) },
	})
	return Sync(ctx, sub, dir, SyncOptions{})
}
