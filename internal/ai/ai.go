// Package ai asks a language model for the summary of a proposal and for its translation, within a budget, and takes
// nothing of an answer that the proposal does not support.
//
// A question goes through these steps:
//
//  1. [Summarise] or [Translate] writes a [Prompt]. The material stands apart from the task, behind a code word that is
//     drawn for each question, so that no text of a proposal can end it.
//  2. [Budget] sets the most aside that the question may cost, or refuses it.
//  3. [Client] asks the provider by langchaingo, within a deadline and with one retry at the most.
//  4. The JSON object in the answer is read strictly, and compared with the proposal: internal/ai/summary for a
//     summary, passages.go for a passage. A translation's passage that fails is asked for once more, a summary is not.
//
// Every text of a model is untrusted until the last step. A caller gets all of an answer or an error.
//
// It does not know who asks, what is cached, or where a proposal comes from.
package ai

import (
	"context"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// PromptVersion is part of every key under which a model's answer is kept. It changes with the prompts, the severity
// floors and the checks, so that no answer outlives the rules by which it was made.
const PromptVersion = "7"

// Model answers a prompt. It is safe for concurrent use. Its errors say what went wrong on the way (time,
// refusal, a cut answer), and nothing here translates them.
type Model interface {
	// Ask returns a reply with an error too. It then has what the question cost.
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
	// JSON says that the answer must be one JSON object.
	JSON bool
}

// Reply is what a [Model] answered. Text is untrusted.
type Reply struct {
	Text string
	// Model is the name as configured.
	Model string
	// Tokens are those of question and answer. 0 means unknown.
	Tokens int
	// Unbilled says that the provider wants nothing for a question that failed. It was turned away unread, or Unsent.
	Unbilled bool
	// Unsent says that the question never got to the provider.
	Unsent bool
}

// leaksPrompt reports whether a text repeats the code word, or eight words of the task in a row that its source has
// not. White space and letter case do not count.
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
