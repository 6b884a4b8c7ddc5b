package ai

import (
	"errors"
	"net/http"
)

// Failure is a failure of a model that never got to the provider, or for which that wants no tokens.
func Failure(unasked, free bool) error {
	e := &Error{Err: errors.New("no answer"), unasked: unasked}
	if free {
		e.status = http.StatusTooManyRequests
	}
	return e
}
