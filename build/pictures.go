package build

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/picture"
	html "github.com/mipwatch/mipwatch/render/markdown"
)

// findPictures reads the pictures that the texts name. Those of a translation are relative to the
// proposal's file, and count as the proposal's.
func (c *Content) findPictures() *picture.Set {
	cache := c.options.Cache
	if cache == nil {
		cache = &Cache{}
	}
	set := picture.NewSet(&cache.pictures)
	for _, p := range c.Proposals {
		var all []html.Named
		if html.NamesPictures(p.Body) {
			all = cache.named.Get(p.ContentHash, func() []html.Named {
				return html.Pictures(c.doc(p))
			})
		}
		for _, t := range p.Translations {
			all = append(slices.Clip(all), html.Pictures(markdown.Join(t.Sections))...)
		}
		var named []picture.Named
		for _, n := range all {
			if dir, name, ok := c.Place(p, n.Dest); ok {
				named = append(named, picture.Named{Dest: n.Dest, Folder: dir, Name: name})
			}
		}
		set.Add(p.File, named)
	}
	return set
}

// Pictures are the paths of the files of pictures that texts name, missing ones too.
func (c *Content) Pictures() []string { return c.pictures.Paths }

// Picture implements [html.Links].
func (l links) Picture(dest string) (p html.Picture, ok bool) {
	f := l.pictures.Of(l.from.File)[dest].File
	href := l.options.Site.Path(pictureOf(f))
	return html.Picture{Href: href, Width: f.Width, Height: f.Height}, f.Hash != ""
}

// pictureOf is the route of a picture.
func pictureOf(f picture.File) string { return pictureFolder + f.Hash + f.Ext }
