// Package timing holds the time limits behind a request, and the times for which answers and failures are kept. It does
// not know the hosts that are asked, nor the callers.
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
//	       |---------- Model: the caller's wait -----|        |       |
//	       |---------- AIRequest ---------------------|-------|       |
//	                                                          encode and write
//
// In a server a fetch goes on without its callers: up to Fetch for the forum and the networks, up to BackgroundModel for
// a model. In a function it ends with its last caller.
package timing

import "time"

// How long something may take.
const (
	// Request is the time of a GET until its answer is there.
	Request = Ask + 150*time.Millisecond
	// Ask is the time of the hosts behind a GET. A caller that waits for the answer to another caller's request waits
	// for Request, which is longer, so that both get the same.
	Ask = 2600 * time.Millisecond
	// SearchPlace is how long a search waits for others to end. It leaves time to search in.
	SearchPlace = 2 * time.Second
	// Body is how long the body of a POST may take to arrive.
	Body = 3 * time.Second
	// AIRequest is the time of a POST until its answer is there.
	AIRequest = 7800 * time.Millisecond
	// Model is how long a caller waits for a model.
	Model = 7400 * time.Millisecond
	// BackgroundModel bounds an answer of a model that goes on without its caller: a long proposal is translated in
	// some twenty questions, four at a time.
	BackgroundModel = 3 * time.Minute
	// Fetch bounds one fetch from the forum or a network with its retries.
	Fetch = 8 * time.Second
	// HeadStart is how long an endpoint of a network is waited for before the next one is asked as well.
	HeadStart = time.Second
	// Finalized is how long a head waits for its finalized block once the rest is there.
	Finalized = 500 * time.Millisecond
	// Redis bounds one question to the Redis, connecting included.
	Redis = 200 * time.Millisecond
)

// How long an answer is given without asking again.
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
	// FailedText is for a text at which a model failed once, and twice as long for each failure more, up to
	// LongestFailure.
	FailedText     = 5 * time.Second
	LongestFailure = 24 * time.Hour
	// LongestPause bounds the time that a host names.
	LongestPause = 10 * time.Minute
)
