package sidecar_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/test/redistest"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// cluster is a world with several sidecars of one site that share a Redis and the same upstream
// hosts.
type cluster struct {
	*world
	redis  *redistest.Server
	config sidecar.Config
	all    []*sidecar.Sidecar
	clock  atomic.Int64 // nanoseconds; times the retry of a failed Redis
}

// newCluster returns a cluster with the small site of these tests.
func newCluster(t *testing.T, n int) *cluster {
	t.Helper()
	c := &cluster{redis: redistest.Start(t)}
	c.world = newWorld(t, func(config *sidecar.Config) { c.first(t, config) })
	c.know()
	return c.complete(n)
}

// newAICluster returns a cluster with the sample site and a model.
func newAICluster(t *testing.T, n, perMinute int) (*cluster, *aiWorld) {
	t.Helper()
	c := &cluster{redis: redistest.Start(t)}
	w := newAIWorld(t, aiSetup{provider: "openai", change: func(config *sidecar.Config) {
		config.AIRequestsPerMinute = perMinute
		c.first(t, config)
	}})
	c.world = w.world
	return c.complete(n), w
}

// first completes the config of the first sidecar. The others copy it.
func (c *cluster) first(t *testing.T, config *sidecar.Config) {
	t.Helper()
	c.join(t, config)
	c.config = *config
}

