package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// takes is how long a read of slowSite takes.
const takes = 100 * time.Millisecond

// slowSite is a site that records when it is read, and a sidecar that takes it over.
type slowSite struct {
	began time.Time
	polls []time.Duration
	away  bool
}

func (s *slowSite) Load(context.Context) (*catalog.Catalog, error) {
	s.polls = append(s.polls, time.Since(s.began))
	time.Sleep(takes)
	if s.away {
		return nil, errors.New("away")
	}
	return &catalog.Catalog{}, nil
}

func (s *slowSite) Update(*catalog.Catalog) error { return nil }

// TestPolling checks when a function without a snapshot reads its site: during a request and never
// after its answer, at each request until the first success, and then once a minute, however long
// the process was frozen.
func TestPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		site := &slowSite{began: began, away: true}
		p := &polling{
			next:   http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
			poller: catalog.Poller{Log: slog.New(slog.DiscardHandler), Source: site, Sidecar: site},
		}
		var answered []time.Duration
		ask := func(after time.Duration) {
			time.Sleep(after)
			p.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
			answered = append(answered, time.Since(began))
		}
		ask(0)
		ask(time.Second)
		site.away = false
		ask(time.Second)
		ask(time.Second)
		ask(pollEvery - time.Second - time.Millisecond)
		site.away = true
		ask(time.Millisecond)
		ask(time.Second)
		ask(time.Hour)
		want := []time.Duration{0, 1100 * time.Millisecond, 2200 * time.Millisecond,
			62300 * time.Millisecond, 3663400 * time.Millisecond}
		if diff := cmp.Diff(want, site.polls); diff != "" {
			t.Errorf("read at (-want +got):\n%s", diff)
		}
		if last := answered[len(answered)-1]; last != site.polls[len(site.polls)-1]+takes {
			t.Errorf("answered at %v, before the reading of %v was over",
				last, site.polls[len(site.polls)-1])
		}
	})
}
