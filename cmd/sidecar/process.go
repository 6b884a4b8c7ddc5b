package main

import (
	"bytes"
	"math"
	"os"
	runtimemetrics "runtime/metrics"
	"strconv"
	"syscall"

	"github.com/mipwatch/mipwatch/sidecar/metrics"
)

// writeProcess tells of the process, by the names that Prometheus' own libraries use. What only Linux's /proc
// knows is left out elsewhere.
func (s *server) writeProcess(w *metrics.Writer) {
	for _, m := range [...]struct {
		runtime    string
		kind       metrics.Kind
		name, help string
	}{
		{"/sched/goroutines:goroutines", metrics.Gauge, "go_goroutines", "Goroutines that exist."},
		{"/memory/classes/heap/objects:bytes", metrics.Gauge, "go_memstats_heap_alloc_bytes", "Bytes of objects that are alive or not swept yet."},
		{"/memory/classes/total:bytes", metrics.Gauge, "go_memstats_sys_bytes", "Bytes of memory that the Go runtime has mapped."},
		{"/gc/heap/allocs:bytes", metrics.Counter, "go_memstats_alloc_bytes_total", "Bytes that were ever allocated on the heap."},
		{"/gc/cycles/total:gc-cycles", metrics.Counter, "go_gc_cycles_total", "Collections of garbage."},
	} {
		sample := []runtimemetrics.Sample{{Name: m.runtime}}
		runtimemetrics.Read(sample)
		if sample[0].Value.Kind() == runtimemetrics.KindUint64 {
			w.Family(m.kind, m.name, m.help)
			w.Sample(float64(sample[0].Value.Uint64()))
		}
	}
	w.Family(metrics.Gauge, "process_start_time_seconds", "When the process began, in Unix seconds.")
	w.Sample(float64(s.began.UnixMilli()) / 1000)
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		w.Family(metrics.Gauge, "process_open_fds", "Files and connections that are open.")
		w.Sample(float64(len(fds) - 1)) // without the folder that was just read
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil {
		most := float64(limit.Cur)
		if uint64(limit.Cur) > math.MaxInt64 {
			most = math.Inf(1)
		}
		w.Family(metrics.Gauge, "process_max_fds", "Files and connections that may be open.")
		w.Sample(most)
	}
	if pages, ok := residentPages(); ok {
		w.Family(metrics.Gauge, "process_resident_memory_bytes", "Bytes of memory in use.")
		w.Sample(pages * float64(os.Getpagesize()))
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err == nil {
		w.Family(metrics.Counter, "process_cpu_seconds_total", "Time of processors, in the program and in the kernel for it.")
		w.Sample(seconds(used.Utime) + seconds(used.Stime))
	}
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// residentPages is the second number of /proc/self/statm (proc(5)).
func residentPages() (float64, bool) {
	text, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(text)
	if err != nil || len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseFloat(string(fields[1]), 64)
	return pages, err == nil
}
