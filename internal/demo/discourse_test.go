package demo_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/demo"
)

var opened = time.Date(2026, time.March, 17, 17, 19, 30, 250e6, time.UTC)

// testTopics has one topic of each kind.
func testTopics() []demo.Topic {
	return []demo.Topic{
		{ID: 399, Title: `Finality "soon" & <later>`, Slug: "finality", Posts: 45, Participants: 9, Likes: 30, Views: 1200, Created: opened, LastPosted: opened.Add(44 * time.Hour)},
		{ID: 400, Title: "Nobody answered", Posts: 1, Participants: 1, Views: 3, Created: opened.Add(time.Hour)},
		{ID: 401, Title: "Private", Private: true},
		{ID: 402, Title: "Gone", Deleted: true},
		{ID: 403, Title: "names", Slug: "ñandú-灯台", Closed: true, Archived: true, Posts: 2, Participants: 1, Created: opened, LastPosted: opened.Add(24 * time.Hour)},
		{ID: 404, Title: "Second of the name", Slug: "finality", Created: opened.Add(-time.Hour)},
	}
}

// ask asks a handler directly, as from behind a proxy that spoke https.
func ask(t *testing.T, h http.Handler, method, target, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	r.Host = "forum.example"
	r.Header.Set("X-Forwarded-Proto", "https")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestDiscourseAddresses(t *testing.T) {
	d := demo.NewDiscourse(nil, testTopics()...)
	const there, gone, forbidden = `"errors":["There is`, `"title":"Nothing here"`, `"error_type":"invalid_access"`
	for _, test := range []struct {
		method, target string
		status         int
		want           string // in the body, or the Location
	}{
		{"GET", "/t/399.json", 200, `"id":399,`},
		{"HEAD", "/t/399.json", 200, `"id":399,`}, // the server drops it
		{"GET", "/t/399.json?page=2", 200, `"id":399,`},
		{"GET", "/t/finality/399.json", 200, `"id":399,`},
		{"GET", "/t/finality/399/12.json", 200, `"id":399,`},
		{"GET", "/t/wrong/399.json", 301, "https://forum.example/t/finality/399.json"},
		{"GET", "/t/finality.json", 301, "https://forum.example/t/finality/399.json"},
		{"GET", "/forum/t/finality.json", 301, "https://forum.example/forum/t/finality/399.json"},
		{"GET", "/forum/t/399.json", 200, `"id":399,`},
		{"GET", "/t/%C3%B1and%C3%BA-%E7%81%AF%E5%8F%B0.json", 301, "https://forum.example/t/%C3%B1and%C3%BA-%E7%81%AF%E5%8F%B0/403.json"},
		{"GET", "/t/%C3%B1and%C3%BA-%E7%81%AF%E5%8F%B0/403.json", 200, `"id":403,`},
		{"GET", "/t/nobody-answered.json", 301, "https://forum.example/t/nobody-answered/400.json"},
		{"GET", "/t/unknown.json", 404, there},
		{"GET", "/t/1.json", 404, there},
		{"GET", "/t/finality/1.json", 404, there},
		{"GET", "/t/.json", 404, there},
		{"GET", "/t/-399.json", 404, there},
		{"GET", "/t/99999999999999999999.json", 404, there},
		{"GET", "/t/399", 404, there},
		{"GET", "/", 404, there},
		{"POST", "/t/399.json", 404, `"error_type":"not_found"`},
		{"GET", "/t/401.json", 403, forbidden},
		{"GET", "/t/private.json", 403, forbidden},
		{"GET", "/t/402.json", 410, gone},
		{"GET", "/latest.json", 404, there},
	} {
		w := ask(t, d, test.method, test.target, "")
		got := w.Body.String()
		if test.status == http.StatusMovedPermanently {
			got = w.Header().Get("Location")
		} else if !json.Valid(w.Body.Bytes()) || w.Header().Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("%s %s: %s %q is no JSON", test.method, test.target, w.Header(), got)
		}
		if w.Code != test.status || !strings.Contains(got, test.want) {
			t.Errorf("%s %s = %d %.300q, want %d and %q", test.method, test.target, w.Code, got, test.status, test.want)
		}
	}
}

// figures are what a client wants to know of a topic.
type figures struct {
	ID               int     `json:"id"`
	Title            string  `json:"title"`
	FancyTitle       string  `json:"fancy_title"`
	Slug             string  `json:"slug"`
	PostsCount       int     `json:"posts_count"`
	ParticipantCount int     `json:"participant_count"`
	LikeCount        int     `json:"like_count"`
	Views            int     `json:"views"`
	CreatedAt        string  `json:"created_at"`
	LastPostedAt     *string `json:"last_posted_at"`
	Closed           bool    `json:"closed"`
	Archived         bool    `json:"archived"`
	Archetype        string  `json:"archetype"`
}

func TestDiscourseTopics(t *testing.T) {
	d := demo.NewDiscourse(nil, testTopics()...)
	for _, want := range []figures{
		{399, `Finality "soon" & <later>`, "Finality &#34;soon&#34; &amp; &lt;later&gt;", "finality", 45, 9, 30, 1200, "2026-03-17T17:19:30.250Z", new("2026-03-19T13:19:30.250Z"), false, false, "regular"},
		{400, "Nobody answered", "Nobody answered", "nobody-answered", 1, 1, 0, 3, "2026-03-17T18:19:30.250Z", nil, false, false, "regular"},
		{403, "names", "names", "ñandú-灯台", 2, 1, 0, 0, "2026-03-17T17:19:30.250Z", new("2026-03-18T17:19:30.250Z"), true, true, "regular"},
	} {
		var got figures
		if err := json.Unmarshal(ask(t, d, "GET", fmt.Sprintf("/t/%d.json", want.ID), "").Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("topic %d (-want +got):\n%s", want.ID, d)
		}
	}
}
