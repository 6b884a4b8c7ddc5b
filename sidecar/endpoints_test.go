package sidecar_test

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar"
)

// bubble runs a test in a world of its own with a fake clock.
func bubble(t *testing.T, f func(w *world), change ...func(*sidecar.Config)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, change...)
		w.know()
		f(w)
	})
}

func TestForumActivity(t *testing.T) {
	bubble(t, func(w *world) {
		got := read[api.ForumActivity](w, w.get("/api/forum-activity?topicId=399"))
		if got.TopicID != 399 || got.Title != "Topic 399" || got.Posts != 10 || got.Replies != 9 ||
			got.Participants != 3 || got.Views != 100 || got.Likes != 5 ||
			got.URL != "https://forum.example.org/t/topic-399/399" || got.Stale ||
			got.ActivityScore < 1 || got.ActivityScore > 99 ||
			got.FetchedAt != mip.NewTime(time.Now()) {
			t.Errorf("forum activity %+v", got)
		}
		// Any topic of the forum is served, even an unlinked one.
		if got := read[api.ForumActivity](w,
			w.get("/api/forum-activity?topicId=500")); got.TopicID != 500 {
			t.Errorf("forum activity %+v", got)
		}
		calls := w.forum.Calls()
		w.get("/api/forum-activity?topicId=399").want(w, 200)
		w.get("/api/forum-activity?x=1&topicId=399&y").want(w, 200)
		w.get("/api/forum-activity?topicId=399&x=%zz").want(w, 200)
		if w.forum.Calls() != calls {
			t.Errorf("a fresh answer, and one with unknown parameters, cost %d calls",
				w.forum.Calls()-calls)
		}
	})
}

func TestTopicID(t *testing.T) {
	bubble(t, func(w *world) {
		for _, query := range []string{"", "?", "?topicid=399", "?topicId=", "?topicId=0",
			"?topicId=-1", "?topicId=%2B1", "?topicId=+1", "?topicId=01", "?topicId=1.0",
			"?topicId=1e3", "?topicId=0x1",
			"?topicId=12345678901234567890", "?topicId=2147483648", "?topicId=1%26x",
			"?topicId=%00", "?topicId=1%00", "?topicId=1&topicId=1", "?topicId=1&topicId=2",
			"?topicId=%zz", "?topicId=1;x=2", "?x=%zz", "?topicId=١"} {
			w.get("/api/forum-activity"+query).want(w, 400).problem(w, api.BadRequest)
		}
		if w.forum.Calls() != 0 {
			t.Errorf("bad numbers cost %d calls: %q", w.forum.Calls(), w.forum.Requests())
		}
	})
}

func TestNetworkInfo(t *testing.T) {
	bubble(t, func(w *world) {
		info := read[api.NetworkInfo](w, w.get("/api/network-info"))
		if len(info.Networks) != 2 {
			t.Fatalf("networks %+v", info)
		}
		m := info.Networks["mainnet"]
		if m.Name != "Main" || m.ChainID != 143 || m.Status != api.NetworkOK ||
			m.BlockHeight == nil || *m.BlockHeight != 1000 || m.FinalizedHeight == nil || m.Stale ||
			m.Error != nil {
			t.Errorf("mainnet %+v", m)
		}
		time.Sleep(6 * time.Second)
		again := read[api.NetworkInfo](w, w.get("/api/network-info")).Networks["mainnet"]
		if *again.BlockHeight != 1006 {
			t.Errorf("height after 6 s of one-second blocks: %d, want 1006", *again.BlockHeight)
		}
	})
}

func TestWrongChainIsUnavailable(t *testing.T) {
	bubble(t, func(w *world) {
		w.main.chain.SetChainID(1)
		info := read[api.NetworkInfo](w, w.get("/api/network-info"))
		m := info.Networks["mainnet"]
		if m.Status != api.NetworkUnavailable || m.BlockHeight != nil || m.ChainID != 143 ||
			m.Error == nil {
			t.Errorf("mainnet behind another chain: %+v", m)
		}
		if n := info.Networks["testnet"]; n.Status != api.NetworkOK {
			t.Errorf("testnet suffers: %+v", n)
		}
	})
}

