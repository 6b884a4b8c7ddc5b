package snapshot

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

func at(hour int) mip.Time { return mip.NewTime(time.Date(2026, 11, 20, hour, 0, 0, 0, time.UTC)) }

const forum = "https://forum.example.org"

// sample is a site of three proposals: one whose link has a number, one whose link has none, and one that
// is discussed elsewhere.
func sample() ([]mip.Summary, mip.SiteInfo) {
	hash := func(s string) string { return strings.Repeat(s, 64) }
	all := []mip.Summary{
		{Number: 1, ID: mip.ID{Kind: "MIP", Number: 1}, ContentHash: hash("a"), DiscussionsTo: new(forum + "/t/one/11"), ForumTopicID: new(11)},
		{Number: 2, ID: mip.ID{Kind: "MIP", Number: 2}, ContentHash: hash("b"), DiscussionsTo: new(forum + "/t/two")},
		{Number: 3, ID: mip.ID{Kind: "MIP", Number: 3}, ContentHash: hash("c"), DiscussionsTo: new("https://elsewhere.example.org/t/three")},
	}
	info := mip.SiteInfo{Prefix: "MIP", Forum: new(forum), Networks: []mip.Network{{ID: "mainnet", Name: "Main", ChainID: 7}, {ID: "testnet", Name: "Test", ChainID: 8}}}
	return all, info
}

