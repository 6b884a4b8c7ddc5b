package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/test/corpora"
)

// states are the statements of pages about Monad's forks at one time: some words of each page in
// order, with dots for the text between.
type states struct {
	at   time.Time
	says map[string]string
}

// monadStates are times around the activations of MONAD_NINE, on the test network at
// 2026-03-10T14:30:00Z and on the main network at 2026-03-19T14:30:00Z, one time after the
// activations of MONAD_TEN, and one before the main network has a fork that follows two without a
// time there.
func monadStates() []states {
	moment := func(month time.Month, day int,
		state, live, first, next, test, main string,
	) states {
		line := live + " 19 Mar 2026 with MONAD_NINE · testnet 10 Mar 2026"
		main, test = "19 Mar 2026, 14:30 UTC "+main, "10 Mar 2026, 14:30 UTC "+test
		times, table := "Mainnet "+main+"...Testnet "+test,
			"Monad Testnet 10143 "+test+"...Monad 143 "+main
		return states{time.Date(2026, month, day, 16, 0, 0, 0, time.UTC), map[string]string{
			"/upgrade/":            "MONAD_NINE " + state + "..." + times,
			"/upgrade/monad_nine/": "MONAD_NINE " + state + "..." + table,
			"/mip/3/":              line,
			"/mip/6/":              line,
			"/for/validators/":     "JSON " + first,
			"/dashboard/":          next + "...MONAD_NINE " + state + "..." + times,
			"/upgrade/monad_five/": "MONAD_FIVE active on testnet...28 Oct 2025...Monad 143 not " +
				"on its own here",
			"/upgrade/monad_one/": "MONAD_ONE active on testnet...14 Feb 2025...Monad 143 not " +
				"on its own here",
		}}
	}
	return []states{
		moment(time.March, 1, "scheduled", "Mainnet in 17 days,", "MONAD_NINE scheduled",
			"Next upgrade scheduled MONAD_NINE", "in 8 days", "in 17 days"),
		moment(time.March, 15, "active on testnet", "Mainnet in 3 days,",
			"MONAD_NINE active on testnet",
			"Next upgrade active on testnet MONAD_NINE", "active for 5 days", "in 3 days"),
		moment(time.April, 19, "active", "Live on mainnet since", "MONAD_TEN scheduled",
			"Next upgrade scheduled MONAD_TEN", "active for 40 days", "active for 31 days"),
		moment(time.November, 22, "active", "Live on mainnet since", "What is already in force",
			"Latest upgrade (no next one announced) active MONAD_TEN", "active for 8 months",
			"active for 8 months"),
		// The main network has MONAD_SIX from 4 November 2025.
		{time.Date(2025, 11, 4, 14, 29, 0, 0, time.UTC), map[string]string{
			"/upgrade/monad_five/": "MONAD_FIVE active on testnet...Monad 143 no date yet",
			"/upgrade/": "MONAD_FIVE active on testnet...Mainnet no date " +
				"yet...MONAD_FOUR active on testnet...Mainnet no date yet",
			"/upgrade/monad_one/": "MONAD_ONE active on testnet...Monad 143 not on its own here",
		}},
	}
}

// clockAt sets the clock of a page.
func clockAt(at time.Time) string {
	return fmt.Sprintf(
		`{ const now = Date.now, ahead = %d - now(); Date.now = () => now() + ahead }`,
		at.UnixMilli())
}

// visibleText is the visible text of a page in one line.
const visibleText = `document.querySelector("main").innerText.replace(/\s+/g, " ")`

// wantText compares the words of a page with [states.says].
func wantText(t *testing.T, page, text, want string) {
	t.Helper()
	pattern := strings.ReplaceAll(regexp.QuoteMeta(want), `\.\.\.`, `.*?`)
	if !regexp.MustCompile(pattern).MatchString(text) {
		t.Errorf("%s does not say %q: %s", page, want, text)
	}
}

// wrong matches words that time makes false.
var wrong = regexp.MustCompile(
	`\b(scheduled|active|planned|Next upgrade|no next one|due|passed)\b`)

