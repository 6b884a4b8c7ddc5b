package redirect

import (
	"cmp"
	"slices"
	"strings"
)

// Cloudflare Pages reads this many rules of `_redirects` for one path each, and this many for all
// paths of a form. See https://developers.cloudflare.com/pages/configuration/redirects/.
const (
	mostStatic  = 2000
	mostDynamic = 100
)

// Cloudflare returns the rules as Cloudflare Pages wants them: those for one path each come first.
// Left counts the old addresses that its limits leave out.
func (r Rules) Cloudflare() (rules []Rule, left int) {
	// What can be written in no other way comes first, then what stands for most.
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
			left += max(0, 1-len(f.members)) // a form that nothing can be written for
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

// withSlash returns a rule, and the rule with a slash behind the path if that may be a folder: the
// host takes the two for different paths.
func withSlash(r Rule) []Rule {
	last := r.From[strings.LastIndexByte(r.From, '/'):]
	if strings.Contains(last, ".") || strings.HasSuffix(r.From, "*") {
		return []Rule{r}
	}
	return []Rule{r, {r.From + "/", r.To, r.Status}}
}
