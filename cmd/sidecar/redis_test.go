//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/redistest"
)

// logged returns the number of lines with a message in the log so far.
func (p *process) logged(message string) int {
	n := 0
	for _, line := range p.seen {
		if line["msg"] == message {
			n++
		}
	}
	return n
}

// until sends requests until the log has one more line with a message. Every request must succeed.
func (p *process) until(message string) {
	p.Helper()
	for before := p.logged(message); p.logged(message) == before; {
		p.get("/api/forum-activity?topicId=401", http.StatusOK)
		p.await("request")
	}
}

// join sends requests until Redis has answered: the first connection may take longer than its
// timeout.
func (p *process) join() {
	p.Helper()
	for joined := false; !joined; {
		p.get("/api/forum-activity?topicId=401", http.StatusOK)
		p.await("request")
		joined = strings.Contains(p.get("/healthz", http.StatusOK), `"redis":"ok"`)
	}
}

// modelQuestions are requests for summaries, each of another proposal, to a model that answers
// nonsense.
type modelQuestions struct {
	model *httptest.Server
	asked int
}

func newQuestions(t *testing.T, h *hosts, dir string) *modelQuestions {
	t.Helper()
	h.publish(t, dir, slices.Repeat([]string{"A title"}, 60)...)
	q := &modelQuestions{model: httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w,
			`{"choices":[{"message":{"role":"assistant","content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`)
	}))}
	t.Cleanup(q.model.Close)
	return q
}

// variables are the variables of a process that asks the model.
func (q *modelQuestions) variables(more ...string) []string {
	return append(more, "AI_PROVIDER=openai", "AI_MODEL=m", "OPENAI_API_KEY="+secret,
		"AI_BASE_URL="+q.model.URL)
}

// eleven sends ten requests to the processes in turn, which must be answered, and an eleventh to
// each, which must be refused.
func (q *modelQuestions) eleven(t *testing.T, all ...*process) {
	t.Helper()
	ask := func(p *process) (*http.Response, string) {
		q.asked++
		return p.post("/api/ai-summary", fmt.Sprintf(`{"mipNumber": %d}`, q.asked))
	}
	for i := range 10 {
		if res, text := ask(all[i%len(all)]); res.StatusCode != http.StatusOK {
			t.Errorf("question %d: %d %s", i+1, res.StatusCode, text)
		}
	}
	for _, p := range all {
		if res, text := ask(p); res.StatusCode != http.StatusTooManyRequests ||
			res.Header.Get("Retry-After") == "" {
			t.Errorf("the eleventh: %d %s", res.StatusCode, text)
		}
	}
}

// TestRedis runs two processes that share a Redis with a password, kills it, and starts it again.
func TestRedis(t *testing.T) {
	h := newHosts(t)
	dir := t.TempDir()
	q := newQuestions(t, h, dir)
	redis := redistest.Start(t, "--requirepass", secret)
	variables := q.variables("REDIS_URL=redis://:"+secret+"@"+redis.Addr()+"/3",
		"REQUESTS_PER_MINUTE=1000000")
	var all []*process
	var metrics []string
	for range 2 {
		p := start(t, variables, "--site", dir, "--metrics-addr", "127.0.0.1:0")
		metrics = append(metrics, "http://"+p.await("metrics")["addr"].(string)+"/metrics")
		p.await("site loaded")
		p.join()
		all = append(all, p)
	}
	down := func(i int, want float64) {
		t.Helper()
		if got, ok := scrape(t, metrics[i])["mipwatch_redis_down"]; got != want || !ok {
			t.Errorf("the metrics of process %d say %v, told %t, want %v", i, got, ok, want)
		}
	}
	q.eleven(t, all...)
	all[0].contains("/healthz", `"redis":"ok"`)
	down(0, 0)
	redis.Kill()
	for i, p := range all {
		p.until("redis is down")
		p.contains("/healthz", `"redis":"down"`)
		down(i, 1)
	}
	for _, p := range all {
		q.eleven(t, p) // each by itself
		p.contains("/api/mip-watch", `"topicId":401`)
	}
	redis.Restart()
	for _, p := range all {
		p.until("redis is back")
	}
	q.eleven(t, all...)
	for _, p := range all {
		p.signal(syscall.SIGTERM)
		p.wantEnd()
		if down, back := p.logged("redis is down"), p.logged("redis is back"); down != back {
			t.Errorf("the log says %d times that the Redis is down and %d times that it is back",
				down, back)
		}
		for _, line := range p.seen {
			b, err := json.Marshal(line)
			if err != nil || strings.Contains(string(b), secret) ||
				strings.Contains(string(b), redis.Addr()) {
				t.Errorf("the log tells where the Redis is: %s", b)
			}
		}
	}
}

// TestRedisTLS shares a Redis over TLS, if its certificate is trusted.
func TestRedisTLS(t *testing.T) {
	h := newHosts(t)
	dir := t.TempDir()
	q := newQuestions(t, h, dir)
	redis, trusted := redistest.StartTLS(t)
	run := func(variables ...string) *process {
		p := start(t, append(q.variables(variables...), "REDIS_URL=rediss://"+redis.Addr(),
			"REQUESTS_PER_MINUTE=1000000"), "--site", dir)
		p.await("site loaded")
		return p
	}
	one, other, stranger := run("SSL_CERT_FILE="+trusted), run("SSL_CERT_FILE="+trusted), run()
	one.join()
	other.join()
	q.eleven(t, one, other)
	if stranger.logged("redis is down") != 1 { // at the start
		t.Errorf("a certificate that is not trusted: %v", stranger.seen)
	}
	q.eleven(t, stranger)
}
