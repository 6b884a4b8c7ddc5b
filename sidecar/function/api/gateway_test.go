package main

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// Gateway passes requests to a function, one at a time, as events that describe makes:
// [netlifyEvent] or [functionURLEvent]. A failed invocation gives a 502, as gateways do.
func (p *process) Gateway(
	t testing.TB, describe func(r *http.Request, body []byte) map[string]any,
) http.Handler {
	var one sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		payload, err := json.Marshal(describe(r, body))
		if err != nil {
			t.Error(err)
			return
		}
		one.Lock()
		result := p.Invoke(t, string(payload))
		one.Unlock()
		if result.Failed {
			t.Errorf("%s %s: the invocation failed: %s", r.Method, r.URL, result.Payload)
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		result.Answer(t).send(t, w)
	})
}

func (a Answer) send(t testing.TB, w http.ResponseWriter) {
	for name, value := range a.Headers {
		w.Header().Set(name, value)
	}
	body := []byte(a.Body)
	if a.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(a.Body); err != nil {
			t.Errorf("the answer is not base64: %v", err)
		}
	}
	w.WriteHeader(a.StatusCode)
	w.Write(body)
}

// netlifyEvent describes a request in Netlify's form, which has no address and no host. A field
// names the caller.
func netlifyEvent(r *http.Request, body []byte) map[string]any {
	single, multi := map[string]string{}, map[string][]string{}
	for name, values := range r.Header {
		single[strings.ToLower(name)], multi[strings.ToLower(name)] = strings.Join(values, ", "),
			values
	}
	client, _, _ := net.SplitHostPort(r.RemoteAddr)
	single["x-nf-client-connection-ip"], multi["x-nf-client-connection-ip"] = client,
		[]string{client}
	query, queries := map[string]string{}, map[string][]string(r.URL.Query())
	for name, values := range queries {
		query[name] = strings.Join(values, ", ")
	}
	return map[string]any{
		"path": r.URL.EscapedPath(), "httpMethod": r.Method,
		"queryStringParameters": query, "multiValueQueryStringParameters": queries,
		"rawQuery": r.URL.RawQuery,
		"headers":  single, "multiValueHeaders": multi,
		"body": base64.StdEncoding.EncodeToString(body), "isBase64Encoded": true,
	}
}

// functionURLEvent describes a request in the form of AWS Lambda function URLs, the payload format
// 2.0.
func functionURLEvent(r *http.Request, body []byte) map[string]any {
	headers := map[string]string{"host": r.Host}
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ",")
	}
	client, _, _ := net.SplitHostPort(r.RemoteAddr)
	return map[string]any{
		"version": "2.0", "routeKey": "$default", "rawPath": r.URL.EscapedPath(),
		"rawQueryString": r.URL.RawQuery, "headers": headers,
		"requestContext": map[string]any{"domainName": r.Host,
			"http": map[string]any{"method": r.Method, "path": r.URL.Path, "protocol": "HTTP/1.1",
				"sourceIp": client}},
		"body": string(body), "isBase64Encoded": false,
	}
}
