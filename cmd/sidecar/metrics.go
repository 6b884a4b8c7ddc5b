package main

import (
	"net/http"
	"runtime/debug"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"

	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/internal/release"
)

// metrics answers GET /metrics, and nothing else. It is for an address of its own, which has no limit of callers.
func (s *server) metrics() http.Handler {
	// The default registry is a global variable, and has what other packages register in it.
	registry := prometheus.NewRegistry()
	registry.MustRegister(s, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		// After an error the other families are still good.
		families, err := registry.Gather()
		if err != nil {
			s.log.Error("metrics", "error", err.Error())
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
		for _, f := range families {
			if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
				return // the client has gone
			}
		}
	})
	return mux
}

// Describe implements [prometheus.Collector]. It describes nothing, since labels differ within a family.
func (s *server) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (s *server) Collect(ch chan<- prometheus.Metric) {
	w, b := collector(ch), release.Current()
	w.Gauge("mipwatch_build_info", "The program that runs: version, the commit that it was built from (revision), Go version. Always 1.",
		1, "version", b.Version, "revision", b.Commit, "goversion", b.Go)
	s.handler.WriteMetrics(w)
	// The name has the word looks, which alerts of operators use.
	stats := &s.poller.Stats
	w.Gauge("mipwatch_site_proposals", "Proposals of the site.", float64(stats.Proposals.Load()))
	const looks = "Readings of the site, by whether it could be read; error also where it could not be taken over."
	w.Counter("mipwatch_site_looks_total", looks, float64(stats.Succeeded.Load()), "result", "ok")
	w.Counter("mipwatch_site_looks_total", looks, float64(stats.Failed.Load()), "result", "error")
	w.Gauge("mipwatch_site_seen_timestamp_seconds", "When the site could last be read, with or without changes; 0 before the first time.",
		float64(stats.SucceededAt.Load()))
	w.Gauge("mipwatch_site_changed_timestamp_seconds", "When a new state of the site was last taken over; 0 before the first.",
		float64(stats.ChangedAt.Load()))
	// The collectors of the library have this number under another name only.
	var collections debug.GCStats
	debug.ReadGCStats(&collections)
	w.Counter("go_gc_cycles_total", "Collections of garbage.", float64(collections.NumGC))
}

// collector is a [sidecar.MetricWriter] of constant metrics.
type collector chan<- prometheus.Metric

// Counter implements [sidecar.MetricWriter].
func (c collector) Counter(name, help string, value float64, labels ...string) {
	desc, values := describe(name, help, labels)
	c <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, value, values...)
}

// Gauge implements [sidecar.MetricWriter].
func (c collector) Gauge(name, help string, value float64, labels ...string) {
	desc, values := describe(name, help, labels)
	c <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, values...)
}

// Histogram implements [sidecar.MetricWriter].
func (c collector) Histogram(name, help string, d *fetch.Durations, labels ...string) {
	count, sum, buckets := d.Histogram()
	desc, values := describe(name, help, labels)
	c <- prometheus.MustNewConstHistogram(desc, count, sum, buckets, values...)
}

// describe splits labels into the names of a description and their values. It leaves out labels without a value.
func describe(name, help string, labels []string) (desc *prometheus.Desc, values []string) {
	var names []string
	for l := range slices.Chunk(labels, 2) {
		if l[1] != "" {
			names, values = append(names, l[0]), append(values, l[1])
		}
	}
	return prometheus.NewDesc(name, help, names, nil), values
}
