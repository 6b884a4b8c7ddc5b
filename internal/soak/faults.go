package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/upstreamtest"
)

// cycle is how many phases it takes until every fault has had its turn: as many as the longest list has.
const cycle = 18

// fault is a way to misbehave, and nil one not to.
type fault struct {
	name string
	do   upstreamtest.Fault
}

// common is what any host can do.
func common() []fault {
	return []fault{
		{"well", nil},
		{"hang", upstreamtest.Hang()},
		{"drip", upstreamtest.Drip(`{"id":1,"result":"0x1","posts_count":12}`, time.Second)},
		{"429", upstreamtest.Answer(http.StatusTooManyRequests, http.Header{"Retry-After": {"3"}}, `{}`)},
		{"500", upstreamtest.Answer(http.StatusInternalServerError, nil, `{"error":"`+leak+`"}`)},
		{"html", upstreamtest.HTML()},
		{"well again", nil},
		{"truncated", upstreamtest.Truncated()},
		{"gzip bomb", upstreamtest.GzipBomb()},
		{"huge", upstreamtest.Huge(8 << 20)},
		{"redirect", upstreamtest.Redirect("http://127.0.0.1:1/elsewhere")},
		{"redirect loop", upstreamtest.Loop()},
		{"disconnect", upstreamtest.Disconnect()},
		{"late", upstreamtest.Delay(1500 * time.Millisecond)},
		{"null", upstreamtest.Answer(http.StatusOK, nil, `null`)},
	}
}

// leak stands in what hosts say that fail. It must not get to a caller or into the log.
const leak = "what-a-host-said"

func forumFaults() []fault {
	return append(common(),
		fault{"wrong types", upstreamtest.Rewrite(func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte(`"posts_count":`), []byte(`"posts_count":"many","x":`))
		})},
		fault{"another topic", upstreamtest.Rewrite(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`"id":`), []byte(`"id":9`)) })},
		fault{"gone", upstreamtest.Answer(http.StatusNotFound, nil, `{"errors":["`+leak+`"]}`)},
	)
}

func chainFaults() []fault {
	other := upstreamtest.NewChain(upstreamtest.ChainConfig{ChainID: 666})
	return append(common(),
		fault{"wrong chain", func(w http.ResponseWriter, r *http.Request, _ http.Handler) { other.ServeHTTP(w, r) }},
		fault{"wrong numbers", upstreamtest.Rewrite(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`"0x`), []byte(`"0X0`)) })},
		fault{"error with 200", upstreamtest.Answer(http.StatusOK, nil, `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"`+leak+`"}}`)},
	)
}

func modelFaults() []fault {
	return append(common(),
		fault{"prose", say("Certainly! Here it is: "+leak, "stop")},
		fault{"refusal", say("", "content_filter")},
		fault{"cut off", say(`{"tldr":"It`, "length")},
	)
}

// say is an answer of a model, as OpenAI has it.
func say(text, stop string) upstreamtest.Fault {
	content, _ := json.Marshal(text) // a string
	return upstreamtest.Answer(http.StatusOK, nil,
		`{"id":"x","object":"chat.completion","choices":[{"index":0,"finish_reason":"`+stop+`","message":{"role":"assistant","content":`+string(content)+`}}],"usage":{"total_tokens":30}}`)
}

// host is an upstream whose faults come in turn.
type host struct {
	name   string
	faults []fault
	every  int // which requests meet the fault: 1 all of them, 2 every other one
	script *upstreamtest.Script

	mu    sync.Mutex
	hit   map[string]int // requests by the fault that they met
	asked int
}

func newHost(name string, every int, h http.Handler, faults []fault) *host {
	return &host{name: name, every: every, faults: faults, script: upstreamtest.NewScript(h), hit: map[string]int{}}
}

// turn is the fault of a phase. Each host begins elsewhere in its list, and a place further in each cycle, so
// that a breaker which is still open does not hide the same one every time.
func (h *host) turn(phase, shift int) {
	f := h.faults[(phase+phase/cycle+shift)%len(h.faults)]
	h.script.Always(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		h.mu.Lock()
		h.asked++
		spared := h.asked%h.every != 0
		if !spared {
			h.hit[f.name]++
		}
		h.mu.Unlock()
		if spared || f.do == nil {
			next.ServeHTTP(w, r)
			return
		}
		f.do(w, r, next)
	})
}
