package ai

import (
	"regexp"
	"slices"
	"sync"

	"github.com/mipwatch/mipwatch/internal/strictjson"
)

// thinkingEnd matches the tag behind the thoughts of a model that thinks aloud. The tag before them
// may be missing: some models get it with the question.
var thinkingEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[<\[]/(?:[a-z]+:)?(?:think(?:ing)?|thoughts?|reasoning)\s*[>\]]`)
})

// objects returns the JSON objects in a model's answer, the last one first. The caller takes the
// first one of the form that it asked for, whatever text or code fence stands around it. Thoughts,
// which may hold a draft, are left out: all that stands before the last tag that ends some.
func objects(answer string) [][]byte {
	const most = 16 // an answer of objects without end takes no time
	if ends := thinkingEnd().FindAllStringIndex(answer, -1); ends != nil {
		answer = answer[ends[len(ends)-1][1]:]
	}
	all := strictjson.Objects([]byte(answer))
	all = all[max(len(all)-most, 0):]
	slices.Reverse(all)
	return all
}