func TestMIPWatch(t *testing.T) {
	bubble(t, func(w *world) {
		got := read[api.MIPWatch](w, w.get("/api/mip-watch"))
		if len(got.MIPs) != 3 || *got.MIPs[0].ForumTopicID != 399 ||
			got.MIPs[1].ForumTopicID == nil || *got.MIPs[1].ForumTopicID != 401 ||
			got.MIPs[2].ForumTopicID != nil {
			t.Errorf("mips %+v, want the topics 399, 401 (found by words) and none", got.MIPs)
		}
		if len(got.Forum) != 2 || got.Forum[0].TopicID != 401 || got.Forum[1].TopicID != 399 {
			t.Errorf("forum %+v, want 401 before 399", got.Forum)
		}
		if len(got.Errors) != 0 || got.Networks["mainnet"].Status != api.NetworkOK {
			t.Errorf("errors %v, networks %+v", got.Errors, got.Networks)
		}
		f := got.Freshness
		if f.MIPs == nil || f.Forum == nil || f.Networks == nil || f.HardForks == nil ||
			*f.Forum != mip.NewTime(time.Now()) {
			t.Errorf("freshness %+v", f)
		}
		if w.known.List.MIPs[1].ForumTopicID != nil {
			t.Error("the answer changed what is known")
		}
		// 401 is linked now: it does not use the budget of unlinked topics.
		before := w.forum.Calls()
		w.get("/api/forum-activity?topicId=401").want(w, 200)
		if w.forum.Calls() != before {
			t.Error("a topic found by words was asked for again")
		}
	})
}

// Forks follow the chains' own time: a node clock that is ahead activates nothing.
func TestHardForksFollowBlockTime(t *testing.T) {
	bubble(t, func(w *world) {
		status := func() (string, []string) {
			got := read[api.MIPWatch](w, w.get("/api/mip-watch"))
			var codes []string
			for _, d := range got.Discrepancies {
				codes = append(codes, fmt.Sprintf("%d %s %s: %s",
					*d.MIP, *d.Network, d.Code, d.Message))
			}
			return got.HardForks[0].Status, codes
		}
		is, found := status()
		if is != "active on testnet" || len(found) != 1 ||
			!strings.HasPrefix(found[0], "2 mainnet final-not-active: MIP-2 is Final, and NINE") ||
			!strings.Contains(found[0], "1 Jan 2000, 00:01 UTC") {
			t.Errorf("before activation: %q %q", is, found)
		}
		w.main.chain.Stall()
		time.Sleep(200 * time.Second)
		if is, found = status(); is != "active on testnet" || len(found) != 1 {
			t.Errorf("after activation by the clock, with the chain standing still: %q %q",
				is, found)
		}
		w.main.chain.Resume()
		time.Sleep(10 * time.Second)
		if is, found = status(); is != "active" || len(found) != 1 ||
			!strings.HasPrefix(found[0],
				"1 mainnet active-not-final: NINE is active on mainnet since 1 Jan 2000, "+
					"00:01 UTC") ||
			!strings.Contains(found[0], "MIP-1, which it bundles, is Review") {
			t.Errorf("after activation: %q %q", is, found)
		}
		if w.known.HardForks[0].Status != "scheduled" {
			t.Error("the answer changed what is known")
		}
	})
}

