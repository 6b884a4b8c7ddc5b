package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// impatient makes a page look again after a hundredth of the time that it means to, and tells how many
// such waits are pending. Limits, which are longer, it leaves alone. Its clock can be put forward.
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

// failures are what a browser itself says of an answer that is no success.
const failures = `console: network: Failed to load resource.* /?http://[^ ]*/api/`

// pill is what the dashboard says of a source.
func pill(key string) string {
	return fmt.Sprintf("document.querySelector('[data-source=%q]')", key)
}

// answered is whether a source has answered: a forum's figures are kept for longer than they count as new.
func answered(key string) string { return `["ok", "old"].includes(` + pill(key) + `.className)` }

func dashboard(t *testing.T, with *served) {
	r := serve(t, true) // whose hosts are its own to break
	t.Run("without scripts", func(t *testing.T) {
		tab := r.tab(t, View{NoScript: true, Width: 390})
		tab.Go("/dashboard/")
		text := Ask[string](tab, `document.body.innerText`)
		for _, want := range []string{"Recent changes", "Proposals by status", "MIP-"} {
			if !strings.Contains(text, want) {
				t.Errorf("the page does not say %q", want)
			}
		}
		if strings.Contains(text, "asking…") {
			t.Error("the page waits for what will not come")
		}
	})
	t.Run("figures of the forum are kept for minutes and heads for seconds", func(t *testing.T) {
		tab := r.tab(t, View{Early: impatient})
		tab.Go("/dashboard/")
		for _, key := range []string{"forum", "mainnet"} {
			tab.Wait(pill(key) + `.className === "ok"`)
		}
		Ask[int](tab, `later += 290_000`)
		tab.Wait(pill("mainnet") + `.className === "old"`)
		tab.Wait(pill("forum") + `.className === "ok" && /\b[4-6] min old$/.test(` + pill("forum") + `.innerText)`)
	})
	t.Run("a source ends and comes back", func(t *testing.T) {
		tab := r.tab(t, View{Early: impatient})
		tab.Go("/dashboard/")
		for _, key := range []string{"forum", "mainnet", "testnet"} {
			tab.Wait(pill(key) + `.className === "ok"`)
		}
		height := `document.querySelector("[data-network=mainnet] [data-f=height]").textContent`
		before := Ask[string](tab, height)
		r.later.Add(int64(10 * time.Second))
		tab.Wait(height + " !== " + fmt.Sprintf("%q", before))
		heat := `document.querySelector("[data-topic] [data-f=heat]").textContent`
		kept := Ask[string](tab, heat)

		r.network.Down(hosts[0], true)
		r.later.Add(int64(10 * time.Minute))
		Ask[int](tab, `later += 600_000`)
		tab.Wait(pill("forum") + `.className === "old" && ` + pill("forum") + `.innerText.includes("10 min")`)
		if got := Ask[string](tab, heat); got != kept {
			t.Errorf("heat %s, was %s", got, kept)
		}
		for _, key := range []string{"mainnet", "testnet"} {
			tab.Wait(pill(key) + `.className === "ok"`)
		}
		r.network.Down(hosts[0], false)
		r.later.Add(int64(10 * time.Minute))
		tab.Wait(pill("forum") + `.className === "ok"`)
	})
}

// hidden tells a page that nobody sees it, as a browser does; a browser without a window cannot be told.
func hidden(t *testing.T, with *served) {
	r := serve(t, true) // that nobody else asks
	tab := r.tab(t, View{Early: impatient + `
		let away = false;
		Object.defineProperty(Document.prototype, "hidden", { get: () => away });
		window.leave = yes => { away = yes; document.dispatchEvent(new Event("visibilitychange")) };
	`})
	tab.Go("/dashboard/")
	tab.Wait(`pending() === 1 && ` + pill("forum") + `.className === "ok"`)
	Ask[bool](tab, `(leave(true), true)`)
	tab.Wait(`pending() === 0`)
	// No wait is pending, and a question that was under way has been called off: nothing is left that
	// could ask.
	before := r.asked.Load()
	Ask[bool](tab, `(leave(false), true)`)
	tab.Wait(`pending() === 1`)
	if n := r.asked.Load(); n <= before {
		t.Error("does not ask again when it is seen again")
	}
}

func withoutSidecar(t *testing.T, with *served) {
	r := serve(t, false)
	t.Run("dashboard", func(t *testing.T) {
		tab := r.tab(t, View{Width: 390})
		tab.Go("/dashboard/")
		tab.Wait(`document.querySelector(".grid").checkVisibility({visibilityProperty: true})`)
		if got := Ask[string](tab, `document.querySelector("#live").textContent`); got != "" {
			t.Errorf("says %q of what is not drawn", got)
		}
		if n := r.asked.Load(); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
	t.Run("heat", func(t *testing.T) {
		tab := r.tab(t, View{})
		tab.Go("/?sort=heat")
		tab.Wait(`document.querySelector("#heat").dataset.live === "404" && !document.querySelector("#heat").textContent`)
		if got, want := len(shown(tab)), len(r.proposals(t)); got != want {
			t.Errorf("%d rows, want %d", got, want)
		}
	})
	t.Run("every other page", func(t *testing.T) {
		tab := r.tab(t, View{})
		for _, path := range pages() {
			if path != "/dashboard/" {
				tab.Go(path)
			}
		}
	})
}

func nothingAnswers(t *testing.T, with *served) {
	r := serve(t, true)
	for _, name := range hosts {
		r.network.Down(name, true)
	}
	tab := r.tab(t, View{Early: impatient})
	tab.Go("/dashboard/")
	for _, key := range []string{"forum", "mainnet", "testnet"} {
		tab.Wait(pill(key) + `.className === "down"`)
	}
	if text := Ask[string](tab, `document.body.innerText`); !strings.Contains(text, "Recent changes") {
		t.Error("the page lost what it had")
	}
	for _, name := range hosts {
		r.network.Down(name, false)
	}
	for _, key := range []string{"forum", "mainnet", "testnet"} {
		r.later.Add(int64(time.Minute))
		tab.Wait(pill(key) + `.className === "ok"`)
	}
}
