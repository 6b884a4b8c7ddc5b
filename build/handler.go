package build

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/render"
)

// Handler renders the whole plan into memory and serves it as the CDN would: files first, then the
// rules of `_redirects`, then the 404 page, with the fields of `_headers`, entity tags, conditional
// and HEAD requests, and gzip. It is safe for concurrent use and never reads the sources again.
func (p *Plan) Handler(ctx context.Context) (http.Handler, error) {
	h := &handler{plan: p, files: make(map[string]*file, len(p.Artifacts))}
	var mu sync.Mutex
	for ph := range phases {
		err := p.each(ctx, ph, func(a *Artifact) error {
			body, err := a.Bytes()
			mu.Lock()
			defer mu.Unlock()
			h.files["/"+a.File] = &file{artifact: a, body: body, etag: etagOf(body)}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return h, nil
}

type handler struct {
	plan  *Plan
	files map[string]*file
}

// file is one rendered artifact.
type file struct {
	artifact *Artifact
	body     []byte
	etag     string // without quotes

	once   sync.Once
	zipped []byte
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, rule := range h.plan.Headers {
		if matches(rule.From, r.URL.Path) {
			for _, f := range rule.Fields {
				w.Header().Set(f[0], f[1])
			}
		}
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		w.Header().Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		w.Header().Set("Access-Control-Allow-Headers", "*")
		w.WriteHeader(http.StatusNoContent)
		return
	default:
		// What is not there is not there for a POST either.
		if h.file(r.URL.Path) != nil || h.plan.isRoute(r.URL.Path) {
			h.refuseMethod(w, r)
			return
		}
	}
	h.get(w, r)
}

func (h *handler) get(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path
	f := h.file(name)
	rule, ok := h.plan.rule(name)
	switch {
	case f != nil && f.artifact.isFolderOf(name):
		redirect(w, r, name+"/")
	case f != nil:
		h.send(w, r, f, http.StatusOK)
	case ok && rule.Status == http.StatusMovedPermanently:
		redirect(w, r, rule.To)
	case ok:
		h.send(w, r, h.files[rule.To], rule.Status)
	default:
		h.send(w, r, h.files["/404.html"], http.StatusNotFound)
	}
}

// file is the file at a path, or the index of the folder at it. Paths that are not clean have none.
func (h *handler) file(name string) *file {
	trimmed := strings.TrimSuffix(name, "/")
	if name != "/" && path.Clean(name) != trimmed {
		return nil
	}
	if f, ok := h.files[name]; ok {
		return f
	}
	return h.files[trimmed+"/index.html"]
}

// isFolderOf reports whether a path without its last slash names the folder of this index.
func (a *Artifact) isFolderOf(name string) bool {
	return "/"+a.File == name+"/index.html"
}

// isRoute reports whether a path is rewritten to a file.
func (p *Plan) isRoute(name string) bool {
	rule, ok := p.rule(name)
	return ok && rule.Status == http.StatusOK
}

// refuseMethod answers what is there but can only be read.
func (h *handler) refuseMethod(w http.ResponseWriter, r *http.Request) {
	body, err := render.MethodNotAllowed(h.plan.baseURL, r.URL.Path)
	if err != nil {
		http.Error(w, "", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Allow", "GET, HEAD, OPTIONS")
	w.Header().Set("Content-Type", typeProblem)
	w.WriteHeader(http.StatusMethodNotAllowed)
	w.Write(body)
}

// rule is the first redirect that covers a path.
func (p *Plan) rule(name string) (Redirect, bool) {
	i := slices.IndexFunc(p.Redirects, func(r Redirect) bool { return matches(r.From, name) })
	if i < 0 {
		return Redirect{}, false
	}
	return p.Redirects[i], true
}

func redirect(w http.ResponseWriter, r *http.Request, to string) {
	location := (&url.URL{Path: to, RawQuery: r.URL.RawQuery}).String()
	w.Header().Set("Location", location)
	w.WriteHeader(http.StatusMovedPermanently)
}

func (h *handler) send(w http.ResponseWriter, r *http.Request, f *file, status int) {
	body, etag := f.body, f.etag
	head := w.Header()
	head.Set("Content-Type", f.artifact.Type)
	head.Set("Cache-Control", f.artifact.Cache)
	if compressible(f.artifact.Type) {
		head.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			f.once.Do(f.zip)
			body, etag = f.zipped, etag+"-gz"
			head.Set("Content-Encoding", "gzip")
		}
	}
	if status == http.StatusOK {
		head.Set("ETag", `"`+etag+`"`)
		if slices.ContainsFunc(strings.Split(r.Header.Get("If-None-Match"), ","), func(tag string) bool {
			tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
			return tag == `"`+etag+`"` || tag == "*"
		}) {
			head.Del("Content-Type")
			head.Del("Content-Encoding")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	head.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

func etagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:16])
}

func (f *file) zip() {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(f.body) // a buffer never fails
	z.Close()
	f.zipped = b.Bytes()
}

func compressible(mediaType string) bool {
	return strings.HasPrefix(mediaType, "text/") || strings.Contains(mediaType, "json") || strings.Contains(mediaType, "xml")
}

func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if (coding == "gzip" || coding == "*") && strings.ReplaceAll(q, " ", "") != "q=0" {
			return true
		}
	}
	return false
}
