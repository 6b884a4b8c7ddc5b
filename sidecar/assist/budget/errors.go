package budget

import (
	"errors"
	"time"
)

// The kinds of [Error]. Each error is exactly one of them by errors.Is.
var (
	ErrExhausted = errors.New("the budget for the model is used up")
	ErrTooLarge  = errors.New("the question is larger than the budget for the model of a whole day")
)

// The ways in which a budget can be used up, each an [ErrExhausted].
var (
	errMinute  = errors.New("the budget of questions to the model is used up for this minute")
	errDay     = errors.New("the budget of tokens for the model is used up for today")
	errClaimed = errors.New("what is left of today's budget of tokens for the model is set aside for questions under way")
)

// Error is why the model was not asked. Its text is fit for everybody: it says which budget is used up,
// and holds no number.
type Error struct {
	// RetryAfter is when it makes sense to ask again, more than 0 and at most 24 h: there may be budget
	// then. It is 0 with ErrTooLarge: it never makes sense.
	RetryAfter time.Duration

	kind error
}

// Error implements error.
func (e *Error) Error() string { return e.kind.Error() }

// Is tells the kind of an error.
func (e *Error) Is(target error) bool {
	return target == ErrTooLarge && e.kind == ErrTooLarge || target == ErrExhausted && e.kind != ErrTooLarge
}

// Wait is RetryAfter, for callers that do not know whom they ask.
func (e *Error) Wait() time.Duration { return e.RetryAfter }
