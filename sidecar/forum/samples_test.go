package forum_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/testenv"
)

// samples is the folder with answers of real forums: below the folder that MIPWATCH_UPSTREAM names, else
// below a folder named upstream in any folder beside the checkout. Without any the test is skipped.
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
	testenv.Missing(t, "upstream", "no answers of real forums here:", environment, "names a folder that holds", filepath.Join("discourse", "*.json"))
	return ""
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// figures is what is compared of a topic.
type figures struct {
	ID                                                int
	Title, URL                                        string
	Score, Posts, Replies, Participants, Views, Likes int
	Created, LastPosted                               string
	Closed, Archived                                  bool
}

func figuresOf(a api.ForumActivity) figures {
	f := figures{
		ID: a.TopicID, Title: a.Title, URL: a.URL, Score: a.ActivityScore, Posts: a.Posts, Replies: a.Replies,
		Participants: a.Participants, Views: a.Views, Likes: a.Likes, Created: a.CreatedAt.String(), Closed: a.Closed, Archived: a.Archived,
	}
	if a.LastPostedAt != nil {
		f.LastPosted = a.LastPostedAt.String()
	}
	return f
}

// TestSamples holds that topics as real forums gave them read as they are.
func TestSamples(t *testing.T) {
	dir := samples(t)
	tests := []struct {
		file, now string
		want      figures
	}{
		// Without likes, participants and a last post. Score: 20 L(1, 5000) = 1.63 at the age 0.
		{"api_docs_topic_response.json", "2016-10-01T13:51:26.097Z", figures{
			ID: 13, Title: "About the 9bf05639-c1d6-95e0-b5b1-24c75db096e5 category",
			URL:   "https://forum.example/t/about-the-9bf05639-c1d6-95e0-b5b1-24c75db096e5-category/13",
			Score: 2, Posts: 1, Participants: 1, Views: 1, Created: "2016-10-01T13:51:26Z",
		}},
		// A forum of 2013: five likes on each of two posts, three participants, 14 days after the last post.
		// Score: 41.376 * 0.625 = 25.86.
		{"api_gem_topic.json", "2013-02-19T12:14:17.364-05:00", figures{
			ID: 57, Title: "THIS SITE IS A SANDBOX -- it is reset every day",
			URL:   "https://forum.example/t/this-site-is-a-sandbox-it-is-reset-every-day/57",
			Score: 26, Posts: 4, Replies: 3, Participants: 3, Views: 268, Likes: 10,
			Created: "2013-02-04T20:26:25Z", LastPosted: "2013-02-05T17:14:17Z",
		}},
	}
	for _, tt := range tests {
		b, err := os.ReadFile(filepath.Join(dir, tt.file))
		if err != nil {
			t.Fatal(err)
		}
		a, err := answerOf(t, b, at(t, tt.now), tt.want.ID)
		if err != nil {
			t.Errorf("%s: %v", tt.file, err)
			continue
		}
		if d := cmp.Diff(tt.want, figuresOf(a.Value)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.file, d)
		}
	}
}

// TestSampleLists feeds each topic of real lists to the forum as if it were a topic's own answer: names
// and types of the counts are the same there. Lists do not count participants; that somebody posted is
// all that is known.
func TestSampleLists(t *testing.T) {
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
		readJSON(t, name, &lists)
		for _, raw := range append(lists.TopicList.Topics, lists.Topics.Topics...) {
			var want struct {
				ID           int
				Title, Slug  string
				PostsCount   int       `json:"posts_count"`
				LikeCount    int       `json:"like_count"`
				CreatedAt    time.Time `json:"created_at"`
				LastPostedAt time.Time `json:"last_posted_at"`
				Views        int
				Closed       bool
				Archived     bool
			}
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			a, err := answerOf(t, raw, want.LastPostedAt, want.ID)
			if err != nil {
				t.Errorf("%s: topic %d: %v", filepath.Base(name), want.ID, err)
				continue
			}
			got := figuresOf(a.Value)
			if got.Score < 0 || got.Score > 100 {
				t.Errorf("%s: topic %d: score %d", filepath.Base(name), want.ID, got.Score)
			}
			got.Score = 0
			if d := cmp.Diff(figures{
				ID: want.ID, Title: want.Title, URL: "https://forum.example/t/" + want.Slug + "/" + strconv.Itoa(want.ID),
				Posts: want.PostsCount, Replies: want.PostsCount - 1, Participants: 1, Views: want.Views, Likes: want.LikeCount,
				Created: want.CreatedAt.UTC().Format(time.RFC3339), LastPosted: want.LastPostedAt.UTC().Format(time.RFC3339),
				Closed: want.Closed, Archived: want.Archived,
			}, got); d != "" {
				t.Errorf("%s: topic %d (-want +got):\n%s", filepath.Base(name), want.ID, d)
			}
			topics++
		}
	}
	if topics < 40 {
		t.Errorf("only %d topics in %s", topics, dir)
	}
}
