package api

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
	UpstreamTimeout      Code = "upstream_timeout"       // 504
)

// Codes returns every code with its HTTP status, in ascending order of status.
func Codes() []struct {
	Code   Code
	Status int
} {
	return []struct {
		Code   Code
		Status int
	}{
		{BadRequest, 400}, {NotFound, 404}, {MethodNotAllowed, 405}, {TooLarge, 413}, {UnsupportedMediaType, 415},
		{RateLimited, 429}, {Internal, 500}, {AIFailed, 502}, {UpstreamUnavailable, 502}, {AIDisabled, 503}, {UpstreamTimeout, 504},
	}
}
