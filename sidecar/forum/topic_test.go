package forum_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/sidecar/forum"
)

// answerOf returns the answer for a forum that answers all requests with one body.
func answerOf(t testing.TB, body []byte, now time.Time, topic int) (forum.Answer, error) {
	t.Helper()
	n := demo.NewNetwork()
	defer n.Close()
	n.Serve("forum.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write(body)
	}))
	f, err := forum.New(forum.Config{BaseURL: "https://forum.example/", Transport: n,
		Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return f.Linked(t.Context(), topic)
}

// TestGolden reads the forum's response in each archive, as of the time in its comment, into the
// file want.
func TestGolden(t *testing.T) {
	for path, archive := range testenv.Archives(t, "testdata/*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			_, text, _ := strings.Cut(string(archive.Comment), "now: ")
			now, err := time.Parse(time.RFC3339, strings.TrimSpace(text))
			if err != nil {
				t.Fatalf("want a line now: TIME: %v", err)
			}
			var topic int
			if _, err := fmt.Sscanf(archive.Files[0].Name, "GET /t/%d.json", &topic); err != nil {
				t.Fatal(err)
			}
			a, err := answerOf(t, archive.Files[0].Data, now, topic)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			e.SetIndent("", "  ")
			if err := e.Encode(a.Value); err != nil {
				t.Fatal(err)
			}
			testenv.Golden(t, path, archive.Files[1].Name, b.Bytes())
		})
	}
}

// TestNotATopic changes a valid response in one place each.
func TestNotATopic(t *testing.T) {
	const good = `{"id":5,"title":"T","slug":"s","archetype":"regular","posts_count":2,"views":9,` +
		`"like_count":1,"participant_count":2,"created_at":"2026-01-01T00:00:00Z",` +
		`"last_posted_at":"2026-01-02T00:00:00Z","closed":false,"archived":false}`
	tests := []struct {
		name, old, with string
		want            error // nil: it is still a topic
	}{
		{"as it is", "", "", nil},
		{"no slug", `"slug":"s",`, ``, nil},
		{"null slug", `"s"`, `null`, nil},
		{"no archetype", `"archetype":"regular",`, ``, nil},
		{"blanks around it", `{`, " \n{", nil},
		{"another id", `"id":5`, `"id":6`, fetch.ErrUnavailable},
		{"id as text", `"id":5`, `"id":"5"`, fetch.ErrUnavailable},
		{"no id", `"id":5,`, ``, fetch.ErrUnavailable},
		{"null title", `"T"`, `null`, fetch.ErrUnavailable},
		{"list as title", `"T"`, `["T"]`, fetch.ErrUnavailable},
		{"title of nothing", `"T"`, `"\u0000 \u202e"`, fetch.ErrUnavailable},
		{"posts as text", `"posts_count":2`, `"posts_count":"2"`, fetch.ErrUnavailable},
		{"posts with a fraction", `"posts_count":2`, `"posts_count":2.5`, fetch.ErrUnavailable},
		{"null posts", `"posts_count":2`, `"posts_count":null`, fetch.ErrUnavailable},
		{"more posts than fit", `"posts_count":2`, `"posts_count":99999999999999999999`,
			fetch.ErrUnavailable},
		{"no views", `"views":9,`, ``, fetch.ErrUnavailable},
		{"no likes", `"like_count":1,`, ``, fetch.ErrUnavailable},
		{"no participants", `"participant_count":2,`, ``, fetch.ErrUnavailable},
		{"likes as a list", `"like_count":1`, `"like_count":[1]`, fetch.ErrUnavailable},
		{"closed as a number", `"closed":false`, `"closed":0`, fetch.ErrUnavailable},
		{"slug as a number", `"slug":"s"`, `"slug":1`, fetch.ErrUnavailable},
		{"no time", `"created_at":"2026-01-01T00:00:00Z",`, ``, fetch.ErrUnavailable},
		{"time as a number", `"2026-01-01T00:00:00Z"`, `1767225600`, fetch.ErrUnavailable},
		{"time without a zone", `"2026-01-01T00:00:00Z"`, `"2026-01-01T00:00:00"`,
			fetch.ErrUnavailable},
		{"31 February", `"2026-01-02T00:00:00Z"`, `"2026-02-31T00:00:00Z"`, fetch.ErrUnavailable},
		{"year 0", `"2026-01-01T00:00:00Z"`, `"0000-12-31T23:59:59Z"`, fetch.ErrUnavailable},
		{"year 0 in UTC", `"2026-01-01T00:00:00Z"`, `"0001-01-01T00:00:00+01:00"`,
			fetch.ErrUnavailable},
		{"year 1", `"2026-01-01T00:00:00Z"`, `"0001-01-01T00:00:00Z"`, nil},
		{"year 10000", `"2026-01-02T00:00:00Z"`, `"10000-01-01T00:00:00Z"`, fetch.ErrUnavailable},
		{"year 10000 in UTC", `"2026-01-02T00:00:00Z"`, `"9999-12-31T23:59:59-01:00"`,
			fetch.ErrUnavailable},
		{"private", `"regular"`, `"private_message"`, forum.ErrNotFound},
		{"more behind it", `"archived":false}`, `"archived":false}{}`, fetch.ErrUnavailable},
		{"comma at the end", `"archived":false}`, `"archived":false,}`, fetch.ErrUnavailable},
		{"cut", `,"archived":false}`, ``, fetch.ErrUnavailable},
		{"a byte order mark", `{`, "\ufeff{", fetch.ErrUnavailable},
		{"deep", `"s"`, strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000),
			fetch.ErrUnavailable},
		{"null", good, `null`, fetch.ErrUnavailable},
		{"a list", good, `[` + good + `]`, fetch.ErrUnavailable},
		{"nothing", good, ``, fetch.ErrUnavailable},
		{"a page", good, `<html>`, fetch.ErrUnavailable},
	}
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range tests {
		body := strings.Replace(good, tt.old, tt.with, 1)
		if tt.old != "" && body == good {
			t.Fatalf("%s changes nothing", tt.name)
		}
		a, err := answerOf(t, []byte(body), now, 5)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v and %+v, want %v", tt.name, err, a.Value, tt.want)
		}
	}
}

