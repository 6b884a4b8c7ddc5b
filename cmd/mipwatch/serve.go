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
	// readTimeout is for the header and the body of a request.
	readTimeout     = 10 * time.Second
	writeTimeout    = 60 * time.Second
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = 5 * time.Second
	// pollInterval is the time between two looks at the files.
	pollInterval = 200 * time.Millisecond
)

// server is one run of the serve command: the site in memory, with the sidecar and a script that reloads open pages.
// One goroutine at a time builds; requests are served meanwhile.
type server struct {
	input
	addr string
	demo bool

	// base is the address of the site.
	base    string
	sidecar *localSidecar
	// cache is kept between builds.
	cache build.Cache
	// sources are those of the newest site.yaml without errors.
	sources []filename.Source
	// logo is the file of the logo that the newest site.yaml names, sound or not; empty: none.
	logo string
	// built is the state of the files at the newest build.
	built string
	// sound is true when the site that is served was built without any error.
	sound   bool
	current atomic.Pointer[edition]
}

// edition is a site that is served. A page knows the name of the one that it came from.
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
	cmd.Flags().BoolVar(&s.demo, "demo", false, "invent forum and chains instead of asking the real ones")
	return cmd
}

// run serves the site until ctx ends, and builds it again after each change. The error has an exit code.
func (s *server) run(ctx context.Context, _ []string) error {
	// The address is taken first: an error about it should not come after a long build.
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.addr)
	if err != nil {
		return exit(exitUsage, fmt.Errorf("--addr: %w", err))
	}
	defer listener.Close()
	// The port is known only now: --addr may leave it open. Links of the site lead to it.
	s.base = "http://" + reachable(listener.Addr())
	if _, err := site.ParseBaseURL(s.base); err != nil {
		return exit(exitUsage, fmt.Errorf("--addr: %s: %w", s.base, err))
	}
	// The sidecar is one for all builds, so that its caches outlive a change of a proposal.
	if s.sidecar, err = startSidecar(s.demo, s.env, s.stderr); err != nil {
		return err
	}
	defer s.sidecar.close()
	if err := s.build(ctx); err != nil {
		return err
	}
	// A server that fails ends the watcher as well, and a build that runs is waited for.
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
// none of its own.
func reachable(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", fmt.Sprint(tcp.Port))
	}
	return a.String()
}

// listen prints the address and answers until ctx ends, and then finishes what is in flight.
func (s *server) listen(ctx context.Context, listener net.Listener) error {
	// Deadlines keep a client that sends nothing from holding a connection for ever.
	srv := &http.Server{
		Handler:           checkOrigin(listener.Addr(), s),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          log.New(s.stderr, "mipwatch: ", 0),
	}
	// The channel has room: nobody reads it after a shutdown.
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listener) }()
	fmt.Fprintf(s.stderr, "mipwatch: serving %s\n", s.base)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	// Requests in flight may end, but for those that take too long.
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if srv.Shutdown(limit) != nil {
		return srv.Close()
	}
	return nil
}

// build reads everything again and serves the result, unless that has errors and a site without any is
// served already. An error means that there is nothing new to serve; it has an exit code.
func (s *server) build(ctx context.Context) error {
	o, err := s.options()
	if o.Site != nil && s.logo != o.Site.LogoFile() {
		// A logo that is refused is looked at again when it changes.
		s.logo = o.Site.LogoFile()
		s.built = s.state()
	}
	if err != nil {
		return err
	}
	s.sources = o.Site.Sources
	// The state is taken before the files are read, so that a later change is built again.
	s.built = s.state()
	o.Site.BaseURL, o.Cache = s.base, &s.cache
	if s.demo {
		o.Notice = demoNotice
	}
	progress := newProgress(s.stderr)
	defer progress.clear()
	c, err := s.load(ctx, o, progress)
	if err != nil {
		return err
	}
	progress.clear()
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
	// The plan is this edition's own, so that its scripts can be changed.
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

// watch builds again after changes, until ctx ends. It asks for the files' times instead of having itself notified:
// that works on every file system, and editors and git change files in many ways. A change counts when nothing has
// changed since the last look, as editors save in several steps. An error leaves the last edition as it is.
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
		// A folder of many files is looked at less often.
		pause = max(pollInterval, 20*time.Since(began))
		if now != s.built && now == last {
			// After an error nothing is built again until something changes.
			s.built = now
			e, failed := errors.AsType[*exitError](s.build(ctx))
			if failed && e.err != nil && ctx.Err() == nil {
				explain(s.stderr, e.err)
			}
		}
		last = now
	}
}

// state is a hash of the names, sizes and times of all files that the site is read from.
func (s *server) state() string {
	h := sha256.New()
	add := func(name string) {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprintln(h, name, info.Size(), info.ModTime().UnixNano())
		}
	}
	add(s.config)
	add(s.logo)
	for _, name := range corpus.Inputs(s.sources) {
		add(name)
	}
	return string(h.Sum(nil))
}

// Routes that the local server adds to the site. Proposals and pages cannot have such an address.
const (
	editionRoute = "/_mipwatch/edition"
	scriptRoute  = "/_mipwatch/reload.js"
)

// reloadScript asks for the name of the edition and reloads the page when that changes.
//
//go:embed reload.js
var reloadScript string

// withReload has the site's scripts load the reloading one. Pages keep the bytes that the CDN would serve. The line
// works in modules and in classic scripts alike, and does nothing in a worker. A script may end in a comment.
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
			// The name stands for the bytes without the line.
			a.Cache = "no-store"
		}
	}
}

// ServeHTTP answers from the newest edition, by the sidecar, or with what reloads a page.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	current := s.current.Load()
	send := func(mediaType, text string) {
		w.Header().Set("Content-Type", mediaType+"; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		io.WriteString(w, text)
	}
	// Not by a ServeMux, which redirects paths such as //a: the site has an answer of its own for them.
	switch path := r.URL.Path; {
	case path == editionRoute:
		send("text/plain", current.name)
	case path == scriptRoute:
		send("text/javascript", reloadScript)
	case slices.ContainsFunc(api.Routes(), func(route api.Route) bool { return route.Path == path }),
		strings.HasPrefix(path, api.ProposalPath) && !current.Has(path):
		s.sidecar.ServeHTTP(w, r)
	default:
		current.ServeHTTP(w, r)
	}
}

// demoNotice stands above every page of a demo.
const demoNotice = "Demo: forum activity and block heights are invented; the proposals are those of the folder."

// localSidecar is the sidecar within this process, and in a demo the hosts behind it.
type localSidecar struct {
	*sidecar.Sidecar
	// demo is nil where the real hosts are asked.
	demo *demo.Network
}

// startSidecar reads the environment for the language model only, and not where the hosts are invented: nothing is
// asked on the network then. The error has an exit code.
func startSidecar(invented bool, env func(string) (string, bool), log io.Writer) (*localSidecar, error) {
	l, program := &localSidecar{}, release.Current()
	// Only warnings are of use beside the lines of the command.
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

// update has the sidecar read a new build, as it would read the published folder.
func (l *localSidecar) update(ctx context.Context, p *build.Published, networks []mip.Endpoints) error {
	site, err := catalog.FromFS(p).Load(ctx)
	if err != nil {
		return fmt.Errorf("read the built site: %w", err)
	}
	// The published documents hold no addresses of nodes.
	site.Endpoints = networks
	// The invented hosts know the topics and networks of the site.
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
