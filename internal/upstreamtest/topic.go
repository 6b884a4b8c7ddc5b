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

// topicAnswer is the body of GET /t/{id}.json: of what a client that is not logged in is shown, the figures and
// some of the rest.
type topicAnswer struct {
	ID               int     `json:"id"`
	Title            string  `json:"title"`
	FancyTitle       string  `json:"fancy_title"`
	PostsCount       int     `json:"posts_count"`
	CreatedAt        stamp   `json:"created_at"`
	Views            int     `json:"views"`
	ReplyCount       int     `json:"reply_count"`
	LikeCount        int     `json:"like_count"`
	LastPostedAt     *stamp  `json:"last_posted_at"`
	Visible          bool    `json:"visible"`
	Closed           bool    `json:"closed"`
	Archived         bool    `json:"archived"`
	Archetype        string  `json:"archetype"`
	Slug             string  `json:"slug"`
	CategoryID       int     `json:"category_id"`
	DeletedAt        *stamp  `json:"deleted_at"`
	Details          details `json:"details"`
	PostStream       stream  `json:"post_stream"`
	ParticipantCount int     `json:"participant_count"`
}

type details struct {
	Participants []person `json:"participants"`
}

type person struct {
	ID       int    `json:"id"`
	Username string `json:"username"`
}

type stream struct {
	Posts  []post `json:"posts"`
	Stream []int  `json:"stream"` // the ids of all posts
}

type post struct {
	ID             int        `json:"id"`
	PostNumber     int        `json:"post_number"`
	Username       string     `json:"username"`
	CreatedAt      stamp      `json:"created_at"`
	Cooked         string     `json:"cooked"`
	ActionsSummary []struct{} `json:"actions_summary"`
}

// What a topic shows at the most: posts, ids of posts, and people.
const (
	mostPosts  = 20
	mostListed = 10_000
	mostPeople = 24
)

// answer is the topic for a reader.
func (t Topic) answer() topicAnswer {
	a := topicAnswer{
		ID: t.ID, Title: t.Title, FancyTitle: html.EscapeString(t.Title), Slug: t.Slug,
		PostsCount: t.Posts, Views: t.Views, LikeCount: t.Likes, ParticipantCount: t.Participants,
		ReplyCount: max(t.Posts-1, 0) * 2 / 3, // posts that answer another one, which are fewer than all but the first
		CreatedAt:  stamp(t.Created), Visible: true, Closed: t.Closed, Archived: t.Archived, Archetype: "regular", CategoryID: 5,
		Details: details{[]person{}}, PostStream: stream{[]post{}, []int{}},
	}
	last := t.Created
	if !t.LastPosted.IsZero() {
		last, a.LastPostedAt = t.LastPosted, new(stamp(t.LastPosted))
	}
	for i := range min(max(t.Participants, 0), mostPeople) {
		a.Details.Participants = append(a.Details.Participants, person{10 + i, fmt.Sprint("user", i+1)})
	}
	step := max(last.Sub(t.Created), 0) / time.Duration(max(t.Posts-1, 1))
	for i := range min(max(t.Posts, 0), mostListed) {
		id := t.ID*100 + i + 1
		a.PostStream.Stream = append(a.PostStream.Stream, id)
		if i < mostPosts {
			a.PostStream.Posts = append(a.PostStream.Posts, post{
				ID: id, PostNumber: i + 1, Username: fmt.Sprint("user", i%max(t.Participants, 1)+1), CreatedAt: stamp(t.Created.Add(time.Duration(i) * step)),
				Cooked: fmt.Sprintf("<p>Post %d on “%s”, made up for a demonstration.</p>", i+1, html.EscapeString(t.Title)), ActionsSummary: []struct{}{},
			})
		}
	}
	return a
}

// stamp is a moment as Discourse writes it: UTC with milliseconds.
type stamp time.Time

func (s stamp) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(s).UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}
