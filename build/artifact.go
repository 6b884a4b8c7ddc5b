package build

import (
	"bytes"
	"fmt"
	"io"

	"github.com/mipwatch/mipwatch/internal/api"
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
	hashed bool   // File holds a hash of the bytes, which cost much: an existing file of that name has them
}

// Bytes returns the whole content. The error is a [MakeError].
func (a *Artifact) Bytes() ([]byte, error) {
	var b bytes.Buffer
	if err := a.Body(&b); err != nil {
		return nil, a.makeError(err)
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

func (a *Artifact) makeError(err error) error { return &MakeError{a.File, a.source, err} }
