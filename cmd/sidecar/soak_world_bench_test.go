//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/demo"
)

const (
	soakChain = 4711
	// topics is the number of topics in the forum. Proposals link to the first linkedTopics.
	topics, linkedTopics = 500, 40
	// leak is in the answers of failing hosts.
	leak = "what-a-host-said"
	// faults is the number of faults of each host.
	faults = 18
)

// serve starts the hosts. Each answers below any path that begins with its name, so that it can
// move.
func (s *soak) serve(dir string) {
	forum := demo.NewDiscourse(time.Now)
	for id := 1; id <= topics; id++ {
		forum.Set(demo.Topic{ID: id, Title: fmt.Sprint("Topic ", id), Posts: 2 + id%90,
			Participants: 1 + id%20, Likes: id % 50, Views: id * 7,
			Created: time.Now().Add(-time.Hour)})
	}
	chain := demo.NewChain(demo.ChainConfig{ChainID: soakChain,
		Genesis: time.Now().Add(-time.Hour)})
	// The model's answers are read from the site, which is built once the hosts have an address.
	said := sync.OnceValue(func() func(demo.ModelRequest) demo.ModelReply {
		return summaries(s, dir)
	})
	model := demo.NewModel(func(q demo.ModelRequest) demo.ModelReply {
		if !strings.Contains(q.System, "You translate") {
			return said()(q)
		}
		first, rest, _ := strings.Cut(q.User, "\n")
		passages, _, _ := strings.Cut(rest, "\n"+strings.TrimSuffix(first, " BEGIN")+" END")
		return demo.ModelReply{Text: passages}
	})
	s.upstream = []*faulty{
		newFaulty("forum", 1, forum, forumFaults()),
		newFaulty("chain", 1, chain, chainFaults()),
		// it does not move, so its breaker should stay closed for the next phase
		newFaulty("model", 2, model, modelFaults()),
	}
	mux := http.NewServeMux()
	mux.Handle("/forum/{place}/", s.upstream[0].script)
	mux.Handle("/node/{place}/"+rpcSecret, s.upstream[1].script)
	mux.Handle("/second/{place}/"+rpcSecret, chain)
	mux.Handle("/model/", s.upstream[2].script)
	server := httptest.NewServer(mux)
	s.Cleanup(server.Close)
	s.base = server.URL
}

// faulty is a host with faults in turn.
type faulty struct {
	name   string
	every  int // 1: the fault affects all requests; 2: every other one
	faults []fault
	script *demo.Script

	mu    sync.Mutex
	asked int
	met   map[string]int // requests by the fault that affected them
}

// fault is a way to misbehave.
type fault struct {
	name string
	do   demo.Fault
}

func newFaulty(name string, every int, h http.Handler, faults []fault) *faulty {
	return &faulty{name: name, every: every, faults: faults, script: demo.NewScript(h),
		met: map[string]int{}}
}

// turn begins a phase. Every third one has no fault.
func (h *faulty) turn(phase int) {
	f := h.faults[phase%len(h.faults)]
	h.script.Always(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		h.mu.Lock()
		h.asked++
		spared := h.asked%h.every != 0
		if !spared {
			h.met[f.name]++
		}
		h.mu.Unlock()
		if spared || f.do == nil {
			next.ServeHTTP(w, r)
			return
		}
		f.do(w, r, next)
	})
}

// commonFaults are faults of any host.
func commonFaults(own ...fault) []fault {
	return append([]fault{
		{"none", nil},
		{"hang", demo.Hang()},
		{"drip", demo.Drip(`{"id":1,"result":"0x1","posts_count":12}`, time.Second)},
		{"429", demo.Answer(http.StatusTooManyRequests, http.Header{"Retry-After": {"3"}}, `{}`)},
		{"500", demo.Answer(http.StatusInternalServerError, nil, `{"error":"`+leak+`"}`)},
		{"html", demo.HTML()},
		{"none again", nil},
		{"truncated", demo.Truncated()},
		{"gzip bomb", demo.GzipBomb()},
		{"huge", demo.Huge(8 << 20)},
		{"redirect", demo.Redirect("http://127.0.0.1:1/elsewhere")},
		{"redirect loop", demo.Loop()},
		{"disconnect", demo.Disconnect()},
		{"late", demo.Delay(1500 * time.Millisecond)},
		{"null", demo.Answer(http.StatusOK, nil, `null`)},
	}, own...)
}

