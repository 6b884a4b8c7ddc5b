package demo_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
)

const forum = "https://forum.example/community"

// clock is a clock that tests set.
type clock struct{ t time.Time }

func (c *clock) now() time.Time       { return c.t }
func (c *clock) pass(d time.Duration) { c.t = c.t.Add(d) }

// figures are the fields of a topic that a client reads.
type figures struct {
	ID               int     `json:"id"`
	Title            string  `json:"title"`
	FancyTitle       string  `json:"fancy_title"`
	Slug             string  `json:"slug"`
	PostsCount       int     `json:"posts_count"`
	ParticipantCount int     `json:"participant_count"`
	LikeCount        int     `json:"like_count"`
	Views            int     `json:"views"`
	CreatedAt        string  `json:"created_at"`
	LastPostedAt     *string `json:"last_posted_at"`
	Closed           bool    `json:"closed"`
	Archived         bool    `json:"archived"`
	Archetype        string  `json:"archetype"`
}

// demoProposals returns one proposal for each way to link to a discussion.
func demoProposals() []mip.Metadata {
	link := func(path string) *string { return new(forum + path) }
	made := func(month time.Month) mip.Date { return mip.Date{Year: 2026, Month: month, Day: 3} }
	return []mip.Metadata{
		{Number: 1, Title: "Old and decided", Standing: mip.Final.Usual(),
			Created: mip.Date{Year: 2025, Month: 2, Day: 1}, ForumTopicID: new(101),
			DiscussionsTo: link("/t/old/101")},
		{Number: 2, Title: "Last of all", Standing: mip.Draft.Usual(), Created: made(9),
			ForumTopicID: new(102), DiscussionsTo: link("/t/102")},
		{Number: 3, Title: "Number from the site's own list", Standing: mip.Review.Usual(),
			Created: made(8), ForumTopicID: new(103), DiscussionsTo: link("/t/third")},
		{Number: 4, Title: "Slug alone", Standing: mip.LastCall.Usual(), Created: made(7),
			DiscussionsTo: link("/t/ñandú")},
		{Number: 5, Title: "Slug alone again", DiscussionsTo: link("/t/%C3%B1and%C3%BA/")},
		{Number: 6, Title: "Slug of a topic with a number", DiscussionsTo: link("/t/old")},
		{Number: 7, Title: "The same topic", ForumTopicID: new(101),
			DiscussionsTo: link("/t/old/101/5")},
		{Number: 8, Title: "Elsewhere",
			DiscussionsTo: new("https://other.example/community/t/slug/8")},
		{Number: 9, Title: "Elsewhere, but with a number", ForumTopicID: new(10_004),
			DiscussionsTo: new("https://other.example/t/x/10004"), Created: made(1)},
		{Number: 10, Title: "A link to another topic", ForumTopicID: new(110),
			DiscussionsTo: link("/t/another/111"), Created: made(2)},
		{Number: 11, Title: "Not a topic", DiscussionsTo: link("/c/proposals")},
		{Number: 12, Title: "No link", Standing: mip.Withdrawn.Usual()},
		{Number: 13, Title: "Withdrawn", Standing: mip.Withdrawn.Usual(), ForumTopicID: new(113),
			Created: made(3)},
		{Number: 14, Title: "No address", DiscussionsTo: new("https://%zz")},
	}
}

func demoEndpoints() []mip.Endpoints {
	return []mip.Endpoints{
		{Network: mip.Network{ID: "mainnet", ChainID: 143, BlockTime: 0.4},
			RPC: []string{"https://rpc.example/main?key=k", "https://backup.example/main"}},
		{Network: mip.Network{ID: "testnet", ChainID: 10143},
			RPC: []string{"https://rpc.example/test", "", "::"}},
	}
}

// put adds a demo to a network.
func put(n *demo.Network, now func() time.Time) {
	n.Demo(now, mip.Site{Forum: new(forum)}, demoProposals(), demoEndpoints())
}

