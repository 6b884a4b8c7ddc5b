// Package redirect has one rule lead on all old addresses of a form, and writes rules for the hosts
// that read them: Netlify, Cloudflare Pages and Caddy. It does not know which addresses a site has
// or had.
package redirect

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Rule is one rule of `_redirects`. Status 200 answers with the file To, 404 with To and that
// status, 301 sends the client there.
type Rule struct {
	// From is an exact path or a form, which has one part that stands for many: a name such as :n for
	// anything up to the next slash, or /* at its end for everything below.
	From string
	// To is a path or the address of another site. For a form it has the same name, or :splat.
	To     string
	Status int
}

// Rules lead old addresses on. The zero value leads nowhere.
type Rules struct {
	// own are the rules for one path each.
	own   []Rule
	forms []form
	// published are the paths that are no old addresses.
	published map[string]bool
}

// form is a rule for all paths of a form. It has members where it stands for rules of their own.
type form struct {
	Rule
	members []Rule
}

// fewest is how many rules a form stands for at least.
const fewest = 3

var (
	// numbered is a path with its last number, without zeros before it.
	numbered = regexp.MustCompile(`^(.*?)([1-9]\d*)((?:\W\D*)?)$`)
	// placeholder is the name in a rule that stands for many.
	placeholder = regexp.MustCompile(`:[a-z]+`)
)

// New returns the rules with one form in place of all that differ by the number of a proposal
// alone. Published are the paths of the site without a last slash: no form that New finds covers
// one of them, because some hosts ask rules before files. A rule that is a form already stays.
func New(rules []Rule, published map[string]bool) Rules {
	out := Rules{published: published}
	members := map[Rule][]Rule{}
	taken, covered := map[string]bool{}, map[string]bool{}
	for _, r := range rules {
		if r.IsForm() {
			out.forms = append(out.forms, form{Rule: r})
			taken[r.From], covered[r.From] = true, true
			continue
		}
		from, number, ok := formOf(r.From)
		to, same, leads := formOf(r.To)
		if ok && leads && number == same {
			f := Rule{from, to, r.Status}
			members[f] = append(members[f], r)
		}
	}
	// Of two forms of the same paths, the one that stands for more is taken.
	most := slices.SortedFunc(maps.Keys(members), func(a, b Rule) int {
		more := len(members[b]) - len(members[a])
		return cmp.Or(more, cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	for _, f := range most {
		if len(members[f]) < fewest || taken[f.From] || out.publishes(f.Covers) {
			continue
		}
		taken[f.From] = true
		out.forms = append(out.forms, form{f, members[f]})
		for _, r := range members[f] {
			covered[r.From] = true
		}
	}
	out.own = slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return covered[r.From] })
	return out
}

// formOf returns a path in which :n stands for the last number, and that number; ok is false for a
// path without one.
func formOf(s string) (text, number string, ok bool) {
	m := numbered.FindStringSubmatch(s)
	if m == nil {
		return "", "", false
	}
	return m[1] + ":n" + m[3], m[2], true
}

// publishes reports whether one of the published paths is such.
func (r Rules) publishes(such func(path string) bool) bool {
	for at := range r.published {
		if such(at) {
			return true
		}
	}
	return false
}

// All returns the rules in their order: the first that covers a path leads on.
func (r Rules) All() []Rule {
	forms := make([]Rule, len(r.forms))
	for i, f := range r.forms {
		forms[i] = f.Rule
	}
	return slices.Concat(r.own, longestFirst(forms))
}

// longestFirst sorts forms: the part that stands for many takes an ending too, so that
// /EIPS/eip-:n.md comes before /EIPS/eip-:n.
func longestFirst(forms []Rule) []Rule {
	slices.SortStableFunc(forms, func(a, b Rule) int { return len(b.From) - len(a.From) })
	return forms
}

// IsForm reports whether the rule covers more than one path.
func (r Rule) IsForm() bool { return strings.ContainsAny(r.From, ":*") }

// Covers reports whether the rule is one for a path.
func (r Rule) Covers(path string) bool {
	_, ok := r.part(path)
	return ok
}

// For returns the address that the rule has for a path; ok is false if it does not cover that.
func (r Rule) For(path string) (to string, ok bool) {
	part, ok := r.part(path)
	if !ok || !r.IsForm() {
		return r.To, ok
	}
	return placeholder.ReplaceAllLiteralString(r.To, part), ok
}

// part is the part of a path that stands where a form has its name or its *. A last slash of the
// path counts below a /* alone.
func (r Rule) part(path string) (part string, ok bool) {
	if prefix, below := strings.CutSuffix(r.From, "/*"); below {
		part, ok = strings.CutPrefix(path+"/", prefix+"/")
		return strings.TrimSuffix(part, "/"), ok
	}
	at := placeholder.FindStringIndex(r.From)
	if at == nil {
		return "", r.From == path
	}
	part, begins := strings.CutPrefix(strings.TrimSuffix(path, "/"), r.From[:at[0]])
	part, ends := strings.CutSuffix(part, r.From[at[1]:])
	return part, begins && ends && part != "" && !strings.Contains(part, "/")
}