func TestTitlesAndSlugs(t *testing.T) {
	long := strings.Repeat("ä", 300)
	tests := []struct{ title, slug, wantTitle, wantURL string }{
		{"T", "a-b-1", "T", "/t/a-b-1/5"},
		{"T", "-", "T", "/t/-/5"},
		{"T", "", "T", "/t/5"},
		{"T", "a/b", "T", "/t/5"},
		{"T", "a%2Fb", "T", "/t/5"},
		{"T", "..", "T", "/t/5"},
		{"T", "%zz", "T", "/t/5"},
		{"T", "%ff", "T", "/t/5"},
		{"T", "a b", "T", "/t/5"},
		{"T", "Größe_2", "T", "/t/Gr%C3%B6%C3%9Fe_2/5"},
		{"T", "\u202eabc", "T", "/t/5"},
		{"T", long, "T", "/t/5"},
		{long, "s", long[:2*255], "/t/s/5"},
		{strings.Repeat("x", 254) + " y", "s", strings.Repeat("x", 254), "/t/s/5"},
		{"&amp; <b>é</b>", "s", "&amp; <b>é</b>", "/t/s/5"},
		{"a\u00a0b\u2028c\u2029d\u0085e", "s", "a b c d e", "/t/s/5"},
		{"a\u200eb\u061cc\u00adf\x7fg", "s", "abcfg", "/t/s/5"},
		{"क्\u200dष", "s", "क्\u200dष", "/t/s/5"},
		{"\xff", "s", "\ufffd", "/t/s/5"},
	}
	for _, tt := range tests {
		body, err := json.Marshal(map[string]any{"id": 5, "title": tt.title, "slug": tt.slug,
			"posts_count": 1, "participant_count": 1, "like_count": 0, "views": 1,
			"created_at": "2026-01-01T00:00:00Z"})
		if err != nil {
			t.Fatal(err)
		}
		a, err := answerOf(t, body, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 5)
		if err != nil {
			t.Errorf("%q, %q: %v", tt.title, tt.slug, err)
			continue
		}
		got := [2]string{a.Value.Title, a.Value.URL}
		if want := [2]string{tt.wantTitle, "https://forum.example" + tt.wantURL}; got != want {
			t.Errorf("%q, %q: got %q, want %q", tt.title, tt.slug, got, want)
		}
	}
}

// TestWordsOfTheForum checks that only a topic's title, and the slug in its address, come from the
// forum.
func TestWordsOfTheForum(t *testing.T) {
	const mark = "evil"
	topic := map[string]any{
		"id": 5, "title": "title " + mark, "slug": "slug-" + mark, "archetype": "regular " + mark,
		"posts_count": 2, "views": 9, "like_count": 1, "participant_count": 2,
		"created_at": "2026-01-01T00:00:00Z", "last_posted_at": "2026-01-02T00:00:00Z",
		"url": mark, "activityScore": mark, "proposals": []string{mark},
		"details":     map[string]any{mark: mark},
		"post_stream": map[string]any{"posts": []any{map[string]any{"cooked": mark}}},
	}
	for _, more := range []string{"fancy_title", "excerpt", "image_url", "category", "tags",
		"unicode_title", "featured_link", "createdAt", "fetchedAt", mark} {
		topic[more] = mark
	}
	body, err := json.Marshal(topic)
	if err != nil {
		t.Fatal(err)
	}
	a, err := answerOf(t, body, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 5)
	if err != nil {
		t.Fatal(err)
	}
	if a.Value.Title != "title "+mark || a.Value.URL != "https://forum.example/t/slug-"+mark+"/5" {
		t.Errorf("title %q, address %q", a.Value.Title, a.Value.URL)
	}
	a.Value.Title, a.Value.URL = "", ""
	if left, err := json.Marshal(a.Value); err != nil || strings.Contains(string(left), mark) {
		t.Errorf("the answer holds other words of the forum: %s, %v", left, err)
	}
}
