package build

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/attachment"
	"github.com/mipwatch/mipwatch/internal/markdown"
	html "github.com/mipwatch/mipwatch/render/markdown"
)

// findFiles reads the pictures that the texts name, and the linked files of which the site has
// copies. Destinations in a translation are relative to the proposal's file, and count as the
// proposal's.
func (c *Content) findFiles() *attachment.Set {
	cache := c.cache()
	set := attachment.NewSet(&cache.attached)
	for _, p := range c.Proposals {
		_, sourced := sourceLink(c.options.Site, p, "", p.RepoPath)
		var all []html.Named
		if html.NamesPictures(p.Body) || attachment.Linked(p.Body, sourced) {
			find := func() []html.Named { return html.Files(c.doc(p)) }
			all = cache.named.Get(p.ContentHash, find)
		}
		for _, t := range p.Translations {
			all = append(slices.Clip(all), html.Files(markdown.Join(t.Sections))...)
		}
		var named []attachment.Named
		for _, n := range all {
			if n.Link && !attachment.KindOf(n.Dest).Copied(sourced) {
				continue
			}
			if dir, name, ok := c.Place(p, n.Dest); ok {
				named = append(named, attachment.Named{Dest: n.Dest, Folder: dir, Name: name})
			}
		}
		set.Add(p.File, named)
	}
	return set
}

// Files returns the paths of the files that texts show as pictures or link to, including missing
// ones.
func (c *Content) Files() []string { return c.files.Paths }

// Picture implements [html.Links].
func (l links) Picture(dest string) (p html.Picture, ok bool) {
	f := l.files.Entries(l.from.File)[dest].File
	href := l.options.Site.Path(assetFolder + f.Path)
	return html.Picture{Href: href, Width: f.Width, Height: f.Height}, f.Width > 0
}
