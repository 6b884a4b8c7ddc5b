package upstreamtest

import (
	"hash/fnv"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// pace is how a topic of the demo has grown. There are two parts: the posts of the first weeks, and those of
// these days, one in every interval.
//
// The second part starts anew every Monday, at midnight UTC. A function of nothing but the clock that
// rises by the minute would otherwise reach figures that no forum has.
type pace struct {
	opened time.Time     // by a clock that is before that, in the year before
	posts  int           // of the first part, the opening one included
	over   time.Duration // how long the first part took
	every  time.Duration // between posts of the second part; 0: there is none

	people                     float64 // the number of people is that of posts to this power, below 1
	likesPerPost, viewsPerPost float64
	viewEvery                  time.Duration // between readers who come when nobody posts any more
	closed, archived           bool
}

// paceOf makes up a pace. rank is how many topics are livelier, −1 for one at rest.
func paceOf(t demoTopic, rank int) pace {
	const day = 24 * time.Hour
	key := strconv.Itoa(t.id)
	created := time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)
	if !t.proposal.Created.IsZero() {
		created = t.proposal.Created.Time()
	}
	p := pace{
		opened:       created.Add(time.Duration(pick(key, "minute", 7*60, 20*60)) * time.Minute),
		posts:        pick(key, "posts", 3, 40),
		over:         time.Duration(pick(key, "days", 20, 70)) * day,
		people:       float64(pick(key, "people", 60, 80)) / 100,
		likesPerPost: float64(pick(key, "likes", 5, 20)) / 10,
		viewsPerPost: float64(pick(key, "views", 15, 45)),
		viewEvery:    time.Duration(pick(key, "readers", 3*60, 12*60)) * time.Minute,
	}
	if rank < 0 {
		p.closed = t.proposal.Status == mip.Final || t.proposal.Status == mip.Withdrawn
		p.archived = t.proposal.Status == mip.Withdrawn
		return p
	}
	p.every = time.Duration(pick(key, "interval", 8*60, 12*60)) * time.Second
	for range rank {
		if p.every *= 3; p.every > 4*day {
			p.every = 0
			break
		}
	}
	return p
}

// grow returns the topic as it is at a moment.
func (p pace) grow(t Topic, now time.Time) Topic {
	t.Created = p.opened
	if t.Created.After(now) { // a clock that is set to the past
		t.Created = t.Created.AddDate(now.Year()-t.Created.Year()-1, 0, 0)
	}
	age := now.Sub(t.Created)

	// The first part comes evenly.
	more := time.Duration(p.posts - 1)
	said := more * min(age, p.over) / p.over
	t.Posts = 1 + int(said)
	t.LastPosted = t.Created.Add(p.over * said / more)

	towards := 0.0 // the next post, in which time readers come and like
	if p.every > 0 {
		since := min(now.Sub(mondayOf(now)), age)
		t.Posts += 1 + int(since/p.every)
		t.LastPosted = now.Add(-(since % p.every))
		towards = float64(since%p.every) / float64(p.every)
	}
	t.Views = int((float64(t.Posts)+towards)*p.viewsPerPost) + int(age/p.viewEvery)
	t.Likes = int((float64(t.Posts) + towards) * p.likesPerPost)
	t.Participants = int(math.Pow(float64(t.Posts), p.people))
	t.Closed, t.Archived = p.closed, p.archived
	return t
}

// mondayOf is the beginning of the week, UTC.
func mondayOf(t time.Time) time.Time {
	t = t.UTC()
	sinceMonday := (int(t.Weekday()) + 6) % 7
	return time.Date(t.Year(), t.Month(), t.Day()-sinceMonday, 0, 0, 0, 0, time.UTC)
}

// pick returns a number from low to high that looks like chance and is always the same for a key.
func pick(key, what string, low, high int) int {
	h := fnv.New32a()
	io.WriteString(h, key+" "+what)
	return low + int(h.Sum32()%uint32(high-low+1))
}
