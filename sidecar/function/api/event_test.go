package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar"
)

// seen is a request as the handler sees it.
type seen struct {
	Method, Path, Escaped, Query, Host, Addr, Body string
	Length                                         int64
	Fields                                         http.Header
}

// invoke passes an event to a handler.
func invoke(t *testing.T, h http.HandlerFunc, payload string) result {
	t.Helper()
	out, err := (&function{handler: h,
		log: slog.New(slog.NewTextHandler(t.Output(), nil))}).Invoke(t.Context(), []byte(payload))
	if err != nil {
		t.Fatalf("Invoke(%s): %v", payload, err)
	}
	var a result
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("Invoke(%s) = %s: %v", payload, out, err)
	}
	return a
}

// TestRequest checks the request for each form of event.
func TestRequest(t *testing.T) {
	none := http.Header{}
	tests := map[string]struct {
		event string
		want  seen
	}{
		"Netlify": {
			`{"path":"/api/forum-activity","httpMethod":"GET","queryStringParameters":{"topicId":"1, 2"},"multiValueQueryStringParameters":{"topicId":["1","2"]},"rawQuery":"topicId=1&topicId=2",
			  "headers":{"accept":"a, b","x-nf-client-connection-ip":"203.0.113.9","accept-encoding":"gzip"},"multiValueHeaders":{"accept":["a","b"],"x-nf-client-connection-ip":["203.0.113.9"],"accept-encoding":["gzip"]},"body":null,"isBase64Encoded":true}`,
			seen{"GET", "/api/forum-activity", "/api/forum-activity", "topicId=1&topicId=2", "", "",
				"", 0, http.Header{"Accept": {"a, b"},
					"X-Nf-Client-Connection-Ip": {"203.0.113.9"}}}},
		"Netlify, a body": {
			`{"path":"/api/ai-summary","httpMethod":"POST","headers":{"content-type":"application/json"},"body":"{\"mipNumber\":7}","isBase64Encoded":false}`,
			seen{"POST", "/api/ai-summary", "/api/ai-summary", "", "", "", `{"mipNumber":7}`, 15,
				http.Header{"Content-Type": {"application/json"}}}},
		"Netlify, a body in base64": {
			`{"path":"/api/ai-summary","httpMethod":"POST","body":"eyJtaXBOdW1iZXIiOjd9","isBase64Encoded":true}`,
			seen{"POST", "/api/ai-summary", "/api/ai-summary", "", "", "", `{"mipNumber":7}`,
				-1, none}},
		"AWS": {
			`{"version":"2.0","rawPath":"/api/forum-activity","rawQueryString":"topicId=1&topicId=2","cookies":["a=1","b=2"],"headers":{"host":"x.lambda-url.example","accept":"a,b","accept-encoding":"gzip"},
			  "queryStringParameters":{"topicId":"1,2"},"requestContext":{"domainName":"x.lambda-url.example","http":{"method":"GET","path":"/api/forum-activity","sourceIp":"2001:db8::1"}},"isBase64Encoded":false}`,
			seen{"GET", "/api/forum-activity", "/api/forum-activity", "topicId=1&topicId=2",
				"x.lambda-url.example", "2001:db8::1", "", 0,
				http.Header{"Accept": {"a,b"}, "Accept-Encoding": {"gzip"},
					"Host": {"x.lambda-url.example"}}}},
		"escaped": {`{"path":"/api/%2e%2e/mip%2Dwatch","httpMethod":"GET"}`,
			seen{Method: "GET", Path: "/api/../mip-watch", Escaped: "/api/%2e%2e/mip%2Dwatch",
				Fields: none}},
		"NUL": {`{"path":"/api/%00","httpMethod":"GET"}`,
			seen{Method: "GET", Path: "/api/\x00", Escaped: "/api/%00", Fields: none}},
		"badly escaped": {`{"path":"/api/%zz%","httpMethod":"GET"}`,
			seen{Method: "GET", Path: "/api/%zz%", Escaped: "/api/%25zz%25", Fields: none}},
		"two slashes": {`{"path":"//api/mip-watch","httpMethod":"GET"}`,
			seen{Method: "GET", Path: "//api/mip-watch", Escaped: "//api/mip-watch", Fields: none}},
		"another host": {`{"path":"https://evil.example/x","httpMethod":"GET"}`,
			seen{Method: "GET", Path: "/https://evil.example/x", Escaped: "/https://evil.example/x",
				Fields: none}},
		"nothing": {`{"httpMethod":"GET"}`,
			seen{Method: "GET", Path: "/", Escaped: "/", Fields: none}},
		"an unknown method": {`{"path":"/","httpMethod":"BREW\r\n"}`,
			seen{Method: "BREW\r\n", Path: "/", Escaped: "/", Fields: none}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got seen
			invoke(t, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Errorf("body: %v", err)
				}
				got = seen{r.Method, r.URL.Path, r.URL.EscapedPath(), r.URL.RawQuery, r.Host,
					r.RemoteAddr, string(body), r.ContentLength, r.Header}
			}, tt.event)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("request of %s (-want +got):\n%s", tt.event, diff)
			}
		})
	}
}

