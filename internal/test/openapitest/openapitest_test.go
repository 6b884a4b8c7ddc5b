package openapitest

import (
	"net/http"
	"strings"
	"testing"
)

const document = `{"openapi":"3.1.1","paths":{"/a/{n}":{"get":{"responses":{
"200":{"content":{"application/json; charset=utf-8":{"schema":{"$ref":"#/components/schemas/A"}}}},
"429":{"headers":{"Retry-After":{}},"content":{"application/problem+json":{"schema":{"type":"object"}}}}}}}},
"components":{"schemas":{"A":{"type":"object","required":["x"],"properties":{"x":{"type":"string","format":"date-time"}}}}}}`

func TestCheck(t *testing.T) {
	d, err := Read([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, method, path string
		status             int
		fields             []string
		body               string
		want               string // part of the error; empty: none
	}{
		{"sound", "GET", "/a/{n}", 200, []string{"Content-Type", "application/json"},
			`{"x":"2026-01-01T00:00:00Z"}`, ""},
		{"HEAD", "HEAD", "/a/{n}", 200, []string{"Content-Type", "application/json"}, ``, ""},
		{"no time", "GET", "/a/{n}", 200, []string{"Content-Type", "application/json"},
			`{"x":"today"}`, "date-time"},
		{"missing field", "GET", "/a/{n}", 200, []string{"Content-Type", "application/json"}, `{}`,
			"missing"},
		{"no JSON", "GET", "/a/{n}", 200, []string{"Content-Type", "application/json"}, `{`,
			"the body"},
		{"other type", "GET", "/a/{n}", 200, []string{"Content-Type", "text/html"}, `{}`,
			"text/html"},
		{"other status", "GET", "/a/{n}", 500, nil, ``, "status 500"},
		{"other path", "GET", "/b", 200, nil, ``, "no such operation"},
		{"other method", "POST", "/a/{n}", 200, nil, ``, "no such operation"},
		{"header there", "GET", "/a/{n}", 429,
			[]string{"Content-Type", "application/problem+json", "Retry-After", "3",
				"Access-Control-Expose-Headers", "ETag, Retry-After"}, `{}`, ""},
		{"header kept to itself", "GET", "/a/{n}", 429,
			[]string{"Content-Type", "application/problem+json", "Retry-After", "3"}, `{}`,
			"other sites"},
		{"header missing", "GET", "/a/{n}", 429,
			[]string{"Content-Type", "application/problem+json"}, `{}`, "Retry-After"},
	} {
		h := http.Header{}
		for i := 0; i < len(c.fields); i += 2 {
			h.Set(c.fields[i], c.fields[i+1])
		}
		err := d.Check(c.method, c.path, c.status, h, []byte(c.body))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := Read([]byte(`[`)); err == nil {
		t.Error("Read took a broken document")
	}
}
