package rendertest

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Schedule is the truth about the hard forks of a site, by which texts are judged: a text may state
// only one thing about a fork on a network at a time. Two true sentences do not contradict each
// other.
type Schedule struct {
	Networks []mip.Network
	Forks    []mip.HardFork
}

// Words about the time of a fork, by kind. Between a network's name and its time there are only
// words of between.
const (
	date = `\d{1,2} (?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Oct|Nov|Dec)[a-z]* 2\d{3}(?:, \d\d:\d\d(?::\d\d)? UTC)?|2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\dZ`
	said = `(?P<none>no (?:date|time) yet|has no (?:date|time)|to be set)|(?P<own>not on its own here)|(?P<undated>no (?:date|time) of its own)|` +
		`(?P<first>from the first block|from the start)|(?P<ahead>\bin \d+ (?:minute|hour|day|month|year)s?\b)|(?P<since>\bactive for \d+ \w+)|` +
		`(?P<was>\bwas needed by)|(?P<need>\bneeded by)|(?P<before>\bbefore (?:the hard fork|it) activates)|(?P<date>` + date + `)`
	state = `planned|scheduled|active on [a-z]\w*(?:, [a-z]\w*)*|active|not on its own`
)

// A tab is between cells: only a chain id is between the cells of a network and its time.
var between = regexp.MustCompile(`^(?:[ \n\r:;,.(]|\t(?:\d{5,}|143)\t|\d{5,}|\b143\b|on\b|has\b|activation\b|by\b|was needed by|needed by)*$`)

// Faults returns the false statements of a text about forks at a time. Without a time, for a text
// that is read later, it returns the statements that are false at every time.
func (s Schedule) Faults(text string, now *time.Time) (faults []string) {
	forks, networks := map[string]mip.HardFork{}, map[string]string{}
	for _, f := range s.Forks {
		forks[f.Name] = f
	}
	for _, n := range s.Networks {
		networks[n.ID], networks[n.Name] = n.ID, n.ID
	}
	anyOf := func(names []string) string {
		slices.SortFunc(names, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
		for i := range names {
			names[i] = regexp.QuoteMeta(names[i])
		}
		return `\b(?:` + strings.Join(names, "|") + `)\b`
	}
	fork := anyOf(slices.Collect(maps.Keys(forks)))
	report := func(what string, at int) {
		line := strings.Join(strings.Fields(text[max(0, at-60):min(len(text), at+60)]), " ")
		faults = append(faults, fmt.Sprintf("%s: %q", what, strings.ToValidUTF8(line, "")))
	}
	// Statements about a whole fork.
	whole := regexp.MustCompile(`(?:(?P<next>Next|Latest) upgrade\s+)(?P<word>` + state +
		`)\s+(?P<name>` + fork + `)|` +
		`(?P<of>` + fork + `)\s+(?P<state>` + state +
		`)\b|Live on (?P<on>[a-z]+)(?:, [a-z]+)*\s+(?P<live>` + fork + `)|` +
		`(?P<tense>was\s+)?needed for\s+(?P<for>` + fork + `)`)
	for _, m := range whole.FindAllStringSubmatchIndex(text, -1) {
		part := func(name string) string {
			if i := 2 * whole.SubexpIndex(name); m[i] >= 0 {
				return text[m[i]:m[i+1]]
			}
			return ""
		}
		f := forks[part("name")+part("of")+part("for")+part("live")]
		if now == nil {
			if part("tense")+part("next")+part("state")+part("live") != "" {
				report("not so at every moment", m[0])
			}
			continue
		}
		status := f.StatusAt(s.Networks, func(string) time.Time { return *now })
		over := !slices.ContainsFunc(
			slices.Collect(maps.Values(f.Activation)), func(a mip.Activation) bool {
				return !a.Reached(*now) && !a.Passed(*now)
			})
		switch word := part("word") + part("state"); {
		case word != "" && word != status:
			report(f.Name+" is "+status, m[0])
		case part("live") != "" && !f.Activation[part("on")].Reached(*now) &&
			!f.Activation[part("on")].Passed(*now):
			report(f.Name+" is not live on "+part("on"), m[0])
		case part("for") != "" && (part("tense") != "") != over:
			report(fmt.Sprintf("%s is over: %t", f.Name, over), m[0])
		case part("next") == "Next" && over:
			report(f.Name+" does not come next", m[0])
		}
	}
	// Statements about a fork and a network.
	one := regexp.MustCompile(`(?P<fork>` + fork + `)|(?P<network>` +
		anyOf(slices.Collect(maps.Keys(networks))) + `)|` + said)
	at, network, end := "", "", 0
	for _, m := range one.FindAllStringSubmatchIndex(text, -1) {
		kind, word := "", text[m[0]:m[1]]
		for i, name := range one.SubexpNames() {
			if name != "" && m[2*i] >= 0 {
				kind = name
			}
		}
		gap := text[end:m[0]]
		switch {
		case kind == "fork" && strings.HasSuffix(gap, "("): // another one follows
			continue
		case kind == "fork":
			at, network = word, ""
			continue
		case kind == "network":
			network, end = networks[word], m[1]
			continue
		case kind == "before":
			f, known := forks[at]
			if known && (now == nil ||
				f.StatusAt(s.Networks, func(string) time.Time { return *now }) == "active") {
				report("it is active then", m[0])
			}
			continue
		case at == "" || network == "" || !between.MatchString(gap):
			network = ""
			continue
		}
		if kind == "date" || kind == "none" || kind == "own" || kind == "undated" ||
			kind == "first" {
			end = m[1]
		}
		if a := forks[at].Activation[network]; !holds(kind, word, a, now) {
			report(fmt.Sprintf("%s on %s: %s", at, network, formatActivation(a)), m[0])
		}
	}
	return faults
}

// holds reports whether a statement of a kind is true of an activation.
func holds(kind, word string, a mip.Activation, now *time.Time) bool {
	timed, followed := a.Timestamp != nil, a.FollowedBy != nil
	switch kind {
	case "none":
		return !timed && (!followed || now != nil && !a.Passed(*now))
	case "own":
		return !timed && followed &&
			(now == nil && a.FollowedBy.Timestamp == 0 || now != nil && a.Passed(*now))
	case "undated":
		return !timed && followed
	case "first":
		return timed && *a.Timestamp == 0 || followed && a.FollowedBy.Timestamp == 0
	case "ahead", "since", "was":
		return timed && now != nil && a.Reached(*now) == (kind != "ahead")
	case "need":
		return timed && (now == nil || !a.Reached(*now))
	}
	if !timed {
		return false
	}
	layouts := []string{"2 Jan 2006, 15:04:05 UTC", "2 Jan 2006, 15:04 UTC",
		"2 January 2006, 15:04 UTC", "2 Jan 2006", "2 January 2006", time.RFC3339}
	return slices.ContainsFunc(layouts, func(layout string) bool {
		return a.Time.UTC().Format(layout) == word
	})
}

// formatActivation is an activation in words.
func formatActivation(a mip.Activation) string {
	switch {
	case a.Timestamp != nil:
		return a.Time.UTC().Format(time.RFC3339)
	case a.FollowedBy != nil:
		return "none, followed by " + a.FollowedBy.HardFork + " at " +
			a.FollowedBy.Time.UTC().Format(time.RFC3339)
	}
	return "none"
}
