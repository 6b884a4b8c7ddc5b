package redirect

import (
	"slices"
	"strings"
)

// Netlify returns the rules for a host where a placeholder is a whole path segment, and * may end
// any path. A form that needs something else is replaced by its members.
func (r Rules) Netlify() []Rule {
	own, many := r.own, []Rule(nil)
	for _, f := range r.forms {
		at := placeholder.FindStringIndex(f.From)
		if at == nil { // a form that ends in /*
			many = append(many, f.Rule)
			continue
		}
		switch before, after := f.From[:at[0]], f.From[at[1]:]; {
		case strings.HasSuffix(before, "/") && (after == "" || after[0] == '/'):
			many = append(many, f.Rule)
		case after == "" && !r.inUse(before):
			// The * also matches a trailing slash, and the page is found with and without one.
			to := strings.TrimSuffix(placeholder.ReplaceAllLiteralString(f.To, ":splat"), "/")
			many = append(many, Rule{before + "*", to, f.Status})
		default:
			own = slices.Concat(own, f.members)
		}
	}
	return slices.Concat(own, longestFirst(many))
}

// inUse reports whether anything is published in the folder of a path. A * there would match
// unknown addresses, and could redirect in a circle.
func (r Rules) inUse(at string) bool {
	folder := at[:strings.LastIndexByte(at, '/')+1]
	return r.publishes(func(path string) bool { return strings.HasPrefix(path, folder) })
}
