package budget

import (
	"errors"

	"github.com/mipwatch/mipwatch/sidecar/assist"
)

const (
	// bytesPerToken is fewer than proposals have: English has four, hexadecimal digits about two.
	bytesPerToken = 2
	// framing is what a provider adds around the messages, in tokens.
	framing = 64
	// unboundedAnswer is the bound of an answer, in tokens, for which the prompt has none. It is the one
	// that package model sends where the provider wants one.
	unboundedAnswer = 8192
)

// mostTokens is the most that a question and its answer are expected to cost. The system and user texts
// count a token for every two bytes, the answer its bound. Text that no proposal is made of can cost more:
// that is counted when it is known, and makes room for so much less.
func mostTokens(p assist.Prompt) int {
	answer := p.MaxTokens
	if answer < 1 {
		answer = unboundedAnswer
	}
	return (len(p.System)+len(p.User))/bytesPerToken + framing + answer
}

// cost is what a question turned out to cost.
type cost struct {
	tokens  int
	unasked bool // not even a call
}

// judged is what an error can say of the cost.
type judged interface {
	error
	Unasked() bool
	Free() bool
}

func costOf(e entry, reply assist.Reply, err error) cost {
	if j, ok := errors.AsType[judged](err); ok {
		switch {
		case j.Unasked():
			return cost{unasked: true}
		case j.Free():
			return cost{}
		}
	}
	if reply.Tokens > 0 {
		return cost{tokens: reply.Tokens}
	}
	return cost{tokens: e.tokens}
}
