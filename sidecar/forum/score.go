package forum

import (
	"math"
	"time"
)

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
