// Package buildtest plans sites for tests and serves them. It does not know their contents.
package buildtest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// In returns a site with proposals in these folders.
func In(s *site.Site, folders ...string) *site.Site {
	out := *s
	out.Sources = nil
	for _, dir := range folders {
		out.Sources = append(out.Sources, filename.Source{Folder: dir})
	}
	return &out
}

// Plan plans a site of folders of proposals. An error in a proposal is an error of Plan.
func Plan(ctx context.Context, s *site.Site, folders ...string) (*build.Plan, error) {
	c, err := build.Load(ctx, build.Options{Site: In(s, folders...)})
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
	return build.NewPlan(ctx, c)
}

// Host serves the files of a site, and live for the routes in the rules of netlify.toml.
func Host(files *build.Published, live http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := r.URL.Path
		named := func(route api.Route) bool { return route.Path == at }
		unknown := strings.HasPrefix(at, api.ProposalPath) && !files.Has(at)
		if unknown || slices.ContainsFunc(api.Routes(), named) {
			live.ServeHTTP(w, r)
			return
		}
		files.ServeHTTP(w, r)
	})
}