// TestNoRequest checks the error for an event that is not an HTTP request.
func TestNoRequest(t *testing.T) {
	h := &function{handler: http.NotFoundHandler(), log: slog.New(slog.DiscardHandler)}
	for _, payload := range []string{``, `null`, `[]`, `{`, `7`, `{}`, `{"path":"/api/mip-watch"}`,
		`{"httpMethod":5}`, `{"Records":[{"eventSource":"aws:s3"}]}`,
		`{"version":"1.0","resource":"/{proxy+}","path":"/api/mip-watch","httpMethod":"GET","requestContext":{"identity":{"sourceIp":"198.51.100.7"}}}`,
		`{"httpMethod":"GET","headers":["a"]}`,
		`{"rawPath":"/","requestContext":{"http":{"method":""}}}`,
		strings.Repeat(`{"a":`, 20_000)} {
		out, err := h.Invoke(t.Context(), []byte(payload))
		if err == nil || out != nil ||
			!strings.HasPrefix(err.Error(), "the event is no HTTP request: ") {
			t.Errorf("Invoke(%.40s) = %s, %v; want the error that it is no HTTP request",
				payload, out, err)
		}
	}
}

// TestResult checks the result, which has the same form on all platforms.
func TestResult(t *testing.T) {
	write := func(status int, body string, fields ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(fields); i += 2 {
				w.Header().Add(fields[i], fields[i+1])
			}
			if status != 0 {
				w.WriteHeader(status)
			}
			io.WriteString(w, body)
		}
	}
	tests := map[string]struct {
		method  string
		handler http.HandlerFunc
		want    result
	}{
		"text": {"GET",
			write(201, "ä<b>", "Content-Type", "text/plain", "Content-Length", "6", "Connection",
				"close"), result{StatusCode: 201,
				Headers: map[string]string{"Content-Type": "text/plain"}, Body: "ä<b>"}},
		"several values": {"GET", write(0, "", "Vary", "A", "Vary", "B"),
			result{StatusCode: 200, Headers: map[string]string{"Vary": "A, B"}}},
		"bytes": {"GET", write(0, "\xff\x00"),
			result{StatusCode: 200, Headers: map[string]string{}, Body: "/wA=",
				IsBase64Encoded: true}},
		"coded": {"GET", write(0, "ab", "Content-Encoding", "gzip"),
			result{StatusCode: 200, Headers: map[string]string{"Content-Encoding": "gzip"},
				Body: "YWI=", IsBase64Encoded: true}},
		"HEAD": {"HEAD", write(404, "not sent", "X-A", "1"),
			result{StatusCode: 404, Headers: map[string]string{"X-A": "1"}}},
		"unchanged": {"GET", write(304, "not sent"),
			result{StatusCode: 304, Headers: map[string]string{}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, tt.handler, `{"path":"/x","httpMethod":"`+tt.method+`"}`)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTooLong checks that a problem replaces an answer that exceeds the gateway's limit.
func TestTooLong(t *testing.T) {
	long := []byte(strings.Repeat(`"`, 3<<20)) // each is two bytes in JSON
	h := func(w http.ResponseWriter, _ *http.Request) { w.Write(long) }
	a := invoke(t, h, `{"path":"/x","httpMethod":"GET"}`)
	var p api.Problem
	if err := json.Unmarshal([]byte(a.Body), &p); err != nil {
		t.Errorf("answer %+v: %v", a, err)
	}
	if a.StatusCode != 500 || p.Code != api.Internal || p.Instance != "/x" ||
		a.Headers["Cache-Control"] != "no-store" {
		t.Errorf("answer %+v, want 500 with a problem that no cache keeps", a)
	}
}

// TestDeadline checks that a request ends a little before the platform ends the process.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const allowed = 3 * time.Second
		ctx, cancel := context.WithTimeout(t.Context(), allowed)
		defer cancel()
		var left time.Duration
		h := &function{log: slog.New(slog.DiscardHandler),
			handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				<-r.Context().Done()
				ends, _ := ctx.Deadline()
				left = time.Until(ends)
				w.WriteHeader(http.StatusGatewayTimeout)
			})}
		out, err := h.Invoke(ctx, []byte(`{"path":"/x","httpMethod":"GET"}`))
		if err != nil || !strings.Contains(string(out), `"statusCode":504`) {
			t.Errorf("Invoke = %s, %v", out, err)
		}
		if left <= 0 || left > allowed/2 {
			t.Errorf("the request ended %v before the function, want a little", left)
		}
	})
}

