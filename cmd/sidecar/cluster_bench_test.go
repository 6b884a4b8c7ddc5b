//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/redistest"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// When Redis is killed, when it is started again, and when the load ends.
const (
	redisDies  = 10 * time.Second
	redisBack  = 20 * time.Second
	loadEnds   = 30 * time.Second
	perMinute  = 10 // summaries of a caller
	greedy     = 20 // callers who request summaries without pause
	askers     = 16 // concurrent requests
	proposals  = 15
	loadNobody = "203.0.113.1"
)

// BenchmarkAuditCluster puts a load on two and on four processes that share a Redis, which is
// killed and started again. Every answer is a success or a coded problem.
func BenchmarkAuditCluster(b *testing.B) {
	testenv.Long(b, "processes that share a Redis under load")
	for _, n := range []int{2, 4} {
		b.Run(fmt.Sprintf("sidecars=%d", n), func(b *testing.B) {
			for b.Loop() {
				newLoad(b, n).run()
			}
		})
	}
}

// load has the requests to the processes and their answers.
type load struct {
	*testing.B
	all   []string     // addresses of the processes
	told  atomic.Int32 // lines of their logs about Redis
	redis *redistest.Server
	model *demo.Model
	done  chan result
	began time.Time
}

// result is one answer.
type result struct {
	at, took time.Duration // since the load began
	status   int           // 0: none
	coded    bool          // it is a coded problem
	caller   int           // of the greedy ones, from 1; 0: none
}

func newLoad(b *testing.B, n int) *load {
	h := newHosts(b)
	dir := b.TempDir()
	h.snapshot(b, dir, "../../internal/samples/proposals")
	l := &load{B: b, redis: redistest.Start(b), model: demo.NewModel(summaries(b, dir)),
		done: make(chan result, askers)}
	model := httptest.NewServer(l.model)
	b.Cleanup(model.Close)
	for range n {
		p := start(b, []string{"REDIS_URL=redis://" + l.redis.Addr(), "TRUSTED_PROXIES=127.0.0.1",
			"REQUESTS_PER_MINUTE=1000000000",
			"AI_PROVIDER=openai", "AI_MODEL=mock-1", "AI_BASE_URL=" + model.URL + "/v1",
			"OPENAI_API_KEY=" + secret}, "--site", dir)
		p.await("site loaded")
		go func() { // read its log until it ends
			for line := range p.log {
				if strings.HasPrefix(fmt.Sprint(line["msg"]), "redis is ") {
					l.told.Add(1)
				}
			}
		}()
		l.all = append(l.all, p.addr)
	}
	return l
}

// summaries is a model that answers with the summary by rules.
func summaries(b testing.TB, dir string) func(demo.ModelRequest) demo.ModelReply {
	said := map[string]string{}
	x, err := catalog.FromFS(os.DirFS(dir)).Load(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for n := 1; n <= proposals; n++ {
		p, err := x.Proposal(b.Context(), mip.ID{Kind: "MIP", Number: n})
		if err != nil {
			b.Fatal(err)
		}
		sum := summary.Extract(summary.Subject{Proposal: p, Now: time.Now()})
		text, err := json.Marshal(map[string]any{"tldr": sum.TLDR,
			"whatsChanging": sum.WhatsChanging, "developers": sum.Developers,
			"users": sum.Users, "validators": sum.Validators, "foundation": sum.Foundation})
		if err != nil {
			b.Fatal(err)
		}
		said[p.Title] = string(text)
	}
	return func(r demo.ModelRequest) demo.ModelReply {
		first, at := "", len(r.User)
		for title, text := range said {
			if i := strings.Index(r.User, title); i >= 0 && i < at {
				first, at = text, i
			}
		}
		return demo.ModelReply{Text: first}
	}
}

// run sends requests until the load ends, and reports.
func (l *load) run() {
	ctx, cancel := context.WithTimeout(l.Context(), loadEnds)
	defer cancel()
	var all sync.WaitGroup
	l.began = time.Now()
	for i := range askers {
		all.Go(func() { l.ask(ctx, rand.New(rand.NewPCG(uint64(i), 1))) })
	}
	kill, restart := time.AfterFunc(redisDies, l.redis.Kill),
		time.AfterFunc(redisBack, l.redis.Restart)
	defer kill.Stop()
	defer restart.Stop()
	go func() {
		all.Wait()
		close(l.done)
	}()
	var results []result
	for r := range l.done {
		results = append(results, r)
	}
	l.report(results)
}

// ask sends requests until ctx ends.
func (l *load) ask(ctx context.Context, random *rand.Rand) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: len(l.all)}}
	defer client.CloseIdleConnections()
	for ctx.Err() == nil {
		r, caller := request(random)
		r.URL.Host = l.all[random.IntN(len(l.all))]
		began := time.Now()
		res, err := client.Do(r)
		out := result{at: began.Sub(l.began), took: time.Since(began), caller: caller}
		if err == nil {
			var p api.Problem
			out.status = res.StatusCode
			out.coded = json.NewDecoder(res.Body).Decode(&p) == nil && p.Code != ""
			res.Body.Close()
		}
		l.done <- out
	}
}

