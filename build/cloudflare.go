package build

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Cloudflare Pages reads this many rules of `_redirects` for one path each, and this many for all paths of a form. See
// https://developers.cloudflare.com/pages/configuration/redirects/.
const (
	mostStatic  = 2000
	mostDynamic = 100
)

// numbered is a path with its last number, without zeros before it.
var numbered = regexp.MustCompile(`^(.*?)([1-9]\d*)(\D*)$`)

// form is a path in which :n stands for the last number, which is returned; ok is false when there is none.
func form(s string) (text, number string, ok bool) {
	m := numbered.FindStringSubmatch(s)
	if m == nil {
		return "", "", false
	}
	return m[1] + ":n" + m[3], m[2], true
}

// forCloudflare are rules with the effect of the redirects, as far as the host takes so many, and the number of those that
// it does not: one rule stands for all that differ by the number of the proposal alone. The host asks its rules before its
// files, so that no such form may be one of published.
func forCloudflare(moved []Redirect, published map[string]bool) (rules []Redirect, left int) {
	members := map[Redirect][]Redirect{}
	for _, r := range moved {
		from, number, ok := form(r.From)
		to, same, leads := form(r.To)
		if ok && leads && number == same {
			members[Redirect{from, to, r.Status}] = append(members[Redirect{from, to, r.Status}], r)
		}
	}
	forms := map[string]bool{}
	for at := range published {
		if from, _, ok := form(at); ok {
			forms[from], forms[from+"/"] = true, true
		}
	}
	// Those that stand for most come first, until there are enough.
	candidates := slices.DeleteFunc(slices.Collect(maps.Keys(members)), func(r Redirect) bool { return len(members[r]) < 3 || forms[r.From] })
	slices.SortFunc(candidates, func(a, b Redirect) int {
		return cmp.Or(len(members[b])-len(members[a]), strings.Compare(a.From, b.From))
	})
	var dynamic []Redirect
	covered := map[string]bool{}
	for _, r := range moved {
		if strings.HasSuffix(r.From, "*") {
			dynamic, covered[r.From] = append(dynamic, r), true
		}
	}
	for _, r := range candidates {
		all := withSlash(r)
		if len(dynamic)+len(all) > mostDynamic || slices.ContainsFunc(dynamic, func(d Redirect) bool { return d.From == r.From }) {
			continue
		}
		dynamic = append(dynamic, all...)
		for _, m := range members[r] {
			covered[m.From] = true
		}
	}
	for _, r := range moved {
		switch all := withSlash(r); {
		case covered[r.From]:
		case len(rules)+len(all) > mostStatic:
			left++
		default:
			rules = append(rules, all...)
		}
	}
	// A longer one comes first: :n stands for all up to the next slash, an ending included.
	slices.SortStableFunc(dynamic, func(a, b Redirect) int { return len(b.From) - len(a.From) })
	return append(rules, dynamic...), left
}

// withSlash is a rule, and with a slash behind the path, which the host takes for another, where that may be a folder.
func withSlash(r Redirect) []Redirect {
	if last := r.From[strings.LastIndexByte(r.From, '/'):]; strings.Contains(last, ".") || strings.HasSuffix(r.From, "*") {
		return []Redirect{r}
	}
	return []Redirect{r, {r.From + "/", r.To, r.Status}}
}
