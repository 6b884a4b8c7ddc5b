// Package timing is how long everything may take behind a request, and how long what came of it is given. It does not
// know what is asked or by whom.
//
// A GET is answered within 3 s and a POST within 8 s, whatever fails behind it:
//
//	0 s                                  2.5     2.6     2.75    3 s
//	GET    |---------- Try --------------|       |       |       |
//	       |---------- Ask: forum and networks --|       |       |
//	       |---------- Request ------------------|-------|       |
//	                                                     encode and write
//
//	0 s                    3                         7.4      7.8     8 s
//	POST   |----- Body ----|                         |        |       |
//	       |---------- Model: what its caller waits -|        |       |
//	       |---------- AIRequest ---------------------|-------|       |
//	                                                          encode and write
//
// A fetch that nobody waits for any longer goes on in a server, and never in a function: up to Fetch for the forum and
// the networks, up to DetachedModel for a model.
package timing

import "time"

// How long something may take.
const (
	// Request is what a GET has until its answer is known.
	Request = Ask + 150*time.Millisecond
	// Ask is what the hosts behind a GET have. Callers that wait for the answer of another one's request wait for
	// Request, which is longer, so that they get what that one gets.
	Ask = 2600 * time.Millisecond
	// Body is how long the body of a POST may take to arrive.
	Body = 3 * time.Second
	// AIRequest is what a POST has until its answer is known.
	AIRequest = 7800 * time.Millisecond
	// Model is what a caller waits for a model.
	Model = 7400 * time.Millisecond
	// DetachedModel bounds an answer of a model that goes on without its caller: a long proposal is translated in
	// some twenty questions, four at a time.
	DetachedModel = 3 * time.Minute
	// Fetch bounds one fetch from the forum or a network with its retries.
	Fetch = 8 * time.Second
	// HeadStart is how long an endpoint of a network is waited for before the next one is asked as well.
	HeadStart = time.Second
	// Finalized is how long a head waits for its finalized block once the rest is there.
	Finalized = 500 * time.Millisecond
	// Redis bounds one question to the Redis, connecting included.
	Redis = 200 * time.Millisecond
)

// How long what is known is given without asking again.
const (
	FreshTopic = 5 * time.Minute
	FreshHead  = 5 * time.Second
	FreshSlug  = 24 * time.Hour
	// FreshLeast is how long any response is given, so that a burst of requests does not encode it again and again
	// while the hosts behind it fail.
	FreshLeast = 250 * time.Millisecond
	// StaleOnError is the age below which a topic or a head is given while it cannot be renewed.
	StaleOnError = 24 * time.Hour
	// StaleInCDN is how much longer a CDN may give block heights while it asks again.
	StaleInCDN = 30 * time.Second
)

// How long a failure stands before the next attempt, unless the host names a time.
const (
	MissingTopic = time.Minute
	MissingSlug  = time.Hour
	FailedTopic  = 10 * time.Second
	FailedHead   = 5 * time.Second
	// LongestPause bounds the time that a host names.
	LongestPause = 10 * time.Minute
)
