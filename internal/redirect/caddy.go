package redirect

import (
	"fmt"
	"regexp"
	"strings"
)

// Caddy returns the rules as entries of Caddy's map, in which the first match applies. For Caddy a
// trailing slash is part of the path.
func (r Rules) Caddy() []byte {
	var b strings.Builder
	for _, rule := range r.All() {
		at := placeholder.FindStringIndex(rule.From)
		switch folder, below := strings.CutSuffix(rule.From, "/*"); {
		case below:
			fmt.Fprintf(&b, "~^%s(?:/(.*))?$", regexp.QuoteMeta(folder))
		case at != nil:
			before, after := rule.From[:at[0]], rule.From[at[1]:]
			fmt.Fprintf(&b, "~^%s([^/]+?)%s/?$", regexp.QuoteMeta(before), regexp.QuoteMeta(after))
		default:
			fmt.Fprintf(&b, "%s %s\n%s/ %s\n", rule.From, rule.To, rule.From, rule.To)
			continue
		}
		fmt.Fprintf(&b, " %s\n", placeholder.ReplaceAllLiteralString(rule.To, "${1}"))
	}
	return []byte(b.String())
}