// join connects a sidecar to Redis.
func (c *cluster) join(t testing.TB, config *sidecar.Config) {
	t.Helper()
	const patient = 20 * time.Second // longer than a request takes on the slowest machine
	now := func() time.Time { return time.Unix(0, c.clock.Load()) }
	store, err := redis.Open("redis://"+c.redis.Addr(),
		redis.Config{Timeout: patient, Log: config.Log, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	config.Redis = store
}

func (c *cluster) complete(n int) *cluster {
	c.Helper()
	c.all = []*sidecar.Sidecar{c.sidecar}
	for len(c.all) < n {
		c.grow()
	}
	return c.at(0)
}

// grow adds a sidecar with empty caches and selects it.
func (c *cluster) grow() {
	c.Helper()
	config := c.config
	c.join(c.TB, &config)
	s := sidecar.New(config)
	c.Cleanup(func() { s.Close() })
	if err := s.Update(c.known); err != nil {
		c.Fatal(err)
	}
	c.all = append(c.all, s)
	c.at(len(c.all) - 1)
}

// at selects a sidecar for the next requests.
func (c *cluster) at(i int) *cluster {
	c.sidecar = c.all[i%len(c.all)]
	return c
}

// together sends requests to the sidecars in turn, all concurrently, and returns the answers.
func (c *cluster) together(n int, request func(i int) *http.Request) []*httptest.ResponseRecorder {
	out := make([]*httptest.ResponseRecorder, n)
	var wg sync.WaitGroup
	for i := range out {
		wg.Go(func() {
			out[i] = httptest.NewRecorder()
			c.all[i%len(c.all)].ServeHTTP(out[i], request(i))
		})
	}
	wg.Wait()
	return out
}

func summaryOf(number int, from string) *http.Request {
	return summaryRequest(fmt.Sprintf(`{"mipNumber": %d}`, number), from)
}

func summaryRequest(body, from string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/api/ai-summary", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.RemoteAddr = from
	return r
}

// TestClusterLimit requests summaries from several sidecars in turn: the eleventh is refused, at
// whichever sidecar.
func TestClusterLimit(t *testing.T) {
	const n = 3
	c, w := newAICluster(t, n, 10)
	next := questions(w)
	known := next()
	for i := range 10 {
		c.at(i)
		a := w.post("/api/ai-summary", known).want(w.world, 200)
		if got, want := a.Header().Get("RateLimit"),
			fmt.Sprintf(`"ai-summary";r=%d;t=`, 9-i); !strings.HasPrefix(got, want) {
			t.Errorf("%d sidecars, request %d: RateLimit %s, want %s", n, i, got, want)
		}
	}
	for i := range n {
		c.at(i)
		body := next()
		a := w.post("/api/ai-summary", body).want(w.world, 429).problem(w.world, api.RateLimited)
		if a.Header().Get("Retry-After") == "" ||
			a.Header().Get("RateLimit-Policy") != `"ai-summary";q=10;w=60` {
			t.Errorf("refused with %v", a.Header())
		}
		w.from = "192.0.2.9:1"
		w.post("/api/ai-summary", body).want(w.world, 200)
		w.from = someone
	}
	// Another caller has ten as well, and no more, when all arrive at once.
	admitted := 0
	bodies := make(chan string, 25)
	for range cap(bodies) {
		bodies <- next()
	}
	for _, a := range c.together(25, func(int) *http.Request {
		return summaryRequest(<-bodies, "192.0.2.77:1")
	}) {
		switch a.Code {
		case 200:
			admitted++
		case 429:
		default:
			t.Errorf("%d %s", a.Code, a.Body)
		}
	}
	if admitted != 10 {
		t.Errorf("%d sidecars let %d of 25 requests through at once, want 10", n, admitted)
	}
	for _, key := range c.redis.Keys("") {
		ttl := c.redis.Do("PTTL", key)
		if strings.HasPrefix(ttl, "-") || !strings.HasPrefix(key, "mipwatch:1:") {
			t.Errorf("%s stays for %s ms", key, ttl)
		}
	}
}

// TestClusterModel sends 500 equal requests to four sidecars at once: each asks the model at most
// once. A sidecar that joins later does not ask it.
func TestClusterModel(t *testing.T) {
	c, w := newAICluster(t, 4, 1000)
	for i, a := range c.together(500, func(i int) *http.Request {
		return summaryOf(7, fmt.Sprintf("192.0.2.%d:1", i%250))
	}) {
		if a.Code != 200 {
			t.Fatalf("request %d: %d %s", i, a.Code, a.Body)
		}
	}
	asked := len(w.model.Requests())
	if asked < 1 || asked > 4 {
		t.Errorf("%d questions to the model of four sidecars, want one of each at the most", asked)
	}
	for range 2 {
		c.grow()
		w.post("/api/ai-summary", `{"mipNumber": 7}`).want(w.world, 200)
	}
	if n := len(w.model.Requests()); n != asked {
		t.Errorf("%d questions to the model of sidecars that came later", n-asked)
	}
}

// TestClusterModelFails lets the model fail for one sidecar: the others do not retry while the
// failure is kept.
func TestClusterModelFails(t *testing.T) {
	c, w := newAICluster(t, 4, 1000)
	w.script.Always(demo.Answer(http.StatusOK, nil, "<html>"))
	for i := range 4 {
		c.at(i)
		w.fallback(w.post("/api/ai-summary", `{"mipNumber": 7}`), api.AIUnreadable)
	}
	if n := w.script.Calls(); n > 2 { // the model itself may retry
		t.Errorf("%d questions to a model that fails, of four sidecars", n)
	}
}

// TestClusterFailureAfterAnswer lets the model fail for one sidecar while it answers another: the
// answer stays.
func TestClusterFailureAfterAnswer(t *testing.T) {
	c, w := newAICluster(t, 2, 1000)
	html := demo.Answer(http.StatusOK, nil, "<html>")
	meanwhile := func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
		c.all[1].ServeHTTP(httptest.NewRecorder(), summaryOf(7, "192.0.2.9:1"))
		html(rw, r, next)
	}
	w.script.Next(meanwhile, nil, html, html)
	c.at(0)
	w.fallback(w.post("/api/ai-summary", `{"mipNumber": 7}`), api.AIUnreadable)
	asked := w.script.Calls()
	c.grow()
	if sum := w.summary(`{"mipNumber": 7}`); sum.Source != modelName {
		t.Errorf("another sidecar has the answer, and this one gives %s: %+v",
			sum.Source, sum.Fallback)
	}
	if n := w.script.Calls(); n != asked {
		t.Errorf("%d questions to the model, want none: another sidecar has the answer", n-asked)
	}
}

// TestClusterHosts asks a forum and two chains through two sidecars: each asks for itself, and
// stores only limits in Redis.
func TestClusterHosts(t *testing.T) {
	c := newCluster(t, 2)
	for i := range 2 {
		c.at(i).get("/api/forum-activity?topicId=399").want(c.world, 200)
		c.at(i).get("/api/network-info").want(c.world, 200)
	}
	if n := c.forum.Calls(); n != 2 {
		t.Errorf("%d calls to the forum, want one of each sidecar", n)
	}
	for _, key := range c.redis.Keys("") {
		if !strings.Contains(key, ":requests:") {
			t.Errorf("the Redis has %s", key)
		}
	}
}

// TestClusterGarbage writes garbage and forged records under every key: no caller gets them, and
// the answers are soon stored again.
func TestClusterGarbage(t *testing.T) {
	c, w := newAICluster(t, 2, 1000)
	ask := func() (api.Summary, api.Translation) {
		t.Helper()
		return read[api.Summary](w.world, w.post("/api/ai-summary", `{"mipNumber": 7}`)),
			read[api.Translation](w.world,
				w.post("/api/ai-translate",
					`{"mipNumber": 7, "locale": "ja", "sections": ["s-abstract"]}`))
	}
	summary, translation := ask()
	records := map[string]string{}
	for _, key := range c.redis.Keys("mipwatch:1:") {
		records[key] = c.redis.Do("GET", key)
	}
	if len(records) < 4 {
		t.Fatalf("only %q are kept", records)
	}
	constant := func(text string) func(string) string { return func(string) string { return text } }
	// forged returns a record with invented words and one detail that betrays it.
	forged := func(old, new string) func(string) string {
		return func(record string) string {
			if !strings.Contains(record, old) {
				return record
			}
			record = strings.Replace(record, old, new, 1)
			return strings.NewReplacer(`"tldr":"`, `"tldr":"Forged `, `"texts":["`,
				`"texts":["Forged `).Replace(record)
		}
	}
	for name, spoil := range map[string]func(record string) string{
		"bytes":                 constant("\xff garbage"),
		"cut off":               func(record string) string { return record[:len(record)/2] },
		"a failure for ever":    constant("-timeout 99999999999999"),
		"a failure in the past": constant("-timeout 1"),
		"an unknown failure": constant(fmt.Sprintf("-forged %d",
			time.Now().Add(time.Minute).UnixMilli())),
		"other case":       forged(`"source"`, `"Source"`),
		"more":             forged(`"source"`, `"more":1,"source"`),
		"another proposal": forged(`{"mipNumber":7`, `{"mipNumber":6`),
		"another text":     forged(`"contentHash":"`, `"contentHash":"0`),
		"another language": forged(`"locale":"en"`, `"locale":"ja"`),
		"another model":    forged(`"source":"`+modelName, `"source":"other`),
		"stale":            forged(`"stale":false`, `"stale":true`),
		"severity":         forged(`"severity":"`, `"severity":"un`),
		"a link":           forged(`"tldr":"`, `"tldr":"See https://evil.example.org `),
		"a passage less":   forged(`"Abstract",`, ``),
		"an empty passage": forged(`"Abstract",`, `"",`),
	} {
		for key, record := range records {
			c.redis.Do("SET", key, spoil(record), "PX", "60000")
		}
		c.grow()
		gotSummary, gotTranslation := ask()
		if gotSummary.TLDR != summary.TLDR ||
			gotSummary.Developers.Severity != summary.Developers.Severity ||
			gotTranslation.Markdown != translation.Markdown ||
			gotTranslation.Title != translation.Title {
			t.Errorf("%s: the summary %q and the translation %q, want %q and %q",
				name, gotSummary.TLDR, gotTranslation.Title, summary.TLDR, translation.Title)
		}
	}
	if lines := w.log.lines("redis is down"); len(lines) > 0 {
		t.Errorf("garbage is taken for a Redis that fails: %s", lines)
	}
}

// TestClusterRedisDown kills Redis and starts it empty: no caller sees an error, each sidecar works
// by itself, and the log has one line for each change.
func TestClusterRedisDown(t *testing.T) {
	c, w := newAICluster(t, 2, 3)
	next := questions(w)
	three := func(from string, i int) {
		t.Helper()
		w.from = from
		c.at(i)
		for range 3 {
			w.post("/api/ai-summary", next()).want(w.world, 200)
		}
		w.post("/api/ai-summary", next()).want(w.world, 429)
	}
	logged := func(away, back int) {
		t.Helper()
		if a, b := w.log.lines("redis is down"),
			w.log.lines("redis is back"); len(a) != away || len(b) != back {
			t.Errorf("the log says %d times that the Redis is down and %d times that it is back, "+
				"want %d and %d: %s %s", len(a), len(b), away, back, a, b)
		}
	}
	three("198.51.100.1:1", 0)
	for round := range 2 {
		c.redis.Kill()
		for i := range 8 { // a new summary each
			c.at(i)
			w.from = fmt.Sprintf("192.0.2.%d:1", 10*round+i)
			w.post("/api/ai-summary", fmt.Sprintf(`{"mipNumber": %d}`, 1+i)).want(w.world, 200)
			w.get("/api/mip-watch").want(w.world, 200)
			w.get("/api/network-info").want(w.world, 200)
		}
		// The count of one sidecar still limits its callers.
		three(fmt.Sprintf("198.51.100.%d:1", 10+round), 0)
		three(fmt.Sprintf("198.51.100.%d:1", 10+round), 1)
		logged(2*round+2, 2*round)

		c.redis.Restart()
		w.get("/api/network-info").want(w.world, 200)
		logged(2*round+2, 2*round) // it is not asked for a second
		c.clock.Add(int64(time.Second))
		for i := range 2 {
			c.at(i)
			w.get("/api/network-info").want(w.world, 200)
		}
		logged(2*round+2, 2*round+2)
		from := fmt.Sprintf("198.51.100.%d:1", 20+round)
		three(from, 0)
		w.from = from
		c.at(1)
		w.post("/api/ai-summary", next()).want(w.world, 429)
	}
	if strings.Contains(w.log.String(), c.redis.Addr()) {
		t.Errorf("the log tells the address of the Redis: %s", w.log)
	}
}

// TestClusterOtherSite has two sites with the same proposals and model on one Redis: they share
// nothing.
func TestClusterOtherSite(t *testing.T) {
	c, w := newAICluster(t, 1, 1000)
	ask := func() (keys []string) {
		t.Helper()
		w.post("/api/ai-summary", `{"mipNumber": 7}`).want(w.world, 200)
		w.get("/healthz").want(w.world, 200)
		return c.redis.Keys("mipwatch:1:")
	}
	first, asked := ask(), len(w.model.Requests())
	if again := ask(); len(again) != len(first) || len(w.model.Requests()) != asked {
		t.Errorf("keys %q, and then %q, with %d more questions",
			first, again, len(w.model.Requests())-asked)
	}
	other := *c.known
	other.Site.BaseURL = "https://preview.example.org"
	c.known = &other
	c.grow()
	if both := ask(); len(both) != 2*len(first) || len(w.model.Requests()) != 2*asked {
		t.Errorf("two sites have the keys %q in common, and %d questions",
			both, len(w.model.Requests()))
	}
	// A site that moves to another address finds the records of that address, and not its own.
	c.at(0)
	c.know()
	if both := ask(); len(both) != 2*len(first) || len(w.model.Requests()) != 2*asked {
		t.Errorf("a site that became the other has the keys %q, and %d questions",
			both, len(w.model.Requests()))
	}
}