func forumFaults() []fault {
	return commonFaults(
		fault{"wrong types", replace(`"posts_count":`, `"posts_count":"many","x":`)},
		fault{"another topic", replace(`"id":`, `"id":9`)},
		fault{"gone", demo.Answer(http.StatusNotFound, nil, `{"errors":["`+leak+`"]}`)},
	)
}

func chainFaults() []fault {
	other := demo.NewChain(demo.ChainConfig{ChainID: 666})
	return commonFaults(
		fault{"wrong chain", func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			other.ServeHTTP(w, r)
		}},
		fault{"wrong numbers", replace(`"0x`, `"0X0`)},
		fault{"error with 200",
			demo.Answer(http.StatusOK, nil,
				`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"`+leak+`"}}`)},
	)
}

func modelFaults() []fault {
	say := func(text, stop string) demo.Fault {
		return demo.Answer(http.StatusOK, nil,
			`{"id":"x","object":"chat.completion","choices":[{"index":0,"finish_reason":"`+stop+
				`","message":{"role":"assistant","content":`+strconv.Quote(
				text)+`}}],"usage":{"total_tokens":30}}`)
	}
	return commonFaults(
		fault{"prose", say("Certainly! Here it is: "+leak, "stop")},
		fault{"refusal", say("", "content_filter")},
		fault{"cut off", say(`{"tldr":"It`, "length")},
	)
}

func replace(from, to string) demo.Fault {
	return demo.Rewrite(func(b []byte) []byte {
		return bytes.ReplaceAll(b, []byte(from), []byte(to))
	})
}

// Time limits that are promised.
const (
	getBudget = 3 * time.Second
	aiBudget  = 8 * time.Second
)

// budgetOf is the time limit of an answer.
func budgetOf(route string) time.Duration {
	if strings.HasPrefix(route, "/api/ai-") {
		return aiBudget
	}
	return getBudget
}

// question is a request, and the caller's behavior.
type question struct {
	method, path, body string
	rude               string
}

const (
	leaving  = "hangs up before the answer"
	dripping = "does not end its body"
	flooding = "sends more than is read" // it may be cut off before it has read the answer
)

