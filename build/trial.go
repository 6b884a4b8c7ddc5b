package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// MakeError says that an artifact could not be made, whatever the folder is that it was meant for.
type MakeError struct {
	File   string // of the artifact
	Source string // file of the proposal that it is made from; empty: of several
	Err    error
}

func (e *MakeError) Error() string { return fmt.Sprintf("make %s: %v", e.File, e.Err) }

func (e *MakeError) Unwrap() error { return e.Err }

// problem is the error as one of the proposal.
func (e *MakeError) problem() mip.Problem {
	return mip.Problem{Level: mip.Error, Code: "not-rendered", File: e.Source, Message: e.Err.Error()}
}

// Trial makes every artifact and keeps none. It returns the problems of the proposals whose artifacts cannot be
// made. The error is ctx's, or a [MakeError] of an artifact that is made from several.
func (p *Plan) Trial(ctx context.Context) ([]mip.Problem, error) {
	var mu sync.Mutex
	var out []mip.Problem
	var bodies scratch
	for ph := range phases {
		err := p.each(ctx, ph, func(a *Artifact) error {
			err := a.try(&bodies)
			e, ok := errors.AsType[*MakeError](err)
			if !ok || e.Source == "" {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			out = append(out, e.problem())
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return mip.SortProblems(out), nil
}

// try makes the artifact and forgets it.
func (a *Artifact) try(bodies *scratch) error {
	if a.Stream != nil {
		return a.stream(io.Discard)
	}
	b := bodies.get()
	defer bodies.put(b)
	body, err := a.append(*b)
	if err == nil {
		*b = body
	}
	return err
}

// append is Body, with a [MakeError].
func (a *Artifact) append(to []byte) ([]byte, error) {
	b, err := a.Body(to)
	if err != nil {
		return nil, &MakeError{a.File, a.source, err}
	}
	return b, nil
}

// stream is Stream, with a [MakeError] unless it was w that failed.
func (a *Artifact) stream(w io.Writer) error {
	s := &sink{w: w}
	err := a.Stream(s)
	if err != nil && s.err == nil {
		return &MakeError{a.File, a.source, err}
	}
	return err
}

// sink remembers the first error of a writer.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	if s.err == nil {
		s.err = err
	}
	return n, err
}
