package forum

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

const day = 24 * time.Hour

// TestScore compares with values that another program computed with 40 digits from the documented
// formula; the comments give them before rounding.
func TestScore(t *testing.T) {
	tests := []struct {
		posts, participants, likes, views int
		age                               time.Duration
		want                              int
	}{
		{0, 0, 0, 0, 0, 0},                             // 0.0
		{1, 1, 0, 0, 0, 0},                             // 0.0, without views
		{1, 1, 0, 1, 0, 2},                             // 1.62760405
		{1, 1, 0, 1, 365 * day, 0},                     // 0.40690103
		{2, 2, 0, 10, 0, 17},                           // 16.9568556
		{4, 3, 10, 268, 0, 41},                         // 41.375852
		{4, 3, 10, 268, -1 * time.Hour, 41},            // 41.375852, the clock is behind
		{101, 1, 0, 0, 0, 40},                          // 40.0, each count alone
		{1, 26, 0, 0, 0, 25},                           // 25.0
		{1, 1, 100, 0, 0, 15},                          // 15.0
		{1, 1, 0, 5000, 0, 20},                         // 20.0
		{101, 26, 100, 5000, 0, 100},                   // 100.0, the maximum
		{1000000, 100000, 1000000, 1000000000, 0, 100}, // 100.0
		{101, 26, 100, 5000, 14 * day, 63},             // 62.5, half is rounded up
		{101, 26, 100, 5000, 28 * day, 44},             // 43.75
		{101, 26, 100, 5000, 3650 * day, 25},           // 25.0
		{12, 5, 7, 340, 3 * day, 49},                   // 48.7140233
		{12, 5, 7, 340, 84 * time.Hour, 48},            // 47.8550664
		{57, 14, 33, 2100, 1 * day, 82},                // 81.6475705
		{9, 5, 2, 332, 30 * day, 20},                   // 20.4043444
		{5, 3, 2, 120, 7 * day, 29},                    // 29.0368528
		{25, 8, 40, 900, 12 * time.Hour, 71},           // 70.5812953
	}
	for _, tt := range tests {
		if got := score(tt.posts, tt.participants, tt.likes, tt.views, tt.age); got != tt.want {
			t.Errorf("score(%d posts, %d participants, %d likes, %d views, %v) = %d, want %d",
				tt.posts, tt.participants, tt.likes, tt.views, tt.age, got, tt.want)
		}
	}
}

// TestScoreProperties checks for many random topics, including extremes, that the score is 0 to
// 100, does not fall when a count rises, and does not rise with age.
func TestScoreProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	extremes := []int{math.MinInt, math.MinInt + 1, -1, 0, 1, 2, 25, 26, 27, 100, 101, 102, 5000,
		5001, math.MaxInt32, math.MaxInt - 1, math.MaxInt}
	count := func() int {
		switch r.IntN(8) {
		case 0:
			return extremes[r.IntN(len(extremes))]
		case 1:
			return int(r.Uint64())
		}
		return r.IntN(1 << r.IntN(14))
	}
	ages := []time.Duration{math.MinInt64, -1, 0, 1, time.Second - 1, time.Second, 14 * day,
		math.MaxInt64 - 1, math.MaxInt64}
	age := func() time.Duration {
		switch r.IntN(8) {
		case 0:
			return ages[r.IntN(len(ages))]
		case 1:
			return time.Duration(r.Uint64())
		}
		return time.Duration(r.Int64N(int64(time.Second) << r.IntN(28)))
	}
	// more returns n or a greater number, mostly by a little.
	more := func(n int) int {
		if r.IntN(2) == 0 && n < math.MaxInt {
			return n + 1
		}
		return max(n, count())
	}
	seen := map[int]bool{}
	for range 50_000 {
		posts, participants, likes, views, a := count(), count(), count(), count(), age()
		got := score(posts, participants, likes, views, a)
		seen[got] = true
		if got < 0 || got > 100 {
			t.Fatalf("score(%d, %d, %d, %d, %v) = %d", posts, participants, likes, views, a, got)
		}
		older := max(a, age())
		if r.IntN(2) == 0 && a < math.MaxInt64 {
			older = a + 1
		}
		for _, c := range []struct {
			what       string
			low, great int
		}{
			{"posts", got, score(more(posts), participants, likes, views, a)},
			{"participants", got, score(posts, more(participants), likes, views, a)},
			{"likes", got, score(posts, participants, more(likes), views, a)},
			{"views", got, score(posts, participants, likes, more(views), a)},
			{"age", score(posts, participants, likes, views, older), got},
		} {
			if c.low > c.great {
				t.Fatalf("score(%d, %d, %d, %d, %v): %d and %d, when %s rise", posts, participants,
					likes, views, a, c.low, c.great, c.what)
			}
		}
	}
	if len(seen) != 101 {
		t.Errorf("the topics have %d different scores: the cases are not random enough", len(seen))
	}
}
