package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Problem is the body of each error, as application/problem+json (RFC 9457).
type Problem struct {
	Type      string `json:"type" doc:"A URI that names the kind of problem."`
	Title     string `json:"title" doc:"The kind of problem, for people."`
	Status    int    `json:"status" doc:"The HTTP status."`
	Detail    string `json:"detail" doc:"What was wrong with this request."`
	Instance  string `json:"instance" doc:"The path that was asked for."`
	Code      Code   `json:"code" doc:"The kind of problem, for programs."`
	RequestID string `json:"requestId" doc:"Names this request in the log; empty in static answers."`
}

// Code is the machine-readable type of a [Problem].
type Code string

// Codes of problems, each with one HTTP status, in [Codes].
const (
	BadRequest           Code = "bad_request"
	NotFound             Code = "not_found"
	MethodNotAllowed     Code = "method_not_allowed" // with Allow
	TooLarge             Code = "too_large"
	UnsupportedMediaType Code = "unsupported_media_type"
	RateLimited          Code = "rate_limited" // with Retry-After, RateLimit and RateLimit-Policy
	Internal             Code = "internal"
	AIFailed             Code = "ai_failed"
	AIUnreadable         Code = "ai_unreadable"
	UpstreamUnavailable  Code = "upstream_unavailable"
	AIDisabled           Code = "ai_disabled"
	NotReady             Code = "not_ready" // with Retry-After
	UpstreamTimeout      Code = "upstream_timeout"
)

// CodeInfo is a code with its HTTP status and its meaning, a sentence for documentation.
type CodeInfo struct {
	Code    Code
	Status  int
	Meaning string
}

// Codes returns all codes in ascending order of status.
func Codes() []CodeInfo {
	return []CodeInfo{
		{BadRequest, 400, "A value of the request is missing or cannot be read."},
		{NotFound, 404, "There is no such topic or proposal, or this site runs no sidecar."},
		{MethodNotAllowed, 405, "The Allow header names the methods that this address answers."},
		{TooLarge, 413, "The body is larger than this address reads."},
		{UnsupportedMediaType, 415, "The body has to be application/json."},
		{RateLimited, 429, "Too many requests; wait for as long as Retry-After says."},
		{Internal, 500, "Something failed on our side; the requestId finds it in the log."},
		{AIFailed, 502, "The model gave no answer that the text supports, or refused to answer."},
		{AIUnreadable, 502, "The model's answer is not in the form that was asked for."},
		{UpstreamUnavailable, 502,
			"The service behind this answer failed, and no earlier answer is kept."},
		{AIDisabled, 503, "This site has no model for the request."},
		{NotReady, 503,
			"The sidecar has not read the site's proposals yet, or too many searches run; ask " +
				"again in a moment."},
		{UpstreamTimeout, 504,
			"The service behind this answer took too long, and no earlier answer is kept."},
	}
}

// info returns the row of a code, the row of Internal for an unknown one.
func (c Code) info() CodeInfo {
	all := Codes()
	if i := slices.IndexFunc(all, func(known CodeInfo) bool { return known.Code == c }); i >= 0 {
		return all[i]
	}
	return Internal.info()
}

// Status returns the HTTP status of a code, 500 for an unknown one.
func (c Code) Status() int { return c.info().Status }

// Meaning returns a sentence for documentation.
func (c Code) Meaning() string { return c.info().Meaning }

// Type returns the URI of this type of problem: the address of a heading of the site's API page,
// which explains the code.
func (c Code) Type(baseURL string) string { return baseURL + "/api/#" + c.Anchor() }

// Anchor returns the fragment of [Code.Type]: problem- and the code with hyphens.
func (c Code) Anchor() string { return "problem-" + strings.ReplaceAll(string(c), "_", "-") }

// Title returns the code for readers: "Not found" for not_found, and "AI failed" for ai_failed.
func (c Code) Title() string {
	first, rest, _ := strings.Cut(strings.ReplaceAll(string(c), "_", " "), " ")
	if first == "ai" {
		first = "AI"
	}
	return strings.TrimSpace(strings.ToUpper(first[:1]) + first[1:] + " " + rest)
}

// NewProblem returns a problem of a site. The server sets RequestID.
func NewProblem(baseURL string, c Code, instance, detail string) Problem {
	return Problem{
		Type: c.Type(baseURL), Title: c.Title(), Status: c.Status(), Detail: detail,
		Instance: instance, Code: c,
	}
}

// NotPublished returns the detail of a problem for an address below /api that a site does not have.
// It explains the form of the addresses of proposals.
func NotPublished(site mip.Site) string {
	of := ""
	if site.Several() {
		other := strings.ToLower(site.Kinds[1].Prefix)
		of = fmt.Sprintf(", or of another kind its id in lower case, such as %s-7", other)
	}
	const detail = "Nothing is published at this address. " +
		"%s lists the proposals that exist; " +
		"each is at %s, where {n} is its plain number, 7 for %s-7%s. " +
		"%s describes every endpoint. " +
		"Live endpoints are answered only where the site runs its sidecar."
	return fmt.Sprintf(detail, site.URL("/api/v1/mips"), site.URL("/api/v1/mips/{n}"),
		site.Prefix, of, site.URL("/openapi.json"))
}

// HTTPError is an error with the information that a caller of a live endpoint may see. It is
// created where the meaning of a failure is known, and only the sidecar writes it to a response.
type HTTPError struct {
	Code   Code
	Detail string // a sentence without text from a host or a model
	// RetryAfter is the time until another request makes sense. Zero means unknown.
	RetryAfter time.Duration
	// With RateLimited, Limit names the exhausted limit, and Policy is its value of
	// RateLimit-Policy. Both are empty for other errors.
	Limit, Policy string
	// Err is the cause, for the log and for errors.Is. It may be nil.
	Err error
}

// Error returns the text of the cause, or the detail, for the log.
func (e *HTTPError) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return string(e.Code) + ": " + e.Detail
}

// Unwrap returns the cause.
func (e *HTTPError) Unwrap() error { return e.Err }

// Seconds returns a wait in the form of Retry-After: whole seconds, rounded up, at least one.
func Seconds(wait time.Duration) int { return max(1, int(math.Ceil(wait.Seconds()))) }

// JSON encodes v as one compact line that ends with a newline, the form of every JSON body, static
// or live. The characters < > & are not escaped: the bytes are served as application/json and never
// embedded in HTML. The encoder escapes U+2028 and U+2029, which is equivalent in JSON.
func JSON(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return out.Bytes(), nil
}
