package header

import (
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// movedKeys are the header keys with which site generators give a page other paths: Jekyll's
// redirect plugin, whose paths need no leading slash, Hugo and Docusaurus. The value of the others
// is a path only if it begins with a slash.
var movedKeys = []string{"redirect-from", "aliases", "permalink", "slug", "url"}

// Moved is a path of a proposal's page that its header gives.
type Moved struct {
	Path string // begins with a slash, and does not end with one
	Key  string // the header's key as spelled
	Line int    // in the file, from 1
}

// moved returns the paths on the site that a header gives for its page. It is called first: the
// keys that it reads count as used.
func (f *fields) moved() (paths []Moved) {
	for i, key := range movedKeys {
		v := f.byName[fieldName(key)]
		if v == nil || i > 0 && !strings.HasPrefix(strings.Join(texts(v.v), ""), "/") {
			continue
		}
		for _, text := range shorten(texts(f.get(key).v), v, f.r) {
			at := "/" + strings.Trim(text, "/")
			isAt := func(m Moved) bool { return m.Path == at }
			switch {
			case !mip.IsPath(at) && i == 0:
				f.r.Add(v.line, "bad-redirect", mip.Quote(text), mip.Quote(v.key))
			case mip.IsPath(at) && at != "/" && !slices.ContainsFunc(paths, isAt):
				paths = append(paths, Moved{at, v.key, v.line})
			}
		}
	}
	return paths
}
