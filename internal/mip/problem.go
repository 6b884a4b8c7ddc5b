package mip

import (
	"cmp"
	"fmt"
	"slices"
)

// Level is the effect of a problem on publication.
type Level string

// The levels, gravest first.
const (
	Error   Level = "error"   // the proposal is not published
	Warning Level = "warning" // published, but something was dropped or read in a lenient way
	Notice  Level = "notice"  // nothing is wrong: a file that is no proposal was skipped, or history is incomplete
)

// Problem is one thing that was found in a proposal's file: an element of Diagnostics.Problems.
type Problem struct {
	Level   Level  `json:"level" doc:"error (not published), warning (published) or notice (skipped)."`
	Code    string `json:"code" doc:"Stable, kebab-case, such as duplicate-number."`
	File    string `json:"file" doc:"Slash-separated path as given to the program."`
	Line    int    `json:"line" doc:"From 1; 0 when the problem concerns the whole file."`
	Message string `json:"message" doc:"What is wrong and what would be right."`
}

// Diagnostics is the body of GET /api/v1/diagnostics.
type Diagnostics struct {
	Problems []Problem `json:"problems" doc:"Sorted by file, line and code."`
}

// String is "file:line: code: message"; the line is left out when it is 0.
func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s: %s", p.File, p.Code, p.Message)
	}
	return fmt.Sprintf("%s:%d: %s: %s", p.File, p.Line, p.Code, p.Message)
}

// SortProblems orders by file, line, code and message, and drops exact repetitions.
func SortProblems(ps []Problem) []Problem {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(ps)
}
