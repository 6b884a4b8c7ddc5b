package build

import (
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/picture"
	html "github.com/mipwatch/mipwatch/render/markdown"
)

// findPictures reads the pictures that the texts name. Those of a translation are relative to the
// proposal's file, and count as the proposal's.
func (c *Content) findPictures() *picture.Set {
	var cache *picture.Cache
	if c.options.Cache != nil {
		cache = &c.options.Cache.pictures
	}
	set := picture.NewSet(cache)
	for _, p := range c.Proposals {
		var named []picture.Named
		add := func(d *markdown.Document) {
			for _, dest := range html.Pictures(d) {
				if dir, name, ok := c.Place(p, dest); ok {
					named = append(named, picture.Named{Dest: dest, Folder: dir, Name: name})
				}
			}
		}
		if html.NamesPictures(p.Body) {
			add(c.doc(p))
			c.docs.Forget(p.File)
		}
		for _, t := range p.Translations {
			add(markdown.Join(t.Sections))
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

// addPictures adds the pictures that texts name. An existing file has the right bytes.
func (p *planner) addPictures() {
	for _, f := range p.pictures.Files {
		p.add(Artifact{
			Route: pictureOf(f), Pattern: pictureFolder + "{hash}" + f.Ext, Cache: immutable,
			Body: f.Bytes,
		})
	}
}
