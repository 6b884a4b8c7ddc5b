// Package problem has the level and the message of each problem of a folder of proposals, by id,
// and collects the problems of one file. It does not know how problems are found.
package problem

import (
	_ "embed" // problems.txt
	"fmt"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Report collects the problems of one file.
type Report struct {
	// File is the path of the file in problems.
	File string
	// Problems are in the order of their discovery.
	Problems []mip.Problem
	// Failed is true if one of them is an error.
	Failed bool
}

// Add adds a problem of a line, counted from 1. Line 0 means the whole file. The id is from
// problems.txt, which has its level and message.
func (r *Report) Add(line int, id string, args ...any) {
	p := New(r.File, line, id, args...)
	r.Failed = r.Failed || p.Level == mip.Error
	r.Problems = append(r.Problems, p)
}

// New returns a problem of problems.txt by its id. line is counted from 1, and 0 means the whole
// file. args are the arguments of the message.
func New(file string, line int, id string, args ...any) mip.Problem {
	m := messages()[id]
	p := mip.Problem{Level: m.level, Code: m.code, File: file, Line: line,
		Message: mip.Escape(fmt.Sprintf(m.format, args...))}
	if m.folded {
		p.Cause = mip.Escape(fmt.Sprint(args[0]))
	}
	return p
}

// Put adds a problem with a message of its own. An error sets Failed.
func (r *Report) Put(level mip.Level, line int, code, message string) {
	r.Failed = r.Failed || level == mip.Error
	r.Problems = append(r.Problems,
		mip.Problem{Level: level, Code: code, File: r.File, Line: line,
			Message: mip.Escape(message)})
}

// message is a line of problems.txt.
type message struct {
	level        mip.Level
	code, format string
	// folded means that the first argument is the cause: see [mip.Problem].
	folded bool
}

//go:embed problems.txt
var problemsText string

// messages are the problems by id: the code, and the word after it if there is one.
var messages = sync.OnceValue(func() map[string]message {
	out := map[string]message{}
	for line := range strings.Lines(problemsText) {
		level, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		id, format, ok := strings.Cut(rest, " ")
		if code, _, _ := strings.Cut(id, "/"); ok && level != "#" {
			name, folded := strings.CutSuffix(level, "*")
			out[id] = message{mip.Level(name), code, format, folded}
		}
	}
	return out
})

// mostAlike bounds the reported problems of one code in one file: a header can have thousands.
const mostAlike = 25

// Most returns the first mostAlike problems of each code, with the number of further ones.
func (r *Report) Most() (out []mip.Problem) {
	count, seen := map[string]int{}, map[string]int{}
	for _, p := range r.Problems {
		count[p.Code]++
	}
	for _, p := range r.Problems {
		seen[p.Code]++
		if more := count[p.Code] - mostAlike; more > 0 && seen[p.Code] == mostAlike {
			p.Message += fmt.Sprintf("; and %d more of this code in the file", more)
		}
		if seen[p.Code] <= mostAlike {
			out = append(out, p)
		}
	}
	return out
}
