package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/release"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// Limits of the local server.
const (
	headerTimeout = 10 * time.Second
	// readTimeout bounds the header and the body of a request.
	readTimeout     = 10 * time.Second
	writeTimeout    = 60 * time.Second
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = 5 * time.Second
	// pollInterval is the time between two checks of the files.
	pollInterval = 200 * time.Millisecond
)

// server is one run of the serve command: the site in memory, with the sidecar and a script that
// reloads open pages. One goroutine at a time builds, and requests are served concurrently.
type server struct {
	input
	addr string
	demo bool
	// notice is at the top of every page.
	notice string

	// base is the address of the site.
	base    string
	sidecar *localSidecar
	// cache is kept between builds.
	cache build.Cache
	// sources are from the last valid site.yaml.
	sources []filename.Source
	// files are the files that the texts of the last build name.
	files []string
	// logo is the logo file in the newest site.yaml, valid or not. Empty means none.
	logo string
	// built is the state of the files at the last build.
	built string
	// sound is true if the served site was built without errors.
	sound   bool
	current atomic.Pointer[edition]
}

// edition is a served site. Its pages contain its name.
type edition struct {
	*build.Published
	name string
}

// newServe returns the command mipwatch serve.
func newServe(p *program) *cobra.Command {
	s := &server{input: input{program: p}}
	cmd := newCommand("serve", "Serve the site locally and reload it on save", s.run)
	s.add(cmd)
	cmd.Flags().StringVar(&s.addr, "addr", "127.0.0.1:8080", "`address` to listen on")
	cmd.Flags().BoolVar(&s.demo, "demo", false,
		"invent forum and chains instead of asking the real ones")
	return cmd
}

// run serves the site until ctx ends, and rebuilds it after each change. The error has an exit
// code.
func (s *server) run(ctx context.Context, _ []string) error {
	// Listen first: an error about the address should not come after a long build.
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.addr)
	if err != nil {
		return exit(exitUsage, fmt.Errorf("--addr: %w", err))
	}
	defer listener.Close()
	// The port is known only now, since --addr may leave it open. Links of the site contain it.
	s.base = "http://" + reachable(listener.Addr())
	if _, err := site.ParseBaseURL(s.base); err != nil {
		return exit(exitUsage, fmt.Errorf("--addr: %s: %w", s.base, err))
	}
	// All builds share the sidecar, so that its caches survive a change of a proposal.
	if s.sidecar, err = startSidecar(s.demo, s.env, s.stderr); err != nil {
		return err
	}
	defer s.sidecar.close()
	if s.demo {
		s.notice = demoNotice
		var remove func()
		ctx, remove = s.withHistory(ctx)
		defer remove()
	}
	if err := s.build(ctx); err != nil {
		return err
	}
	// If the server fails, end the watcher as well, and wait for a running build.
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { s.watch(ctx) })
	err = s.listen(ctx, listener)
	cancel()
	watching.Wait()
	if err != nil {
		return exit(exitWrite, fmt.Errorf("serve %s: %w", s.base, err))
	}
	return nil
}

// reachable is an address that a browser on this machine can open: a listener on all addresses has
// no single one.
func reachable(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", fmt.Sprint(tcp.Port))
	}
	return a.String()
}

// listen prints the address and serves until ctx ends, and then finishes the requests in flight.
func (s *server) listen(ctx context.Context, listener net.Listener) error {
	// Timeouts keep a silent client from holding a connection forever.
	srv := &http.Server{
		Handler:           checkOrigin(listener.Addr(), s),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          log.New(s.stderr, "mipwatch: ", 0),
	}
	// The channel is buffered: nobody reads it after a shutdown.
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listener) }()
	fmt.Fprintf(s.stderr, "mipwatch: serving %s\n", s.base)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	// Requests in flight may finish within a time limit.
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if srv.Shutdown(limit) != nil {
		return srv.Close()
	}
	return nil
}

// build reads everything again and serves the result. It keeps the last site without errors if the
// new one has any. An error means that there is nothing new to serve. It has an exit code.
func (s *server) build(ctx context.Context) error {
	o, err := s.options()
	if o.Site != nil && s.logo != o.Site.LogoFile() {
		// Check a refused logo again when it changes.
		s.logo = o.Site.LogoFile()
		s.built = s.state()
	}
	if err != nil {
		return err
	}
	s.sources = o.Site.Sources
	// Take the state before reading the files, so that a later change causes a new build.
	s.built = s.state()
	o.Site.BaseURL, o.Cache, o.Notice = s.base, &s.cache, s.notice
	progress := newProgress(s.stderr)
	defer progress.clear()
	c, err := s.load(ctx, o, progress)
	if err != nil {
		return err
	}
	progress.clear()
	// The texts may name other pictures now.
	unchanged := s.built == s.state()
	if s.files = c.Files(); unchanged {
		s.built = s.state()
	}
	found := count(c.Problems)
	if found.Errors > 0 {
		writeText(s.stderr, mip.FoldProblems(c.Problems), mostWarnings)
	}
	switch {
	case found.Errors > 0 && s.sound:
		progress.say("%s; the last site without errors is still served", found)
		return exit(exitProblems, nil)
	case len(c.Proposals) == 0:
		progress.say("no sound proposal to serve: %s", found)
		return exit(exitProblems, nil)
	case found.Errors > 0:
		progress.say("only sound proposals are served: %s", found)
	}
	progress.doing("rendering…")
	// This edition owns the plan, so its scripts can be changed.
	plan, err := build.NewPlan(ctx, c)
	if err != nil {
		return exit(exitWrite, err)
	}
	next := &edition{name: rand.Text()}
	withReload(plan, next.name)
	next.Published = plan.Publish()
	if err := s.sidecar.update(ctx, next.Published, o.Site.Networks); err != nil {
		return exit(exitWrite, err)
	}
	progress.clear()
	problems := plan.LinkProblems()
	if found.Errors == 0 {
		problems = append(problems, c.Problems...)
	}
	writeText(s.stderr, mip.FoldProblems(mip.SortProblems(problems)), mostWarnings)
	// From now on requests are answered from the new edition.
	s.sound = found.Errors == 0
	s.current.Store(next)
	progress.say("built %s", plural(len(c.Proposals), "proposal"))
	return nil
}

