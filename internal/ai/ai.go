// Package ai asks a language model for the summary of a proposal and for its translation, within a
// budget, and accepts nothing of an answer that the proposal does not support.
//
// A question goes through these steps:
//
//  1. [Summarise] or [Translate] writes a [Prompt]. The material is separate from the task, behind
//     a code word that is drawn for each question, so that no text of a proposal can end it.
//  2. [Budget] reserves the highest cost of the question, or refuses it.
//  3. [Client] asks the provider by langchaingo, within a deadline and with at most one retry.
//  4. The JSON object in the answer is decoded strictly and compared with the proposal: by
//     internal/ai/summary for a summary, by passages.go for a passage. A passage that fails is
//     asked for once more, a summary is not.
//
// Every text of a model is untrusted until the last step. A caller gets a whole answer or an error.
//
// The package does not know who asks, what is cached, or where a proposal comes from.
package ai

import (
	"context"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// PromptVersion is part of every cache key of a model's answer. It changes with the prompts, the
// severity floors and the checks, so that no answer outlives the rules that made it.
const PromptVersion = "7"

// Model answers a prompt. It is safe for concurrent use. Its errors explain the failure (time,
// refusal, a cut answer), and this package does not translate them.
type Model interface {
	// Ask returns a reply with an error too. It then has the cost of the question.
	Ask(ctx context.Context, p Prompt) (Reply, error)
}

// Prompt is one question to a [Model].
type Prompt struct {
	// System is the task. It never holds text of a proposal.
	System string
	// User is the material.
	User string
	// MaxTokens bounds the answer. 0 means the model's own bound.
	MaxTokens int
	// JSON requires an answer of one JSON object.
	JSON bool
}

// Reply is the answer of a [Model]. Text is untrusted.
type Reply struct {
	Text string
	// Model is the configured name.
	Model string
	// Tokens is the number of tokens of question and answer. 0 means unknown.
	Tokens int
	// Unbilled means that the provider does not bill a failed question: it was rejected unread, or
	// is Unsent.
	Unbilled bool
	// Unsent means that the question did not reach the provider.
	Unsent bool
}

// leaksPrompt reports whether a text repeats the code word, or eight words of the task in a row
// that are not in its source. White space and letter case do not count.
func leaksPrompt(text, source, task, codeWord string) bool {
	const telling = 8
	same := func(s string) string { return strings.ToLower(mip.Collapse(s)) }
	text, source = same(text), same(source)
	if strings.Contains(text, strings.ToLower(codeWord)) {
		return true
	}
	words := strings.Fields(same(task))
	for i := range len(words) - telling + 1 {
		run := strings.Join(words[i:i+telling], " ")
		if strings.Contains(text, run) && !strings.Contains(source, run) {
			return true
		}
	}
	return false
}
