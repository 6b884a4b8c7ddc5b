package assist

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is used first. All of them take some ten
// milliseconds, which every start of a process would wait for, whether it translates or not.
type pattern func() *regexp.Regexp

// lazily is [regexp.MustCompile] for a package variable.
func lazily(expression string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
