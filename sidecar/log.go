package sidecar

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
)

// recorder records what the log and the metrics tell of a request.
type recorder struct {
	http.ResponseWriter
	began time.Time
	// id is the X-Request-Id.
	id string
	// route is the path of an endpoint, or other. A caller's own words are never logged.
	route string
	// status is zero before the header is written.
	status int
	// bytes is the length of the body.
	bytes int
	// code is that of the problem. It is empty for another answer.
	code api.Code
	// quiet gives the line the level debug.
	quiet bool
}

// WriteHeader implements [http.ResponseWriter].
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += n
	return n, err
}

// Unwrap is for [http.ResponseController].
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// logRequest writes the line of a request. It does not hold the caller's address.
func (s *Sidecar) logRequest(r *http.Request, rec *recorder) {
	level := slog.LevelInfo
	switch {
	case rec.quiet:
		level = slog.LevelDebug
	case rec.status >= http.StatusInternalServerError:
		level = slog.LevelWarn
	}
	var code slog.Attr // an empty attribute is left out
	if rec.code != "" {
		code = slog.String("code", string(rec.code))
	}
	// Microseconds are exact enough, and keep the number short.
	milliseconds := float64(time.Since(rec.began).Microseconds()) / 1000
	s.Log.LogAttrs(r.Context(), level, "request",
		slog.String("id", rec.id), slog.String("method", methodLabel(r.Method)), slog.String("route", rec.route),
		slog.Int("status", rec.status), code, slog.Int("bytes", rec.bytes), slog.Float64("ms", milliseconds))
}

// other stands for every path or method that a caller has made up.
const other = "other"

// methodLabel returns a method of RFC 9110, or other.
func methodLabel(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodConnect, http.MethodTrace:
		return m
	}
	return other
}