// request returns one of the mix: mostly live figures, some summaries, and some by greedy callers.
func request(random *rand.Rand) (r *http.Request, caller int) {
	get := func(path string) *http.Request {
		r, _ := http.NewRequest(http.MethodGet, "http://host"+path, nil)
		r.Header.Set("X-Forwarded-For", loadNobody)
		return r
	}
	summary := func(from string) *http.Request {
		r, _ := http.NewRequest(http.MethodPost, "http://host/api/ai-summary",
			strings.NewReader(fmt.Sprintf(`{"mipNumber": %d}`, 1+random.IntN(proposals))))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Forwarded-For", from)
		return r
	}
	switch n := random.IntN(100); {
	case n < 40:
		return get(fmt.Sprint("/api/forum-activity?topicId=", 401+random.IntN(4))), 0
	case n < 70:
		return get("/api/network-info"), 0
	case n < 80:
		return get("/api/mip-watch"), 0
	case n < 95:
		return summary(fmt.Sprintf("10.%d.%d.%d",
			random.IntN(256), random.IntN(256), random.IntN(256))), 0
	}
	caller = 1 + random.IntN(greedy)
	return summary(fmt.Sprintf("198.51.100.%d", caller)), caller
}

// report reports the figures.
func (l *load) report(results []result) {
	var took []time.Duration
	errors, problems, slowest := 0, 0, time.Duration(0)
	admitted := map[int][3]int{} // of a greedy caller: before, during and after the outage of Redis
	for _, r := range results {
		took = append(took, r.took)
		slowest = max(slowest, r.took)
		switch {
		case r.status == http.StatusOK:
		case r.coded:
			if r.status != http.StatusTooManyRequests {
				problems++
			}
		default:
			errors++
		}
		if r.caller > 0 && r.status == http.StatusOK {
			phase := 0
			if r.at+r.took >= redisDies {
				phase = 1
			}
			if r.at >= redisBack {
				phase = 2
			}
			a := admitted[r.caller]
			a[phase]++
			admitted[r.caller] = a
		}
	}
	// In the first seconds no caller's window ends.
	before, most := 0, 0
	for _, a := range admitted {
		before += max(0, a[0]-perMinute)
		most = max(most, a[0]+a[1]+a[2])
	}
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	l.ReportMetric(float64(len(results))/time.Since(l.began).Seconds(), "req/s")
	l.ReportMetric(ms(took[len(took)/2]), "p50-ms")
	l.ReportMetric(ms(took[len(took)*99/100]), "p99-ms")
	l.ReportMetric(ms(slowest), "max-ms")
	if errors > 0 {
		l.Errorf("%d of %d answers are neither a success nor a problem with a code",
			errors, len(results))
	}
	l.ReportMetric(float64(problems), "problems")
	l.ReportMetric(float64(len(l.model.Requests())), "model-calls")
	l.ReportMetric(float64(before), "over-admitted")
	l.ReportMetric(float64(l.told.Load()), "log-lines")
	l.ReportMetric(float64(most), "most-of-one-caller")
}
