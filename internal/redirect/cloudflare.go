package redirect

import (
	"cmp"
	"slices"
	"strings"
)

// Limits of Cloudflare Pages for rules with exact paths and for rules with placeholders. See
// https://developers.cloudflare.com/pages/configuration/redirects/.
const (
	mostStatic  = 2000
	mostDynamic = 100
)

// Cloudflare returns the rules in the order of Cloudflare Pages: exact paths first. left is the
// number of old addresses that exceed its limits.
func (r Rules) Cloudflare() (rules []Rule, left int) {
	// First the forms that cannot be written as exact paths, then the forms with the most members.
	forms := slices.SortedStableFunc(slices.Values(r.forms), func(a, b form) int {
		few := cmp.Compare(min(len(a.members), 1), min(len(b.members), 1))
		return cmp.Or(few, len(b.members)-len(a.members))
	})
	own, dynamic := slices.Clone(r.own), []Rule(nil)
	for _, f := range forms {
		if all := withSlash(f.Rule); len(dynamic)+len(all) <= mostDynamic {
			dynamic = append(dynamic, all...)
		} else {
			own = append(own, f.members...)
			left += max(0, 1-len(f.members)) // the form has no members
		}
	}
	for _, one := range own {
		if all := withSlash(one); len(rules)+len(all) <= mostStatic {
			rules = append(rules, all...)
		} else {
			left++
		}
	}
	return append(rules, longestFirst(dynamic)...), left
}

// withSlash returns a rule, and also the rule with a trailing slash if the path may be a folder:
// the host distinguishes the two paths.
func withSlash(r Rule) []Rule {
	last := r.From[strings.LastIndexByte(r.From, '/'):]
	if strings.Contains(last, ".") || strings.HasSuffix(r.From, "*") {
		return []Rule{r}
	}
	return []Rule{r, {r.From + "/", r.To, r.Status}}
}
