package plain

import (
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Way describes the path of a proposal through the process, for each kind if kinds differ. It is
// empty if named has no status of the process.
func Way(site mip.Site, named []mip.Standing) string {
	if !slices.ContainsFunc(named, func(s mip.Standing) bool { return s.Stage != "" }) {
		return ""
	}
	var ways []string
	for _, k := range site.Kinds {
		ways = append(ways, course(site.Statuses.Way(k.Prefix)))
	}
	if len(slices.Compact(slices.Clone(ways))) == 1 && ways[0] != "" {
		return "A proposal goes" + ways[0]
	}
	var out []string
	for i, k := range site.Kinds {
		if ways[i] != "" {
			out = append(out, k.Name+" go"+ways[i])
		}
	}
	return strings.Join(out, " ")
}

// course describes the path through statuses, empty for fewer than two.
func course(way []mip.Standing) string {
	var words []string
	for _, s := range way {
		words = append(words, string(s.Status))
	}
	last := len(words) - 1
	if last < 1 {
		return ""
	}
	through := ""
	if last > 1 {
		through = " through " + strings.Join(words[1:last], " and ")
	}
	return " from " + words[0] + through + " to " + words[last] + "."
}
