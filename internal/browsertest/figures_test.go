package browsertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// card is what a proposal's page says of its discussion.
const card = `(c => [...c.querySelectorAll("b, dd, [data-f=as]")].map(e => e.textContent).join("|") + "|" + c.querySelector(".fil").getAttribute("d"))(document.querySelector(".fh"))`

// discussion is the card of a proposal as the figures of the build's moment have it.
func (v *served) discussion(t *testing.T, number int) string {
	t.Helper()
	for _, m := range v.moment.MIPs {
		for _, a := range v.moment.Forum {
			if m.Number == number && m.ForumTopicID != nil && *m.ForumTopicID == a.TopicID {
				return fmt.Sprintf("%d|%d|%d|%s|As of %s|M0 5h%d", a.ActivityScore, a.Posts, a.Participants,
					a.LastPostedAt.UTC().Format("2 Jan 2006"), a.FetchedAt.UTC().Format("2 Jan 2006, 15:04 UTC"), a.ActivityScore)
			}
		}
	}
	t.Fatalf("no discussion of proposal %d", number)
	return ""
}

// widths are those at which pages are looked at.
func widths(v View) []View {
	narrow := v
	narrow.Width = 390
	return []View{v, narrow}
}

// aged is true once the dashboard says of every figure of [moment] how old it is.
const aged = `[...document.querySelectorAll("[data-source]")].every(li => li.className === "old" && li.innerText.includes("old, 3 h"))`

// kept is a site whose pages hold figures, with no sidecar behind it: nothing is lost, nothing complains.
func kept(t *testing.T, with *served) {
	r := serveFigures(t, false, nil)
	want := r.discussion(t, 4)
	height := fmt.Sprint(*r.moment.Networks["mainnet"].BlockHeight)
	asOf := "Forum heat as of " + r.moment.Freshness.Forum.UTC().Format("2 Jan 2006, 15:04 UTC")
	for _, v := range slices.Concat(widths(View{}), widths(View{NoScript: true, Dark: true})) {
		t.Run(v.String(), func(t *testing.T) {
			tab := r.tab(t, v)
			tab.Go("/mip/4/")
			if !v.NoScript {
				tab.Wait(`document.querySelector(".fh").dataset.live === "404"`)
			}
			if got := Ask[string](tab, card); got != want {
				t.Errorf("card %q, want %q", got, want)
			}
			if n := Ask[int](tab, `document.querySelectorAll("main h1, .prose h2, .side .card").length`); n < 5 {
				t.Errorf("%d parts of the page", n)
			}
			tab.Go("/")
			if !v.NoScript {
				tab.Wait(`document.querySelector("#heat").dataset.live === "404"`)
			}
			if got := Ask[string](tab, `document.querySelector("#heat").textContent`); got != asOf {
				t.Errorf("the list says %q, want %q", got, asOf)
			}
			tab.Go("/status/draft/")
			if got := Ask[string](tab, `document.querySelector(".fresh").innerText`); !strings.Contains(got, asOf) {
				t.Errorf("a list says %q, want %q", got, asOf)
			}
			tab.Go("/dashboard/")
			if !v.NoScript {
				tab.Wait(aged)
			}
			if got := Ask[string](tab, `document.querySelector("[data-network=mainnet] [data-f=height]").textContent.replaceAll(",", "")`); got != height {
				t.Errorf("height %s, want %s", got, height)
			}
			rows := Ask[[]string](tab, `[...document.querySelectorAll("[data-topic]")].filter(r => r.checkVisibility()).map(r => r.querySelector("a").textContent + " " + r.querySelector("b").textContent)`)
			if first := fmt.Sprint(r.moment.Forum[0].ActivityScore); len(rows) != 7 || !strings.HasPrefix(rows[0], "MIP-") || !strings.HasSuffix(rows[0], " "+first) {
				t.Errorf("hottest discussions %q, want 7, the first of %s", rows, first)
			}
		})
	}
}

// renewed is the same site with a sidecar: the figures of the build's moment give way to newer ones, in their
// places.
func renewed(t *testing.T, with *served) {
	r := serveFigures(t, true, nil)
	for _, v := range widths(View{Early: impatient}) {
		t.Run(v.String(), func(t *testing.T) {
			tab := r.tab(t, v)
			tab.Go("/mip/15/")
			tab.Wait(card + " !== " + fmt.Sprintf("%q", r.discussion(t, 15)) + ` && document.querySelector(".fh").dataset.live === "200"`)
			if got := Ask[string](tab, `document.querySelector(".facts [data-f=score]").textContent + "|" + document.querySelector(".fh b").textContent`); strings.Split(got, "|")[0] != strings.Split(got, "|")[1] {
				t.Errorf("the page says the heat %s", got)
			}
			tab.Go("/?sort=heat")
			tab.Wait(`document.querySelector("#heat").dataset.live === "200" && !document.querySelector("#heat time")`)
			heat := Ask[[]string](tab, `[...document.querySelectorAll("#list tbody tr")].map(r => r.querySelector("td.he b")?.textContent ?? "")`)
			if !slices.IsSortedFunc(heat, func(a, b string) int { return number(b) - number(a) }) || number(heat[0]) <= 0 {
				t.Errorf("heat %q", heat)
			}
			tab.Go("/dashboard/")
			tab.Wait(pill("mainnet") + `.className === "ok" && document.querySelector("[data-network=mainnet] [data-f=height]").textContent.replaceAll(",", "") > ` + fmt.Sprint(*r.moment.Networks["mainnet"].BlockHeight))
			// A line needs some heads, and those come as time goes by.
			for range 6 {
				before := r.asked.Load()
				r.later.Add(int64(6 * time.Second))
				for end := time.Now().Add(patience); r.asked.Load() < before+2; {
					if Ask[bool](tab, `new Promise(done => requestAnimationFrame(() => done(true)))`); time.Now().After(end) {
						t.Fatal("the dashboard does not ask")
					}
				}
			}
			tab.Wait(`document.querySelector("[data-network=mainnet] .spark path:last-child").getAttribute("d")?.includes("L") && / ms$/.test(document.querySelector("[data-network=mainnet] [data-f=pace]").textContent)`)
			// The chain keeps to its declared block time, so the line is in the middle of the drawing, which is 40 high.
			for _, y := range Ask[[]float64](tab, `[...document.querySelector("[data-network=mainnet] .spark path:last-child").getAttribute("d").matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(m => Number(m[1]))`) {
				if y < 10 || y > 30 {
					t.Errorf("%s: a block time is drawn at %v", v, y)
				}
			}
		})
	}
}

