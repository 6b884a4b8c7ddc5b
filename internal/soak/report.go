package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/api"
)

// The promises that are numbers.
const (
	getBudget = 3 * time.Second
	aiBudget  = 8 * time.Second
	// slack is what a single answer may take beyond that on a machine which has other things to do; the
	// slowest of a hundred has none.
	slack = time.Second

	mostMemory = 512 << 20 // bytes
	mostFiles  = 600       // twice the callers, each host's connections, and as many again
	// Memory may be so much more in the last quarter of a run than in its second one.
	growthFactor, growthBytes = 1.2, 16 << 20
)

// report is what was seen, and which promises were broken. It is safe for concurrent use while the load runs.
type report struct {
	options options
	base    sample // before the load
	last    sample // when all had settled
	samples []sample
	met     []meeting

	routes map[string]bool // that are told one by one

	mu     sync.Mutex
	broken []string
	more   int // broken promises that are not listed any more
	counts map[string]int
	times  map[string][]time.Duration
	tags   map[string]string
}

// meeting is how many requests met a fault.
type meeting struct {
	host, fault string
	n           int
}

func newReport(o options) *report {
	r := &report{options: o, routes: map[string]bool{"/healthz": true, "/readyz": true}, counts: map[string]int{}, times: map[string][]time.Duration{}, tags: map[string]string{}}
	for _, route := range api.Routes() {
		r.routes[route.Path] = true
	}
	return r
}

// broke notes that a promise was broken.
func (r *report) broke(format string, args ...any) {
	const most = 40
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.broken) >= most {
		r.more++
		return
	}
	r.broken = append(r.broken, fmt.Sprintf(format, args...))
}

func (r *report) count(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[what]++
}

// took notes how long an answer took.
func (r *report) took(route string, d time.Duration) {
	if !r.routes[route] {
		route = "other"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times[route] = append(r.times[route], d)
}

// tag is the entity tag that an address had last.
func (r *report) tag(path string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tags[path]
}

func (r *report) keepTag(path, tag string) {
	if tag == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	const most = 1000
	if len(r.tags) >= most {
		clear(r.tags)
	}
	r.tags[path] = tag
}

// budgetOf is how long an answer may take.
func budgetOf(route string) time.Duration {
	if strings.HasPrefix(route, "/api/ai-") {
		return aiBudget
	}
	return getBudget
}

// judge holds the numbers to the promises.
func (r *report) judge() {
	for _, route := range slices.Sorted(maps.Keys(r.times)) {
		t := r.times[route]
		slices.Sort(t)
		budget := budgetOf(route)
		if r.options.budgets && (at(t, 0.99) > budget || t[len(t)-1] > budget+slack) {
			r.broke("time: %s takes %v at p99 and %v at most, want %v", route, at(t, 0.99), t[len(t)-1], budget)
		}
	}
	peak := highest(r.samples, func(s sample) float64 { return s.resident })
	if peak > mostMemory {
		r.broke("memory: %.0f MiB, want at most %d", peak/(1<<20), mostMemory>>20)
	}
	if files := highest(r.samples, func(s sample) float64 { return s.files }); files > mostFiles {
		r.broke("files: %.0f are open, want at most %d", files, mostFiles)
	}
	if r.options.duration < whole {
		return
	}
	if early, late := r.trend(); late > growthFactor*early+growthBytes {
		r.broke("memory: it grows from %.0f to %.0f MiB", early/(1<<20), late/(1<<20))
	}
	for _, m := range r.met {
		if m.n == 0 {
			r.broke("the soak itself: nothing met the fault %q of the %s", m.fault, m.host)
		}
	}
}

// trend is the memory of the second quarter and of the last one, each in the middle.
func (r *report) trend() (early, late float64) {
	middle := func(s []sample) float64 {
		var all []float64
		for _, one := range s {
			all = append(all, one.resident)
		}
		slices.Sort(all)
		if len(all) == 0 {
			return 0
		}
		return all[len(all)/2]
	}
	quarter := len(r.samples) / 4
	return middle(r.samples[quarter : 2*quarter]), middle(r.samples[3*quarter:])
}

func highest(all []sample, of func(sample) float64) (most float64) {
	for _, s := range all {
		most = max(most, of(s))
	}
	return most
}

// at is a quantile of sorted times.
func at(sorted []time.Duration, q float64) time.Duration {
	return sorted[int(q*float64(len(sorted)-1))]
}

// print writes the report.
func (r *report) print(to io.Writer) {
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "answers\tp50\tp99\tmost\tbudget\troute\t")
	for _, route := range slices.Sorted(maps.Keys(r.times)) {
		d := r.times[route]
		fmt.Fprintf(t, "%d\t%v\t%v\t%v\t%v\t%s\t\n", len(d), at(d, 0.5).Round(time.Microsecond), at(d, 0.99).Round(time.Millisecond), d[len(d)-1].Round(time.Millisecond), budgetOf(route), route)
	}
	t.Flush()
	for _, what := range slices.Sorted(maps.Keys(r.counts)) {
		fmt.Fprintf(to, "%8d  %s\n", r.counts[what], what)
	}
	fmt.Fprintln(to, "requests that met a fault:")
	for _, m := range r.met {
		fmt.Fprintf(to, "%8d  %s %s\n", m.n, m.host, m.fault)
	}
	early, late := r.trend()
	fmt.Fprintf(to, "memory: %.0f MiB before, %.0f at most, %.0f in the second quarter, %.0f in the last, %.0f after\n", r.base.resident/(1<<20),
		highest(r.samples, func(s sample) float64 { return s.resident })/(1<<20), early/(1<<20), late/(1<<20), r.last.resident/(1<<20))
	fmt.Fprintf(to, "goroutines: %.0f before, %.0f at most, %.0f after\n", r.base.goroutines, highest(r.samples, func(s sample) float64 { return s.goroutines }), r.last.goroutines)
	fmt.Fprintf(to, "files: %.0f before, %.0f at most, %.0f after\n", r.base.files, highest(r.samples, func(s sample) float64 { return s.files }), r.last.files)
	for _, b := range r.broken {
		fmt.Fprintln(to, "BROKEN  "+b)
	}
	if r.more > 0 {
		fmt.Fprintf(to, "BROKEN  and %d more\n", r.more)
	}
	if len(r.broken) == 0 {
		fmt.Fprintln(to, "every promise was kept")
	}
}
