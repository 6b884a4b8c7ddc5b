package header

import (
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// movedKeys are the keys of headers under which the usual generators of sites have other paths of a
// page: those of Jekyll's plugin for redirects, which need no slash before them, of Hugo and of
// Docusaurus. With a slash, the value of one of the others is such a path; without, it may be
// anything.
var movedKeys = []string{"redirect-from", "aliases", "permalink", "slug", "url"}

// Moved is a path that a header has for its page.
type Moved struct {
	// Path begins with a slash, and ends with none.
	Path string
	// Key is the header's key as spelt, and Line where it is in the file.
	Key  string
	Line int
}

// moved are the paths on the site that a header has for its page. It asks before all others do:
// what it takes is known.
func (f *fields) moved() (paths []Moved) {
	for i, key := range movedKeys {
		v := f.byName[fieldName(key)]
		if v == nil || i > 0 && !strings.HasPrefix(strings.Join(texts(v.v), ""), "/") {
			continue
		}
		for _, text := range shorten(texts(f.get(key).v), v, f.r) {
			at := "/" + strings.Trim(text, "/")
			switch {
			case !mip.IsPath(at) && i == 0:
				f.r.Add(v.line, "bad-redirect", mip.Quote(text), mip.Quote(v.key))
			case mip.IsPath(at) && at != "/" && !slices.ContainsFunc(paths, func(m Moved) bool { return m.Path == at }):
				paths = append(paths, Moved{at, v.key, v.line})
			}
		}
	}
	return paths
}
