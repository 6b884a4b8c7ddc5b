package redis_test

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/test/redistest"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// gate lets through what comes after it was opened, or nothing.
type gate struct {
	io.Reader
	opened <-chan error
}

func (g gate) Read(b []byte) (int, error) {
	n, err := g.Reader.Read(b)
	if fault, ok := <-g.opened; ok {
		return 0, fault
	}
	return n, err
}

// become changes what comes through new connections. Those that there are stay as they are.
func (p *proxy) become(fault func(net.Conn) io.Reader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = fault
}

// lateWorld has a question under way, whose answer waits at a gate.
type lateWorld struct {
	*proxy
	*redis.Store
	clock
	open chan error // closed: the answer comes; an error: the connection ends
	got  chan error
}

func newLateWorld(t *testing.T) *lateWorld {
	server := redistest.Start(t)
	w := &lateWorld{proxy: newProxy(t, server.Addr()), open: make(chan error, 1), got: make(chan error, 1)}
	w.Store = openAt(t, "redis://"+w.proxy.Addr().String(), redis.Config{Timeout: patient, Now: w.now})
	w.hang(t)
	return w
}

// hang asks, and returns when the question waits.
func (w *lateWorld) hang(t *testing.T) {
	waits := make(chan struct{})
	w.become(func(c net.Conn) io.Reader {
		close(waits)
		return gate{c, w.open}
	})
	go func() { w.got <- w.ask(t.Context()) }()
	<-waits
	w.become(func(net.Conn) io.Reader { return nil })
}

func (w *lateWorld) ask(ctx context.Context) error {
	_, err := w.Take(ctx, "k", 10, time.Hour)
	return err
}

func (w *lateWorld) is(t *testing.T, down bool) {
	t.Helper()
	if w.Down() != down {
		t.Errorf("it is said to be down: %t, want %t", !down, down)
	}
}

// TestLateAnswer holds that the answer to a question from before a failure says nothing of the present.
func TestLateAnswer(t *testing.T) {
	w := newLateWorld(t)
	if err := w.ask(t.Context()); err == nil {
		t.Error("a connection that is cut gave an answer")
	}
	close(w.open)
	if err := <-w.got; err != nil {
		t.Errorf("the late answer: %v", err)
	}
	w.is(t, true)
}

// TestLateFailure holds that the failure of a question from before another failure says nothing of the present.
func TestLateFailure(t *testing.T) {
	w := newLateWorld(t)
	if err := w.ask(t.Context()); err == nil {
		t.Error("a connection that is cut gave an answer")
	}
	w.become(nil)
	w.rest()
	if err := w.ask(t.Context()); err != nil {
		t.Errorf("when it is back: %v", err)
	}
	w.open <- io.EOF
	if err := <-w.got; err == nil {
		t.Error("the late question has an answer")
	}
	w.is(t, false)
}

// TestOneProbe holds that one question finds out whether a Redis is back, while others fail at once.
func TestOneProbe(t *testing.T) {
	w := newLateWorld(t)
	w.open <- io.EOF
	if err := <-w.got; err == nil {
		t.Error("a connection that is cut gave an answer")
	}
	w.rest()
	w.hang(t)
	before := w.accepted.Load()
	if err := w.ask(t.Context()); err == nil || err.Error() != "redis is down" || w.accepted.Load() != before {
		t.Errorf("beside the probe: %v, %d connections more", err, w.accepted.Load()-before)
	}
	close(w.open)
	if err := <-w.got; err != nil {
		t.Errorf("the probe: %v", err)
	}
	w.is(t, false)
}

// TestCloseMeanwhile closes the store while a question is under way, which says nothing of the Redis.
func TestCloseMeanwhile(t *testing.T) {
	w := newLateWorld(t)
	w.Store.Close()
	w.open <- io.EOF
	if err := <-w.got; err == nil {
		t.Error("the question has an answer")
	}
	w.is(t, false)
}

// muted lets nothing through once it is set.
type muted struct {
	io.Reader
	set *atomic.Bool
}

func (m muted) Read(b []byte) (n int, err error) {
	for n, err = m.Reader.Read(b); err == nil && m.set.Load(); n, err = m.Reader.Read(b) {
	}
	return n, err
}

// TestForgottenConnections has something on the way forget idle connections without ending them: one question fails,
// and no more of them is tried.
func TestForgottenConnections(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	p := newProxy(t, server.Addr())
	var forgotten atomic.Bool
	p.become(func(c net.Conn) io.Reader { return muted{c, &forgotten} })
	var c clock
	s := openAt(t, "redis://"+p.Addr().String(), redis.Config{Timeout: 2 * time.Second, Now: c.now})
	ask := func() error {
		_, err := s.Take(t.Context(), "k", 10, time.Hour)
		return err
	}
	for p.accepted.Load() < 2 {
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() { ask() })
		}
		all.Wait()
	}
	forgotten.Store(true)
	p.become(nil)
	c.rest()
	if err := ask(); err == nil || err.Error() != "no answer in time" {
		t.Errorf("by a connection that is forgotten: %v", err)
	}
	c.rest()
	if err := ask(); err != nil {
		t.Errorf("by another one: %v", err)
	}
}
