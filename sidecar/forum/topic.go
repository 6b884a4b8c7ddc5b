package forum

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// titleMost is the most runes of a title, as in the forum's own table.
const titleMost = 255

// topic is what is read of GET /t/{id}.json. Pointers tell what is absent from what is zero.
type topic struct {
	ID               *int    `json:"id"`
	Title            *string `json:"title"` // plain text; fancy_title is HTML
	Slug             string  `json:"slug"`
	Archetype        string  `json:"archetype"`
	PostsCount       *int    `json:"posts_count"`
	ParticipantCount *int    `json:"participant_count"`
	LikeCount        *int    `json:"like_count"`
	Views            *int    `json:"views"`
	CreatedAt        *string `json:"created_at"`
	LastPostedAt     *string `json:"last_posted_at"`
	Closed           bool    `json:"closed"`
	Archived         bool    `json:"archived"`
}

// oldTopic is where the forums of 2013 have what topic has in ParticipantCount and LikeCount.
type oldTopic struct {
	Details struct {
		Participants []struct{} `json:"participants"`
	} `json:"details"`
	PostStream struct {
		Posts []struct {
			ActionsSummary []struct {
				ID    int `json:"id"`
				Count int `json:"count"`
			} `json:"actions_summary"`
		} `json:"posts"`
	} `json:"post_stream"`
}

// likeAction is the number of the action "like".
const likeAction = 2

// decode reads a topic as it is at the time now, of the forum at base. One that is not everybody's to
// read is [ErrNotFound]. FetchedAt and Stale are left to be set.
func decode(body []byte, base string, now time.Time) (api.ForumActivity, error) {
	var none api.ForumActivity
	var t topic
	if err := json.Unmarshal(body, &t); err != nil {
		// Not the decoder's words: they quote the body.
		return none, errors.New("not a topic in JSON")
	}
	if t.Archetype == "private_message" {
		return none, ErrNotFound
	}
	if t.ID == nil || *t.ID < 1 || t.Title == nil || t.PostsCount == nil || t.Views == nil || t.CreatedAt == nil {
		return none, errors.New("topic without id, title, posts_count, views or created_at")
	}
	if t.ParticipantCount == nil || t.LikeCount == nil {
		t.count(body)
	}
	a := api.ForumActivity{
		TopicID: *t.ID, Title: plain(*t.Title), URL: address(base, t.Slug, *t.ID),
		Posts: max(*t.PostsCount, 0), Replies: max(*t.PostsCount, 1) - 1,
		Participants: max(*t.ParticipantCount, 0), Views: max(*t.Views, 0), Likes: max(*t.LikeCount, 0),
		Closed: t.Closed, Archived: t.Archived,
	}
	if a.Title == "" {
		return none, errors.New("topic without a title")
	}
	created, err := moment(*t.CreatedAt)
	if err != nil {
		return none, err
	}
	a.CreatedAt = mip.NewTime(created)
	last := created
	if t.LastPostedAt != nil {
		if last, err = moment(*t.LastPostedAt); err != nil {
			return none, err
		}
		a.LastPostedAt = new(mip.NewTime(last))
	}
	a.ActivityScore = score(a.Posts, a.Participants, a.Likes, a.Views, now.Round(0).Sub(last))
	return a, nil
}

// count sets the counts that are absent from what else the answer tells: the participants it lists, one
// at least if there is a post, and the likes of the posts that it holds, which are the first 20.
func (t *topic) count(body []byte) {
	var old oldTopic
	if json.Unmarshal(body, &old) != nil {
		old = oldTopic{}
	}
	if t.ParticipantCount == nil {
		t.ParticipantCount = new(max(len(old.Details.Participants), min(*t.PostsCount, 1)))
	}
	if t.LikeCount == nil {
		likes := 0
		for _, p := range old.PostStream.Posts {
			for _, a := range p.ActionsSummary {
				if a.ID == likeAction {
					likes += min(max(a.Count, 0), math.MaxInt32) // no sum of 2 MiB of these overflows
				}
			}
		}
		t.LikeCount = &likes
	}
}

// moment reads RFC 3339 in any zone. It must have a year of four digits in UTC too.
func moment(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	if t = t.UTC(); err != nil || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, errors.New("topic with an unreadable time")
	}
	return t, nil
}

// address is the topic for people. The slug is for their eyes only: the number alone finds it too.
func address(base, slug string, id int) string {
	if slug = plainSlug(slug); slug == "" {
		return base + "/t/" + strconv.Itoa(id)
	}
	return fmt.Sprintf("%s/t/%s/%d", base, url.PathEscape(slug), id)
}

// plain is a title on one line without characters that do not show or that turn the text around.
// Joiners stay: scripts and emoji need them.
func plain(title string) string {
	title = strings.Map(func(c rune) rune {
		switch class := mip.ClassOf(c); {
		case unicode.IsSpace(c), class == mip.LineBreak:
			return ' '
		case class != mip.Visible:
			return -1
		}
		return c
	}, title)
	title = strings.Join(strings.Fields(title), " ")
	if runes := []rune(title); len(runes) > titleMost {
		title = strings.TrimSpace(string(runes[:titleMost]))
	}
	return title
}

// Counts from which on more does not make a topic hotter.
const (
	manyReplies      = 100
	manyParticipants = 25 // beside the one who opened it
	manyLikes        = 100
	manyViews        = 5000
)

// coolingHalf is the age at which half of what recency gives is gone.
const coolingHalf = 14 * 24 * time.Hour

// score is how active a topic is, 0 to 100. With L(x, c) = min(1, ln(1+max(0, x)) / ln(1+c)):
//
//	E = 0.40 L(posts-1, 100) + 0.25 L(participants-1, 25) + 0.15 L(likes, 100) + 0.20 L(views, 5000)
//	R = 0.25 + 0.75 * 2^(-age / 14 days)
//	score = round(100 E R)
//
// age is the time since the last post, or since the topic was opened if there is no time of a post.
// The score is 0 to 100 for any arguments, does not fall when a count rises and does not rise with
// age. An age below zero (a clock that is behind) is none.
func score(posts, participants, likes, views int, age time.Duration) int {
	// Hundredths, which add up to exactly 100.
	e := 40*part(posts, 1, manyReplies) + 25*part(participants, 1, manyParticipants) +
		15*part(likes, 0, manyLikes) + 20*part(views, 0, manyViews)
	// In whole seconds: one makes far more of a difference than Exp2 may be off, so this never rises.
	seconds := math.Floor(max(age, 0).Seconds())
	r := 0.25 + 0.75*math.Exp2(-seconds/coolingHalf.Seconds())
	return min(int(math.Round(e*r)), 100)
}

// part is L(n-less, many), without overflow and exactly 1 from many on.
func part(n, less, many int) float64 {
	x := min(max(float64(n)-float64(less), 0), float64(many))
	return math.Log1p(x) / math.Log1p(float64(many))
}
