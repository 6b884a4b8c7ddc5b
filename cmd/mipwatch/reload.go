package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// What the local server adds to the site. Proposals and pages cannot have such an address.
const (
	eventsRoute = "/_mipwatch/events"
	scriptRoute = "/_mipwatch/reload.js"
)

// heartbeat keeps the connection from being taken for dead, and finds out when it is.
const heartbeat = 20 * time.Second

//go:embed reload.js
var reloadScript string

// reloads tells open pages that a newer build is served. Builds are counted; a page knows which one
// it came from.
type reloads struct {
	mu      sync.Mutex
	build   int
	changed chan struct{} // closed when build grows
	done    chan struct{} // closed at shutdown
	once    sync.Once
}

func newReloads() *reloads {
	return &reloads{changed: make(chan struct{}), done: make(chan struct{})}
}

func (r *reloads) state() (int, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.build, r.changed
}

// next counts a build and wakes every page.
func (r *reloads) next() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.build++
	close(r.changed)
	r.changed = make(chan struct{})
}

// close ends every stream of events. It may be called more than once.
func (r *reloads) close() { r.once.Do(func() { close(r.done) }) }

// importLine is for the scripts of the build that next will count. It works in modules and in classic
// scripts alike, and does nothing in a worker.
func (r *reloads) importLine() string {
	n, _ := r.state()
	return fmt.Sprintf("\n;self.document&&import(%q);\n", scriptRoute+"?build="+strconv.Itoa(n+1))
}

func (r *reloads) script(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	io.WriteString(w, reloadScript)
}

// events is a stream of server-sent events (html.spec.whatwg.org, section 9.2): one message as soon as
// another build than the one in the query is served, and after each later build.
func (r *reloads) events(w http.ResponseWriter, req *http.Request) {
	control := http.NewResponseController(w)
	// The stream lasts as long as the page is open. A read deadline that passes would end it, too.
	if err := errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})); err != nil {
		http.Error(w, "streaming is not supported", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	seen, _ := strconv.Atoi(req.URL.Query().Get("build"))
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	message := ": open\n\n"
	for {
		current, changed := r.state()
		if current != seen {
			message += fmt.Sprintf("data: %d\n\n", current)
			seen = current
		}
		if _, err := io.WriteString(w, message); err != nil || control.Flush() != nil {
			return
		}
		select {
		case <-changed:
			message = ""
		case <-beat.C:
			message = ": beat\n\n"
		case <-req.Context().Done():
			return
		case <-r.done:
			return
		}
	}
}
