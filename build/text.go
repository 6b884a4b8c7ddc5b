package build

import (
	"fmt"
	"strconv"
	"sync"
	"weak"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// text is a proposal's text as its artifacts need it.
type text struct {
	sections []mip.Section
	html     []byte
	links    map[string]target // relative destinations, and where they lead
}

type target struct {
	address string
	ok      bool
}

// Rendered keeps rendered texts in memory from one plan to the next, by the hash of the file: rendering takes most
// of a build's time, and a save changes one proposal. Texts that the last plan did not have are forgotten. The
// zero value is empty and ready; nil keeps nothing. It is safe for concurrent use.
type Rendered struct {
	mu            sync.Mutex
	before, texts map[string]*text
}

// next begins another plan.
func (r *Rendered) next() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before, r.texts = r.texts, map[string]*text{}
}

// find returns the text with this key if its links still lead to the same places, else nil.
func (r *Rendered) find(key string, link func(string) (string, bool)) *text {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.texts[key]
	if t == nil {
		t = r.before[key]
	}
	if t == nil {
		return nil
	}
	for dest, was := range t.links {
		if address, ok := link(dest); was != (target{address, ok}) {
			return nil
		}
	}
	return t
}

func (r *Rendered) keep(key string, t *text) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts[key] = t
}

// text parses and renders the i-th proposal. Artifacts that are made one after the other share the result; after
// that the memory is free again, unless Options.Rendered keeps it.
func (p *planner) text(i int) (*text, error) {
	p.mu.Lock()
	t := p.texts[i].Value()
	p.mu.Unlock()
	if t != nil {
		return t, nil
	}
	c := p.corpus.Proposals[i]
	link := func(dest string) (string, bool) { return p.link(c, dest) }
	key := c.ContentHash + strconv.FormatBool(p.Site.Highlight)
	if t = p.Rendered.find(key, link); t == nil {
		d := p.corpus.Read(c)
		t = &text{sections: d.Sections, links: map[string]target{}}
		article, err := p.md.Render(d, p.all[i].Title, func(dest string) (string, bool) {
			address, ok := link(dest)
			t.links[dest] = target{address, ok}
			return address, ok
		})
		if err != nil {
			return nil, fmt.Errorf("render %s: %w", c.File, err)
		}
		t.html = article.HTML
	}
	p.Rendered.keep(key, t)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.texts[i] = weak.Make(t)
	return t, nil
}