func TestDemoForum(t *testing.T) {
	inBubble(t, func(t *testing.T, n *demo.Network, c *http.Client) {
		put(n, time.Now)
		for target, want := range map[string]string{
			"/t/101.json":             "101 old: Old and decided",
			"/t/102.json":             "102 last-of-all: Last of all",
			"/t/103.json":             "103 third: Number from the site's own list",
			"/t/third.json":           "103 third: Number from the site's own list",
			"/t/%C3%B1and%C3%BA.json": "10005 ñandú: Slug alone",
			"/t/old.json":             "101 old: Old and decided",
			"/t/10004.json": "10004 elsewhere-but-with-a-number: Elsewhere, but " +
				"with a number",
			"/t/110.json":                  "110 another: A link to another topic",
			"/t/113.json":                  "113 withdrawn: Withdrawn",
			"/t/slug.json":                 "404",
			"/t/111.json":                  "404",
			"/t/1.json":                    "404",
			"/c/proposals":                 "404",
			"/t/slug-alone-again.json":     "404",
			"/t/old/101.json?a=redirected": "101 old: Old and decided",
		} {
			status, body, err := get(t, c, forum+target)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(status)
			if status == 200 {
				var f figures
				if err := json.Unmarshal([]byte(body), &f); err != nil {
					t.Fatal(err)
				}
				got = fmt.Sprintf("%d %s: %s", f.ID, f.Slug, f.Title)
			}
			if got != want {
				t.Errorf("GET %s = %s, want %s", target, got, want)
			}
		}
		for _, address := range []string{"https://other.example/", "https://forum.example:444/"} {
			if _, _, err := get(t, c, address); err == nil {
				t.Errorf("%s is there", address)
			}
		}
		// A rebuild with other proposals shows these.
		n.Demo(time.Now, mip.Site{Forum: new(forum)},
			[]mip.Metadata{{Number: 1, Title: "New title", ForumTopicID: new(101)}}, nil)
		_, body, _ := get(t, c, forum+"/t/101.json")
		if !strings.Contains(body, `"title":"New title"`) {
			t.Errorf("after a change the topic is %.200s", body)
		}
	})
}

func TestDemoWithoutAForum(t *testing.T) {
	inBubble(t, func(t *testing.T, n *demo.Network, c *http.Client) {
		for _, site := range []mip.Site{{}, {Forum: new("::")}, {Forum: new("forum")}} {
			n.Demo(time.Now, site, demoProposals(), nil)
		}
		if _, _, err := get(t, c, "https://forum.example/"); err == nil {
			t.Error("there is a forum")
		}
	})
}

// read decodes an answer of the forum.
func read(t *testing.T, c *http.Client, path string, into any) {
	t.Helper()
	_, body, err := get(t, c, forum+path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatal(err)
	}
}

// topics returns the figures of all topics by number.
func topics(t *testing.T, c *http.Client) map[int]figures {
	t.Helper()
	got := map[int]figures{}
	for _, id := range []int{101, 102, 103, 110, 113, 10_004, 10_005} {
		var f figures
		read(t, c, fmt.Sprintf("/t/%d.json", id), &f)
		got[f.ID] = f
	}
	return got
}

// TestDemoGrows observes the topics for two hours from several times on, including a clock set to
// years ago and the beginning of a week.
func TestDemoGrows(t *testing.T) {
	for _, start := range []time.Time{
		time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC),
		time.Date(2026, time.November, 23, 0, 0, 0, 0, time.UTC),
		// the last topic was opened on this day
		time.Date(2026, time.September, 3, 12, 0, 0, 0, time.UTC),
		time.Date(2024, time.February, 29, 0, 0, 0, 0, time.UTC),
		time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2040, time.July, 1, 0, 0, 0, 0, time.FixedZone("", 3600)),
	} {
		at := &clock{start}
		n := demo.NewNetwork()
		defer n.Close()
		c := &http.Client{Transport: n}
		put(n, at.now)
		first := topics(t, c)
		if len(first) != 7 {
			t.Errorf("%v: %d topics, want 7", start, len(first))
		}
		before := first
		for range 24 {
			at.pass(5 * time.Minute)
			now := topics(t, c)
			for id, f := range now {
				checkTopic(t, at.t, before[id], f)
			}
			before = now
		}
		for id, f := range before {
			if f.ParticipantCount < 1 || f.ParticipantCount > f.PostsCount {
				t.Errorf("%v: topic %d is %+v", at.t, id, f)
			}
		}
		for id, lively := range map[int]bool{102: true, 103: true, 101: false, 113: false} {
			old, now := first[id], before[id]
			posts := now.PostsCount > old.PostsCount
			if posts != lively || lively &&
				(now.Views <= old.Views || now.LikeCount <= old.LikeCount) {
				t.Errorf("%v: topic %d went in two hours from %+v to %+v; lively: %v", start, id,
					old, now, lively)
			}
		}
		if f := before[101]; !f.Closed || f.Archived {
			t.Errorf("%v: the topic of a final proposal is %+v, want it closed", start, f)
		}
	}
}

