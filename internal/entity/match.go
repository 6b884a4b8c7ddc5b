package entity

import "strings"

// matches reports whether the lines of If-None-Match name the tag, by weak comparison (RFC 9110 section
// 13.1.2), or any by *. A member that is no entity tag is passed over.
func matches(lines []string, tag string) bool {
	for _, rest := range lines {
		for {
			rest = strings.TrimLeft(rest, " \t,")
			if rest == "" {
				break
			}
			// A tag may hold commas, so that its end is a quote.
			if inner, ok := strings.CutPrefix(strings.TrimPrefix(rest, "W/"), `"`); ok {
				if opaque, after, ok := strings.Cut(inner, `"`); ok {
					if opaque == tag[1:len(tag)-1] {
						return true
					}
					rest = after
					continue
				}
			}
			var member string
			if member, rest, _ = strings.Cut(rest, ","); trim(member) == "*" {
				return true
			}
		}
	}
	return false
}
