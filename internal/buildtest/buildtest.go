// Package buildtest plans sites for tests. It does not know what they hold.
package buildtest

import (
	"context"
	"errors"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// Plan plans a site of folders of proposals. An error in one of them is one of Plan.
func Plan(ctx context.Context, s *site.Site, folders ...string) (*build.Plan, error) {
	c, err := build.Load(ctx, build.Options{Site: s, Folders: folders})
	if err != nil {
		return nil, err
	}
	for _, p := range c.Problems {
		if p.Level == mip.Error {
			err = errors.Join(err, errors.New(p.String()))
		}
	}
	if err != nil {
		return nil, err
	}
	return build.NewPlan(c)
}
