package ai

import (
	"regexp"
	"slices"
	"sync"

	"github.com/mipwatch/mipwatch/internal/strictjson"
)

// thinkingEnd matches the tag behind the thoughts of a model. The tag before them may be missing:
// some models get it with the question.
var thinkingEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[<\[]/(?:[a-z]+:)?(?:think(?:ing)?|thoughts?|reasoning)\s*[>\]]`)
})

// objects returns the JSON objects in a model's answer, the last one first. The caller takes the
// first one of the requested form, whatever text or code fence surrounds it. Thoughts may hold a
// draft, so everything before their last end tag is left out.
func objects(answer string) [][]byte {
	const most = 16 // an answer of endless objects takes no time
	if ends := thinkingEnd().FindAllStringIndex(answer, -1); ends != nil {
		answer = answer[ends[len(ends)-1][1]:]
	}
	all := strictjson.Objects([]byte(answer))
	all = all[max(len(all)-most, 0):]
	slices.Reverse(all)
	return all
}