// answer is what the sidecar says of sample.
func answer() api.MIPWatch {
	all, _ := sample()
	all[1].ForumTopicID, all[2].ForumTopicID = new(12), new(12)
	height := uint64(100)
	topic := func(id, score int, fetched mip.Time) api.ForumActivity {
		return api.ForumActivity{TopicID: id, Title: "T", URL: forum, ActivityScore: score, Posts: 3, Replies: 2, Participants: 2, CreatedAt: at(1), FetchedAt: fetched}
	}
	return api.MIPWatch{
		MIPs: all, Forum: []api.ForumActivity{topic(11, 10, at(5)), topic(12, 90, at(4))},
		Networks: map[string]api.NetworkStatus{
			"mainnet": {Name: "<b>", ChainID: 7, Status: api.NetworkOK, BlockHeight: &height, BlockTime: new(at(6)), FetchedAt: new(at(5))},
		},
		HardForks: []mip.HardFork{}, Errors: map[string]api.Code{},
		Discrepancies: []api.Discrepancy{{MIP: new(1), Hardfork: new("ONE"), Network: new("mainnet"), Code: "active-not-final", Message: "ONE is active."}},
		Freshness:     api.Freshness{Forum: new(at(4)), Networks: new(at(5)), HardForks: new(at(5))},
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func hold(t *testing.T, text string) (*Snapshot, []string) {
	t.Helper()
	f, err := Read("live.json", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	got, problems := f.Filter(sample())
	var notices []string
	for _, p := range problems {
		if p.Level != mip.Notice {
			t.Errorf("%s is a %s", p, p.Level)
		}
		notices = append(notices, p.String())
	}
	return got, notices
}

func TestFilter(t *testing.T) {
	f, notices := hold(t, encoded(t, answer()))
	if len(notices) > 0 {
		t.Errorf("notices %q", notices)
	}
	if diff := cmp.Diff(map[int]int{1: 10, 2: 90}, heatByNumber(f)); diff != "" {
		t.Errorf("heat, of a link without a number too but not of another forum's (-want +got):\n%s", diff)
	}
	if f.Topics[0].TopicID != 12 || f.Topic(mip.ID{Kind: "MIP", Number: 3}) != nil || f.ForumAt().String() != at(4).String() {
		t.Errorf("topics %+v, as of %s", f.Topics, f.ForumAt())
	}
	if n := f.Network("mainnet"); n == nil || n.Name != "Main" || f.Network("testnet") != nil {
		t.Errorf("networks %+v, want the site's own name and nothing of what the file lacks", f.Networks)
	}
}

// TestHoldLeavesOut holds that whatever does not fit the proposals of now is left out and named.
func TestHoldLeavesOut(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*api.MIPWatch)
		notice string
		heat   map[int]int
	}{
		{"unknown proposal", func(w *api.MIPWatch) { w.MIPs[2].Number = 99 }, "live.json: unknown-proposal: mips[2]: proposal 99 is not published here", map[int]int{1: 10, 2: 90}},
		{"unknown topic", func(w *api.MIPWatch) { w.Forum[0].TopicID = 77 }, "live.json: unknown-topic: forum[0]: no proposal that is published here is discussed in topic 77", map[int]int{2: 90}},
		{"topic twice", func(w *api.MIPWatch) { w.Forum[1].TopicID = 11 }, "live.json: topic-twice: forum[1]: topic 11 is there twice; the first counts", map[int]int{1: 10}},
		{"another link now", func(w *api.MIPWatch) { w.MIPs[1].DiscussionsTo = new(forum + "/t/other") }, "live.json: unknown-topic: forum[1]: no proposal that is published here is discussed in topic 12", map[int]int{1: 10}},
		{"another topic than the proposal's", func(w *api.MIPWatch) { w.MIPs[0].ForumTopicID = new(12) }, "", map[int]int{1: 10, 2: 90}},
		{"another chain", func(w *api.MIPWatch) {
			n := w.Networks["mainnet"]
			n.ChainID = 9
			w.Networks["mainnet"] = n
		}, "live.json: other-chain: networks.mainnet: chain id 9 is not that of the site, 7", map[int]int{1: 10, 2: 90}},
		{"unknown network", func(w *api.MIPWatch) {
			w.Networks["devnet"] = api.NetworkStatus{ChainID: 1, Status: api.NetworkOK}
		}, `live.json: unknown-network: networks."devnet": the site has no such network`, map[int]int{1: 10, 2: 90}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := answer()
			tt.change(&w)
			f, notices := hold(t, encoded(t, w))
			var want []string
			if tt.notice != "" {
				want = []string{tt.notice}
			}
			if diff := cmp.Diff(want, notices); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.heat, heatByNumber(f)); diff != "" {
				t.Errorf("heat (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReadRefuses holds that what is no such answer is refused with the member that shows it.
func TestReadRefuses(t *testing.T) {
	good := encoded(t, answer())
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "live.json: is no JSON object"},
		{"a list", "[]", "live.json: is no JSON object"},
		{"null", "null", "live.json: is no JSON object"},
		{"a page", "<!DOCTYPE html>", "live.json: is no JSON object"},
		{"cut off", good[:len(good)-5], "live.json: is no JSON object"},
		{"something after it", good + "{}", "live.json: is no JSON object"},
		{"another answer", `{"networks":{}}`, `live.json: has no member "discrepancies"`},
		{"no list", strings.Replace(good, `"forum":[`, `"forum":null,"x":[`, 1), "live.json: forum: want an array"},
		{"another type", strings.Replace(good, `"posts":3`, `"posts":{"all":3}`, 1), "live.json: forum[0].posts: is a JSON object"},
		{"a member less", strings.Replace(good, `"topicId":11,`, "", 1), `live.json: forum[0]: want a topicId from 1`},
		{"too high", strings.Replace(good, `"activityScore":10`, `"activityScore":101`, 1), "live.json: forum[0]: want an activityScore of 0 to 100, got 101"},
		{"negative", strings.Replace(good, `"posts":3`, `"posts":-3`, 1), "live.json: forum[0]: want no negative count"},
		{"no time", strings.Replace(good, at(5).String(), "soon", 1), "live.json: forum[0]:"},
		{"before forums", strings.Replace(good, at(5).String(), "1066-10-14T09:00:00Z", 1), "live.json: forum[0]: want times of the years 1970 to 9999"},
		{"unknown state", strings.Replace(good, `"status":"ok"`, `"status":"fine"`, 1), `live.json: networks."mainnet".status: want ok, stale or unavailable`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.text == good {
				t.Fatal("the case changes nothing")
			}
			_, err := Read("live.json", strings.NewReader(tt.text))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %s…", err, tt.want)
			}
		})
	}
	if _, err := Read("live.json", strings.NewReader(strings.Repeat(" ", MaxBytes)+good)); err == nil || !strings.Contains(err.Error(), "is larger than") {
		t.Errorf("error %v of a file that is too large", err)
	}
}

// TestReadLater holds that an answer which has gained members is still of use.
func TestReadLater(t *testing.T) {
	later := strings.Replace(encoded(t, answer()), `"forum":[{`, `"weather":"fair","forum":[{"mood":7,`, 1)
	f, notices := hold(t, later)
	if len(f.Topics) != 2 || len(notices) > 0 {
		t.Errorf("%d topics, notices %q", len(f.Topics), notices)
	}
}

// TestNoFigures holds that nil figures answer like a build without any.
func TestNoFigures(t *testing.T) {
	var f *Snapshot
	if f.Topic(mip.ID{Kind: "MIP", Number: 1}) != nil || f.Network("mainnet") != nil || f.ForumAt() != nil || len(f.Heat()) != 0 {
		t.Error("no figures have some")
	}
}

func FuzzRead(f *testing.F) {
	b, err := json.Marshal(answer())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(b))
	f.Add(`{"mips":[],"forum":[],"networks":{},"hardforks":[],"discrepancies":[],"freshness":{},"errors":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Read("live.json", strings.NewReader(text))
		if err != nil {
			return
		}
		got, _ := file.Filter(sample())
		for id, score := range got.Heat() {
			if score < 0 || score > 100 || id.Number < 1 || id.Number > 3 {
				t.Errorf("heat %d of %s", score, id)
			}
		}
	})
}

func heatByNumber(s *Snapshot) map[int]int {
	out := map[int]int{}
	for id, score := range s.Heat() {
		out[id.Number] = score
	}
	return out
}
