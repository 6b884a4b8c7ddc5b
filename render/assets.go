package render

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed assets templates
var embedded embed.FS

// Asset is one file that the pages load. Its route names its content, so it may be cached for ever.
type Asset struct {
	Route string // without the base path, such as /assets/site.1a2b3c4d.css
	Type  string // media type with charset
	Body  []byte // shared: not to be changed
}

// assetFile is an asset and the files that it is put together from, each of which goes on where the one
// before it ends: a page loads one script beside that of the theme.
type assetFile struct {
	name, ext string
	parts     []string
}

// The places of the assets in assetFiles. A page has the theme, the style and one of the scripts.
const (
	themeScript = iota
	styleSheet
	siteScript // what every page has, and all that most have
	listScript
	textScript
	liveScript
	markdownScript // what a click loads
	aiScript
)

func assetFiles() []assetFile {
	return []assetFile{
		themeScript:    {"theme", "js", []string{"theme.js"}},
		styleSheet:     {"site", "css", []string{"site.css"}},
		siteScript:     {"site", "js", []string{"site.js"}},
		listScript:     {"list", "js", []string{"site.js", "ask.js", "list.js"}},
		textScript:     {"text", "js", []string{"site.js", "ask.js", "text.js", "heat.js"}},
		liveScript:     {"live", "js", []string{"site.js", "ask.js", "live.js"}},
		markdownScript: {"markdown", "js", []string{"markdown.js"}},
		aiScript:       {"ai", "js", []string{"ai.js"}},
	}
}

// hashDigits is how much of the SHA-256 a file name carries: enough to tell versions apart.
const hashDigits = 8

func loadAssets() ([]Asset, error) {
	media := map[string]string{"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}
	var out []Asset
	for _, f := range assetFiles() {
		var body []byte
		for _, part := range f.parts {
			b, err := fs.ReadFile(embedded, "assets/"+part)
			if err != nil {
				return nil, fmt.Errorf("asset: %w", err)
			}
			body = append(body, b...)
		}
		// A script imports one that stands before it by its plain name.
		for _, a := range out {
			stem, _, _ := strings.Cut(path.Base(a.Route), ".")
			body = bytes.ReplaceAll(body, []byte(`"./`+stem+`.js"`), []byte(`"./`+path.Base(a.Route)+`"`))
		}
		sum := sha256.Sum256(body)
		out = append(out, Asset{
			Route: fmt.Sprintf("/assets/%s.%s.%s", f.name, hex.EncodeToString(sum[:])[:hashDigits], f.ext),
			Type:  media[f.ext],
			Body:  body,
		})
	}
	return out, nil
}

// Assets returns what pages load: style sheet and scripts, those too that a proposal's page loads when a
// reader asks for a summary or a translation. No page loads all of them.
func (p *Pages) Assets() []Asset { return p.assets }
