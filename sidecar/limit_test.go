package sidecar_test

import (
	"fmt"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar"
)

// outside runs a test in a world with the real clock.
func outside(t *testing.T, f func(w *world), change ...func(*sidecar.Config)) {
	t.Helper()
	w := newWorld(t, change...)
	w.know()
	f(w)
}

func TestLimit(t *testing.T) {
	outside(t, func(w *world) {
		first := w.get("/api/network-info").want(w, 200)
		if !regexp.MustCompile(`^"default";r=119;t=([1-9]|[1-5][0-9]|60)$`).MatchString(
			first.Header().Get("RateLimit")) ||
			first.Header().Get("RateLimit-Policy") != `"default";q=120;w=60` ||
			first.Header().Get("Retry-After") != "" {
			t.Errorf("first: %v", first.Header())
		}
		for range 119 {
			w.get("/api/forum-activity?topicId=bad").want(w, 400)
		}
		a := w.get("/api/mip-watch").want(w, 429).problem(w, api.RateLimited)
		wait, err := strconv.Atoi(a.Header().Get("Retry-After"))
		if err != nil || wait < 1 || wait > 60 ||
			a.Header().Get("RateLimit") != fmt.Sprintf(`"default";r=0;t=%d`, wait) {
			t.Errorf("refused: %v", a.Header())
		}
		w.ask("HEAD", "/api/mip-watch").want(w, 429)
		w.get("/healthz").want(w, 200)
		w.from = "192.0.2.2:1"
		w.get("/api/network-info").want(w, 200)
	})
}

// TestLimitOfEverything checks that a caller gets no more answers than the limit allows, and no
// more lines of the log, whichever path is requested. Health checks always get an answer, and are
// not logged.
func TestLimitOfEverything(t *testing.T) {
	const many, most, mostAI = 500, 120, 10
	type route struct {
		method, path string
		allowed      int
	}
	limited := []route{
		{"GET", "/nothing", most}, {"POST", "/", most}, {"GET", "/api/forum-activity", most},
		{"GET", "/api/ai-summary", most},
		{"PUT", "/api/mip-watch", most}, {"BREW", "/healthz", most}, {"POST", "/readyz", most},
		{"POST", "/api/ai-summary", mostAI}, {"POST", "/api/ai-translate", mostAI},
	}
	for _, path := range []string{"/nothing", "/api/mip-watch", "/api/ai-summary",
		"/api/ai-translate", "/healthz", "/readyz"} {
		limited = append(limited, route{"OPTIONS", path, most})
	}
	outside(t, func(w *world) {
		for i, r := range limited {
			w.from = fmt.Sprintf("198.51.100.%d:1", i)
			refused, lines := 0, len(w.log.lines("request"))
			for range many {
				if w.ask(r.method, r.path).Code == 429 {
					refused++
				}
			}
			if refused != many-r.allowed {
				t.Errorf("%s %s: %d of %d refused, want %d",
					r.method, r.path, refused, many, many-r.allowed)
			}
			if n := len(w.log.lines("request")) - lines; n != r.allowed {
				t.Errorf("%s %s: %d lines of the log, want %d", r.method, r.path, n, r.allowed)
			}
		}
		lines := len(w.log.lines("request"))
		for range many {
			for _, path := range []string{"/healthz", "/readyz"} {
				w.get(path).want(w, 200)
				w.ask("HEAD", path).want(w, 200)
			}
		}
		w.sidecar.Drain()
		w.get("/readyz").want(w, 503)
		if n := len(w.log.lines("request")) - lines; n != 0 {
			t.Errorf("%d lines of the log for health checks, want none", n)
		}
	})
}

