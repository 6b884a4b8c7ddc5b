// Package redirect combines redirects of similar old addresses into one rule, and writes rules for
// the hosts that support them: Netlify, Cloudflare Pages and Caddy. It does not know which
// addresses a site has or had.
package redirect

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Rule is one rule of `_redirects`. Status 200 serves the file To, 404 serves To with that status,
// and 301 redirects the client.
type Rule struct {
	// From is an exact path or a form. A form has one variable part: a placeholder such as :n for
	// anything up to the next slash, or a trailing /* for everything below.
	From string
	// To is a path or the address of another site. For a form it has the same placeholder, or
	// :splat.
	To     string
	Status int
}

// Rules redirect old addresses. The zero value has none.
type Rules struct {
	// own are the rules for exact paths.
	own   []Rule
	forms []form
	// published are the paths that are in use.
	published map[string]bool
}

// form is a rule for all paths of a form. members are the rules that it replaces.
type form struct {
	Rule
	members []Rule
}

// fewest is the minimum number of rules that a form replaces.
const fewest = 3

const digits = "0123456789"

var (
	// wordStart matches a letter or a line that joins a number.
	wordStart = regexp.MustCompile(`^\w`)
	// placeholder matches the placeholder in a form.
	placeholder = regexp.MustCompile(`:[a-z]+`)
)

// New returns the rules with one form in place of all that differ only by a proposal's number.
// published are the paths of the site without trailing slashes: no form that New creates matches
// one of them, because some hosts apply rules before files. A rule that is already a form is kept.
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
	// Among forms of the same paths, take the one with more members.
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

// formOf returns a path with :n in place of its last number, and that number. ok is false for a
// path without a number, or with a letter behind it.
func formOf(s string) (text, number string, ok bool) {
	end := strings.LastIndexAny(s, digits) + 1
	number = s[len(strings.TrimRight(s[:end], digits)):end]
	number = strings.TrimLeft(number, "0")
	if number == "" || wordStart.MatchString(s[end:]) {
		return "", "", false
	}
	return s[:end-len(number)] + ":n" + s[end:], number, true
}

// publishes reports whether a published path satisfies such.
func (r Rules) publishes(such func(path string) bool) bool {
	for at := range r.published {
		if such(at) {
			return true
		}
	}
	return false
}

// All returns the rules in order of precedence: the first match applies.
func (r Rules) All() []Rule {
	forms := make([]Rule, len(r.forms))
	for i, f := range r.forms {
		forms[i] = f.Rule
	}
	return slices.Concat(r.own, longestFirst(forms))
}

// longestFirst sorts forms by length: a placeholder also matches an extension, so /EIPS/eip-:n.md
// must come before /EIPS/eip-:n.
func longestFirst(forms []Rule) []Rule {
	slices.SortStableFunc(forms, func(a, b Rule) int { return len(b.From) - len(a.From) })
	return forms
}

// IsForm reports whether the rule matches more than one path.
func (r Rule) IsForm() bool { return strings.ContainsAny(r.From, ":*") }

// Covers reports whether the rule matches a path.
func (r Rule) Covers(path string) bool {
	_, ok := r.part(path)
	return ok
}

// For returns the target of the rule for a path. ok is false if the rule does not match.
func (r Rule) For(path string) (to string, ok bool) {
	part, ok := r.part(path)
	if !ok || !r.IsForm() {
		return r.To, ok
	}
	return placeholder.ReplaceAllLiteralString(r.To, part), ok
}

// part is the part of a path that matches the variable part of From. Only /* matches a trailing
// slash.
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