// watch rebuilds after changes, until ctx ends. It polls the files' times, since notifications do
// not work on every file system, and editors and git change files in many ways. A change counts
// once nothing has changed since the last check, as editors save in several steps. After an error
// the last edition stays.
func (s *server) watch(ctx context.Context) {
	last, pause := s.built, pollInterval
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		began := time.Now()
		now := s.state()
		// Check a folder with many files less often.
		pause = max(pollInterval, 20*time.Since(began))
		if now != s.built && now == last {
			// After an error nothing is built until something changes.
			s.built = now
			e, failed := errors.AsType[*exitError](s.build(ctx))
			if failed && e.err != nil && ctx.Err() == nil {
				explain(s.stderr, e.err)
			}
		}
		last = now
	}
}

// state is a hash of the names, sizes and times of all files of the site.
func (s *server) state() string {
	h := sha256.New()
	add := func(name string) {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprintln(h, name, info.Size(), info.ModTime().UnixNano())
		}
	}
	add(s.config)
	add(s.logo)
	for _, name := range slices.Concat(s.files, corpus.Inputs(s.sources)) {
		add(name)
	}
	return string(h.Sum(nil))
}

// Routes that the local server adds to the site. Proposals and pages cannot have such an address.
const (
	editionRoute = "/_mipwatch/edition"
	scriptRoute  = "/_mipwatch/reload.js"
)

// reloadScript requests the name of the edition and reloads the page when the name changes.
//
//go:embed reload.js
var reloadScript string

// withReload makes the site's scripts load the reloading one. Pages keep the bytes that the CDN
// serves. The line works in modules and in classic scripts, and does nothing in a worker. It begins
// with a line break, since a script may end in a comment.
func withReload(p *build.Plan, edition string) {
	line := fmt.Appendf(nil, "\n;self.document&&import(%q);\n", scriptRoute+"?edition="+edition)
	for i := range p.Artifacts {
		a := &p.Artifacts[i]
		if strings.HasPrefix(a.Route, "/assets/") && strings.HasSuffix(a.Route, ".js") {
			body := a.Body
			a.Body = func() ([]byte, error) {
				script, err := body()
				return slices.Concat(script, line), err
			}
			// The hash in the name is of the bytes without the line.
			a.Cache = "no-store"
		}
	}
}

// ServeHTTP answers from the newest edition, by the sidecar, or with the reloading script.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	current := s.current.Load()
	send := func(mediaType, text string) {
		w.Header().Set("Content-Type", mediaType+"; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		io.WriteString(w, text)
	}
	// A ServeMux would redirect paths such as //a, for which the site has its own answer.
	switch path := r.URL.Path; {
	case path == editionRoute:
		send("text/plain", current.name)
	case path == scriptRoute:
		send("text/javascript", reloadScript)
	case slices.ContainsFunc(api.Routes(), func(route api.Route) bool {
		return route.Path == path
	}),
		strings.HasPrefix(path, api.ProposalPath) && !current.Has(path):
		s.sidecar.ServeHTTP(w, r)
	default:
		current.ServeHTTP(w, r)
	}
}

// The notices of a demo.
const (
	demoNotice = "Demo: forum activity and block heights are invented; the proposals are those " +
		"of the folder."
	samplesNotice = "Demo: forum activity, block heights and the history of these samples are " +
		"invented."
)

// localSidecar is the sidecar in this process, with its invented hosts in a demo.
type localSidecar struct {
	*sidecar.Sidecar
	// demo is nil if the real hosts are used.
	demo *demo.Network
}

// startSidecar reads only the language model from the environment, and nothing for a demo, which
// makes no network requests. The error has an exit code.
func startSidecar(
	invented bool, env func(string) (string, bool), log io.Writer,
) (*localSidecar, error) {
	l, program := &localSidecar{}, release.Current()
	// Only warnings are useful between the lines of the command.
	c := sidecar.Config{
		Log:     slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Version: program.Version, Revision: program.Commit,
	}
	if invented {
		l.demo = demo.NewNetwork()
		c.Transport = l.demo
	} else {
		var errs []error
		if c.AI, errs = ai.Environment(env); len(errs) > 0 {
			return nil, exit(exitUsage, errors.Join(errs...))
		}
	}
	l.Sidecar = sidecar.New(c)
	return l, nil
}

// update passes a new build to the sidecar, which reads it like a published folder.
func (l *localSidecar) update(
	ctx context.Context, p *build.Published, networks []mip.Endpoints,
) error {
	site, err := catalog.FromFS(p).Load(ctx)
	if err != nil {
		return fmt.Errorf("read the built site: %w", err)
	}
	// The published documents have no RPC addresses.
	site.Endpoints = networks
	// The invented hosts have the topics and networks of the site.
	if l.demo != nil {
		l.demo.Demo(time.Now, site.Site.Site, site.List.MIPs, site.Endpoints)
	}
	return l.Update(site)
}

// close ends the sidecar and the invented hosts.
func (l *localSidecar) close() {
	l.Close()
	if l.demo != nil {
		l.demo.Close()
	}
}