// Omissions of texts are counted, and reported where the chains have a fork without them.
func TestCompared(t *testing.T) {
	bubble(t, func(w *world) {
		k := *w.known
		k.List.MIPs, k.HardForks = slices.Clone(k.List.MIPs), slices.Clone(k.HardForks)
		k.List.MIPs[0].Standing, k.List.MIPs[1].Standing = mip.Standing{}, mip.Standing{}
		k.List.MIPs[0].StatedActivations = []mip.StatedActivation{{Network: "mainnet", Text: "TBD"},
			{Network: "testnet", Text: "1",
				Timestamp: k.HardForks[0].Activation["testnet"].Timestamp}}
		k.HardForks[0].BundledMIPs = append(slices.Clone(k.HardForks[0].BundledMIPs), 77)
		if err := w.sidecar.Update(&k); err != nil {
			t.Fatal(err)
		}
		always := []string{
			`activation-in-text-differs: The text of MIP-1 says "TBD" for mainnet, where NINE activates on 1 Jan 2000, 00:01 UTC.`, "bundled-not-published: NINE bundles MIP-77, which is not published here."}
		for _, tt := range []struct {
			status string
			found  []string
		}{
			{"active on testnet", always},
			{"active", []string{"active-without-status: NINE is active on mainnet since 1 Jan " +
				"2000, 00:01 UTC (its latest block is of 1 Jan 2000, 00:03 UTC), and MIP-1, " +
				"which it bundles, states no status.",
				always[0], "active-without-status: NINE is active on mainnet since 1 Jan 2000, " +
					"00:01 UTC (its latest block is of 1 Jan 2000, 00:03 UTC), and MIP-2, which " +
					"it bundles, states no status.", always[1]}},
		} {
			want, found := tt.status, tt.found
			if want == "active" {
				time.Sleep(200 * time.Second)
			}
			got := read[api.MIPWatch](w, w.get("/api/mip-watch"))
			var lines []string
			for _, d := range got.Discrepancies {
				lines = append(lines, d.Code+": "+d.Message)
			}
			if diff := cmp.Diff(found, lines); diff != "" {
				t.Errorf("%s: discrepancies (-want +got):\n%s", want, diff)
			}
			if c := got.Compared; c == nil || c.Bundled != 3 || c.Published != 2 || c.Stated != 0 {
				t.Errorf("%s: compared %+v, want 3 bundled, 2 published, none with a status",
					want, c)
			}
			f := got.HardForks[0]
			if f.Status != want || !reflect.DeepEqual(f.StatusAsOf, got.Freshness.HardForks) {
				t.Errorf("%s as of %v, want %s as of %v",
					f.Status, f.StatusAsOf, want, got.Freshness.HardForks)
			}
		}
	})
}

// The head of a chain that stopped answering does not count: its forks follow the wall clock, and
// so do the forks of a chain whose blocks are ahead of it.
func TestHardForksOfASilentChain(t *testing.T) {
	bubble(t, func(w *world) {
		status := func() string {
			return read[api.MIPWatch](w, w.get("/api/mip-watch")).HardForks[0].Status
		}
		if is := status(); is != "active on testnet" {
			t.Errorf("before activation: %q", is)
		}
		w.main.Always(demo.Disconnect())
		time.Sleep(200 * time.Second)
		if is := status(); is != "active" {
			t.Errorf("after activation by the clock, without an answer: %q", is)
		}
	})
	bubble(t, func(w *world) {
		w.main.Always(demo.Rewrite(func(b []byte) []byte {
			return regexp.MustCompile(`"timestamp":"0x[0-9a-f]+"`).ReplaceAll(b,
				[]byte(`"timestamp":"0xee000000"`))
		}))
		got := read[api.MIPWatch](w, w.get("/api/mip-watch"))
		if got.HardForks[0].Status != "active on testnet" {
			t.Errorf("with blocks of the year 2096: %q", got.HardForks[0].Status)
		}
	})
}

// Requests for other topics never shut out a topic that is linked by slug only.
func TestTopicLinkedByWords(t *testing.T) {
	bubble(t, func(w *world) {
		for i := range 25 {
			w.get(fmt.Sprint("/api/forum-activity?topicId=", 1000+i))
		}
		a := w.get("/api/forum-activity?topicId=1030").want(w, 429)
		if !slices.Contains(a.Header().Values("RateLimit-Policy"), `"forum";q=20;w=60`) {
			t.Errorf("the refusal names the limits %q", a.Header().Values("RateLimit-Policy"))
		}
		w.get("/api/forum-activity?topicId=401").want(w, 200)
	})
}

func TestOverdueLastCall(t *testing.T) {
	bubble(t, func(w *world) {
		day, _ := mip.NewDate(2000, 1, 1)
		w.known.List.MIPs[2].LastCallDeadline = day
		has := func() bool {
			return slices.ContainsFunc(read[api.MIPWatch](w,
				w.get("/api/mip-watch")).Discrepancies, func(d api.Discrepancy) bool {
				return d.Code == "last-call-overdue" && *d.MIP == 3 && d.Hardfork == nil &&
					d.Network == nil && strings.Contains(d.Message, "2000-01-01")
			})
		}
		if has() {
			t.Error("overdue on its last day")
		}
		time.Sleep(24 * time.Hour)
		if !has() {
			t.Error("not overdue the day after")
		}
	})
}

