// Package index is what the sidecar knows of the published site: its documents, read back from a folder, an embedded
// file system or the site's address, and kept up to date. It does not know who asks, nor what the live upstreams say.
package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Index is one consistent state of a site. It is never changed, so any number of goroutines may read it. Encoding its
// parts gives the documents that they were read from.
type Index struct {
	Site      mip.SiteInfo
	List      mip.List
	HardForks []mip.HardFork
	// Endpoints are the networks of Site, in the same order, with their RPC addresses. Nil where these are unknown:
	// a snapshot has them, and a published site does not.
	Endpoints []mip.Endpoints
	// texts are nil for an Index that no Source has made.
	texts *texts
}

// Source is where a site is read from. It is safe for concurrent use. Of several calls of [Source.Load] one runs at a
// time.
type Source struct {
	files fs.FS  // nil for an address
	root  string // of a folder, for messages

	base   *url.URL
	client *http.Client

	mu   sync.Mutex // held by Load
	last [4]file    // indexDocuments, of the Index that Load has returned last
}

// document is one file of the published tree. The file's name is the route with the ending .json.
type document struct {
	route string // without a slash before it
	limit int64  // in bytes, far more than an honest site has
}

// file is a document as it was read. A file with the same version, unless that is empty, is the same.
type file struct {
	version string
	body    []byte
}

// mebibyte is the unit of limits.
const mebibyte = 1 << 20

// indexDocuments are read by every Load: site, list, hard forks, and the configuration of a snapshot, which may be
// missing and is never published. The documents of a single proposal are read when somebody asks for them.
var indexDocuments = [4]document{
	{"api/v1/site", mebibyte}, {"api/v1/mips", 32 * mebibyte}, {"api/v1/hardforks", mebibyte}, {"sidecar", mebibyte},
}

// config is the position of the configuration.
const config = 3

// Open returns the site at a place without reading it: a folder that mipwatch build wrote (a published tree or a
// snapshot), or the http or https address of the published site. The client is for the address and may be nil for a
// folder. Redirects stay on the host.
func Open(site string, client *http.Client) (*Source, error) {
	if site == "" {
		return nil, errors.New("no site is named: want a folder or an http(s) address")
	}
	if !IsAddress(site) {
		return &Source{files: os.DirFS(site), root: site}, nil
	}
	// Which part of an address is wrong is said only as far as that holds no password.
	u, err := url.Parse(site)
	if err != nil { // it quotes the address, which may hold a password
		return nil, errors.New("the site's address cannot be parsed: want a folder or an http(s) address")
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("site %s: want a folder, or an http(s) address with nothing after its path", u.Redacted())
	}
	own := *client
	own.CheckRedirect = stayOnHost
	return &Source{base: u, client: &own}, nil
}

// stayOnHost allows a slash more or less and a move to TLS. The address may hold a password, and another host's
// documents are not the site's.
func stayOnHost(next *http.Request, via []*http.Request) error {
	first, most := via[0].URL, 3
	if !strings.EqualFold(next.URL.Host, first.Host) || first.Scheme == "https" && next.URL.Scheme != "https" {
		return errors.New("it redirects to another host: name that address as the site's")
	}
	if len(via) > most {
		return fmt.Errorf("it redirects more than %d times", most)
	}
	return nil
}

// IsAddress reports whether [Open] takes a site for an address. Anything else is a folder.
func IsAddress(site string) bool { return strings.Contains(site, "://") }

// FromFS returns the site in a file system, such as an embedded snapshot, that holds api/v1 at its root. A file counts
// as changed when its size or time has changed, so an embedded one never does.
func FromFS(fsys fs.FS) *Source { return &Source{files: fsys} }

// Load reads what has changed since the last Load. It returns nil without an error when nothing has. After an error the
// caller keeps the Index that it has, and the next Load reads again what is in doubt.
//
// The documents are separate files, so that a reader can meet the list of one build and the site of another. Load
// returns an Index only when they fit together; see check.
func (s *Source) Load(ctx context.Context) (*Index, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// On the web each reading waits for an answer of the site, so all are under way at the same time.
	var next [len(indexDocuments)]file
	var errs [len(indexDocuments)]error
	var wg sync.WaitGroup
	for i, d := range indexDocuments {
		if i == config && s.files == nil {
			continue
		}
		wg.Go(func() { next[i], errs[i] = s.read(ctx, d, s.last[i]) })
	}
	wg.Wait()
	if errors.Is(errs[config], fs.ErrNotExist) {
		errs[config] = nil
	}
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	// A server without entity tags and a file that was only touched give the same bytes again.
	same := true
	for i := range next {
		same = same && bytes.Equal(next[i].body, s.last[i].body)
	}
	if same {
		s.last = next
		return nil, nil
	}
	// All are decoded again, though one may be the same: sites change seldom.
	x := &Index{texts: newTexts(s)}
	var hardForks mip.HardForks
	var snapshot mip.SidecarConfig
	for i, into := range []any{&x.Site, &x.List, &hardForks, &snapshot} {
		if next[i].body == nil {
			continue
		}
		if err := decode(next[i].body, into); err != nil {
			return nil, fmt.Errorf("read %s: %w", s.name(indexDocuments[i]), err)
		}
	}
	x.HardForks, x.Endpoints = hardForks.HardForks, snapshot.Networks
	if i, err := x.check(); err != nil {
		return nil, fmt.Errorf("check %s: %w", s.name(indexDocuments[i]), err)
	}
	s.last = next
	return x, nil
}

