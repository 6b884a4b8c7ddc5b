package forum_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// samples returns the folder with responses of real forums: below the folder in MIPWATCH_UPSTREAM,
// else below a folder named upstream next to the checkout. Without one the test is skipped.
func samples(t *testing.T) string {
	t.Helper()
	const environment = "MIPWATCH_UPSTREAM"
	candidates := []string{os.Getenv(environment)}
	if candidates[0] == "" {
		var err error
		if candidates, err = filepath.Glob("../../../*/upstream"); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range candidates {
		dir = filepath.Join(dir, "discourse")
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			return dir
		}
	}
	testenv.Missing(t, "upstream", "no answers of real forums here:", environment,
		"names a folder that holds", filepath.Join("discourse", "*.json"))
	return ""
}

// sample holds the compared fields of a topic.
type sample struct {
	ID           int
	Title, Slug  string
	Views        int
	PostsCount   int       `json:"posts_count"`
	LikeCount    int       `json:"like_count"`
	CreatedAt    time.Time `json:"created_at"`
	LastPostedAt time.Time `json:"last_posted_at"`
	Closed       bool
	Archived     bool
}

// TestSamples serves each topic of the lists of real forums as a topic's own response: counts have
// the same names and types there. Lists have no count of participants, so one is added.
func TestSamples(t *testing.T) {
	dir := samples(t)
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	topics := 0
	for _, name := range names {
		type list struct {
			Topics []json.RawMessage `json:"topics"`
		}
		var lists struct {
			TopicList list `json:"topic_list"`
			Topics    list `json:"topics"`
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &lists); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, raw := range append(lists.TopicList.Topics, lists.Topics.Topics...) {
			var s sample
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			topics++
			raw = slices.Concat([]byte(`{"participant_count":1,`), bytes.TrimLeft(raw, " {"))
			a, err := answerOf(t, raw, s.LastPostedAt, s.ID)
			if err != nil {
				t.Errorf("%s: topic %d: %v", filepath.Base(name), s.ID, err)
				continue
			}
			got := a.Value
			if got.ActivityScore < 0 || got.ActivityScore > 100 {
				t.Errorf("%s: topic %d: score %d", filepath.Base(name), s.ID, got.ActivityScore)
			}
			want := api.ForumActivity{
				TopicID: s.ID, Title: s.Title,
				URL:   "https://forum.example/t/" + s.Slug + "/" + strconv.Itoa(s.ID),
				Posts: s.PostsCount, Replies: s.PostsCount - 1, Participants: 1, Views: s.Views,
				Likes:     s.LikeCount,
				CreatedAt: mip.NewTime(s.CreatedAt), LastPostedAt: new(mip.NewTime(s.LastPostedAt)),
				Closed: s.Closed, Archived: s.Archived,
				ActivityScore: got.ActivityScore, FetchedAt: got.FetchedAt,
			}
			if d := cmp.Diff(want, got, cmp.Comparer(func(a, b mip.Time) bool {
				return a == b
			})); d != "" {
				t.Errorf("%s: topic %d (-want +got):\n%s", filepath.Base(name), s.ID, d)
			}
		}
	}
	if topics < 40 {
		t.Errorf("only %d topics in %s", topics, dir)
	}
}