// A site without a forum or networks is no failure.
func TestSiteWithoutForumAndNetworks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.known.Site.Forum, w.known.Site.Networks, w.known.HardForks = nil, []mip.Network{}, nil
		w.know()
		got := read[api.MIPWatch](w, w.get("/api/mip-watch"))
		if len(got.Errors) != 0 || len(got.Forum) != 0 || len(got.Networks) != 0 ||
			got.Freshness.Forum != nil || got.Freshness.Networks != nil {
			t.Errorf("mip-watch %+v", got)
		}
		w.get("/api/forum-activity?topicId=399").want(w, 404).problem(w, api.NotFound)
		if n := read[api.NetworkInfo](w, w.get("/api/network-info")).Networks; len(n) != 0 {
			t.Errorf("networks %v", n)
		}
	})
}

func TestNetworkWithoutEndpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.known.Endpoints = nil
		w.know()
		m := read[api.NetworkInfo](w, w.get("/api/network-info")).Networks["mainnet"]
		if m.Status != api.NetworkUnavailable || m.Error == nil ||
			*m.Error != string(api.UpstreamUnavailable) {
			t.Errorf("mainnet %+v", m)
		}
	})
}

func TestNotReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for _, path := range []string{"/api/forum-activity?topicId=1", "/api/network-info",
			"/api/mip-watch", "/readyz"} {
			a := w.get(path).want(w, 503).problem(w, api.NotReady)
			if a.Header().Get("Retry-After") != "1" {
				t.Errorf("%s: Retry-After %q", path, a.Header().Get("Retry-After"))
			}
		}
		w.get("/healthz").want(w, 200)
		w.know()
		w.get("/readyz").want(w, 200)
		got := w.get("/healthz")
		if !strings.Contains(string(got.body),
			`"version":"v1","revision":"badc0de","commit":"c0ffee`) {
			t.Errorf("healthz %s", got.body)
		}
		w.sidecar.Drain()
		w.get("/readyz").want(w, 503)
		w.get("/api/network-info").want(w, 200)
		w.sidecar.Close()
		w.get("/api/network-info").want(w, 503)
	})
}

// Requests to a process that is still reading the site wait for it.
func TestFirstRequestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		answered := make(chan *reply)
		go func() { answered <- w.get("/api/network-info") }()
		synctest.Wait()
		w.know()
		if a := <-answered; a.Code != 200 {
			t.Errorf("status %d: %s", a.Code, a.body)
		}
	})
}

// Another catalog keeps the cached topics. A new forum address starts afresh.
func TestUpdateAgain(t *testing.T) {
	bubble(t, func(w *world) {
		w.get("/api/mip-watch").want(w, 200)
		calls := w.forum.Calls()
		next := known()
		next.List.MIPs = next.List.MIPs[:1]
		w.known = next
		w.know()
		got := read[api.MIPWatch](w, w.get("/api/mip-watch"))
		if len(got.MIPs) != 1 || len(got.Forum) != 1 {
			t.Errorf("mip-watch %+v", got)
		}
		if w.forum.Calls() != calls {
			t.Errorf("%d calls after a rebuild that kept the forum", w.forum.Calls()-calls)
		}
		other := "https://other.example.org"
		w.net.Serve("other.example.org", demo.NewDiscourse(time.Now))
		w.known = known()
		w.known.Site.Forum = &other
		w.know()
		w.get("/api/forum-activity?topicId=399").want(w, 404).problem(w, api.NotFound)
	})
}

