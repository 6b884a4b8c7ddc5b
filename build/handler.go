package build

import (
	"bytes"
	"cmp"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/entity"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/redirect"
	"github.com/mipwatch/mipwatch/render/agent"
)

// Published serves a plan. It makes a body at the first request for it, and keeps it in memory. As
// an [http.Handler] it answers as the CDN does: files first, then the rules of `_redirects`, then
// the 404 page, with the fields of `_headers`, entity tags, conditional and HEAD requests, and
// gzip. As an [fs.FS] it is the published folder. It is safe for concurrent use. It reads no source
// again except the versions of a text from git.
type Published struct {
	plan *Plan
	// files are the artifacts by path, which begins with a slash. index returns the files of the
	// search index, which it makes at its first call.
	files map[string]*file
	index func() map[string]*file
	// rules are the redirects of single paths, by path: there are thousands of them. They come
	// before forms, each of which covers many paths.
	rules map[string]redirect.Rule
	forms []redirect.Rule
}

// file is one artifact as it is sent.
type file struct {
	*Artifact
	// entity makes the bytes once.
	entity func() (*entity.Entity, error)
}

// Publish returns the plan as it is served. It makes no body and no search index: the first request
// does.
func (p *Plan) Publish() *Published {
	h := &Published{plan: p, files: p.files(p.Artifacts), rules: map[string]redirect.Rule{}}
	h.index = sync.OnceValue(func() map[string]*file {
		files, err := p.Index()
		if err != nil { // the manifest reports it
			return nil
		}
		return p.files(files)
	})
	for _, r := range p.Redirects {
		if r.IsForm() {
			h.forms = append(h.forms, r)
		} else if _, taken := h.rules[r.From]; !taken {
			h.rules[r.From] = r
		}
	}
	return h
}

// files are artifacts by path.
func (p *Plan) files(artifacts []Artifact) map[string]*file {
	files := make(map[string]*file, len(artifacts))
	for i := range artifacts {
		a := &artifacts[i]
		files["/"+a.File] = &file{a, sync.OnceValues(func() (*entity.Entity, error) {
			body, err := a.Bytes()
			p.made.versions.Close() // no process outlives the file that it was asked for
			if a.of != nil {
				p.made.forget(a.of)
			}
			return entity.New(a.Type(), body), err
		})}
	}
	return files
}

// reading are the methods that every published address answers.
const reading = "GET, HEAD, OPTIONS"

// ServeHTTP answers one request.
func (h *Published) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path
	for _, rule := range h.plan.Headers {
		if (redirect.Rule{From: rule.From}).Covers(name) {
			for _, f := range rule.Fields {
				// A CDN joins the values of two rules. Browsers apply both policies.
				if before := w.Header().Get(f[0]); before != "" {
					f[1] = before + ", " + f[1]
				}
				w.Header().Set(f[0], f[1])
			}
		}
	}
	// Files take precedence over rules, as on a CDN. A request to change something is refused only
	// where there is a file, or a rewrite to one.
	f := h.file(name)
	rule, ruled := h.rule(name)
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case r.Method == http.MethodOptions:
		// A preflight, which browsers send before some requests for the JSON. It has no body, so
		// that the type of a rule goes.
		w.Header().Del("Content-Type")
		w.Header().Set("Allow", reading)
		w.Header().Set("Access-Control-Allow-Methods", reading)
		w.Header().Set("Access-Control-Allow-Headers", "*")
		w.WriteHeader(http.StatusNoContent)
	case !reads && (f != nil || ruled && rule.Status == http.StatusOK):
		h.refuseMethod(w, r)
	case f != nil && "/"+f.File == name+"/index.html":
		leadOn(w, r, name+"/")
	case f != nil:
		f.send(w, r, http.StatusOK)
	case ruled && rule.Status == http.StatusMovedPermanently:
		leadOn(w, r, rule.To)
	case ruled:
		h.files[rule.To].send(w, r, rule.Status)
	default: // for a POST, too
		h.files["/404.html"].send(w, r, http.StatusNotFound)
	}
}

// Has reports whether something is published at a path, or an old address leads on from it.
func (h *Published) Has(name string) bool {
	rule, ruled := h.rule(name)
	return h.file(name) != nil || ruled && rule.Status != http.StatusNotFound
}

// rule is the first redirect that covers a path, with the address for that path.
func (h *Published) rule(name string) (redirect.Rule, bool) {
	if r, ok := h.rules[name]; ok {
		return r, true
	}
	// A host takes an old address with a last slash, too.
	if r := h.rules[strings.TrimSuffix(name, "/")]; r.Status == http.StatusMovedPermanently {
		return r, true
	}
	for _, r := range h.forms {
		if to, ok := r.For(name); ok {
			r.To = to
			return r, true
		}
	}
	return redirect.Rule{}, false
}

// file is the file at a path, or the index of the folder at it, with or without the last slash.
// Paths that are not clean have none.
func (h *Published) file(name string) *file {
	trimmed := strings.TrimSuffix(name, "/")
	if name != "/" && path.Clean(name) != trimmed {
		return nil
	}
	if f := h.at(name); f != nil {
		return f
	}
	return h.files[trimmed+"/index.html"]
}

// at is the file of exactly this path, or nil.
func (h *Published) at(name string) *file {
	if f := h.files[name]; f != nil || !strings.HasPrefix(name, searchFile) {
		return f
	}
	return h.index()[name]
}

// refuseMethod answers a request to change a file.
func (h *Published) refuseMethod(w http.ResponseWriter, r *http.Request) {
	body, err := agent.MethodNotAllowed(h.plan.made.options.Site.BaseURL, r.URL.Path)
	if err != nil {
		http.Error(w, "", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Allow", reading)
	w.Header().Set("Content-Type", typeProblem)
	w.WriteHeader(http.StatusMethodNotAllowed)
	w.Write(body)
}

// leadOn sends the client to another path, or address, for good. The query stays, unless there is
// one in the address.
func leadOn(w http.ResponseWriter, r *http.Request, to string) {
	u, ok := mip.WebAddress(to)
	if !ok {
		u = &url.URL{Path: to}
	}
	u.RawQuery = cmp.Or(u.RawQuery, r.URL.RawQuery)
	w.Header().Set("Location", u.String())
	w.WriteHeader(http.StatusMovedPermanently)
}

// send answers with the file. A share card is drawn by the first request for it.
func (f *file) send(w http.ResponseWriter, r *http.Request, status int) {
	e, err := f.entity()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Cache-Control", f.Cache)
	// Drop the type that a rule set: the entity sets its own, and a 304 has none.
	w.Header().Del("Content-Type")
	e.Serve(w, r, status)
}

// Open implements [fs.FS], so that the sidecar can read the published tree as it would read the
// folder. Folders cannot be opened.
func (h *Published) Open(name string) (fs.File, error) {
	f := h.at("/" + name)
	if !fs.ValidPath(name) || f == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	e, err := f.entity()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{Reader: bytes.NewReader(e.Body()), name: path.Base(name)}, nil
}

// openFile is an open file of the tree, and its own description.
type openFile struct {
	*bytes.Reader
	name string
}

// The methods of fs.File and fs.FileInfo. A published file has no time: versions differ in their
// entity tags.
func (f *openFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *openFile) Close() error               { return nil }
func (f *openFile) Name() string               { return f.name }
func (f *openFile) Mode() fs.FileMode          { return 0o444 }
func (f *openFile) ModTime() time.Time         { return time.Time{} }
func (f *openFile) IsDir() bool                { return false }
func (f *openFile) Sys() any                   { return nil }