// olderAnswer holds that older answers do not take the place of newer figures: a sidecar that gives what it kept is no news.
func olderAnswer(t *testing.T, with *served) {
	r := serveFigures(t, true, func(w *api.MIPWatch) {
		for i := range w.Forum {
			w.Forum[i].FetchedAt = later(w.Forum[i].FetchedAt)
		}
		w.Freshness.Forum = new(later(*w.Freshness.Forum))
	})
	tab := r.tab(t, View{})
	tab.Go("/mip/4/")
	tab.Wait(`document.querySelector(".fh").dataset.live === "200"`)
	if got, want := Ask[string](tab, card), r.discussion(t, 4); got != want {
		t.Errorf("card %q, want %q", got, want)
	}
}

// later is a day after a time, and after now.
func later(t mip.Time) mip.Time { return mip.NewTime(t.UTC().AddDate(0, 0, 1)) }

// disagreements hold what a chain and texts say, many and long: all of it is shown, nothing before it moves, what else
// needs attention does not contradict it, and what a file says is text.
func disagreements(t *testing.T, with *served) {
	const hostile = `<img src=x onerror=alert(1)> & "more" `
	r := serveFigures(t, false, func(w *api.MIPWatch) {
		for i := range 12 {
			w.Discrepancies = append(w.Discrepancies, api.Discrepancy{Code: "x", Message: fmt.Sprint(i, hostile, strings.Repeat("words ", 40))})
		}
	})
	none := serveFigures(t, false, nil)
	for _, v := range widths(View{NoScript: true}) {
		look := func(r *served) (float64, []string, string) {
			tab := r.tab(t, v)
			tab.Go("/dashboard/")
			if Ask[bool](tab, `(e => { for (; e; e = e.parentElement) if (e.scrollHeight > e.clientHeight + 1 && getComputedStyle(e).overflowY !== "visible") return e.tagName !== "HTML"; return false })(document.querySelector("#disagree"))`) {
				t.Errorf("%s: the list is cut", v)
			}
			return Ask[float64](tab, `document.querySelector("#disagree").closest("section").getBoundingClientRect().top`),
				Ask[[]string](tab, `[...document.querySelectorAll("#disagree li")].map(li => li.textContent)`),
				Ask[string](tab, `document.querySelector("#disagree").closest("section").innerText`)
		}
		full, said, attention := look(r)
		empty, agreed, _ := look(none)
		if full != empty {
			t.Errorf("%s: at %v px with disagreements, at %v without", v, full, empty)
		}
		if strings.Contains(attention, "nothing stagnant") || strings.Contains(attention, "agree.") {
			t.Errorf("%s: disagreements, and says %q", v, attention)
		}
		if len(said) != 12 || !strings.HasPrefix(said[11], "11"+hostile) {
			t.Errorf("%s: says %q", v, said)
		}
		if len(agreed) != 1 || !strings.Contains(agreed[0], "agree") {
			t.Errorf("%s: says %q where all agree", v, agreed)
		}
	}
}

// oneSource holds that the end of one source changes its pill and nothing else that is said of others.
func oneSource(t *testing.T, with *served) {
	r := serveFigures(t, true, nil)
	for _, v := range []View{{Early: impatient}, {Early: impatient, Width: 390, Dark: true}} {
		t.Run(v.String(), func(t *testing.T) {
			tab := r.tab(t, v)
			tab.Go("/dashboard/")
			for _, key := range []string{"forum", "mainnet", "testnet"} {
				tab.Wait(pill(key) + `.className === "ok"`)
			}
			r.network.Down(hosts[0], true)
			r.later.Add(int64(10 * time.Minute))
			Ask[int](tab, `later += 600_000`)
			tab.Wait(pill("forum") + `.className === "old" && ` + pill("forum") + `.innerText.includes("no answer")`)
			for _, key := range []string{"mainnet", "testnet"} {
				tab.Wait(pill(key) + `.className === "ok"`)
			}
			if rows := Ask[int](tab, `[...document.querySelectorAll("[data-topic] b")].filter(b => Number(b.textContent) > 0).length`); rows != 7 {
				t.Errorf("%d rows with heat after the forum's end, want 7", rows)
			}
			r.network.Down(hosts[0], false)
			r.later.Add(int64(10 * time.Minute))
			Ask[int](tab, `later += 600_000`)
			tab.Wait(pill("forum") + `.className === "ok"`)
		})
	}
}