// check compares what every build writes anew, so that documents of different builds are not taken for one site: the
// site counts as many proposals of every status and category as the list has, and has every network on which a hard
// fork activates. Two builds that differ in nothing of this, such as by a title, pass, and are mixed until the next
// Load. The error is of the document at position i.
func (x *Index) check() (i int, err error) {
	// The address is part of every problem, and of the keys in Redis.
	s := x.Site
	if !strings.HasPrefix(s.BaseURL, "http://") && !strings.HasPrefix(s.BaseURL, "https://") || s.Prefix == "" {
		return 0, fmt.Errorf("baseUrl is %q and prefix %q, want an http(s) address and a prefix", s.BaseURL, s.Prefix)
	}
	if x.List.Count != len(x.List.MIPs) || x.List.Count != s.Counts.Total {
		const text = "it holds %d proposals, its count is %d and the site's %d: want one number, of one build"
		return 1, fmt.Errorf(text, len(x.List.MIPs), x.List.Count, s.Counts.Total)
	}
	// A proposal whose status has changed is the commonest difference between two builds.
	statuses, categories := map[string]int{}, map[string]int{}
	for _, m := range x.List.MIPs {
		category := ""
		if m.Category != nil {
			category = *m.Category
		}
		statuses[string(m.Status)]++
		categories[category]++
	}
	if !maps.Equal(statuses, s.Counts.ByStatus) || !maps.Equal(categories, s.Counts.ByCategory) {
		return 1, errors.New("statuses or categories are not those that the site counts: want documents of one build")
	}
	networks := map[string]bool{}
	for _, n := range s.Networks {
		networks[n.ID] = true
	}
	for _, f := range x.HardForks {
		for id := range f.Activation {
			if !networks[id] {
				const text = "hard fork %s activates on %q, which is no network of the site: want documents of one build"
				return 2, fmt.Errorf(text, f.Name, id)
			}
		}
	}
	return 0, nil
}

// decode reads one JSON object. It ignores unknown members, since a newer program may have built the site.
func decode(body []byte, into any) error {
	// The decoder would make an empty value of null.
	if !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte{'{'}) {
		return errors.New("want a JSON object")
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%w; want it as mipwatch build writes it", err)
	}
	return nil
}

// name is a document for a message. It hides the password of an address.
func (s *Source) name(d document) string {
	if s.files == nil {
		return s.base.JoinPath(d.route).Redacted()
	}
	return path.Join(s.root, d.route+".json")
}

// read returns a document, which is last if it has not changed since. The error of a document that does not exist is
// [fs.ErrNotExist].
func (s *Source) read(ctx context.Context, d document, last file) (now file, err error) {
	if s.files == nil {
		now, err = s.get(ctx, d, last)
	} else if err = ctx.Err(); err == nil {
		now, err = s.open(d, last)
	}
	// The client's own error would show the address a second time.
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if err != nil {
		return file{}, fmt.Errorf("read %s: %w", s.name(d), err)
	}
	return now, nil
}

// tooLarge is the error of a document beyond its limit.
func (d document) tooLarge() error {
	return fmt.Errorf("it has more than the %d bytes that are read", d.limit)
}

// open reads a file, whose version is its size and time. Tools that copy files may keep their times, and then the size
// mostly differs.
func (s *Source) open(d document, last file) (file, error) {
	name := d.route + ".json"
	// Stat comes first, since opening a named pipe waits for a writer.
	info, err := fs.Stat(s.files, name)
	if err != nil {
		return file{}, fmt.Errorf("%w; mipwatch build writes it", err)
	}
	if !info.Mode().IsRegular() {
		return file{}, errors.New("it is no regular file")
	}
	version := fmt.Sprint(info.Size(), info.ModTime().UTC())
	if version == last.version {
		return last, nil
	}
	if info.Size() > d.limit {
		return file{}, d.tooLarge()
	}
	body, err := fs.ReadFile(s.files, name)
	return file{version, body}, err
}

// documentTimeout is for one document, from the first byte of the request to the last one of the answer.
const documentTimeout = 5 * time.Second

// get asks the site for a document, whose version is its entity tag.
func (s *Source) get(ctx context.Context, d document, last file) (file, error) {
	// A site that hangs must not keep the poller from trying again.
	ctx, cancel := context.WithTimeout(ctx, documentTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base.JoinPath(d.route).String(), nil)
	if err != nil {
		return file{}, err
	}
	r.Header.Set("Accept", "application/json")
	if last.version != "" {
		r.Header.Set("If-None-Match", last.version)
	}
	resp, err := s.client.Do(r)
	if err != nil {
		return file{}, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotModified && last.version != "":
		return last, nil
	case resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone:
		return file{}, fmt.Errorf("%s: %w", resp.Status, fs.ErrNotExist)
	case resp.StatusCode != http.StatusOK:
		return file{}, fmt.Errorf("%s, want 200 OK", resp.Status)
	}
	// A host that answers everything with a page of HTML and 200 is no site.
	if contentType := resp.Header.Get("Content-Type"); !strings.HasPrefix(contentType, "application/json") {
		return file{}, fmt.Errorf("Content-Type is %q, want application/json", contentType)
	}
	// Go asks for gzip by itself, and takes it off before the length is bounded.
	body, err := io.ReadAll(io.LimitReader(resp.Body, d.limit+1))
	if int64(len(body)) > d.limit {
		return file{}, d.tooLarge()
	}
	return file{resp.Header.Get("ETag"), body}, err
}
