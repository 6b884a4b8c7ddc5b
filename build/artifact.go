package build

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Artifact is one file of the published tree.
type Artifact struct {
	// Route is the address below the base URL. Empty for files that only the CDN reads.
	Route string
	// Pattern is Route with its variable parts named, such as /mip/{n}/.
	Pattern string
	// File is the slash-separated path in the output folder. It differs from Route where a route
	// cannot be a file because others lie below it.
	File string
	// Type is the media type with its charset.
	Type string
	// Cache is the Cache-Control value.
	Cache string
	// Body writes the bytes. It may be called from any goroutine, and more than once.
	Body func(io.Writer) error

	source string // file of the proposal that the artifact is made from; empty: of several
	index  bool   // names other artifacts, and is written after them: lists, feeds, sitemap, rewrites
	hashed bool   // File holds a hash of the bytes, which cost much: a file of that name has them
}

// Cache-Control values. A CDN keeps what it has until the next deploy; browsers ask again, except
// for assets, whose names change with their content.
const (
	revalidate = "public, max-age=0, must-revalidate"
	immutable  = "public, max-age=31536000, immutable"
)

// Media types of the tree.
const (
	typeHTML     = "text/html; charset=utf-8"
	typeMarkdown = "text/markdown; charset=utf-8"
	typeJSON     = "application/json; charset=utf-8"
	typeProblem  = "application/problem+json; charset=utf-8"
	typeRSS      = "application/rss+xml; charset=utf-8"
	typeText     = "text/plain; charset=utf-8"
)

// Bytes returns the whole content. The error is a [MakeError].
func (a *Artifact) Bytes() ([]byte, error) {
	var b bytes.Buffer
	if err := a.Body(&b); err != nil {
		return nil, a.failed(err)
	}
	return b.Bytes(), nil
}

// bodyOf is the Body of bytes that f makes.
func bodyOf(f func() ([]byte, error)) func(io.Writer) error {
	return func(w io.Writer) error {
		b, err := f()
		if err == nil {
			_, err = w.Write(b)
		}
		return err
	}
}

func fixed(b []byte) func(io.Writer) error {
	return bodyOf(func() ([]byte, error) { return b, nil })
}

func jsonOf(v any) func(io.Writer) error {
	return bodyOf(func() ([]byte, error) { return api.JSON(v) })
}

// MakeError says that an artifact could not be made, whatever the folder is that it was meant for.
type MakeError struct {
	File   string // of the artifact
	Source string // file of the proposal that it is made from; empty: of several
	Err    error
}

func (e *MakeError) Error() string { return fmt.Sprintf("make %s: %v", e.File, e.Err) }

func (e *MakeError) Unwrap() error { return e.Err }

func (a *Artifact) failed(err error) error { return &MakeError{a.File, a.source, err} }

// each calls do for every artifact, on every processor: the leaves first and then, when all of them are done, the
// indexes. Neighbours of one source are done in order by one goroutine, so that they can share its text. The
// first error stops the others and is returned.
func (p *Plan) each(ctx context.Context, do func(*Artifact) error) error {
	if p.versions != nil {
		defer p.versions.Close()
	}
	for _, index := range []bool{false, true} {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(runtime.GOMAXPROCS(0))
		for from := 0; from < len(p.Artifacts); {
			to := from + 1
			for source := p.Artifacts[from].source; source != "" && to < len(p.Artifacts) && p.Artifacts[to].source == source; {
				to++
			}
			neighbours := p.Artifacts[from:to]
			group.Go(func() error { return doAll(ctx, neighbours, index, do) })
			from = to
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// doAll does the artifacts that are indexes, or those that are none.
func doAll(ctx context.Context, artifacts []Artifact, index bool, do func(*Artifact) error) error {
	for i := range artifacts {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if artifacts[i].index != index {
			continue
		}
		if err := do(&artifacts[i]); err != nil {
			return err
		}
	}
	return nil
}

// Trial makes every artifact and keeps none. It returns the problems of the proposals whose artifacts cannot be
// made. The error is ctx's, or a [MakeError] of an artifact that is made from several.
func (p *Plan) Trial(ctx context.Context) ([]mip.Problem, error) {
	var mu sync.Mutex
	var out []mip.Problem
	err := p.each(ctx, func(a *Artifact) error {
		err := a.Body(io.Discard)
		switch {
		case err == nil:
			return nil
		case a.source == "":
			return a.failed(err)
		}
		mu.Lock()
		defer mu.Unlock()
		out = append(out, mip.Problem{Level: mip.Error, Code: "not-rendered", File: a.source, Message: err.Error()})
		return nil
	})
	return mip.SortProblems(out), err
}