// TestStates opens Monad's site before, between and after the activations of a fork, with the
// reader's clock, with the clock of the chains behind a sidecar, and without scripts.
func TestStates(t *testing.T) {
	t.Parallel()
	start(t)
	made := setup{folders: []string{}, more: map[string]string{},
		config: "../../../examples/monad.yaml"}
	for n := 3; n <= 8; n++ {
		status := "Draft"
		if n == 7 {
			status = "Last Call\nlast-call-deadline: 2026-03-17"
		}
		made.more[fmt.Sprintf("MIP-%d.md",
			n)] = fmt.Sprintf("---\nmip: %d\ntitle: Proposal %d\nstatus: %s\n"+
			"created: 2026-01-2%d\n---\n\n## Abstract\n\nWords.\n", n, n, status, n)
	}
	made.states(t, monadStates())
	t.Run("deadline", func(t *testing.T) {
		t.Parallel()
		deadlines(t, made.serve(t))
	})
	t.Run("disagreements", func(t *testing.T) {
		t.Parallel()
		disagreeing(t, made.serve(t))
	})
	t.Run("monad", func(t *testing.T) {
		t.Parallel()
		setup{folders: []string{corpora.Need(t, "monad-mips")}, config: made.config}.states(t,
			monadStates()[1:2])
	})
}

