package upstreamtest

import (
	"fmt"
	"html"
	"time"
)

// Topic is one topic of a [Discourse]. Its figures are given out as they are, sensible or not.
type Topic struct {
	ID                                int
	Title                             string // plain text
	Slug                              string // empty: made of the title
	Posts, Participants, Likes, Views int
	Created                           time.Time // zero: when the topic was set
	LastPosted                        time.Time // zero: null
	Closed, Archived                  bool
	Private                           bool // exists, but is not for everyone: 403
	Deleted                           bool // was there once: 410
}

// Bounds of what a topic shows: posts, ids of posts, and people.
const (
	mostPosts  = 20
	mostListed = 10_000
	mostPeople = 24
)

// answer is the body of GET /t/{id}.json: of what a client that is not logged in is shown, the figures and
// some of the rest.
func (t Topic) answer() map[string]any {
	last := t.Created
	var lastPosted any
	if !t.LastPosted.IsZero() {
		last, lastPosted = t.LastPosted, stamp(t.LastPosted)
	}
	people, posts, ids := []any{}, []any{}, []int{}
	for i := range min(max(t.Participants, 0), mostPeople) {
		people = append(people, map[string]any{"id": 10 + i, "username": fmt.Sprint("user", i+1)})
	}
	step := max(last.Sub(t.Created), 0) / time.Duration(max(t.Posts-1, 1))
	for i := range min(max(t.Posts, 0), mostListed) {
		id := t.ID*100 + i + 1
		ids = append(ids, id)
		if i < mostPosts {
			posts = append(posts, map[string]any{
				"id": id, "post_number": i + 1, "username": fmt.Sprint("user", i%max(t.Participants, 1)+1),
				"created_at": stamp(t.Created.Add(time.Duration(i) * step)), "actions_summary": []any{},
				"cooked": fmt.Sprintf("<p>Post %d on “%s”, made up for a demonstration.</p>", i+1, html.EscapeString(t.Title)),
			})
		}
	}
	return map[string]any{
		"id": t.ID, "title": t.Title, "fancy_title": html.EscapeString(t.Title), "slug": t.Slug,
		"posts_count": t.Posts, "views": t.Views, "like_count": t.Likes, "participant_count": t.Participants,
		"reply_count": max(t.Posts-1, 0) * 2 / 3, // posts that answer another one, which are fewer than all but the first
		"created_at":  stamp(t.Created), "last_posted_at": lastPosted, "deleted_at": nil,
		"visible": true, "closed": t.Closed, "archived": t.Archived, "archetype": "regular", "category_id": 5,
		"details":     map[string]any{"participants": people},
		"post_stream": map[string]any{"posts": posts, "stream": ids},
	}
}

// stamp is a moment as Discourse writes it: UTC with milliseconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
