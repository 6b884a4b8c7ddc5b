package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/release"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/environment"
	"github.com/mipwatch/mipwatch/sidecar/follow"
	"github.com/mipwatch/mipwatch/sidecar/knowledge"
)

const (
	// lookEvery is how often the site is looked at where the function carries none.
	lookEvery = time.Minute
	// lookTimeout is for one look: no longer than an answer may take.
	lookTimeout = 2500 * time.Millisecond
)

// newHandler puts the function together. errs are what is wrong with the environment.
func newHandler(env environment.Environment, errs []error, snapshot fs.FS, log *slog.Logger) http.Handler {
	source, carried, err := open(env, snapshot)
	if err != nil {
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		return unusable(errs, log)
	}
	config, build := env.Config(log), release.Current()
	config.Version, config.Revision = build.Version, build.Commit
	config.Function = true
	// Netlify sets this variable, which no site can set itself, and names the caller in a field that
	// callers could write anywhere else.
	config.Netlify = env.Get("SITE_ID") != ""
	s, err := sidecar.New(config)
	if err != nil {
		return unusable([]error{err}, log)
	}
	load := func(ctx context.Context) (*knowledge.Knowledge, error) {
		ctx, cancel := context.WithTimeout(ctx, lookTimeout)
		defer cancel()
		return source.Load(ctx)
	}
	log.Info("starting", "version", build.Version, "commit", build.Commit, "carried", carried, "netlify", config.Netlify)
	f := &following{next: s, follow: follow.Follower{Load: load, Know: env.Know(s, nil), Log: log}}
	f.look(context.Background())
	switch {
	case !carried:
		return f
	case !f.follow.Known():
		return unusable([]error{errors.New("the snapshot that this function carries cannot be used; build the function again")}, log)
	}
	return s
}

// open is the site: the one that is deployed together with the function, if there is any, since no other
// fits the pages better; else the one at URL, which Netlify sets to the site's main address.
func open(env environment.Environment, snapshot fs.FS) (source *knowledge.Source, carried bool, err error) {
	if _, err := fs.Stat(snapshot, "api/v1/site.json"); err == nil {
		return knowledge.FromFS(snapshot), true, nil
	}
	address := env.Get("URL")
	if address == "" {
		return nil, false, errors.New("no site: the function was built without mipwatch build --snapshot sidecar/function/api/snapshot, and URL does not name one")
	}
	source, err = knowledge.Open(address, &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}})
	if err != nil {
		err = fmt.Errorf("URL: %w", err)
	}
	return source, false, err
}

// following answers by next and looks at the site beside that, when it is time. Nothing goes on after an
// answer, since the process is frozen then.
type following struct {
	next http.Handler

	mu     sync.Mutex // held while somebody looks
	follow follow.Follower
	looked time.Time
}

func (f *following) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var looking sync.WaitGroup
	looking.Go(func() { f.look(r.Context()) })
	defer looking.Wait()
	f.next.ServeHTTP(w, r)
}

// look looks at the site if it is time and nobody else does.
func (f *following) look(ctx context.Context) {
	if !f.mu.TryLock() {
		return
	}
	defer f.mu.Unlock()
	// A frozen process has no other clock than that on the wall.
	if age := time.Now().Round(0).Sub(f.looked); f.follow.Known() && age >= 0 && age < lookEvery {
		return
	}
	f.follow.Look(ctx)
	f.looked = time.Now().Round(0)
}
