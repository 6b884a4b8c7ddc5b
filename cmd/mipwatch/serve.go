package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/site"
)

// Limits of the local server.
const (
	headerTimeout   = 10 * time.Second
	readTimeout     = 10 * time.Second // header and body
	writeTimeout    = 60 * time.Second // but for the stream of events
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = 5 * time.Second
)

// server is one run of the serve command.
type server struct {
	*program
	input
	addr string
	demo bool
}

func newServe(p *program) *cobra.Command {
	s := &server{program: p}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the site locally and reload it on save",
		Long: `Build the site in memory and serve it as the CDN would: with its rewrites, header
fields, media types, entity tags and 404 pages. Nothing is written. The live
endpoints are answered too, by the sidecar, from the forum and the nodes that
site.yaml names, and the language model that the environment names; with --demo
from invented ones that need no network and without a model, and every page says
so.

On a loopback address it is for its own pages: other names than localhost and the
address are refused, and no other site's page can read an answer in a browser.

--live puts the figures of a saved answer into the pages, as it does for build.

When a proposal, site.yaml or the file of --live is saved the site is built again and open pages
reload. While a proposal is in error the last site without errors stays; until
there is one, the sound proposals are shown. Links lead to the local address.
` + epochHelp + modelHelp + `
` + exitHelp,
		Example: `  mipwatch serve
  mipwatch serve --demo
  mipwatch serve --addr 127.0.0.1:9000 --proposals MIPs
  mipwatch serve --addr 127.0.0.1:0    # any free port; the address is printed`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	s.add(cmd)
	s.addLive(cmd)
	cmd.Flags().StringVar(&s.addr, "addr", "127.0.0.1:8080", "`address` to listen on")
	cmd.Flags().BoolVar(&s.demo, "demo", false, "invent forum and chains instead of asking the real ones")
	return cmd
}

func (s *server) run(ctx context.Context) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.addr)
	if err != nil {
		return exit(exitUsage, fmt.Errorf("--addr: %w", err))
	}
	defer listener.Close()
	base := "http://" + reachable(listener.Addr())
	if _, err := site.ParseBaseURL(base); err != nil {
		return exit(exitUsage, fmt.Errorf("--addr: %s: %w", base, err))
	}
	live, err := newLive(s.demo, s.env, s.stderr)
	if err != nil {
		return err
	}
	defer live.close()
	v := newPreview(s, base, live)
	defer v.watcher.close()
	if err := v.build(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		v.watcher.run(ctx, func() { v.again(ctx) })
	}()
	err = serveHTTP(ctx, listener, v, func() { fmt.Fprintf(s.stderr, "mipwatch: serving %s\n", base) })
	cancel()
	<-watched
	if err != nil {
		return exit(exitWrite, fmt.Errorf("serve %s: %w", base, err))
	}
	return nil
}

// serveHTTP answers until ctx ends, and then finishes what is in flight.
func serveHTTP(ctx context.Context, listener net.Listener, v *preview, ready func()) error {
	srv := &http.Server{
		Handler:           guarded(listener.Addr(), v.routes()),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          log.New(v.stderr, "mipwatch: ", 0),
	}
	srv.RegisterOnShutdown(v.reloads.close)
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listener) }()
	ready()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err := srv.Shutdown(limit)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close()
	}
	<-failed // http.ErrServerClosed
	return err
}

// reachable is an address that a browser on this machine can open: a listener on all addresses has
// none of its own.
func reachable(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return a.String()
	}
	return net.JoinHostPort("localhost", fmt.Sprint(tcp.Port))
}

// guarded keeps the pages of other sites from what is served on a loopback address: drafts, and questions to a
// model that costs money. A page that is open in the same browser can send requests there. Without a field that
// allows its origin it reads no answer, and what is more than reading is refused. So is a name of its own that
// leads to this machine (DNS rebinding). On other addresses everything is answered as the CDN would.
func guarded(at net.Addr, next http.Handler) http.Handler {
	if tcp, ok := at.(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return next
	}
	refuse := func(detail string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, err := api.JSON(api.Problem{
				Type: "about:blank", Title: "Forbidden", Status: http.StatusForbidden, Detail: detail, Instance: r.URL.EscapedPath(), Code: "forbidden",
			})
			if err != nil {
				http.Error(w, "", http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", "application/problem+json; charset=utf-8")
			w.WriteHeader(http.StatusForbidden)
			w.Write(body)
		}
	}
	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(refuse("This address answers the pages that it serves, and no other site's."))
	inner := sameOrigin.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		browser := r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != ""
		if browser && r.Method != http.MethodOptions { // the answer to a preflight holds nothing, and what follows it is refused
			w = &ownOrigin{w}
		}
		next.ServeHTTP(w, r)
	}))
	foreign := refuse("This address answers as localhost or a loopback address, not under another name.")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLoopback(r.Host) {
			foreign(w, r)
			return
		}
		inner.ServeHTTP(w, r)
	})
}

// isLoopback reports whether a Host names this machine whatever a name server says: RFC 6761, section 6.3.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// ownOrigin takes the leave for other origins out of an answer to a browser: to every browser's request, since
// it may keep an answer that it asked for without an origin and give it to a page that asks with one.
type ownOrigin struct {
	http.ResponseWriter
}

func (o *ownOrigin) WriteHeader(status int) {
	o.Header().Del("Access-Control-Allow-Origin")
	o.ResponseWriter.WriteHeader(status)
}

func (o *ownOrigin) Write(b []byte) (int, error) {
	o.Header().Del("Access-Control-Allow-Origin")
	return o.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (o *ownOrigin) Unwrap() http.ResponseWriter { return o.ResponseWriter }
