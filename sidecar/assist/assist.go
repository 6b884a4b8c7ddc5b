// Package assist says what a proposal means and how it reads in another language, made from its text
// by rules or by a model and checked against the text. It does not know HTTP, any provider, the
// environment or a cache.
package assist

import (
	"context"
	"errors"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// PromptVersion is part of every key under which a model's answer is kept. It changes with the
// prompts, the severity floors and the checks, so that no answer outlives the rules it was made by.
const PromptVersion = "2"

// ErrFailed is wrapped by every error for an answer that breaks the rules. The text around it says for
// the log which rule, and never repeats what the model wrote.
var ErrFailed = errors.New("the model gave no usable answer")

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
