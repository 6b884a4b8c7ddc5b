package main

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/mipwatch/mipwatch/internal/release"
	"github.com/mipwatch/mipwatch/sidecar/knowledge"
	"github.com/mipwatch/mipwatch/sidecar/metrics"
)

// scrapersWaiting is how many silent connections the metrics have room for: they are asked by few.
const scrapersWaiting = 16

// siteCounts are the looks at the site. The zero value is ready.
type siteCounts struct {
	good, bad     atomic.Uint64
	seen, changed atomic.Int64 // when a look last succeeded, and last brought something new: Unix seconds; 0: never
	proposals     atomic.Int64
}

// load counts what next reads, as [follow.Follower] has it.
func (c *siteCounts) load(next func(context.Context) (*knowledge.Knowledge, error)) func(context.Context) (*knowledge.Knowledge, error) {
	return func(ctx context.Context) (*knowledge.Knowledge, error) {
		k, err := next(ctx)
		switch {
		case ctx.Err() != nil: // the process ends
		case err != nil:
			c.bad.Add(1)
		default:
			c.good.Add(1)
			c.seen.Store(time.Now().Unix())
		}
		return k, err
	}
}

// know counts what next takes over.
func (c *siteCounts) know(next func(*knowledge.Knowledge) error) func(*knowledge.Knowledge) error {
	return func(k *knowledge.Knowledge) error {
		if err := next(k); err != nil {
			c.bad.Add(1)
			return err
		}
		c.changed.Store(time.Now().Unix())
		c.proposals.Store(int64(k.List.Count))
		return nil
	}
}

// metrics answers GET /metrics, and nothing else. It is for an address of its own: what it tells is not
// secret, but nobody's business either, and no limit of callers is counted here.
func (s *server) metrics() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		var out metrics.Writer
		s.writeMetrics(&out)
		h := w.Header()
		h.Set("Content-Type", metrics.ContentType)
		h.Set("Content-Length", strconv.Itoa(len(out.Bytes())))
		h.Set("Cache-Control", "no-store")
		w.Write(out.Bytes())
	})
	return mux
}

func (s *server) writeMetrics(w *metrics.Writer) {
	b := release.Current()
	w.Family(metrics.Gauge, "mipwatch_build_info", "The program that runs: version, the commit that it was built from (revision), Go version. Always 1.")
	w.Sample(1, "version", b.Version, "revision", b.Commit, "goversion", b.Go)
	s.handler.WriteMetrics(w)
	s.looks.write(w)
	s.writeProcess(w)
}

func (c *siteCounts) write(w *metrics.Writer) {
	w.Family(metrics.Gauge, "mipwatch_site_proposals", "Proposals that are known.")
	w.Sample(float64(c.proposals.Load()))
	w.Family(metrics.Counter, "mipwatch_site_looks_total", "Looks at the site, by whether it could be read; error also where it could not be taken over.")
	w.Sample(float64(c.good.Load()), "result", "ok")
	w.Sample(float64(c.bad.Load()), "result", "error")
	w.Family(metrics.Gauge, "mipwatch_site_seen_timestamp_seconds", "When a look last succeeded, be it that nothing was new; 0 before the first.")
	w.Sample(float64(c.seen.Load()))
	w.Family(metrics.Gauge, "mipwatch_site_changed_timestamp_seconds", "When a new state of the site was last taken over; 0 before the first.")
	w.Sample(float64(c.changed.Load()))
}
