package browsertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
)

// impatient makes a page refresh after a hundredth of its interval, and counts the pending waits.
// It does not shorten timeouts, which are longer. Its clock can be set ahead.
const impatient = `{
	const set = window.setTimeout, clear = window.clearTimeout, long = new Set();
	window.setTimeout = (f, ms, ...a) => {
		const look = ms >= 5000 && ms < 10000;
		const id = set(() => { long.delete(id); f(...a) }, look ? ms / 100 : ms);
		if (look) long.add(id);
		return id;
	};
	window.clearTimeout = id => { long.delete(id); clear(id) };
	window.pending = () => long.size;
	const now = Date.now;
	window.later = 0;
	Date.now = () => now() + later;
}`

// failures matches the browser's own message about an unsuccessful answer.
const failures = `console: network: Failed to load resource.* /?http://[^ ]*/api/`

// pill is the element with the state of a source on the dashboard.
func pill(key string) string {
	return fmt.Sprintf("document.querySelector('[data-source=%q]')", key)
}

// answered is true if a source has answered: figures of a forum are kept for longer than they are
// fresh.
func answered(key string) string { return `["ok", "old"].includes(` + pill(key) + `.className)` }

// sources starts without any source, and then stops one and restarts it: this changes its state,
// and neither other sources nor earlier figures.
func sources(t *testing.T, _ *served) {
	r := serve(t, true) // its hosts can be stopped
	tab := r.tab(t, View{Early: impatient, Width: 390, Dark: true})
	down := func(yes bool, all ...string) {
		for _, name := range all {
			r.network.Down(name, yes)
		}
		r.later.Add(int64(10 * time.Minute)) // so that they are asked again
		Ask[int](tab, `window.later += 600_000`)
	}
	are := func(class string, keys ...string) {
		t.Helper()
		for _, key := range keys {
			tab.Wait(pill(key) + `.className === ` + fmt.Sprintf("%q", class))
		}
	}
	for _, name := range hosts {
		r.network.Down(name, true)
	}
	tab.Go("/dashboard/")
	are("down", "forum", "mainnet", "testnet")
	text := Ask[string](tab, `document.body.innerText`)
	if !strings.Contains(text, "Recent changes") || !strings.Contains(text, silence) {
		t.Errorf("the page lost what it had, or says nothing of its figures: %q", text)
	}
	down(false, hosts[:]...)
	are("ok", "forum", "mainnet", "testnet")
	tab.Wait(`document.querySelector("#silent").hidden`)
	const height = `document.querySelector("[data-network=mainnet] [data-f=height]").textContent`
	before := Ask[string](tab, height)
	r.later.Add(int64(10 * time.Second))
	tab.Wait(height + " !== " + fmt.Sprintf("%q", before))
	const heat = `[...document.querySelectorAll("[data-topic] b")].map(b => Number(b.textContent)).filter(n => n > 0).join()`
	kept := Ask[string](tab, heat)

	down(true, hosts[0])
	tab.Wait(pill("forum") + `.className === "old" && /1\d min.*no answer/.test(` + pill("forum") +
		`.innerText)`)
	are("ok", "mainnet", "testnet")
	if got := Ask[string](tab, heat); got != kept || strings.Count(kept, ",") != 6 {
		t.Errorf("heat %s after the forum's end, was %s", got, kept)
	}
	down(false, hosts[0])
	are("ok", "forum")
}

// ages checks that figures of the forum are fresh for minutes, and heads for seconds.
func ages(t *testing.T, r *served) {
	tab := r.tab(t, View{Early: impatient})
	tab.Go("/dashboard/")
	tab.Wait(pill("forum") + `.className === "ok" && ` + pill("mainnet") + `.className === "ok"`)
	Ask[int](tab, `later += 290_000`)
	tab.Wait(pill("mainnet") + `.className === "old"`)
	tab.Wait(pill("forum") + `.className === "ok" && /\b[4-6] minutes old$/.test(` + pill("forum") +
		`.innerText)`)
	// The last post of a discussion that rests was months ago.
	Ask[int](tab, `later += 47_520_000_000`)
	tab.Wait(`/^(1[89]|2[0-3]) months ago$/.test(document.querySelector("[data-topic] [data-f=last]").textContent)`)
}

