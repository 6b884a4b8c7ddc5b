package build

import (
	"bytes"
	"io"
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
	// Body appends the bytes to a slice, which may be nil, and returns the longer one: most of what a
	// build makes is written and forgotten, so that a worker can make it all in one place. What it returns
	// is the caller's, to write over. It may be called from any goroutine, more than once, and is nil when
	// Stream is set.
	Body func(to []byte) ([]byte, error)
	// Stream writes the bytes of an artifact that is too large to hold in memory.
	Stream func(io.Writer) error

	phase phase
	// source is the file of the proposal that the artifact is made from; empty: of several.
	source string
	// group ties neighbours together that share costly work: one worker makes them in order.
	group int
	// key is a hash of everything that the bytes follow from, the program included. Empty when the
	// artifact is to be made every time.
	key string
	// release, when set, lets go of what the group shares. Every member of the group has the same.
	release func()
}

// phase orders the writing: a file is written after those that it names.
type phase int

const (
	leaf  phase = iota // pages, texts, assets
	index              // what names leaves: lists, feeds, sitemap, rewrites
	phases
)

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

// Bytes returns the artifact's whole content, whichever way it is made. The error is a [MakeError].
func (a *Artifact) Bytes() ([]byte, error) {
	if a.Stream == nil {
		return a.append(nil)
	}
	var b bytes.Buffer
	err := a.stream(&b)
	return b.Bytes(), err
}

func fixed(b []byte) func([]byte) ([]byte, error) {
	return func(to []byte) ([]byte, error) { return append(to, b...), nil }
}

// made is the Body of what is made elsewhere, and of which there is little.
func made(f func() ([]byte, error)) func([]byte) ([]byte, error) {
	return func(to []byte) ([]byte, error) {
		b, err := f()
		return append(to, b...), err // a copy: b may be shared, and what is returned is written over later
	}
}
