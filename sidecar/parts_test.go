package sidecar_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Each choice has the same members as the whole answer, and asks only the hosts that it needs.
func TestPartsOfMIPWatch(t *testing.T) {
	for _, tt := range []struct {
		parts         string
		forum, chains bool     // whether each is asked
		fresh         []string // members of freshness that are not null
	}{
		{"mips", true, false, []string{"mips"}},
		{"forum", true, false, []string{"forum"}},
		{"networks", false, true, []string{"networks"}},
		{"hardforks", false, true, []string{"hardforks"}},
		{"discrepancies", false, true, []string{"hardforks"}},
		{"mips,networks", true, true, []string{"mips", "networks"}},
		{"forum,networks,hardforks,discrepancies", true, true,
			[]string{"forum", "hardforks", "networks"}},
		{"ai", false, false, nil},
		{"mips,forum,networks,hardforks,discrepancies,ai", true, true,
			[]string{"forum", "hardforks", "mips", "networks"}},
	} {
		t.Run(tt.parts, func(t *testing.T) {
			bubble(t, func(w *world) {
				part := w.get("/api/mip-watch?parts="+tt.parts).want(w, 200)
				if forum, chains := w.forum.Calls() > 0,
					w.main.Calls()+w.test.Calls() > 0; forum != tt.forum || chains != tt.chains {
					t.Errorf("forum asked: %t, chains: %t, want %t and %t",
						forum, chains, tt.forum, tt.chains)
				}
				got, want := members(w, part), members(w, w.get("/api/mip-watch"))
				names := append(strings.Split(tt.parts, ","), "freshness", "errors")
				if strings.Contains(tt.parts, "discrepancies") {
					names = append(names, "compared")
				}
				slices.Sort(names)
				if diff := cmp.Diff(names, slices.Sorted(maps.Keys(got))); diff != "" {
					t.Errorf("members (-want +got)\n%s", diff)
				}
				for _, name := range names {
					if name != "freshness" && !cmp.Equal(want[name], got[name]) {
						t.Errorf("%s is %s, in the whole answer %s", name, got[name], want[name])
					}
				}
				var fresh map[string]*mip.Time
				if err := json.Unmarshal(got["freshness"], &fresh); err != nil {
					t.Fatal(err)
				}
				maps.DeleteFunc(fresh, func(_ string, at *mip.Time) bool { return at == nil })
				if diff := cmp.Diff(tt.fresh, slices.Sorted(maps.Keys(fresh))); diff != "" {
					t.Errorf("freshness (-want +got)\n%s", diff)
				}
			})
		})
	}
}

// members decodes the members of an answer.
func members(w *world, a *reply) map[string]json.RawMessage {
	w.Helper()
	var out map[string]json.RawMessage
	if err := json.Unmarshal(a.want(w, 200).body, &out); err != nil {
		w.Fatal(err)
	}
	return out
}

// Any order of names gives one answer. All names give the answer without the parameter.
func TestOrderOfParts(t *testing.T) {
	bubble(t, func(w *world) {
		for _, same := range [][]string{
			{"?parts=forum,networks", "?parts=networks,forum", "?parts=networks%2Cforum",
				"?x=1&parts=forum,networks&y", "?parts=forum&parts=networks",
				"?parts=networks&x=1&parts=forum", "?x=%zz&parts=forum,networks"},
			{"", "?", "?Parts=forum", "?counterparts=1", "?x=%zz",
				"?parts=mips,forum,networks,hardforks,discrepancies,ai",
				"?parts=ai,discrepancies,hardforks,networks,forum,mips",
				"?parts=ai,forum&parts=mips&parts=networks,hardforks&parts=discrepancies"},
		} {
			first := w.get("/api/mip-watch"+same[0]).want(w, 200)
			for _, query := range same[1:] {
				a := w.get("/api/mip-watch"+query).want(w, 200)
				if a.Header().Get("ETag") != first.Header().Get("ETag") ||
					string(a.body) != string(first.body) {
					t.Errorf("%s is another answer than %s:\n%s\n%s",
						query, same[0], a.body, first.body)
				}
			}
		}
	})
}