// checkTopic checks that figures are possible, and consistent with the earlier ones.
func checkTopic(t *testing.T, now time.Time, before, f figures) {
	t.Helper()
	created, err := time.Parse(time.RFC3339, f.CreatedAt)
	if err != nil || f.LastPostedAt == nil {
		t.Fatalf("%v: topic %+v: %v", now, f, err)
	}
	last, err := time.Parse(time.RFC3339, *f.LastPostedAt)
	if err != nil || created.After(last) || last.After(now) {
		t.Errorf("%v: topic %d opened at %v, last post at %v (%v)", now, f.ID, created, last, err)
	}
	if f.PostsCount < 1 || f.Views < f.PostsCount || f.PostsCount > 2000 {
		t.Errorf("%v: topic %d cannot be: %+v", now, f.ID, f)
	}
	if f.PostsCount < before.PostsCount || f.Views < before.Views ||
		f.LikeCount < before.LikeCount || *f.LastPostedAt < *before.LastPostedAt {
		t.Errorf("%v: topic %d fell from %+v to %+v", now, f.ID, before, f)
	}
}

// TestDemoIsTheSameForAll compares two demos that were created at different times.
func TestDemoIsTheSameForAll(t *testing.T) {
	early, late := &clock{time.Date(2026, time.June, 1, 0, 0, 0, 0, time.UTC)},
		&clock{time.Date(2026, time.November, 21, 9, 30, 0, 0, time.UTC)}
	var answers [2][]string
	for i, at := range []*clock{early, late} {
		n := demo.NewNetwork()
		defer n.Close()
		put(n, at.now)
		at.t = late.t
		for _, address := range []string{forum + "/t/103.json", forum + "/t/102.json",
			"https://rpc.example/main"} {
			body := strings.NewReader(
				`{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber",` +
					`"params":["latest",false]}`)
			method := http.MethodPost
			if strings.HasSuffix(address, ".json") {
				method = http.MethodGet
			}
			r, err := http.NewRequestWithContext(t.Context(), method, address, body)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			resp, err := n.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(resp.Body)
			if resp.Body.Close(); err != nil {
				t.Fatal(err)
			}
			answers[i] = append(answers[i], string(b))
		}
	}
	if d := cmp.Diff(answers[0], answers[1]); d != "" {
		t.Errorf("(-made in June +made now):\n%s", d)
	}
}

// height requests a chain's id and height from an endpoint. It returns the status if that is not
// 200.
func height(t *testing.T, c *http.Client, address string) string {
	t.Helper()
	var out []string
	for _, method := range []string{"eth_chainId", "eth_blockNumber"} {
		resp, err := c.Post(address, "application/json",
			strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q}`, method)))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var got struct{ Result string }
		if resp.StatusCode != http.StatusOK {
			return fmt.Sprint(resp.StatusCode)
		}
		if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		out = append(out, got.Result)
	}
	return strings.Join(out, " ")
}

func TestDemoChains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := demo.NewNetwork()
		defer n.Close()
		c := &http.Client{Transport: n}
		put(n, time.Now)
		const first, backup, other = "https://rpc.example/main?key=k",
			"https://backup.example/main", "https://rpc.example/test"
		start := height(t, c, first)
		if got := height(t, c, backup); got != start || !strings.HasPrefix(got, "0x8f ") {
			t.Errorf("two endpoints of one network: %q and %q, want the same of chain 0x8f",
				start, got)
		}
		if got := height(t, c, other); !strings.HasPrefix(got, "0x279f ") {
			t.Errorf("the other network: %q, want chain 0x279f", got)
		}
		down, last := 0, start
		for range 10 * 60 / 5 {
			time.Sleep(5 * time.Second) // more than any block time
			now := height(t, c, backup)
			if now == last {
				t.Errorf("the height stays at %s", now)
			}
			switch got := height(t, c, first); got {
			case now:
			case "502":
				down++
			default:
				t.Errorf("the first endpoint answers %s, the second %s", got, now)
			}
			last = now
		}
		if down != 18 {
			t.Errorf("the first endpoint was down for %d times 5 s in ten minutes, want 18", down)
		}
	})
}
