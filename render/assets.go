package render

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Asset is a file that pages load. Its route has a hash of its content, so it may be cached
// forever.
type Asset struct {
	Route string // without the base path, such as /assets/site.1a2b3c4d.css
	Type  string // media type with charset
	Body  []byte // shared, must not be changed
	name  string // such as site.css
}

// Names of scripts. Every page has the theme's script, the style sheet and one of these.
const (
	siteScript  = "site.js" // for pages without another script
	listScript  = "list.js"
	textScript  = "text.js" // of pages of proposals, which also have a style sheet of their own
	liveScript  = "live.js"
	forksScript = "forks.js" // of pages of upgrades, which request their states
	// of pages of upgrades and roles, which also have a style sheet of their own
	upgradeScript = "upgrade.js"
	// of pages of relations, which also have a style sheet of their own
	graphScript   = "graph.js"
	lostScript    = "lost.js"    // of the page for unknown addresses
	changesScript = "changes.js" // of the page of changes, which also has a style sheet of its own
	followScript  = "follow.js"  // of the page of feeds and calendars
	searchScript  = "find.js"    // of the search page, which also has a style sheet of its own
)

// assetFiles are the assets, each with the files of assets/ that it consists of, in order. An
// imported script comes before its importer. Assets of a single file are loaded on demand.
func assetFiles() [][]string {
	return [][]string{
		{"theme.js", "theme.js"},
		{"site.css", "site.css"},
		{"upgrade.css", "site.css", "upgrade.css"},
		{"graph.css", "site.css", "graph.css"},
		{"search.css", "site.css", "search.css"},
		{"text.css", "site.css", "text.css"},
		{"changes.css", "site.css", "changes.css"},
		{siteScript, "site.js", "states.js"},
		{graphScript, "site.js", "states.js", "graph.js"},
		{forksScript, "site.js", "states.js", "marks.js", "ask.js", "forks.js"},
		{upgradeScript, "site.js", "states.js", "ask.js", "forks.js", "upgrade.js"},
		{listScript, "site.js", "states.js", "marks.js", "ask.js", "list.js"},
		{textScript, "site.js", "states.js", "marks.js", "ask.js", "text.js", "heat.js",
			"forks.js"},
		{liveScript, "site.js", "states.js", "ask.js", "live.js"},
		{lostScript, "site.js", "states.js", "ask.js", "lost.js"},
		{followScript, "site.js", "states.js", "text.js", "follow.js"},
		{"sheet.js", "sheet.js"},
		{"markdown.js", "markdown.js"},
		{"ai.js", "ai.js"},
		{"choose.js", "choose.js"},
		{"search.js", "search.js"},
		{searchScript, "site.js", "find.js"},
		{changesScript, "site.js", "changes.js"},
	}
}

// loadAssets assembles the assets, with the brand's additions, and names each by the beginning of
// its hash.
func loadAssets(b Brand) ([]Asset, error) {
	media := map[string]string{".js": "text/javascript; charset=utf-8",
		".css": "text/css; charset=utf-8"}
	var out []Asset
	for _, f := range assetFiles() {
		var body []byte
		for _, part := range f[1:] {
			source, err := embedded.ReadFile("assets/" + part)
			if err != nil {
				return nil, fmt.Errorf("asset: %w", err)
			}
			source = compact(source)
			switch path.Ext(part) {
			case ".css":
				source = bytes.ReplaceAll(source, []byte("\n"), nil)
			case ".js":
				source = needlessBreak.ReplaceAll(source, []byte("$1"))
			}
			body = append(body, source...)
		}
		// An import has the plain name in the source and the hashed one here.
		for _, a := range out {
			body = bytes.ReplaceAll(body, []byte(`"./`+a.name+`"`),
				[]byte(`"./`+path.Base(a.Route)+`"`))
		}
		ext := path.Ext(f[0])
		if ext == ".css" {
			body = append(body, b.style()...)
		}
		out = append(out, newAsset(f[0], ext, media[ext], body))
	}
	if b.Logo != nil {
		out = append(out, newAsset(b.Logo.Name(), b.Logo.Ext, b.Logo.Type(), b.Logo.Data))
	}
	return out, nil
}

func newAsset(name, ext, media string, body []byte) Asset {
	route := fmt.Sprintf("/assets/%s.%.4x%s",
		strings.TrimSuffix(name, ext), sha256.Sum256(body), ext)
	return Asset{Route: route, Type: media, Body: body, name: name}
}

// needlessBreak is a line break in a script that cannot end a statement. No comment behind a
// statement ends like this.
var needlessBreak = regexp.MustCompile(`([,;{(\[])\n`)

// compact removes from a source what only editors need: indentation, empty lines, comments on lines
// of their own, and breaks in strings.
func compact(source []byte) []byte {
	out, comment := make([]byte, 0, len(source)), false
	for line := range bytes.Lines(source) {
		line = bytes.TrimLeft(line, " \t\n")
		comment = comment || bytes.HasPrefix(line, []byte("/*"))
		if !comment && !bytes.HasPrefix(line, []byte("//")) {
			out = append(out, bytes.TrimSuffix(line, []byte("\\\n"))...)
		}
		comment = comment && !bytes.HasSuffix(line, []byte("*/\n"))
	}
	return out
}

// Assets returns the files that pages load: style sheets and scripts, including those that a
// proposal's page loads only for a summary or a translation. No page loads all of them.
func (p *Pages) Assets() []Asset { return p.assets }

// assetPath is the address of an asset, by its name in assetFiles. An unknown name is a mistake in
// a template, and panics when the templates are parsed.
func (p *Pages) assetPath(name string) string {
	i := slices.IndexFunc(p.assets, func(a Asset) bool { return a.name == name })
	return p.path(p.assets[i].Route)
}