// TestCallers lists pairs of an address and a field that share a limit with the first pair, and
// pairs that do not.
func TestCallers(t *testing.T) {
	proxies := func(c *sidecar.Config) {
		c.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"),
			netip.MustParsePrefix("2001:db8:ffff::/48")}
	}
	netlify := func(c *sidecar.Config) { c.Netlify = true }
	type caller struct{ from, forwarded, netlify string }
	for name, c := range map[string]struct {
		config func(*sidecar.Config)
		same   []caller
		other  []caller
	}{
		"direct": {func(*sidecar.Config) {},
			[]caller{{"192.0.2.1:1", "", ""}, {"192.0.2.1:2", "203.0.113.9", ""},
				{"192.0.2.1:3", "", "203.0.113.9"}, {"[::ffff:192.0.2.1]:5", "", ""}},
			[]caller{{"192.0.2.2:1", "192.0.2.1", "192.0.2.1"}}},
		"one /64": {func(*sidecar.Config) {},
			[]caller{{"[2001:db8:1:2::1]:1", "", ""},
				{"[2001:db8:1:2:ffff:ffff:ffff:ffff]:1", "", ""},
				{"[2001:db8:1:2::9%eth0]:1", "", ""}},
			[]caller{{"[2001:db8:1:3::1]:1", "", ""}}},
		"addresses that hold one of IPv4": {func(*sidecar.Config) {},
			[]caller{{"192.0.2.1:1", "", ""}, {"[2002:c000:201::1]:1", "", ""},
				{"[2002:c000:201:ffff::1]:1", "", ""}, {"[64:ff9b::c000:201]:1", "", ""},
				{"[2001:0:cb00:7109:0:1234:3fff:fdfe]:1", "", ""},
				{"[2001:0:cb00:710a:8000:4321:3fff:fdfe]:1", "", ""}},
			[]caller{{"[2002:c000:202::1]:1", "", ""}, {"[64:ff9b::c000:203]:1", "", ""},
				{"[2001:0:cb00:7109:0:1234:3fff:fdfb]:1", "", ""},
				{"[2001:1:c000:201::1]:1", "", ""}}},
		"cannot be told": {func(*sidecar.Config) {},
			[]caller{{"@", "", ""}, {"", "", ""}, {"/run/x.sock", "192.0.2.7", ""},
				{"nonsense:1", "", "192.0.2.7"}},
			[]caller{{"192.0.2.2:1", "", ""}}},
		"behind proxies": {proxies,
			[]caller{{"10.1.2.3:1", "203.0.113.9", ""}, {"10.9.9.9:1", "1.1.1.1, 203.0.113.9", ""},
				{"10.9.9.9:1", "x, 203.0.113.9:4711, 10.4.4.4", ""},
				{"[2001:db8:ffff::1]:9", "203.0.113.9", ""}, {"203.0.113.9:1", "1.2.3.4", ""}},
			[]caller{{"10.1.2.3:1", "203.0.113.10", ""},
				{"10.1.2.3:1", "203.0.113.9, nonsense", ""}}},
		"Netlify": {netlify,
			[]caller{{"", "", "203.0.113.9"}, {"1.2.3.4:1", "8.8.8.8", "203.0.113.9"}},
			[]caller{{"", "203.0.113.9", "203.0.113.10"}, {"203.0.113.9:1", "203.0.113.9", ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			outside(t, func(w *world) {
				ask := func(c caller) *reply {
					r := httptest.NewRequest("GET", "/api/network-info", nil)
					r.RemoteAddr = c.from
					if c.forwarded != "" {
						r.Header.Set("X-Forwarded-For", c.forwarded)
					}
					if c.netlify != "" {
						r.Header.Set("X-Nf-Client-Connection-Ip", c.netlify)
					}
					return w.send(r)
				}
				for i := range 120 {
					ask(c.same[i%len(c.same)]).want(w, 200)
				}
				for _, s := range c.same {
					if a := ask(s); a.Code != 429 {
						t.Errorf("%+v got %d, want the limit of %+v", s, a.Code, c.same[0])
					}
				}
				for _, o := range c.other {
					if a := ask(o); a.Code != 200 {
						t.Errorf("%+v got %d, want a limit of its own", o, a.Code)
					}
				}
			}, c.config)
		})
	}
}

// TestUntrustedProxy checks that the log names an untrusted proxy once, with the setting to change.
func TestUntrustedProxy(t *testing.T) {
	for name, c := range map[string]struct {
		from, forwarded, want string
		change                func(*sidecar.Config)
	}{
		"loopback": {"127.0.0.1:9", "203.0.113.9",
			"X-Forwarded-For from 127.0.0.1 is not trusted", func(*sidecar.Config) {}},
		"private network": {"[fd00::7]:9", "203.0.113.9", "set TRUSTED_PROXIES=fd00::7",
			func(*sidecar.Config) {}},
		"no field": {"127.0.0.1:9", "", "", func(*sidecar.Config) {}},
		"anybody":  {"192.0.2.1:9", "203.0.113.9", "", func(*sidecar.Config) {}},
		"named": {"127.0.0.1:9", "203.0.113.9", "", func(c *sidecar.Config) {
			c.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			outside(t, func(w *world) {
				w.from = c.from
				for range 3 {
					w.ask("GET", "/api/network-info", "X-Forwarded-For", c.forwarded).want(w, 200)
				}
				log := w.log.String()
				n := strings.Count(log, "TRUSTED_PROXIES")
				if c.want == "" && n > 0 || c.want != "" && n != 1 ||
					!strings.Contains(log, c.want) {
					t.Errorf("want %q once in the log:\n%s", c.want, log)
				}
			}, c.change)
		})
	}
}
