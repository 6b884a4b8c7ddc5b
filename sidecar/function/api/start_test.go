//go:build unix

package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// TestStartsLight bounds the memory that linked packages allocate before main: every start of a
// function waits for that. The bound is in bytes, since a duration would depend on the machine.
func TestStartsLight(t *testing.T) {
	const most = 128 << 10 // of one package; a table of regular expressions takes megabytes
	// goldmark parses the passages of translations, and builds its tables of entities and of case
	// folding at once.
	goldmark := map[string]int{"github.com/yuin/goldmark/util": 160 << 10,
		"github.com/yuin/goldmark/extension": 288 << 10}
	p := startFunction(t, built(t, shared.carrying), "GODEBUG=inittrace=1")
	p.Invoke(t, ask("GET", "/api/network-info", ""))
	trace := regexp.MustCompile(
		`(?m)^init (\S+) @.*, ([0-9]+) bytes, [0-9]+ allocs$`).FindAllStringSubmatch(p.Log(), -1)
	for _, m := range trace {
		if n, err := strconv.Atoi(m[2]); err != nil || n > max(most, goldmark[m[1]]) {
			t.Errorf("before main: %s", m[0])
		}
	}
	if len(trace) == 0 {
		t.Fatalf("the trace names no package: %s", p.Log())
	}
}

// mixed invokes a function with requests of each kind, times rounds.
func mixed(t testing.TB, p *process, times int) {
	t.Helper()
	for n := range times {
		payloads := []string{
			ask("GET", "/api/mip-watch", "parts=mips"),
			ask("GET", "/api/network-info", ""),
			ask("GET", "/api/forum-activity", "topicId=401"),
			ask("GET", "/api/forum-activity", "topicId=0"),
			post("/api/ai-summary", fmt.Sprintf(`{"mipNumber":%d}`, n%15+1),
				fmt.Sprint("203.0.113.", n%250)),
			`{"rawPath":"/api/mip-watch","requestContext":{"http":{"method":"GET"}},
			  "headers":{"accept-encoding":"gzip"}}`,
		}
		p.Invoke(t, payloads[n%len(payloads)]).Answer(t)
	}
}

// usage is the resource usage of a process.
type usage struct {
	threads int
	memory  int // KiB that are resident
}

func measure(t testing.TB, p *process) usage {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Cmd.Process.Pid))
	if err != nil {
		testenv.Missing(t, "procfs", "the system does not report the memory of a process")
	}
	number := func(name string) int {
		_, rest, _ := strings.Cut(string(status), "\n"+name+":")
		value, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			t.Fatalf("%s of %s: %v", name, status, err)
		}
		return value
	}
	return usage{number("Threads"), number("VmRSS")}
}

// BenchmarkAuditInvocations measures the growth of a process over thousands of invocations.
func BenchmarkAuditInvocations(b *testing.B) {
	testenv.Long(b, "thousands of invocations")
	const some, many = 300, 3000
	for b.Loop() {
		p := startFunction(b, built(b, shared.carrying), unlimited...)
		mixed(b, p, some)
		before := measure(b, p)
		mixed(b, p, many)
		after := measure(b, p)
		b.ReportMetric(float64(after.memory)/1024, "MiB")
		b.ReportMetric(float64(after.memory-before.memory)/1024, "grown-MiB")
		b.ReportMetric(float64(after.threads), "threads")
		p.Stop()
	}
}

// BenchmarkAuditColdStart measures the time of a process from its start to its first answer.
func BenchmarkAuditColdStart(b *testing.B) {
	testenv.Long(b, "starts of a process")
	const starts = 10
	program := built(b, shared.carrying)
	for b.Loop() {
		began := time.Now()
		for range starts {
			p := startFunction(b, program)
			if a := p.Invoke(b,
				ask("GET", "/api/mip-watch", "parts=mips")).Answer(b); a.StatusCode != 200 {
				b.Fatalf("%d %s", a.StatusCode, a.Body)
			}
			p.Stop()
		}
		b.ReportMetric(time.Since(began).Seconds()*1000/starts, "ms/start")
	}
}
