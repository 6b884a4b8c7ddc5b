package build

import (
	"maps"
	"time"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// Options is the input of a build but for the files themselves.
type Options struct {
	// Site is required, with its sources.
	Site *site.Site
	// Epoch, when set, replaces every time that git would give (SOURCE_DATE_EPOCH).
	Epoch *time.Time
	// Notice, if not empty, is a sentence above every page, such as that its figures are invented.
	Notice string
	// NoAPIFallback leaves the rule for unknown routes below /api/ out of `_redirects`, for a host
	// that rules the live routes after that file and then has to rule all others itself.
	NoAPIFallback bool
	// Cache, if set, is shared by successive builds.
	Cache *Cache
}

// Corpus returns the options of the corpus.
func (o Options) Corpus() corpus.Options {
	var others []string
	for _, k := range o.Site.AllKinds()[1:] {
		others = append(others, k.Prefix)
	}
	out := corpus.Options{
		Options: header.Options{
			Prefix: o.Site.Prefix, Others: others, Addresses: o.Site.Addresses(), Keys: o.Site.Keys,
			Statuses: o.Site.Statuses, Show: o.Site.Show, References: references(o.Site),
			Dates: o.Site.Dates,
		},
		Rules: filename.Rules{
			Sources: o.Site.Sources, Ignore: o.Site.Ignore, Locales: o.Site.Locales,
		},
		Epoch: o.Epoch, Upstream: o.Site.UpstreamGit(), Config: o.Site.File,
	}
	if o.Cache != nil {
		out.Cache = &o.Cache.read
	}
	return out
}

// references returns the address patterns of proposals of other sites and, if the site has several
// kinds, of its own kinds.
func references(s *site.Site) mip.References {
	if len(s.Kinds) < 2 {
		return s.References
	}
	out := mip.References{}
	maps.Copy(out, s.References)
	for _, k := range s.Kinds {
		out[k.Prefix] = s.URL(mip.PageFolder(k.Prefix)) + "{n}/"
	}
	return out
}
