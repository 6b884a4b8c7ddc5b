package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/openapitest"
	"github.com/mipwatch/mipwatch/sidecar/api"
)

// checker holds answers to what is documented. It is safe for concurrent use.
type checker struct {
	document *openapitest.Document
	report   *report
	methods  map[string]string // the documented one of each route

	mu   sync.Mutex
	seen map[[sha256.Size]byte]bool // answers that were held to their schema
}

func newChecker(w *world, r *report) (*checker, error) {
	d, err := openapitest.Read(w.openAPI)
	if err != nil {
		return nil, err
	}
	c := &checker{document: d, report: r, methods: map[string]string{}, seen: map[[sha256.Size]byte]bool{}}
	for _, route := range api.Routes() {
		c.methods[route.Path] = route.Method
	}
	return c, nil
}

// check judges an answer.
func (c *checker) check(q question, res *http.Response, body []byte) {
	route := routeOf(q.path)
	status := strconv.Itoa(res.StatusCode)
	c.report.count("status " + status)
	c.report.keepTag(q.path, res.Header.Get("ETag"))
	complain := func(format string, args ...any) {
		c.report.broke("%s %s: %s: "+format, append([]any{q.method, q.path, res.Status}, args...)...)
	}
	for _, secret := range []string{rpcKey, modelKey, leak} {
		if bytes.Contains(body, []byte(secret)) {
			complain("the answer holds %q", secret)
		}
	}
	if res.StatusCode >= http.StatusBadRequest && q.method != http.MethodHead {
		c.problem(res, body, complain)
	}
	method, documented := c.methods[route]
	if !documented || method != q.method && (method != http.MethodGet || q.method != http.MethodHead) {
		return
	}
	if res.StatusCode == http.StatusBadRequest && strings.Contains(q.path, "%zz") {
		return // net/http's own answer to what is no address
	}
	if c.known(route, status, body) {
		return
	}
	if err := c.document.Check(q.method, route, res.StatusCode, res.Header, body); err != nil {
		complain("%v", err)
	}
}

// problem judges an answer that is an error.
func (c *checker) problem(res *http.Response, body []byte, complain func(string, ...any)) {
	var p api.Problem
	mediaType, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err := json.Unmarshal(body, &p); err != nil || mediaType != "application/problem+json" {
		complain("it is no problem: %q %.300s", mediaType, body)
		return
	}
	c.report.count("code " + string(p.Code))
	known := false
	for _, code := range api.Codes() {
		known = known || code.Code == p.Code && code.Status == res.StatusCode
	}
	switch {
	case !known || p.Status != res.StatusCode:
		complain("the code %q does not belong to it", p.Code)
	case p.Code == api.Internal:
		complain("something failed on our side: %s", p.RequestID)
	case p.RequestID == "" || p.RequestID != res.Header.Get("X-Request-Id"):
		complain("the requestId %q is not that of the field", p.RequestID)
	case p.Code == api.RateLimited && res.Header.Get("Retry-After") == "":
		complain("it does not say when to ask again")
	}
}

// known reports whether an answer with this body was judged before: many are the same.
func (c *checker) known(route, status string, body []byte) bool {
	if len(body) == 0 {
		return false
	}
	sum := sha256.Sum256(append([]byte(route+" "+status+" "), body...))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[sum] {
		return true
	}
	const most = 50_000
	if len(c.seen) >= most {
		clear(c.seen)
	}
	c.seen[sum] = true
	return false
}

// routeOf is an address without its query.
func routeOf(path string) string {
	route, _, _ := strings.Cut(path, "?")
	return route
}