func TestWrongParts(t *testing.T) {
	bubble(t, func(w *world) {
		for _, query := range []string{
			"?parts", "?parts=", "?parts=,", "?parts=forum,", "?parts=,forum", "?parts=forum,,mips",
			"?parts=all", "?parts=Forum", "?parts=forum,x", "?parts=forum%20", "?parts=forum+",
			"?parts=freshness",
			"?parts=forum;x=1", "?parts=%00", "?parts=forum%26x", "?parts=forum,forum",
			"?parts=mips,forum,mips",
			"?parts=forum&parts=forum", "?parts=forum&parts=", "?parts=&parts=forum",
			"?parts=forum,mips&parts=mips", "?parts=forum&parts=x",
			"?parts=%zz", "?parts=forum%",
		} {
			a := w.get("/api/mip-watch"+query).want(w, 400).problem(w, api.BadRequest)
			body := string(a.body)
			if !strings.Contains(body, `"detail":"parts `) ||
				!strings.Contains(body,
					"mips, forum, networks, hardforks, discrepancies, ai, each once") {
				t.Errorf("%s: %s, want that it says what parts is", query, body)
			}
		}
		if n := w.forum.Calls() + w.main.Calls() + w.test.Calls(); n != 0 {
			t.Errorf("%d calls for requests that were refused", n)
		}
	})
}

// The list of proposals needs the forum only for links without a number.
func TestPartsAskTheForumForWords(t *testing.T) {
	bubble(t, func(w *world) {
		got := read[api.MIPWatch](w, w.get("/api/mip-watch?parts=mips"))
		if got.MIPs[1].ForumTopicID == nil || *got.MIPs[1].ForumTopicID != 401 {
			t.Errorf("mips %+v, want the topic 401, found by words", got.MIPs)
		}
		for _, request := range w.forum.Requests() {
			if !strings.Contains(request, "/t/topic-401") { // it redirects to its number
				t.Errorf("the forum was asked for figures: %s", request)
			}
		}
	})
	bubble(t, func(w *world) {
		w.known.List.MIPs[1].DiscussionsTo = nil
		w.know()
		w.get("/api/mip-watch?parts=mips").want(w, 200)
		if n := w.forum.Calls(); n != 0 {
			t.Errorf("%d calls to the forum where every link has its number: %q",
				n, w.forum.Requests())
		}
	})
}

// A part names the failures of the hosts that it needs, and no others.
func TestPartsNameTheirErrors(t *testing.T) {
	for _, tt := range []struct {
		parts string
		want  []string
	}{
		{"mips", []string{"forum"}}, {"forum", []string{"forum"}},
		{"networks", []string{"networks"}}, {"hardforks", []string{"networks"}},
		{"discrepancies", []string{"networks"}},
		{"forum,hardforks", []string{"forum", "networks"}},
	} {
		t.Run(tt.parts, func(t *testing.T) {
			bubble(t, func(w *world) {
				w.forum.Always(demo.Disconnect())
				w.main.Always(demo.Disconnect())
				a := w.get("/api/mip-watch?parts="+tt.parts).want(w, 200)
				diff := cmp.Diff(tt.want, slices.Sorted(maps.Keys(read[api.MIPWatch](w, a).Errors)))
				if diff != "" {
					t.Errorf("errors (-want +got)\n%s", diff)
				}
				cdn := a.Header().Get("Netlify-CDN-Cache-Control")
				if tt.parts == "forum" && strings.Contains(cdn, "stale-while-revalidate") {
					t.Errorf("what failed may be told for longer: %s", cdn)
				}
				w.forum.Always(nil)
				w.main.Always(nil)
				time.Sleep(time.Minute)
				if got := read[api.MIPWatch](w,
					w.get("/api/mip-watch?parts="+tt.parts)); len(got.Errors) > 0 {
					t.Errorf("errors %v a minute after the hosts came back", got.Errors)
				}
			})
		})
	}
}

// A topic names the proposals that link to it, by number or by slug. Requested alone it names none.
func TestProposalsOfTopics(t *testing.T) {
	bubble(t, func(w *world) {
		w.known.List.MIPs[2].ForumTopicID = new(401)
		w.know()
		for _, query := range []string{"", "?parts=forum"} {
			got := map[int]string{}
			for _, topic := range read[api.MIPWatch](w, w.get("/api/mip-watch"+query)).Forum {
				got[topic.TopicID] = fmt.Sprint(topic.Proposals)
			}
			diff := cmp.Diff(map[int]string{399: "[{1 MIP-1 T}]", 401: "[{2 MIP-2 T} {3 MIP-3 T}]"},
				got)
			if diff != "" {
				t.Errorf("%q (-want +got)\n%s", query, diff)
			}
		}
		a := w.get("/api/forum-activity?topicId=399").want(w, 200)
		if strings.Contains(string(a.body), "proposals") {
			t.Errorf("forum-activity is %s", a.body)
		}
	})
}