// questions are sent in proportion to their weight: requests of the site's pages, of programs, and
// invalid ones. {n} is a number from 1 to most.
var questions = []struct {
	weight int
	method string
	paths  string // separated by blanks
	bodies []string
	most   int
	rude   string
}{
	{230, "GET", "/api/mip-watch /api/mip-watch?utm_source=x /api/mip-watch?parts=forum,networks " +
		"/api/mip-watch?parts=hardforks,discrepancies,forum", nil, 1, ""},
	{120, "GET", "/api/network-info", nil, 1, ""},
	{60, "GET", "/api/search?q=fee /api/search?q={n} /api/search?status=draft&limit=50 " +
		"/api/search?q=base+fee+status:final", nil, proposals, ""},
	{150, "GET", "/api/forum-activity?topicId={n}", nil, linkedTopics, ""},
	{80, "GET", "/api/forum-activity?topicId={n}", nil, 10_000, ""},
	{20, "GET", "/healthz /readyz", nil, 1, ""},
	{30, "HEAD", "/api/network-info /api/mip-watch /api/forum-activity?topicId=1 /healthz",
		nil, 1, ""},
	{20, "OPTIONS", "/api/ai-summary", nil, 1, ""},
	{120, "POST", "/api/ai-summary",
		[]string{`{"mipNumber":{n}}`, `{"mipNumber":"MIP-{n}","locale":"ja"}`}, proposals, ""},
	{30, "POST", "/api/ai-translate",
		[]string{`{"mipNumber":{n},"locale":"ja"}`,
			`{"mipNumber":{n},"locale":"ja","sections":["s-abstract"]}`}, proposals, ""},

	{40, "GET", "/api/forum-activity?topicId= /api/forum-activity?topicId=0 " +
		"/api/forum-activity?topicId=99999999999999999999 /api/forum-activity?topicId=1%00 " +
		"/api/forum-activity?topicId=1&topicId=2 /api/forum-activity?topicId=1;x /api/search " +
		"/api/search?q=%00 /api/search?q=fee&limit=0 /api/mip-watch?parts= " +
		"/api/mip-watch?parts=mips,mips /api/mip-watch?parts=%zz", nil, 1, ""},
	{30, "GET", "/ /metrics /debug/pprof/ /api/ //api/network-info /api/%2e%2e/healthz " +
		"/api/network-info/ /.env /api/x%22%0a /api/ai-summary /api/ai-translate", nil, 1, ""},
	{10, "DELETE", "/api/network-info", nil, 1, ""},
	{10, "BREW", "/api/network-info", nil, 1, ""},
	{40, "POST", "/api/ai-summary",
		[]string{`null`, `[]`, `{`, `{"mipNumber":1}{`, `{"mipNumber":1,"mipNumber":2}`,
			`{"mipNumber":"../1"}`, `{"mipNumber":999999}`,
			`{"text":"x"}`, `{"mipNumber":1,"locale":"xx"}`, "\xff\xfe",
			strings.Repeat(`[`, 60_000)},
		1, ""},
	{10, "POST", "/api/ai-translate",
		[]string{`{"mipNumber":1}`, `{"mipNumber":1,"locale":"ja","sections":[]}`,
			`{"mipNumber":1,"locale":"ja","sections":["s-nowhere"]}`}, 1, ""},
	{10, "POST", "/api/ai-summary", []string{strings.Repeat(" ", 200_000)}, 1, flooding},
	{10, "POST", "/api/ai-summary", []string{`{"mipNumber":1`}, 1, dripping},
	{30, "GET", "/api/mip-watch /api/forum-activity?topicId=2 /api/network-info", nil, 1, leaving},
	{20, "POST", "/api/ai-summary", []string{`{"mipNumber":{n}}`}, proposals, leaving},
}

func pickQuestion(r *rand.Rand) question {
	total := 0
	for _, q := range questions {
		total += q.weight
	}
	at := r.IntN(total)
	for _, q := range questions {
		if at -= q.weight; at >= 0 {
			continue
		}
		pick := func(from []string) string {
			return strings.ReplaceAll(from[r.IntN(len(from))], "{n}",
				strconv.Itoa(1+r.IntN(q.most)))
		}
		picked := question{method: q.method, path: pick(strings.Fields(q.paths)), rude: q.rude}
		if q.bodies != nil {
			picked.body = pick(q.bodies)
		}
		return picked
	}
	return question{}
}

// caller returns one of some hundred callers, each with its own address. A few send requests all
// the time, and some forge addresses.
func caller(r *rand.Rand) string {
	switch n := r.IntN(100); {
	case n < 3:
		return "203.0.113.7"
	case n < 6:
		return fmt.Sprintf("%d.%d.1.1, nonsense, 198.51.100.%d",
			r.IntN(256), r.IntN(256), r.IntN(50))
	case n < 20:
		return fmt.Sprintf("2001:db8:%x::%x", r.IntN(200), r.Uint32())
	}
	return fmt.Sprintf("10.0.%d.%d", r.IntN(2), 1+r.IntN(250))
}

// hangs is a body that does not arrive until its context ends.
type hangs struct{ ctx context.Context }

func (h hangs) Read([]byte) (int, error) {
	<-h.ctx.Done()
	return 0, io.ErrUnexpectedEOF
}
