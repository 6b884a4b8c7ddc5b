package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// question is one request.
type question struct {
	method, path, body string
	header             http.Header
	rude               rudeness
}

// rudeness is how a caller behaves beside what it asks.
type rudeness int

const (
	polite   rudeness = iota
	leaving           // hangs up before the answer
	dripping          // sends its body byte by byte
	flooding          // sends more than is read: it may be cut off before it has read the answer
)

// hangUp is when a caller leaves that does.
const hangUp = 2 * time.Millisecond

// kind is a sort of question, asked as often as its weight says.
type kind struct {
	weight int
	make   func(r *rand.Rand) question
}

// kinds are all sorts: what the site's own pages ask, what programs ask, and what nobody should.
func kinds() []kind {
	get := func(paths ...string) func(*rand.Rand) question {
		return func(r *rand.Rand) question { return question{method: http.MethodGet, path: pick(r, paths)} }
	}
	post := func(path string, bodies ...string) func(*rand.Rand) question {
		return func(r *rand.Rand) question {
			return question{method: http.MethodPost, path: path, body: pick(r, bodies), header: http.Header{"Content-Type": {"application/json"}}}
		}
	}
	number := func(path, form string, most int) func(*rand.Rand) question {
		return func(r *rand.Rand) question {
			n := 1 + r.IntN(most)
			if path == "" {
				return question{method: http.MethodGet, path: fmt.Sprintf(form, n)}
			}
			return post(path, fmt.Sprintf(form, n))(r)
		}
	}
	const topic, summary, translation = "/api/forum-activity?topicId=", "/api/ai-summary", "/api/ai-translate"
	return []kind{
		{150, get("/api/mip-watch", "/api/mip-watch?utm_source=x")},
		{80, get("/api/mip-watch?parts=forum,networks", "/api/mip-watch?parts=networks", "/api/mip-watch?parts=mips", "/api/mip-watch?parts=hardforks,discrepancies,forum")},
		{120, get("/api/network-info")},
		{150, number("", topic+"%d", linkedTopics)},
		{80, number("", topic+"%d", 10_000)},
		{20, get("/healthz", "/readyz")},
		{30, func(r *rand.Rand) question {
			return question{method: http.MethodHead, path: pick(r, []string{"/api/network-info", "/api/mip-watch", topic + "1", "/healthz"})}
		}},
		{20, func(*rand.Rand) question { return question{method: http.MethodOptions, path: "/api/ai-summary"} }},
		{100, number(summary, `{"mipNumber":%d}`, 15)},
		{20, number(summary, `{"mipNumber":"MIP-%d","locale":"ja"}`, 15)},
		{20, number(translation, `{"mipNumber":%d,"locale":"ja"}`, 15)},
		{10, number(translation, `{"mipNumber":%d,"locale":"ja","sections":["s-abstract"]}`, 15)},

		{40, get(topic, topic+"0", topic+"-1", topic+"99999999999999999999", topic+"1%00", topic+"1&topicId=2", topic+"+1", topic+"1;x", "/api/mip-watch?parts=", "/api/mip-watch?parts=mips,mips", "/api/mip-watch?parts=%zz")},
		{30, get("/", "/metrics", "/debug/pprof/", "/api/", "//api/network-info", "/api/%2e%2e/healthz", "/api/network-info/", "/.env", "/api/x%22%0a")},
		{20, func(r *rand.Rand) question {
			return question{method: pick(r, []string{"DELETE", "PUT", "PATCH", "POST", "TRACE", "BREW"}), path: "/api/network-info"}
		}},
		{20, get("/api/ai-summary", "/api/ai-translate")},
		{40, post(summary, ``, `null`, `[]`, `{`, `{"mipNumber":1}{`, `{"mipNumber":1,"mipNumber":2}`, `{"mipNumber":"../1"}`, `{"mipNumber":999999}`, `{"mipNumber":-1}`, `{"text":"x"}`, `{"mipNumber":1,"locale":"xx"}`, "\xff\xfe")},
		{10, post(translation, `{"mipNumber":1}`, `{"mipNumber":1,"locale":"ja","sections":[]}`, `{"mipNumber":1,"locale":"ja","sections":["s-nowhere"]}`)},
		{10, func(*rand.Rand) question {
			return question{method: http.MethodPost, path: summary, body: `{"mipNumber":1}`}
		}},
		{10, post(summary, strings.Repeat(`[`, 60_000))},
		{10, rudely(flooding, post(summary, strings.Repeat(" ", 200_000)))},
		{10, rudely(dripping, post(summary, `{"mipNumber":1}`))},
		{30, rudely(leaving, get("/api/mip-watch", topic+"2", "/api/network-info"))},
		{20, rudely(leaving, number(summary, `{"mipNumber":%d}`, 15))},
	}
}

func rudely(how rudeness, ask func(*rand.Rand) question) func(*rand.Rand) question {
	return func(r *rand.Rand) question {
		q := ask(r)
		q.rude = how
		return q
	}
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// from is who asks: one of some hundred callers, each with an address of its own, a few that ask all the
// time, and some that write what they like before it.
func from(r *rand.Rand) string {
	switch n := r.IntN(100); {
	case n < 3:
		return "203.0.113.7"
	case n < 6:
		return fmt.Sprintf("%d.%d.1.1, nonsense, 198.51.100.%d", r.IntN(256), r.IntN(256), r.IntN(50))
	case n < 20:
		return fmt.Sprintf("2001:db8:%x::%x", r.IntN(200), r.Uint32())
	}
	return fmt.Sprintf("10.0.%d.%d", r.IntN(2), 1+r.IntN(250))
}
