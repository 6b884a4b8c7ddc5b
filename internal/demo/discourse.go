package demo

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Topic is one topic of a [Discourse]. Its numbers are served unchecked.
type Topic struct {
	ID                                int
	Title                             string // plain text
	Slug                              string // empty: made from the title
	Posts, Participants, Likes, Views int
	Created                           time.Time // zero: when the topic was set
	LastPosted                        time.Time // zero: null
	Closed, Archived                  bool
	Private                           bool // exists, but not for everyone: 403
	Deleted                           bool // no longer exists: 410
}

// answer returns the body of GET /t/{id}.json without the posts.
func (t Topic) answer() map[string]any {
	// stamp formats a time as Discourse does: UTC with milliseconds.
	stamp := func(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
	var lastPosted any
	if !t.LastPosted.IsZero() {
		lastPosted = stamp(t.LastPosted)
	}
	return map[string]any{
		"id": t.ID, "title": t.Title, "fancy_title": html.EscapeString(t.Title), "slug": t.Slug,
		"posts_count": t.Posts, "views": t.Views, "like_count": t.Likes,
		"participant_count": t.Participants,
		// posts that answer another one: fewer than all but the first
		"reply_count": max(t.Posts-1, 0) * 2 / 3,
		"created_at":  stamp(t.Created), "last_posted_at": lastPosted, "deleted_at": nil,
		"visible": true, "closed": t.Closed, "archived": t.Archived, "archetype": "regular",
		"category_id": 5,
	}
}

// Discourse is a forum as seen by a client that is not logged in: GET /t/{id}.json,
// /t/{slug}/{id}.json and /t/{slug}.json. An address with a slug that is not the topic's own
// address redirects there with 301. The part of a path before /t/ is ignored. It is safe for
// concurrent use.
type Discourse struct {
	now  func() time.Time
	grow func(Topic, time.Time) Topic // returns a topic at a time; nil: unchanged

	mu     sync.Mutex
	topics map[int]Topic
}

// NewDiscourse returns a forum with these topics. now is the clock, [time.Now] if nil.
func NewDiscourse(now func() time.Time, topics ...Topic) *Discourse {
	if now == nil {
		now = time.Now
	}
	d := &Discourse{now: now, topics: map[int]Topic{}}
	for _, t := range topics {
		d.Set(t)
	}
	return d
}

// Set adds a topic, or replaces the one with its ID.
func (d *Discourse) Set(t Topic) {
	if t.Slug == "" {
		t.Slug = mip.Slug(t.Title)
	}
	if t.Created.IsZero() {
		t.Created = d.now()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.topics[t.ID] = t
}

// ServeHTTP answers as Discourse does, with a JSON 404 for anything unknown.
func (d *Discourse) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	root, rest, ok := strings.Cut(r.URL.Path, "/t/")
	name, isJSON := strings.CutSuffix(rest, ".json")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		refuse(w, http.StatusNotFound, "not_found", "There is nothing here that could be changed.")
	case ok && isJSON:
		d.topic(w, r, root, strings.Split(name, "/"))
	default:
		refuse(w, http.StatusNotFound, "not_found", notFound)
	}
}

// topic answers /t/{id}, /t/{slug}, /t/{slug}/{id} and /t/{slug}/{id}/{post}, given the part after
// /t/.
func (d *Discourse) topic(w http.ResponseWriter, r *http.Request, root string, path []string) {
	t, ok := d.find(path)
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "not_found", notFound)
	case t.Deleted:
		refuse(w, http.StatusGone, "not_found", notFound)
	case t.Private:
		refuse(w, http.StatusForbidden, "invalid_access", "This page is not for everyone.")
	case path[0] != t.Slug && path[0] != strconv.Itoa(t.ID), len(path) == 1 && path[0] == t.Slug:
		// Discourse builds an absolute address from the headers of the proxy before it.
		to := url.URL{Scheme: r.Header.Get("X-Forwarded-Proto"), Host: r.Host,
			Path: fmt.Sprintf("%s/t/%s/%d.json", root, t.Slug, t.ID)}
		if to.Scheme == "" {
			to.Scheme = "http"
		}
		w.Header().Set("Location", to.String())
		w.WriteHeader(http.StatusMovedPermanently)
	default:
		w.Header().Set("X-Discourse-Route", "topics/show")
		write(w, http.StatusOK, t.answer())
	}
}

// find returns a topic by number, or by slug without a number, in its current state.
func (d *Discourse) find(path []string) (Topic, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.topics[d.idOf(path)]
	if ok && d.grow != nil {
		t = d.grow(t, d.now())
	}
	return t, ok
}

// idOf returns the number in a path, or the lowest number of the topics with the slug that is the
// whole path; 0 if there is none. The caller holds d.mu.
func (d *Discourse) idOf(path []string) int {
	for _, s := range path[:min(len(path), 2)] {
		if id, err := strconv.Atoi(s); err == nil {
			return id
		}
	}
	found := 0
	for id, t := range d.topics {
		if len(path) == 1 && t.Slug == path[0] && (found == 0 || id < found) {
			found = id
		}
	}
	return found
}

const (
	typeJSON = "application/json; charset=utf-8"
	notFound = "There is no such page, or it is not public."
)

// refuse answers with an error as Discourse does.
func refuse(w http.ResponseWriter, status int, kind, message string) {
	body := map[string]any{"errors": []string{message}, "error_type": kind}
	if status == http.StatusGone {
		body["extras"] = map[string]any{"title": "Nothing here",
			"html": "<div>The page is gone.</div>", "group": nil}
	}
	write(w, status, body)
}

// write sends a body, which always encodes.
func write(w http.ResponseWriter, status int, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", typeJSON)
	w.Header().Set("Cache-Control", "no-cache, no-store")
	w.WriteHeader(status)
	w.Write(b)
}