// FuzzInvoke checks that any event gets an answer that a gateway can send, or the error that it is
// no HTTP request.
func FuzzInvoke(f *testing.F) {
	for _, payload := range []string{
		`{"rawPath":"/x","requestContext":{"http":{"method":"GET"}}}`,
		`{"path":"//a/%2e%2e%00%zz","httpMethod":"POST","rawQuery":"a=1&a=%26","headers":{"a b\n":"\u0000"},"body":"!!","isBase64Encoded":true}`,
		`{"rawPath":"x","rawQueryString":"%%","cookies":["a\nb"],"headers":{"":""},"requestContext":{"http":{"method":"\u0000","sourceIp":"::1%x"},"domainName":"\u2028"},"body":"\ud800"}`,
		`{"httpMethod":"HEAD","path":"","headers":null,"body":null}`, `{"Records":[]}`, `[1]`,
	} {
		f.Add([]byte(payload))
	}
	h := &function{log: slog.New(slog.DiscardHandler),
		handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				sidecar.WriteProblem(w, r, api.NewProblem("", api.BadRequest, "", "bad body"))
				return
			}
			w.Header().Set("X-Path", r.URL.EscapedPath())
			for name := range r.URL.Query() {
				w.Header().Add("X-Query", name)
			}
			w.Write(append(body, r.RemoteAddr+r.Host+r.RequestURI...))
		})}
	f.Fuzz(func(t *testing.T, payload []byte) {
		out, err := h.Invoke(t.Context(), payload)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "the event is no HTTP request: ") {
				t.Fatalf("Invoke(%q): %v", payload, err)
			}
			return
		}
		var a result
		if err := json.Unmarshal(out, &a); err != nil || !utf8.Valid(out) ||
			a.StatusCode != 200 && a.StatusCode != 400 {
			t.Fatalf("Invoke(%q) = %q, %v", payload, out, err)
		}
		if _, err := base64.StdEncoding.DecodeString(a.Body); a.IsBase64Encoded && err != nil {
			t.Fatalf("Invoke(%q) = %q: %v", payload, out, err)
		}
		if path, ok := strings.CutPrefix(a.Headers["X-Path"], "/"); a.StatusCode == 200 &&
			(!ok || strings.ContainsAny(path, " \r\n")) {
			t.Fatalf("Invoke(%q): path %q", payload, a.Headers["X-Path"])
		}
	})
}