// TestPlanned opens the dashboard of a site whose upgrades are from texts alone, before and after
// the time of one.
func TestPlanned(t *testing.T) {
	t.Parallel()
	start(t)
	config := filepath.Join(t.TempDir(), "site.yaml")
	const yaml = "title: T\nbase_url: https://m.example\nprefix: EIP\n"
	if err := os.WriteFile(config, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	past := setup{folders: []string{}, config: config, more: map[string]string{
		"EIP-1.md": planned(1, "Past", "Included EIPs", "block 9")}}
	ahead := past
	ahead.more = map[string]string{
		"EIP-1.md": past.more["EIP-1.md"],
		"EIP-2.md": planned(2, "Dated", "Scheduled for Inclusion", "1 June 2026, 12:00 UTC"),
		"EIP-3.md": planned(3, "Next", "Scheduled for Inclusion", "TBD"),
		"EIP-4.md": planned(4, "Later", "Proposed for Inclusion", "TBD"),
	}
	may, july := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	const over = "Latest upgrade (no next one announced) included Past"
	for _, sidecar := range []bool{false, true} {
		past.sidecar, ahead.sidecar = sidecar, sidecar
		for _, c := range []struct {
			setup
			at   time.Time
			want string
		}{
			{ahead, may, "Next upgrade Dated"},
			{ahead, july, "Next upgrade planned Next"},
			{past, july, over},
		} {
			v := c.serve(t)
			v.later.Store(int64(time.Until(c.at)))
			tab := v.tab(t, View{Early: clockAt(c.at)})
			tab.Expect(failures)
			tab.Go("/dashboard/")
			wantText(t, "/dashboard/", Ask[string](tab, visibleText), c.want)
		}
	}
}

// planned is the text of an upgrade.
func planned(number int, name, stage, time string) string {
	return fmt.Sprintf("---\neip: %d\ntitle: Hardfork Meta - %s\nstatus: Draft\ntype: Meta\n"+
		"created: 2026-01-0%[1]d\n---\n\n### %[3]s\n\n- EIP-9\n\n"+
		"### Activation\n\n- Mainnet: %[4]s\n", number, name, stage, time)
}

// states opens a site at some times.
func (with setup) states(t *testing.T, moments []states) {
	bare := with.serve(t)
	t.Run("without scripts", func(t *testing.T) {
		t.Parallel()
		tab := bare.tab(t, View{NoScript: true})
		for page, want := range monadStates()[0].says {
			tab.Go(page)
			text := Ask[string](tab, visibleText)
			// Quotes on a page are the author's. A summary's statement about a kind of proposals is
			// always true.
			own := Ask[string](tab, `[...document.querySelectorAll("q")].reduce((text, q) => text.replace(q.innerText, ""), document.querySelector("main").innerText)`)
			word := wrong.FindString(strings.ReplaceAll(own, "once it is active", ""))
			if word != "" {
				t.Errorf("%s says %q", page, word)
			}
			// The dates are there without the words that depend on a clock.
			_, times, _ := strings.Cut(want, "...")
			times = regexp.MustCompile(` in \d+ days`).ReplaceAllString(times, "")
			if strings.HasPrefix(page, "/mip/") {
				times = "Mainnet on 19 Mar 2026 with MONAD_NINE · testnet 10 Mar 2026"
			}
			// the main network may get it as long as it has no later fork
			if page == "/upgrade/monad_five/" {
				times = strings.Replace(times, "not on its own here", "no date of its own", 1)
			}
			if page == "/for/validators/" {
				times = "JSON MONAD_NINE"
			}
			wantText(t, page, text, strings.TrimPrefix(times, "MONAD_NINE scheduled..."))
			if page == "/dashboard/" {
				wantText(t, page, text, "Newest upgrade MONAD_TEN...12 Aug 2026...2 Sep 2026")
			}
		}
	})
	t.Run("by the reader's clock", func(t *testing.T) {
		t.Parallel()
		for _, m := range moments {
			tab := bare.tab(t, View{Early: clockAt(m.at)})
			tab.Expect(failures)
			for page, want := range m.says {
				tab.Go(page)
				wantText(t, page, Ask[string](tab, visibleText), want)
			}
		}
	})
	with.sidecar = true
	live := with.serve(t)
	t.Run("by the chains' clocks", func(t *testing.T) {
		t.Parallel()
		far := regexp.MustCompile(`(active) for \d+ \w+|in \d+ \w+`)
		for i, m := range moments {
			live.later.Store(int64(time.Until(m.at)))
			// The reader's clock is a year slow, right, or a year fast.
			reader := m.at.AddDate(i%3-1, 0, 0)
			tab := live.tab(t, View{Early: clockAt(reader)})
			for page, want := range m.says {
				tab.Go(page)
				if page == "/dashboard/" {
					tab.Wait(`document.querySelector("[data-network=mainnet] [data-f=height]").textContent !== "–"`)
				} else {
					tab.Wait(`document.querySelector(".forks").dataset.live === "200"`)
				}
				if reader != m.at { // it is wrong about the time left, and not about the state
					want = far.ReplaceAllString(want, "$1...")
				}
				wantText(t, fmt.Sprintf("%s at %s, read at %s", page, m.at, reader),
					Ask[string](tab, visibleText), want)
			}
		}
	})
}

// deadlines checks that the deadline of a last call is a date, with words that depend on the clock.
func deadlines(t *testing.T, v *served) {
	for at, want := range map[time.Time]string{
		{}: "17 Mar 2026",
		time.Date(2026, 3, 1, 16, 0, 0, 0, time.UTC):   "17 Mar 2026 in 16 days",
		time.Date(2026, 3, 17, 23, 0, 30, 0, time.UTC): "17 Mar 2026 in 59 minutes",
		time.Date(2026, 3, 18, 1, 0, 30, 0, time.UTC):  "17 Mar 2026 passed 1 hour ago",
		time.Date(2028, 3, 19, 1, 0, 30, 0, time.UTC):  "17 Mar 2026 passed 2 years ago",
	} {
		view := View{NoScript: at.IsZero()}
		if !view.NoScript {
			view.Early = clockAt(at)
		}
		tab := v.tab(t, view)
		tab.Expect(failures)
		for page, before := range map[string]string{
			"/":           "Open for comments MIP-7 until ",
			"/mip/7/":     "Comments until ",
			"/dashboard/": "MIP-7 Proposal 7: takes comments until ",
		} {
			tab.Go(page)
			text := Ask[string](tab, visibleText)
			if page == "/" && strings.Contains(want, "passed") {
				wantText(t, page, text, "Open for comments 5 drafts")
				continue
			}
			if page == "/" {
				want, _, _ = strings.Cut(want, " in ")
			}
			wantText(t, page, text, before+want)
			if word := wrong.FindString(text); view.NoScript && word != "" {
				t.Errorf("%s says %q", page, word)
			}
		}
	}
}

// disagreeing checks that a page shows the disagreements of texts and chains at the reader's time,
// and without scripts the ones that hold at any time.
func disagreeing(t *testing.T, r *served) {
	const visible = `[...document.querySelectorAll("li[data-holds], li.agree")].filter(li => li.checkVisibility()).map(li => li.innerText.trim().split(";")[0])`
	nine, ten := []string{"MIP-3 is Draft", "MIP-4 is Draft", "MIP-5 is Draft"},
		[]string{"MIP-8 is Draft"}
	for name, tt := range map[string]struct {
		view            View
		dashboard, page []string // of MIP-3
	}{
		"without scripts": {View{NoScript: true}, slices.Concat(nine, ten), nine[:1]},
		"between": {View{Early: clockAt(time.Date(2026, 3, 15, 16, 0, 0, 0, time.UTC))},
			[]string{}, []string{}}, // a last call needs attention
		"after": {View{Early: clockAt(time.Date(2026, 4, 19, 16, 0, 0, 0, time.UTC))},
			nine, nine[:1]},
		"a year after": {View{Early: clockAt(time.Date(2027, 9, 2, 16, 0, 0, 0, time.UTC))},
			slices.Concat(nine, ten), nine[:1]},
	} {
		t.Run(name, func(t *testing.T) {
			tab := r.tab(t, tt.view)
			tab.Expect(failures)
			for page, want := range map[string][]string{"/dashboard/": tt.dashboard,
				"/mip/3/": tt.page} {
				tab.Go(page)
				if diff := cmp.Diff(want, Ask[[]string](tab, visible)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", page, diff)
				}
			}
		})
	}
}
