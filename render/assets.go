package render

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
)

//go:embed assets templates
var embedded embed.FS

// Asset is one file that the pages load. Its route names its content, so it may be cached for ever.
type Asset struct {
	Route string // without the base path, such as /assets/site.1a2b3c4d.css
	Type  string // media type with charset
	Body  []byte // shared: not to be changed
	name  string // such as site.css
}

// Scripts that pages name. Every page has the theme's script, the style sheet and one of the others.
const (
	siteScript = "site.js" // what every page has, and all that most have
	listScript = "list.js"
	textScript = "text.js"
	liveScript = "live.js"
)

// assetFile is an asset and the files of assets/ that it is put together from, in their order.
type assetFile struct {
	name  string
	parts []string
}

// assetFiles are the assets. A script that another one imports stands before it.
func assetFiles() []assetFile {
	return []assetFile{
		{"theme.js", []string{"theme.js"}},
		{"site.css", []string{"site.css"}},
		{siteScript, []string{"site.js"}},
		{listScript, []string{"site.js", "ask.js", "list.js"}},
		{textScript, []string{"site.js", "ask.js", "text.js", "heat.js"}},
		{liveScript, []string{"site.js", "ask.js", "live.js"}},
		{"markdown.js", []string{"markdown.js"}}, // a click loads it
		{"ai.js", []string{"ai.js"}},             // a click loads it
	}
}

// hashDigits is how much of the SHA-256 a file name carries: enough to tell versions apart.
const hashDigits = 8

// loadAssets puts the assets together and names each by the hash of its content.
func loadAssets() ([]Asset, error) {
	media := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
	var out []Asset
	for _, f := range assetFiles() {
		var body []byte
		for _, part := range f.parts {
			b, err := embedded.ReadFile("assets/" + part)
			if err != nil {
				return nil, fmt.Errorf("asset: %w", err)
			}
			body = append(body, b...)
		}
		for _, a := range out { // an import has the plain name
			body = bytes.ReplaceAll(body, []byte(`"./`+a.name+`"`), []byte(`"./`+path.Base(a.Route)+`"`))
		}
		sum := sha256.Sum256(body)
		ext := path.Ext(f.name)
		hash := hex.EncodeToString(sum[:])[:hashDigits]
		route := "/assets/" + strings.TrimSuffix(f.name, ext) + "." + hash + ext
		out = append(out, Asset{Route: route, Type: media[ext], Body: body, name: f.name})
	}
	return out, nil
}

// Assets returns the files that pages load: style sheet and scripts, those too that a proposal's page loads when a
// reader asks for a summary or a translation. No page loads all of them.
func (p *Pages) Assets() []Asset { return p.assets }

// assetPath is the address of an asset, by its name in assetFiles.
func (p *Pages) assetPath(name string) string {
	i := slices.IndexFunc(p.assets, func(a Asset) bool { return a.name == name })
	return p.path(p.assets[i].Route)
}
