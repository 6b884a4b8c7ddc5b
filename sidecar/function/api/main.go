// Command api is the live part of a site as a function: on Netlify, which deploys every folder
// beside this one as a function of its name, or on AWS Lambda behind a function URL or an HTTP API
// of API Gateway. It turns events into requests, and creates the handler from the environment and
// the snapshot that it carries. It does not know what package sidecar answers.
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
	// pollEvery is how often the site is read if the function carries none.
	pollEvery = time.Minute
	// pollTimeout bounds one read of the site. It is less than an answer may take.
	pollTimeout = 2500 * time.Millisecond
)

// carried is the site at the time of deployment; see snapshot/README.md.
//
//go:embed snapshot
var carried embed.FS

// main runs until the platform ends the process. It never exits by itself: see unusable.
func main() {
	variables := sidecar.NewVariables(os.Environ())
	config, errs := sidecar.Environment(variables.Lookup, os.Stdout)
	for _, warning := range variables.Misspelled() {
		config.Log.Warn(warning)
	}
	h := newHandler(config, variables.Names(), errs)
	secure := func(w http.ResponseWriter, r *http.Request) {
		// Restrict browsers to TLS, as netlify.toml does for the files. A function has no other
		// place to set this.
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		h.ServeHTTP(w, r)
	}
	lambda.Start(&function{handler: http.HandlerFunc(secure), log: config.Log})
}

// newHandler returns the handler of the function. variables are the names of the environment, and
// errs its errors. The site is the one that is deployed with the function, if there is one, since
// it fits the pages best. Otherwise it is read from URL, which Netlify sets to the site's main
// address.
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
	// Log all errors at once, so that one deployment can fix them.
	if len(errs) > 0 {
		return unusable(errs, config.Log)
	}
	build := release.Current()
	config.Version, config.Revision, config.Function = build.Version, build.Commit, true
	// Netlify sets this variable, which no site can set itself. Its caller field is trusted only
	// there, since elsewhere callers could forge it.
	config.Netlify = os.Getenv("SITE_ID") != ""
	s := sidecar.New(config)
	config.Log.Info("starting",
		"version", build.Version, "commit", build.Commit, "carried", isCarried,
		"netlify", config.Netlify)
	p := &polling{next: s, poller: catalog.Poller{
		Source: source, Timeout: pollTimeout, Sidecar: s, Lookup: os.LookupEnv,
		Variables: variables, Log: config.Log,
	}}
	// The platform allows more time for the start of a process than for an answer.
	p.poll(context.Background())
	switch {
	case !isCarried:
		return p
	case !p.poller.Ready():
		err := errors.New("the snapshot that this function carries cannot be used; build the " +
			"function again")
		return unusable([]error{err}, config.Log)
	}
	return s
}

// unusable returns the handler of a misconfigured function. The process keeps running: if it
// exited, the platform would restart it again and again, and callers would get no explanation.
func unusable(errs []error, log *slog.Logger) http.Handler {
	for _, err := range errs {
		log.Error("configuration", "error", err.Error())
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const detail = "This function is misconfigured; its log names the mistake."
		log.Error("request refused", "reason",
			"the configuration is wrong: see the start of this log")
		sidecar.WriteProblem(w, r, api.NewProblem("", api.Internal, "", detail))
	})
}

// polling answers with next and reads the site concurrently when it is due. An answer waits for the
// read, since the process is frozen after it.
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

// poll reads the site if it is due and no other request is reading it.
func (p *polling) poll(ctx context.Context) {
	// Only one of several concurrent requests waits for the site.
	if !p.mu.TryLock() {
		return
	}
	defer p.mu.Unlock()
	// Only the wall clock advances while a process is frozen.
	if age := time.Now().Round(0).Sub(p.polled); p.poller.Ready() && age >= 0 && age < pollEvery {
		return
	}
	p.poller.Poll(ctx)
	p.polled = time.Now().Round(0)
}
