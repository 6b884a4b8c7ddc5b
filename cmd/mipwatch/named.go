package main

import (
	"strings"

	"github.com/mipwatch/mipwatch/internal/attachment"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/gitsync"
	"github.com/mipwatch/mipwatch/internal/markdown"
	html "github.com/mipwatch/mipwatch/render/markdown"
)

// upstreamTexts implements [gitsync.Texts]: a build reads the texts in the same way.
type upstreamTexts struct {
	options corpus.Options
	// sourced is true if the files of the upstream have addresses.
	sourced bool
}

// Files implements [gitsync.Texts]. A file that is no sound proposal names none.
func (u upstreamTexts) Files(f folder.File, path string, text []byte) (out []gitsync.Named) {
	if !html.NamesPictures(string(text)) && !attachment.Linked(string(text), u.sourced) {
		return nil
	}
	p := u.options.Text(f, text)
	if p == nil {
		return nil
	}
	last := strings.Count(p.Raw, "\n") + 1
	for _, n := range html.Files(markdown.Parse(p.Body)) {
		if n.Link && !attachment.KindOf(n.Dest).Copied(u.sourced) {
			continue
		}
		paths := u.options.Paths(p, path, n.Dest)
		if len(paths) == 0 && strings.Contains(n.Dest, "://") {
			continue // on another host
		}
		line := last - strings.Count(p.Body[n.Offset:], "\n")
		out = append(out, gitsync.Named{
			Dest: n.Dest, Line: line, Link: n.Link, Paths: paths})
	}
	return out
}
