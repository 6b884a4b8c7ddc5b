// Command api is the live part of a site as a function: on Netlify, which deploys every folder beside
// this one as a function of its name, or on AWS Lambda behind a function URL or an HTTP API of API
// Gateway. It makes requests of events, and a handler of the environment and of the snapshot that it
// carries. It does not know what package sidecar answers.
package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/release"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

const (
	// pollEvery is how often the site is read where the function carries none.
	pollEvery = time.Minute
	// pollTimeout is no longer than an answer may take.
	pollTimeout = 2500 * time.Millisecond
)

// carried is the site as of the deployment; see snapshot/README.md.
//
//go:embed snapshot
var carried embed.FS

// main runs until the platform ends the process. It never ends by itself: see unusable.
func main() {
	variables := sidecar.NewVariables(os.Environ())
	config, errs := sidecar.Environment(variables.Lookup, os.Stdout)
	for _, warning := range variables.Misspelt() {
		config.Log.Warn(warning)
	}
	h := newHandler(config, variables.Names(), errs)
	secure := func(w http.ResponseWriter, r *http.Request) {
		// Browsers are kept to TLS, as netlify.toml does for the files. A function is reached by nothing else.
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		h.ServeHTTP(w, r)
	}
	lambda.Start(&function{handler: http.HandlerFunc(secure), log: config.Log})
}

// newHandler returns the handler of the function. variables are the names of the environment, and errs what is wrong in it. The site is the one that is
// deployed together with the function, if there is any, since no other fits the pages better. Otherwise it is the one
// at URL, which Netlify sets to the site's main address.
func newHandler(config sidecar.Config, variables []string, errs []error) http.Handler {
	var source *catalog.Source
	address := os.Getenv("URL")
	snapshot, err := fs.Sub(carried, "snapshot")
	if err == nil {
		_, err = fs.Stat(snapshot, "api/v1/site.json")
	}
	isCarried := err == nil
	switch {
	case isCarried:
		source = catalog.FromFS(snapshot)
	case address == "":
		errs = append(errs, errors.New("no site: the function was built without "+
			"mipwatch build --snapshot sidecar/function/api/snapshot, and URL does not name one"))
	default:
		if source, err = catalog.Open(address, &http.Client{}); err != nil {
			errs = append(errs, fmt.Errorf("URL: %w", err))
		}
	}
	// All errors are logged at once, so that one deployment mends them.
	if len(errs) > 0 {
		return unusable(errs, config.Log)
	}
	build := release.Current()
	config.Version, config.Revision, config.Function = build.Version, build.Commit, true
	// Netlify sets this variable, which no site can set itself, and names the caller in a field that callers could
	// write anywhere else.
	config.Netlify = os.Getenv("SITE_ID") != ""
	s := sidecar.New(config)
	config.Log.Info("starting",
		"version", build.Version, "commit", build.Commit, "carried", isCarried, "netlify", config.Netlify)
	p := &polling{next: s, poller: catalog.Poller{
		Source: source, Timeout: pollTimeout, Sidecar: s, Lookup: os.LookupEnv, Variables: variables, Log: config.Log,
	}}
	// The platform gives the start of a process more time than an answer.
	p.poll(context.Background())
	switch {
	case !isCarried:
		return p
	case !p.poller.Ready():
		err := errors.New("the snapshot that this function carries cannot be used; build the function again")
		return unusable([]error{err}, config.Log)
	}
	return s
}

// unusable returns the handler of a function that is not configured well. The process goes on: if it ended, the
// platform would start it again and again without a word to its callers.
func unusable(errs []error, log *slog.Logger) http.Handler {
	for _, err := range errs {
		log.Error("configuration", "error", err.Error())
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const detail = "This function is not configured well; its log says what is wrong."
		log.Error("request refused", "reason", "the configuration is wrong, as the start of this log says")
		sidecar.WriteProblem(w, r, api.NewProblem("", api.Internal, "", detail))
	})
}

// polling answers with next and reads the site at the same time, when it is due. An answer waits for that, since the
// process is frozen after it.
type polling struct {
	next http.Handler

	// mu is held while the site is read.
	mu     sync.Mutex
	poller catalog.Poller
	polled time.Time
}

// ServeHTTP implements [http.Handler].
func (p *polling) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var reading sync.WaitGroup
	reading.Go(func() { p.poll(r.Context()) })
	defer reading.Wait()
	p.next.ServeHTTP(w, r)
}

// poll reads the site if that is due and no other request does.
func (p *polling) poll(ctx context.Context) {
	// An answer waits for the site only once, however many requests come at the same time.
	if !p.mu.TryLock() {
		return
	}
	defer p.mu.Unlock()
	// Only the wall clock goes on while a process is frozen.
	if age := time.Now().Round(0).Sub(p.polled); p.poller.Ready() && age >= 0 && age < pollEvery {
		return
	}
	p.poller.Poll(ctx)
	p.polled = time.Now().Round(0)
}