// hidden makes a page believe that it is hidden, since a browser without a window cannot hide it.
func hidden(t *testing.T, _ *served) {
	r := serve(t, true) // nobody else asks it
	tab := r.tab(t, View{Early: impatient + `
		let away = false;
		Object.defineProperty(Document.prototype, "hidden", { get: () => away });
		window.leave = yes => { away = yes; document.dispatchEvent(new Event("visibilitychange")) };
	`})
	tab.Go("/dashboard/")
	tab.Wait(`pending() === 1 && ` + pill("forum") + `.className === "ok"`)
	Ask[bool](tab, `(leave(true), true)`)
	tab.Wait(`pending() === 0`)
	// No wait is pending, and the running request is canceled: nothing can ask any more.
	before := r.asked.Load()
	Ask[bool](tab, `(leave(false), true)`)
	tab.Wait(`pending() === 1`)
	if n := r.asked.Load(); n <= before {
		t.Error("does not ask again when it is seen again")
	}
}

// filled is a site whose sidecar answers: its figures are in their places, and are refreshed.
func filled(t *testing.T, _ *served) {
	r := serve(t, true) // its clock can be set ahead
	tab := r.tab(t, View{Early: impatient, Width: 390})
	tab.Go("/mip/15/")
	tab.Wait(`document.querySelector(".fh").dataset.live === "200"`)
	topic := read[api.ForumActivity](t, r, fmt.Sprintf("/api/forum-activity?topicId=%d",
		*r.proposals(t)[14].ForumTopicID))
	want := fmt.Sprintf("%d|%d|%d|M0 5h%d", topic.ActivityScore, topic.Posts, topic.Participants,
		topic.ActivityScore)
	if got := Ask[string](tab, `(c => [...["heat", "posts", "participants"].map(f => c.querySelector(`+"`[data-f=${f}]`"+`).textContent.replace(",", "")), c.querySelector(".fil").getAttribute("d")].join("|"))(document.querySelector(".fh"))`); got != want {
		t.Errorf("card %q, want %q", got, want)
	}
	tab.Go("/?sort=heat")
	tab.Wait(`document.querySelector("#heat").dataset.live === "200" && document.querySelector("#heat").textContent.startsWith("Heat as of")`)
	heat := Ask[[]string](tab, `[...document.querySelectorAll("#list tbody tr")].map(r => r.querySelector("td.he b")?.textContent ?? "")`)
	if !slices.IsSortedFunc(heat, func(a, b string) int { return number(b) - number(a) }) ||
		number(heat[0]) <= 0 {
		t.Errorf("heat %q", heat)
	}
	tab.Go("/dashboard/")
	tab.Wait(pill("mainnet") + `.className === "ok"`)
	// A line needs several heads, which arrive over time.
	for range 6 {
		before := r.asked.Load()
		r.later.Add(int64(6 * time.Second))
		for end := time.Now().Add(patience); r.asked.Load() < before+2; {
			if Ask[bool](tab,
				`new Promise(done => requestAnimationFrame(() => done(true)))`); time.Now().After(end) {
				t.Fatal("the dashboard does not ask")
			}
		}
	}
	tab.Wait(`document.querySelector("[data-network=mainnet] .spark path:last-child").getAttribute("d")?.includes("L") && / ms$/.test(document.querySelector("[data-network=mainnet] [data-f=pace]").textContent)`)
	// The chain keeps its declared block time, so the line is in the middle of the drawing, which
	// is 40 high.
	for _, y := range Ask[[]float64](tab, `[...document.querySelector("[data-network=mainnet] .spark path:last-child").getAttribute("d").matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(m => Number(m[1]))`) {
		if y < 10 || y > 30 {
			t.Errorf("a block time is drawn at %v", y)
		}
	}
}
