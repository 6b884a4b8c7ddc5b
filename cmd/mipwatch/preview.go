package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mipwatch/mipwatch/build"
)

// preview is the site in memory: the handler of the newest plan that may be shown. One goroutine at a
// time builds; requests are served meanwhile.
type preview struct {
	*server
	base    string // address of the site
	live    *live
	reloads *reloads
	current atomic.Pointer[build.Published]
	sound   bool // the current plan was built without any error
	watcher *watcher
	texts   build.Rendered
}

func newPreview(s *server, base string, l *live) *preview {
	w, err := newWatcher(s.config, s.live)
	if err != nil {
		// Such as too many watchers on this machine. Serving is of use all the same.
		explain(s.stderr, fmt.Errorf("changes are not noticed: %w", err))
	}
	return &preview{server: s, base: base, live: l, reloads: newReloads(), watcher: w}
}

// build reads everything again and shows the result, unless that has errors and a site without any is
// shown already. An error means that there is nothing new to show; it has an exit code.
func (v *preview) build(ctx context.Context) error {
	o, err := v.options(v.env)
	if err != nil {
		return err
	}
	if err := v.watcher.follow(o.Folders); err != nil {
		explain(v.stderr, err)
	}
	o.Site.BaseURL, o.Rendered = v.base, &v.texts
	if v.demo {
		o.Notice = demoNotice
	}
	if o.Live, err = v.readFigures(); err != nil {
		return err
	}
	progress := newProgress(v.stderr)
	defer progress.clear()
	progress.doing("reading proposals…")
	c, err := v.corpus(ctx, o)
	if err != nil {
		return err
	}
	progress.clear()
	writeText(v.stderr, c.Problems, mostWarnings)
	found := count(c.Problems)
	switch {
	case found.Errors > 0 && v.sound:
		progress.say("%s; the last site without errors is still served", found)
		return exit(exitProblems, nil)
	case len(c.Proposals) == 0:
		progress.say("no sound proposal to serve: %s", found)
		return exit(exitProblems, nil)
	case found.Errors > 0:
		progress.say("only sound proposals are served: %s", found)
	}
	progress.doing("rendering…")
	plan, err := build.NewPlan(c, o)
	if err != nil {
		return exit(exitWrite, err)
	}
	progress.clear()
	writeText(v.stderr, plan.Problems, mostWarnings)
	site, err := v.reloads.include(plan).Publish(ctx)
	if err != nil {
		return exit(exitWrite, err)
	}
	if err := v.live.know(ctx, site, o.Site.Networks); err != nil {
		return exit(exitWrite, err)
	}
	v.sound = found.Errors == 0
	v.current.Store(site)
	v.reloads.next()
	progress.say("built %s", plural(len(c.Proposals), "proposal"))
	return nil
}

// routes serves the plan and, beside it, the sidecar and what reloads a page.
func (v *preview) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+eventsRoute, v.reloads.events)
	mux.HandleFunc("GET "+scriptRoute, v.reloads.script)
	// Not by a mux pattern: the plan has its own idea of what to do with paths such as //a.
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == eventsRoute || r.URL.Path == scriptRoute {
			mux.ServeHTTP(w, r)
			return
		}
		if isLive(r) {
			v.live.ServeHTTP(w, r)
			return
		}
		v.current.Load().ServeHTTP(w, r)
	})
}

// include returns the plan with a line added to the site's scripts that loads the reloading one. Pages
// keep the bytes that the CDN would serve.
func (r *reloads) include(p *build.Plan) *build.Plan {
	with := *p
	with.Artifacts = slices.Clone(p.Artifacts)
	line := r.importLine()
	for i, a := range p.Artifacts {
		if !strings.HasPrefix(a.Route, "/assets/") || !strings.HasSuffix(a.Route, ".js") {
			continue
		}
		changed := &with.Artifacts[i]
		// The name stands for the bytes without the line.
		changed.Cache = "no-store"
		changed.Body = func(w io.Writer) error {
			if err := a.Body(w); err != nil {
				return err
			}
			_, err := io.WriteString(w, line)
			return err
		}
	}
	return &with
}

// again rebuilds after a change and prints what stands in the way.
func (v *preview) again(ctx context.Context) {
	e, failed := errors.AsType[*exitError](v.build(ctx))
	if failed && e.err != nil && ctx.Err() == nil {
		explain(v.stderr, e.err)
	}
}

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
