// Package ai says what a proposal means and how it reads in another language, made from its text by rules or
// by a model and checked against the text. It does not know who asks, what is cached, or where a proposal comes
// from.
package ai

import (
	"context"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// PromptVersion is part of every key under which a model's answer is kept. It changes with the
// prompts, the severity floors and the checks, so that no answer outlives the rules it was made by.
const PromptVersion = "3"

// Model answers a prompt. It is safe for concurrent use. Its errors are handed on as they are: what
// went wrong on the way (time, refusal, a cut answer) is for the implementation to say.
type Model interface {
	Ask(ctx context.Context, p Prompt) (Reply, error)
}

// Prompt is one question to a [Model].
type Prompt struct {
	System    string // the task; never holds text of a proposal
	User      string // the material
	MaxTokens int    // bound of the answer; 0: the model's own
	JSON      bool   // the answer must be one JSON object
}

// Reply is what a [Model] answered. Text is untrusted.
type Reply struct {
	Text   string
	Model  string // the model's name as configured
	Tokens int    // of question and answer; 0: unknown
}

// Subject is the proposal that a summary speaks of, with what is known around it.
type Subject struct {
	Proposal *mip.Proposal   // required; not changed
	Bundled  []*mip.Proposal // for the meta proposal of a hard fork: what the fork bundles, ascending; not changed
	Fork     *mip.HardFork   // the fork that bundles the proposal or whose meta proposal it is; nil: none
	Now      time.Time       // becomes generatedAt
}

// ForkOf is the hard fork of a [Subject]: the one that bundles a proposal or whose meta proposal it is,
// nil when there is none. Of several it is the one that the proposal's own hardfork names, else the first.
func ForkOf(p mip.Summary, forks []mip.HardFork) *mip.HardFork {
	var found *mip.HardFork
	for i := range forks {
		f := &forks[i]
		if !IsMeta(p, f) && !slices.Contains(f.BundledMIPs, p.Number) {
			continue
		}
		if p.Hardfork != nil && *p.Hardfork == f.Name {
			return f
		}
		if found == nil {
			found = f
		}
	}
	return found
}

// IsMeta reports whether a proposal is the meta proposal of a fork, whose [Subject] has the bundled
// proposals. A nil fork has none.
func IsMeta(p mip.Summary, f *mip.HardFork) bool {
	return f != nil && f.MetaMIP != nil && *f.MetaMIP == p.Number
}

// pattern is a regular expression that is compiled when it is used first. All of them take some ten
// milliseconds, which every start of a process would wait for, whether it translates or not.
type pattern func() *regexp.Regexp

// lazily is [regexp.MustCompile] for a package variable.
func lazily(expression string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
