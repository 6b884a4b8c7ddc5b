package model

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mipwatch/mipwatch/sidecar/assist"
)

// Lazy is an [assist.Model] that is made when it is asked first, so that a process which is never asked
// pays nothing. It is safe for concurrent use.
type Lazy struct {
	name  string
	err   error
	build func() (*Model, error)
	built atomic.Pointer[Model]
}

// NewLazy returns the model that [New] would make of c. It makes no client and asks nothing. Close it
// after use.
func NewLazy(c Config) *Lazy {
	l := &Lazy{name: c.Name, err: c.check()}
	l.build = sync.OnceValues(func() (*Model, error) {
		m, err := New(c)
		l.built.Store(m)
		return m, err
	})
	return l
}

// Err is the error of [New]: what is wrong with the configuration, nil when nothing is. It names the
// variables and may be shown.
func (l *Lazy) Err() error { return l.err }

// Name is the model's name, as replies have it.
func (l *Lazy) Name() string { return l.name }

// Ask asks the model as [Model.Ask] does. When the configuration is wrong the error is [ErrUnavailable].
func (l *Lazy) Ask(ctx context.Context, p assist.Prompt) (assist.Reply, error) {
	m, err := l.build()
	if err != nil {
		return assist.Reply{Model: l.name}, &Error{Kind: ErrUnavailable, reason: strings.ReplaceAll(err.Error(), "\n", ", "), unasked: true}
	}
	return m.Ask(ctx, p)
}

// Close closes idle connections, if the model was ever asked.
func (l *Lazy) Close() {
	if m := l.built.Load(); m != nil {
		m.Close()
	}
}
