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
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxRunes bounds a title and a slug, as the forum's database does.
const maxRunes = 255

// topic holds the fields of GET /t/{id}.json that are read. A pointer is nil if the field is
// missing.
//
// The title is plain text; fancy_title is HTML. Tags, which are strings or objects, are ignored.
type topic struct {
	ID               *int    `json:"id"`
	Title            *string `json:"title"`
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

// decode decodes a topic of the forum at base and computes its score at the time now. The error of
// a private topic is [ErrNotFound]. The caller sets FetchedAt and Stale.
func decode(body []byte, base string, now time.Time) (api.ForumActivity, error) {
	var none api.ForumActivity
	var t topic
	if err := json.Unmarshal(body, &t); err != nil {
		// The decoder's error would quote the body.
		return none, errors.New("not a topic in JSON")
	}
	if t.Archetype == "private_message" {
		return none, ErrNotFound
	}
	if t.ID == nil || *t.ID < 1 || t.Title == nil || t.CreatedAt == nil ||
		t.PostsCount == nil || t.ParticipantCount == nil || t.LikeCount == nil || t.Views == nil {
		return none, errors.New("topic without id, title, created_at, posts_count, " +
			"participant_count, like_count or views")
	}
	created, errCreated := moment(*t.CreatedAt)
	last, errLast := created, error(nil)
	// A topic whose posts were all deleted has no time of the last post.
	if t.LastPostedAt != nil {
		last, errLast = moment(*t.LastPostedAt)
	}
	a := api.ForumActivity{
		TopicID: *t.ID, Title: plain(*t.Title), URL: address(base, t.Slug, *t.ID),
		Posts: max(*t.PostsCount, 0), Replies: max(*t.PostsCount, 1) - 1,
		Participants: max(*t.ParticipantCount, 0), Views: max(*t.Views, 0),
		Likes:     max(*t.LikeCount, 0),
		CreatedAt: mip.NewTime(created), Closed: t.Closed, Archived: t.Archived,
	}
	if t.LastPostedAt != nil {
		a.LastPostedAt = new(mip.NewTime(last))
	}
	// Use wall time: the monotonic clock stops while a function is frozen.
	a.ActivityScore = score(a.Posts, a.Participants, a.Likes, a.Views, now.Round(0).Sub(last))
	if a.Title == "" || errCreated != nil || errLast != nil {
		return none, errors.New("topic without a title, or with an unreadable time")
	}
	return a, nil
}

// moment parses a time of RFC 3339 in any zone. Its year must have four digits in UTC, too, or it
// could not be encoded again.
func moment(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	if t = t.UTC(); err == nil && (t.Year() < 1 || t.Year() > 9999) {
		err = errors.New("a year without four digits")
	}
	return t, err
}

// address returns the address of the topic's page. Discourse finds it by the number alone.
func address(base, slug string, id int) string {
	if slug = plainSlug(slug); slug == "" {
		return base + "/t/" + strconv.Itoa(id)
	}
	return fmt.Sprintf("%s/t/%s/%d", base, url.PathEscape(slug), id)
}

// plainSlug returns an unescaped slug, or an empty text if it is invalid: a slug consists of
// letters of any script, digits, hyphens and underscores.
func plainSlug(slug string) string {
	plain, err := url.PathUnescape(slug)
	if err != nil || !utf8.ValidString(plain) || utf8.RuneCountInString(plain) > maxRunes {
		return ""
	}
	foreign := func(c rune) bool {
		return c != '-' && c != '_' && !unicode.In(c, unicode.L, unicode.M, unicode.Nd)
	}
	if strings.ContainsFunc(plain, foreign) {
		return ""
	}
	return plain
}

// plain returns a title on one line, of at most [maxRunes] characters.
func plain(title string) string {
	runes := []rune(mip.Collapse(mip.OneLine(title)))
	// The cut may leave a joiner at the end that joins nothing.
	return mip.OneLine(string(runes[:min(len(runes), maxRunes)]))
}

// halfLife is the age at which half of the recency is gone. A quarter of the score does not age.
const halfLife = 14 * 24 * time.Hour

// score returns the activity of a topic, 0 to 100. With L(x, c) = min(1, ln(1+max(0, x)) /
// ln(1+c)):
//
//	E = 0.40 L(posts-1, 100) + 0.25 L(participants-1, 25) +
//	    0.15 L(likes, 100) + 0.20 L(views, 5000)
//	R = 0.25 + 0.75 * 2^(-age / 14 days)
//	score = round(100 E R)
//
// age is the time since the last post, or since the topic was opened if there is no time of a post.
// The score is 0 to 100 for any arguments, does not fall when a count rises and does not rise with
// age. A negative age (from a clock that is behind) counts as zero.
func score(posts, participants, likes, views int, age time.Duration) int {
	// The weights are hundredths and add up to exactly 100.
	e := 40*part(posts, 1, 100) + 25*part(participants, 1, 25) + 15*part(likes, 0, 100) +
		20*part(views, 0, 5000)
	// Use whole seconds: a second changes the result far more than the error of Exp2, so this never
	// rises.
	seconds := math.Floor(max(age, 0).Seconds())
	r := 0.25 + 0.75*math.Exp2(-seconds/halfLife.Seconds())
	return min(int(math.Round(e*r)), 100)
}

// part returns L(n-less, many). It is exactly 1 from many on, and does not overflow for any n.
func part(n, less, many int) float64 {
	x := min(max(float64(n)-float64(less), 0), float64(many))
	return math.Log1p(x) / math.Log1p(float64(many))
}
