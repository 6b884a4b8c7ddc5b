package render

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
)

//go:embed assets templates
var embedded embed.FS

// Asset is one file that the pages load. Its route names its content, so it may be cached for ever.
type Asset struct {
	Route string // without the base path, such as /assets/site.1a2b3c4d.css
	Type  string // media type with charset
	Body  []byte // shared: not to be changed
}

// assetFiles are the files in the order in which Assets returns them.
func assetFiles() []struct{ name, ext, media string } {
	return []struct{ name, ext, media string }{
		{"theme", "js", "text/javascript; charset=utf-8"},
		{"site", "css", "text/css; charset=utf-8"},
		{"site", "js", "text/javascript; charset=utf-8"},
		{"live", "js", "text/javascript; charset=utf-8"},
	}
}

// liveScript is the place of the dashboard's own script in assetFiles. The others are for every page.
const liveScript = 3

// hashDigits is how much of the SHA-256 a file name carries: enough to tell versions apart.
const hashDigits = 8

func loadAssets() ([]Asset, error) {
	var out []Asset
	for _, f := range assetFiles() {
		body, err := fs.ReadFile(embedded, "assets/"+f.name+"."+f.ext)
		if err != nil {
			return nil, fmt.Errorf("asset: %w", err)
		}
		sum := sha256.Sum256(body)
		out = append(out, Asset{
			Route: fmt.Sprintf("/assets/%s.%s.%s", f.name, hex.EncodeToString(sum[:])[:hashDigits], f.ext),
			Type:  f.media,
			Body:  body,
		})
	}
	return out, nil
}

// Assets returns what the pages load: theme script, style sheet, site script, dashboard script.
func (p *Pages) Assets() []Asset { return p.assets }
