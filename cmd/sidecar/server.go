package main

import (
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/release"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/environment"
	"github.com/mipwatch/mipwatch/sidecar/follow"
	"github.com/mipwatch/mipwatch/sidecar/knowledge"
)

// server is the process: the handler, what keeps it up to date, and the connections.
type server struct {
	log     *slog.Logger
	site    string // for people
	handler *sidecar.Sidecar
	follow  *follow.Follower
	every   time.Duration // how often it looks
	looks   siteCounts
	client  *http.Client // asks the site for its documents
	began   time.Time
}

// newServer puts the process together. The errors are everything that is wrong with the configuration,
// after those that were found before. Without any, the server is to be closed.
func newServer(f flags, env environment.Environment, errs []error, log *slog.Logger) (*server, []error) {
	s := &server{log: log, began: time.Now(), site: redacted(f.site), client: &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}}}
	networks, err := readNetworks(f)
	if err != nil {
		errs = append(errs, err)
	}
	for _, n := range networks {
		if _, err := env.RPC(n.ID); err != nil {
			errs = append(errs, err)
		}
	}
	source, err := knowledge.Open(f.site, s.client)
	if err != nil {
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	config, build := env.Config(log), release.Current()
	config.Version, config.Revision = build.Version, build.Commit
	if s.handler, err = sidecar.New(config); err != nil {
		return nil, []error{err}
	}
	s.every = interval(f.site)
	s.follow = &follow.Follower{Load: s.looks.load(source.Load), Know: s.looks.know(env.Know(s.handler, networks)), Log: log}
	return s, nil
}

// readNetworks reads the networks of site.yaml, which must be there when it was named.
func readNetworks(f flags) ([]mip.Endpoints, error) {
	config, err := site.Load(f.config)
	if errors.Is(err, fs.ErrNotExist) && !f.named {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return config.Networks, nil
}

// isAddress tells an address from a folder as [knowledge.Open] does.
func isAddress(site string) bool { return strings.Contains(site, "://") }

func interval(site string) time.Duration {
	if isAddress(site) {
		return addressEvery
	}
	return folderEvery
}

// redacted is the site for the log: an address without its password.
func redacted(site string) string {
	if u, err := url.Parse(site); err == nil && isAddress(site) {
		return u.Redacted()
	}
	return site
}

// close ends every fetch.
func (s *server) close() {
	if err := s.handler.Close(); err != nil {
		s.log.Warn("close", "error", err.Error())
	}
	s.client.CloseIdleConnections()
}
