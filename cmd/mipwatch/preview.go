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
	"sync/atomic"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/api"
)

// preview is the site in memory, with the sidecar and a script that reloads open pages. One goroutine at a
// time builds; requests are served meanwhile.
type preview struct {
	*server
	// base is the site's address.
	base    string
	sidecar *localSidecar
	watcher *watcher
	texts   build.Rendered
	// sound is true when the site that is served was built without any error.
	sound   bool
	current atomic.Pointer[edition]
	// closing is closed at shutdown and ends every stream of events.
	closing chan struct{}
}

// edition is a site that is served. Editions are counted from 1; a page knows which one it came from.
type edition struct {
	number int
	site   *build.Published
	// replaced is closed when the next edition is served.
	replaced chan struct{}
}

// build reads everything again and serves the result, unless that has errors and a site without any is
// served already. An error means that there is nothing new to serve; it has an exit code.
func (v *preview) build(ctx context.Context) error {
	o, err := v.options(v.env)
	if err != nil {
		return err
	}
	// A change between this and the reading is noticed, and built again.
	if err := v.watcher.watch(o.Folders); err != nil {
		explain(v.stderr, err)
	}
	// Rendered texts are kept between builds, by their contents.
	o.Site.BaseURL, o.Rendered = v.base, &v.texts
	if v.demo {
		o.Notice = demoNotice
	}
	if o.Live, err = v.readSnapshot(); err != nil {
		return err
	}
	progress := newProgress(v.stderr)
	defer progress.clear()
	progress.doing("reading proposals…")
	c, err := v.load(ctx, o)
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
	// Scripts name the edition that they belong to, so that its number is needed before it is served.
	next := &edition{number: 1, replaced: make(chan struct{})}
	last := v.current.Load()
	if last != nil {
		next.number = last.number + 1
	}
	if next.site, err = withReload(plan, next.number).Publish(ctx); err == nil {
		err = v.sidecar.update(ctx, next.site, o.Site.Networks)
	}
	if err != nil {
		return exit(exitWrite, err)
	}
	v.sound = found.Errors == 0
	// The new edition is there before pages reload.
	v.current.Store(next)
	// Streams wake up and send the number of the new edition.
	if last != nil {
		close(last.replaced)
	}
	progress.say("built %s", plural(len(c.Proposals), "proposal"))
	return nil
}

// rebuild builds after a change and prints what stands in the way.
func (v *preview) rebuild(ctx context.Context) {
	// An error leaves the last edition as it is; at the end of the program it is no news.
	e, failed := errors.AsType[*exitError](v.build(ctx))
	if failed && e.err != nil && ctx.Err() == nil {
		explain(v.stderr, e.err)
	}
}

// Routes that the local server adds to the site. Proposals and pages cannot have such an address.
const (
	eventsRoute = "/_mipwatch/events"
	scriptRoute = "/_mipwatch/reload.js"
)

// ServeHTTP answers from the newest edition, by the sidecar, or with what reloads a page.
func (v *preview) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Not by a ServeMux, which redirects paths such as //a: the site has an answer of its own for them.
	switch path := r.URL.Path; {
	case path == eventsRoute:
		v.events(w, r)
	case path == scriptRoute:
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		io.WriteString(w, reloadScript)
	case slices.ContainsFunc(api.Routes(), func(route api.Route) bool { return route.Path == path }):
		v.sidecar.ServeHTTP(w, r)
	default:
		v.current.Load().site.ServeHTTP(w, r)
	}
}

//go:embed reload.js
var reloadScript string

// withReload returns the plan with a line at the end of the site's scripts that loads the reloading one. Pages
// keep the bytes that the CDN would serve. The line works in modules and in classic scripts alike, and does nothing
// in a worker.
func withReload(p *build.Plan, number int) *build.Plan {
	// The line begins with a line feed: the script may end in a comment.
	line := fmt.Sprintf("\n;self.document&&import(%q);\n", scriptRoute+"?build="+strconv.Itoa(number))
	// The plan itself is left alone: a copy with other scripts is published.
	with := *p
	with.Artifacts = slices.Clone(p.Artifacts)
	for i, a := range p.Artifacts {
		if !strings.HasPrefix(a.Route, "/assets/") || !strings.HasSuffix(a.Route, ".js") {
			continue
		}
		changed := &with.Artifacts[i]
		changed.Cache = "no-store" // the name stands for the bytes without the line
		changed.Body = func() ([]byte, error) {
			script, err := a.Body()
			return slices.Concat(script, []byte(line)), err
		}
	}
	return &with
}

// heartbeat keeps the connection from being taken for dead, and finds out when it is.
const heartbeat = 20 * time.Second

// events is a stream of server-sent events (html.spec.whatwg.org, section 9.2): one message as soon as
// another edition than the one in the query is served, and after each later one.
func (v *preview) events(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	// The stream lasts as long as the page is open. A read deadline that passes would end it, too.
	if err := errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})); err != nil {
		http.Error(w, "streaming is not supported", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	// A page without a number reloads at once, which is harmless.
	seen, _ := strconv.Atoi(r.URL.Query().Get("build"))
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	// A comment is no message to the page. It opens the stream.
	message := ": open\n\n"
	for {
		current := v.current.Load()
		if current.number != seen {
			seen = current.number
			message += fmt.Sprintf("data: %d\n\n", seen)
		}
		if _, err := io.WriteString(w, message); err != nil || control.Flush() != nil {
			return
		}
		// Nothing else ends the stream: it has no deadline.
		select {
		case <-current.replaced:
			message = ""
		case <-beat.C:
			message = ": beat\n\n"
		case <-r.Context().Done():
			return
		case <-v.closing:
			return
		}
	}
}
