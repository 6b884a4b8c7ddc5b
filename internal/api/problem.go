package api

import (
	"slices"
	"strings"
)

// Problem is the body of every error, as application/problem+json (RFC 9457).
type Problem struct {
	Type      string `json:"type" doc:"A URI that names the kind of problem."`
	Title     string `json:"title" doc:"The kind of problem, for people."`
	Status    int    `json:"status" doc:"The HTTP status."`
	Detail    string `json:"detail" doc:"What was wrong with this request."`
	Instance  string `json:"instance" doc:"The path that was asked for."`
	Code      Code   `json:"code" doc:"The kind of problem, for programs."`
	RequestID string `json:"requestId" doc:"Names this request in the log; empty in static answers."`
}

// Code is the machine-readable kind of a [Problem].
type Code string

// The codes, each with one HTTP status.
const (
	BadRequest           Code = "bad_request"            // 400
	NotFound             Code = "not_found"              // 404
	MethodNotAllowed     Code = "method_not_allowed"     // 405, with Allow
	TooLarge             Code = "too_large"              // 413
	UnsupportedMediaType Code = "unsupported_media_type" // 415
	RateLimited          Code = "rate_limited"           // 429, with Retry-After, RateLimit and RateLimit-Policy
	Internal             Code = "internal"               // 500
	AIFailed             Code = "ai_failed"              // 502
	UpstreamUnavailable  Code = "upstream_unavailable"   // 502
	AIDisabled           Code = "ai_disabled"            // 503
	NotReady             Code = "not_ready"              // 503, with Retry-After
	UpstreamTimeout      Code = "upstream_timeout"       // 504
)

// CodeInfo is a code with its HTTP status and its meaning.
type CodeInfo struct {
	Code    Code
	Status  int    // HTTP
	Meaning string // a sentence for documentation
}

// Codes returns every code in ascending order of status.
func Codes() []CodeInfo {
	return []CodeInfo{
		{BadRequest, 400, "A value of the request is missing or cannot be read."},
		{NotFound, 404, "There is no such topic or proposal, or this site runs no sidecar."},
		{MethodNotAllowed, 405, "The Allow header names the methods that this address answers."},
		{TooLarge, 413, "The body is larger than this address reads."},
		{UnsupportedMediaType, 415, "The body has to be application/json."},
		{RateLimited, 429, "Too many requests; wait for as long as Retry-After says."},
		{Internal, 500, "Something failed on our side; the requestId finds it in the log."},
		{AIFailed, 502, "The model gave no usable answer."},
		{UpstreamUnavailable, 502, "The service behind this answer failed, and no earlier answer is kept."},
		{AIDisabled, 503, "This site has no model for the request."},
		{NotReady, 503, "The sidecar has not read the site's proposals yet; ask again in a moment."},
		{UpstreamTimeout, 504, "The service behind this answer took too long, and no earlier answer is kept."},
	}
}

// NewProblem is a problem of a site. requestId is left for the server to set.
func NewProblem(baseURL string, c Code, instance, detail string) Problem {
	return Problem{Type: c.Type(baseURL), Title: c.Title(), Status: c.Status(), Detail: detail, Instance: instance, Code: c}
}

// Type is the URI that names this kind of problem: the address of a heading of the site's API page, which says what the
// code means.
func (c Code) Type(baseURL string) string { return baseURL + "/api/#" + c.Anchor() }

// Anchor is the fragment of [Code.Type]: problem- and the code with hyphens.
func (c Code) Anchor() string { return "problem-" + strings.ReplaceAll(string(c), "_", "-") }

// Status is the HTTP status of a code, 500 for one that [Codes] does not hold.
func (c Code) Status() int { return c.info().Status }

// Meaning is a sentence for documentation.
func (c Code) Meaning() string { return c.info().Meaning }

func (c Code) info() CodeInfo {
	all := Codes()
	i := slices.IndexFunc(all, func(known CodeInfo) bool { return known.Code == c })
	if i < 0 {
		return Internal.info()
	}
	return all[i]
}

// Title turns not_found into "Not found" and ai_failed into "AI failed".
func (c Code) Title() string {
	words := strings.ReplaceAll(string(c), "_", " ")
	if rest, ok := strings.CutPrefix(words, "ai "); ok {
		return "AI " + rest
	}
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}
