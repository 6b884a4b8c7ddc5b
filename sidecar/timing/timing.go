// Package timing holds the time limits behind a request, and the times for which answers and
// failures are kept. It does not know the upstream hosts or the callers.
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
// In a server a fetch outlives its callers: by up to Fetch for the forum and the networks, and up
// to BackgroundModel for a model. In a function it ends with its last caller.
package timing

import "time"

// Limits of how long something may take.
const (
	// Request is the time in which a GET must have its answer.
	Request = Ask + 150*time.Millisecond
	// Ask bounds the requests to upstream hosts behind a GET. A caller that waits for the answer to
	// another caller's request waits for Request, which is longer, so that both get the same.
	Ask = 2600 * time.Millisecond
	// SearchPlace is how long a search waits for other searches to end. It leaves time for the
	// search itself.
	SearchPlace = 2 * time.Second
	// Body is how long the body of a POST may take to arrive.
	Body = 3 * time.Second
	// AIRequest is the time in which a POST must have its answer.
	AIRequest = 7800 * time.Millisecond
	// Model is how long a caller waits for a model.
	Model = 7400 * time.Millisecond
	// BackgroundModel bounds a model request that outlives its caller: the translation of a long
	// proposal takes about twenty requests, four at a time.
	BackgroundModel = 3 * time.Minute
	// Fetch bounds one fetch from the forum or a network with its retries.
	Fetch = 8 * time.Second
	// HeadStart is how long the first endpoint of a network has before the next one is asked as
	// well.
	HeadStart = time.Second
	// Finalized is how long to wait for the finalized block once the rest of the head has arrived.
	Finalized = 500 * time.Millisecond
	// Redis bounds one request to Redis, including the connection.
	Redis = 200 * time.Millisecond
)

// Times for which an answer is served without asking again.
const (
	FreshTopic = 5 * time.Minute
	FreshHead  = 5 * time.Second
	FreshSlug  = 24 * time.Hour
	// FreshLeast is the shortest time for which a response is served, so that a burst of requests
	// does not encode it again and again while upstream hosts fail.
	FreshLeast = 250 * time.Millisecond
	// StaleOnError is the age up to which a topic or a head is served while it cannot be renewed.
	StaleOnError = 24 * time.Hour
	// StaleInCDN is how much longer a CDN may serve block heights while it revalidates them.
	StaleInCDN = 30 * time.Second
)

// Times for which a failure is kept before the next attempt, unless the host names a time.
const (
	MissingTopic = time.Minute
	MissingSlug  = time.Hour
	FailedTopic  = 10 * time.Second
	FailedHead   = 5 * time.Second
	// FailedText is the time after the first failure of a model at a text. It doubles with each
	// further failure, up to LongestFailure.
	FailedText     = 5 * time.Second
	LongestFailure = 24 * time.Hour
	// LongestPause bounds the time that a host asks for.
	LongestPause = 10 * time.Minute
)
