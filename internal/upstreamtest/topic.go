package upstreamtest

import (
	"cmp"
	"fmt"
	"html"
	"slices"
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

// mostListed is how many post ids a topic lists at the most.
const mostListed = 10_000

// pageSize is how many posts come with a topic.
const pageSize = 20

func (t Topic) lastPosted() *stamp {
	if t.LastPosted.IsZero() {
		return nil
	}
	return new(stamp(t.LastPosted))
}

// bumped is what lists are sorted by.
func (t Topic) bumped() time.Time {
	if t.LastPosted.IsZero() {
		return t.Created
	}
	return t.LastPosted
}

// replies is what Discourse counts in reply_count: posts that answer another one, which are fewer
// than all posts but the first.
func (t Topic) replies() int { return max(t.Posts-1, 0) * 2 / 3 }

// answer is the topic for a reader. others are suggested below it.
func (t Topic) answer(others []Topic) topicAnswer {
	a := topicAnswer{
		PostStream:        t.stream(),
		TimelineLookup:    [][2]int{{1, 0}},
		SuggestedTopics:   []listed{},
		Tags:              []tag{{ID: 1, Name: "proposal", Slug: "proposal"}},
		ID:                t.ID,
		Title:             t.Title,
		FancyTitle:        html.EscapeString(t.Title),
		PostsCount:        t.Posts,
		CreatedAt:         stamp(t.Created),
		Views:             t.Views,
		ReplyCount:        t.replies(),
		LikeCount:         t.Likes,
		LastPostedAt:      t.lastPosted(),
		Visible:           true,
		Closed:            t.Closed,
		Archived:          t.Archived,
		Archetype:         "regular",
		Slug:              t.Slug,
		CategoryID:        5,
		WordCount:         t.Posts * wordsPerPost,
		UserID:            t.poster(1).ID,
		Details:           t.details(),
		HighestPostNumber: t.Posts,
		ActionsSummary:    []struct{}{},
		ChunkSize:         pageSize,
		ParticipantCount:  t.Participants,
	}
	for _, o := range others {
		a.SuggestedTopics = append(a.SuggestedTopics, o.listed())
	}
	return a
}

func (t Topic) listed() listed {
	return listed{
		ID:                 t.ID,
		Title:              t.Title,
		FancyTitle:         html.EscapeString(t.Title),
		Slug:               t.Slug,
		PostsCount:         t.Posts,
		ReplyCount:         t.replies(),
		HighestPostNumber:  t.Posts,
		CreatedAt:          stamp(t.Created),
		LastPostedAt:       t.lastPosted(),
		Bumped:             true,
		BumpedAt:           stamp(t.bumped()),
		Archetype:          "regular",
		Visible:            true,
		Closed:             t.Closed,
		Archived:           t.Archived,
		Tags:               []tag{{ID: 1, Name: "proposal", Slug: "proposal"}},
		LikeCount:          t.Likes,
		Views:              t.Views,
		CategoryID:         5,
		LastPosterUsername: t.poster(t.Posts).Username,
		Posters:            []poster{{Description: "Original Poster", UserID: t.poster(1).ID}},
	}
}

// wordsPerPost is how long a post of ours is.
const wordsPerPost = 9

// stream is the first page of posts, spread evenly over the time of the topic, and the ids of all.
func (t Topic) stream() postStream {
	s := postStream{Posts: []post{}, Stream: []int{}}
	for n := range min(max(t.Posts, 0), mostListed) {
		s.Stream = append(s.Stream, t.postID(n+1))
	}
	step := max(t.bumped().Sub(t.Created), 0) / time.Duration(max(t.Posts-1, 1))
	for i := range s.Stream[:min(len(s.Stream), pageSize)] {
		u, at := t.poster(i+1), stamp(t.Created.Add(time.Duration(i)*step))
		p := post{
			ID: t.postID(i + 1), Name: u.Name, Username: u.Username, AvatarTemplate: u.AvatarTemplate,
			CreatedAt: at, UpdatedAt: at, PostNumber: i + 1, PostType: 1,
			Cooked: fmt.Sprintf("<p>Post %d on “%s”, made up for a demonstration.</p>", i+1, html.EscapeString(t.Title)),
			Reads:  t.Views / 2, Score: 0.2, TopicID: t.ID, TopicSlug: t.Slug, Version: 1,
			ActionsSummary: []struct{}{}, UserID: u.ID,
		}
		if i%3 == 2 {
			p.ReplyTo = new(i)
		}
		s.Posts = append(s.Posts, p)
	}
	return s
}

func (t Topic) postID(n int) int { return t.ID*100 + n }

func (t Topic) details() topicDetails {
	d := topicDetails{NotificationLevel: 1, Participants: []participant{}, CreatedBy: t.poster(1), LastPoster: t.poster(t.Posts)}
	people := min(max(t.Participants, 0), mostParticipants)
	for i := range people {
		d.Participants = append(d.Participants, participant{t.poster(i + 1), max(t.Posts/people, 1)})
	}
	return d
}

// mostParticipants is how many people a topic names at the most.
const mostParticipants = 24

// poster is who wrote a post: the people of a topic take turns.
func (t Topic) poster(n int) user {
	i := max(n-1, 0) % max(t.Participants, 1)
	name := userNames()[(t.ID+i)%len(userNames())]
	if round := i / len(userNames()); round > 0 {
		name = fmt.Sprintf("%s%d", name, round+1)
	}
	return user{ID: 10 + i, Username: name, AvatarTemplate: "/letter_avatar_proxy/v4/letter/" + name[:1] + "/8e7cc3/{size}.png"}
}

func userNames() []string {
	return []string{"argus", "brine", "caldera", "dovetail", "ember", "fathom", "gantry", "halyard", "isobar", "jetty", "kelp",
		"lumen", "mirador", "nacelle", "osier", "parapet", "quoin", "rill", "spindle", "tarn", "umbra", "vane", "wick", "yarrow"}
}

// newest sorts topics as lists show them.
func newest(topics []Topic) {
	slices.SortFunc(topics, func(a, b Topic) int {
		return cmp.Or(b.bumped().Compare(a.bumped()), cmp.Compare(b.ID, a.ID))
	})
}
