package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// poll is the result of one reading of the site.
type poll struct {
	x      *Catalog
	load   error
	update error // from Update
}

// script is a site with scripted readings, and the Updater. It ends the polling with the last one.
type script struct {
	polls []poll
	began time.Time
	end   context.CancelFunc

	at    []time.Duration // of each reading
	known []int           // numbers of proposals in the accepted Catalogs
}

func (s *script) Load(context.Context) (*Catalog, error) {
	s.at = append(s.at, time.Since(s.began))
	if len(s.at) == len(s.polls) {
		s.end()
	}
	return s.now().x, s.now().load
}

func (s *script) Update(c *Catalog) error {
	if s.now().update == nil {
		s.known = append(s.known, c.List.Count)
	}
	return s.now().update
}

func (s *script) now() poll { return s.polls[len(s.at)-1] }

// TestRun runs a poller over readings of the site and compares the times of reading, the accepted
// Catalogs and the log.
func TestRun(t *testing.T) {
	one := &Catalog{List: mip.List{Count: 1}}
	two := &Catalog{List: mip.List{Count: 2}, Site: mip.SiteInfo{Commit: new("c0ffee")}}
	away, broken := errors.New("away"), errors.New("broken")
	tests := []struct {
		name  string
		every time.Duration
		polls []poll
		at    []time.Duration
		known []int // numbers of proposals in the accepted Catalogs
		log   []string
	}{
		{"nothing new", time.Minute, []poll{{x: one}, {}, {}, {x: two}},
			[]time.Duration{0, time.Minute, 2 * time.Minute, 3 * time.Minute}, []int{1, 2},
			[]string{"site loaded 1 ", "site loaded 2 c0ffee"}},
		{"comes later", time.Minute, []poll{{load: away}, {load: away}, {x: one}, {}},
			[]time.Duration{0, firstEvery, 2 * firstEvery, 2*firstEvery + time.Minute}, []int{1},
			[]string{"site not loaded away false", "site loaded 1 "}},
		{"errors once", 2 * time.Second,
			[]poll{{x: one}, {load: away}, {load: away}, {load: broken}, {load: broken}, {},
				{load: away}, {}},
			[]time.Duration{0, 2 * time.Second, 4 * time.Second, 6 * time.Second, 8 * time.Second,
				10 * time.Second, 12 * time.Second, 14 * time.Second}, []int{1},
			[]string{"site loaded 1 ", "site not loaded away true", "site not loaded broken true",
				"site not loaded away true"}},
		{"is not taken over at first", time.Minute,
			[]poll{{x: one, update: broken}, {update: broken}, {}},
			[]time.Duration{0, firstEvery, 2 * firstEvery}, []int{1},
			[]string{"site not loaded broken false", "site loaded 1 "}},
		{"is overtaken", time.Minute, []poll{{x: one, update: broken}, {load: away}, {x: two}},
			[]time.Duration{0, firstEvery, 2 * firstEvery}, []int{2},
			[]string{"site not loaded broken false", "site not loaded away false",
				"site loaded 2 c0ffee"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				var log bytes.Buffer
				s := &script{polls: tt.polls, began: time.Now(), end: cancel}
				p := &Poller{Source: s, Sidecar: s, Log: slog.New(slog.NewJSONHandler(&log, nil))}
				p.Run(ctx, tt.every)
				if diff := cmp.Diff(tt.at, s.at); diff != "" {
					t.Errorf("read at (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(tt.known, s.known); diff != "" {
					t.Errorf("took over (-want +got):\n%s", diff)
				}
				// The end interrupts the last poll, whose error is not logged.
				if diff := cmp.Diff(tt.log, lines(t, &log)); diff != "" {
					t.Errorf("logged (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// lines returns the log's messages with their attributes.
func lines(t *testing.T, log *bytes.Buffer) []string {
	t.Helper()
	var out []string
	for dec := json.NewDecoder(log); dec.More(); {
		var l struct {
			Msg, Error, Commit string
			Known              bool
			Proposals          int
		}
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		if l.Msg == "site loaded" {
			out = append(out, fmt.Sprintf("%s %d %s", l.Msg, l.Proposals, l.Commit))
		} else {
			out = append(out, fmt.Sprintf("%s %s %v", l.Msg, l.Error, l.Known))
		}
	}
	return out
}