func TestMethodsAndPaths(t *testing.T) {
	bubble(t, func(w *world) {
		for _, path := range []string{"/api/network-info", "/api/mip-watch", "/api/forum-activity",
			"/healthz"} {
			for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "TRACE", "FOO"} {
				if a := w.ask(method, path).want(w, 405).problem(w,
					api.MethodNotAllowed); a.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
					t.Errorf("%s %s: Allow %q", method, path, a.Header().Get("Allow"))
				}
			}
			a := w.ask("OPTIONS", path, "Origin", "https://x.example",
				"Access-Control-Request-Method", "GET").want(w, 204)
			if len(a.body) > 0 || a.Header().Get("Access-Control-Allow-Methods") == "" ||
				a.Header().Get("Allow") == "" {
				t.Errorf("OPTIONS %s: %v %s", path, a.Header(), a.body)
			}
		}
		for _, path := range []string{"/", "//api/network-info", "/api//network-info",
			"/api/network-info/", "/api/../api/network-info", "/%2e%2e/api", "/api/%2e%2e/",
			"/API/network-info", "/api/v1/mips", "/api/nothing"} {
			w.get(path).want(w, 404).problem(w, api.NotFound)
		}
		get, head := w.get("/api/network-info").want(w, 200),
			w.ask("HEAD", "/api/network-info").want(w, 200)
		if len(head.body) > 0 || head.Header().Get("Content-Length") != fmt.Sprint(len(get.body)) ||
			head.Header().Get("ETag") != get.Header().Get("ETag") {
			t.Errorf("HEAD %v %q after GET %v", head.Header(), head.body, get.Header())
		}
		if a := w.ask("HEAD", "/api/forum-activity").want(w, 400); len(a.body) > 0 {
			t.Errorf("HEAD has the body %s", a.body)
		}
	})
}

func TestCacheFields(t *testing.T) {
	bubble(t, func(w *world) {
		for path, want := range map[string]struct{ life, vary string }{
			"/api/network-info":               {"5, stale-while-revalidate=30", "query=topicId"},
			"/api/forum-activity?topicId=399": {"300, stale-while-revalidate=300", "query=topicId"},
			"/api/mip-watch":                  {"5, stale-while-revalidate=30", "query=parts"},
			"/api/mip-watch?parts=hardforks":  {"5, stale-while-revalidate=30", "query=parts"},
			"/api/mip-watch?parts=forum":      {"300, stale-while-revalidate=300", "query=parts"},
			"/api/mip-watch?parts=mips":       {"300, stale-while-revalidate=300", "query=parts"},
		} {
			a := w.get(path).want(w, 200)
			cdn := a.Header().Get("Netlify-CDN-Cache-Control")
			if !strings.HasSuffix(cdn, "max-age="+want.life) ||
				a.Header().Get("Netlify-Vary") != want.vary {
				t.Errorf("%s: %v", path, a.Header())
			}
			tag := a.Header().Get("ETag")
			b := w.ask("GET", path, "If-None-Match", `"x", W/`+tag).want(w, 304)
			if len(b.body) > 0 || b.Header().Get("ETag") != tag {
				t.Errorf("%s: 304 with %v %q", path, b.Header(), b.body)
			}
			z := w.ask("GET", path, "Accept-Encoding", "gzip").want(w, 200)
			if z.Header().Get("Content-Encoding") != "gzip" ||
				z.Header().Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s: %v", path, z.Header())
			}
		}
	})
}

// A panic gives a problem with the id that the log has.
func TestPanic(t *testing.T) {
	clock := time.Now
	bubble(t, func(w *world) {
		clock = func() time.Time { panic("the clock broke") }
		defer func() { clock = time.Now }()
		a := w.get("/api/network-info").want(w, 500).problem(w, api.Internal)
		lines := w.log.lines("panic")
		if len(lines) != 1 || !strings.Contains(lines[0], a.Header().Get("X-Request-Id")) ||
			strings.Contains(string(a.body), "clock") {
			t.Errorf("log %q, answer %s", lines, a.body)
		}
	}, func(c *sidecar.Config) { c.Now = func() time.Time { return clock() } })
}

func TestRequestLines(t *testing.T) {
	bubble(t, func(w *world) {
		w.get("/api/forum-activity?topicId=399&secret=hunter2")
		w.get("/what/hunter2")
		w.ask("HUNTER2", "/api/mip-watch")
		lines := w.log.lines("request")
		if len(lines) != 3 ||
			!strings.Contains(lines[0], `"route":"/api/forum-activity","status":200`) ||
			!strings.Contains(lines[1],
				`"route":"other","status":404,"code":"not_found","bytes":`) ||
			!strings.Contains(lines[2], `"method":"other"`) {
			t.Errorf("log %q", lines)
		}
		if log := w.log.String(); strings.Contains(strings.ToLower(log), "hunter2") ||
			strings.Contains(log, "192.0.2.1") || strings.Contains(log, "A-KEY") {
			t.Errorf("the log holds what it must not: %s", log)
		}
	})
}
