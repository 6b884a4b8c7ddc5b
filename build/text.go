package build

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// text is a proposal's text as its artifacts need it.
type text struct {
	sections []mip.Section
	html     []byte
	links    map[string]target // relative destinations, and their addresses
}

// target is the address of a link; ok is false for a link that leads nowhere.
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

// get returns the text with this key if its links still lead to the same places, else nil.
func (r *Rendered) get(key string, link func(string) (string, bool)) *text {
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

func (r *Rendered) put(key string, t *text) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts[key] = t
}

// texts are those of the proposals whose artifacts are being made, by position. The zero value is ready.
type texts struct {
	mu   sync.Mutex
	byAt map[int]*text
}

// text parses and renders the i-th proposal, once for the artifacts that are made of it one after the other.
// After the last, [planner.dropText] frees the memory.
func (p *planner) text(i int) (*text, error) {
	p.texts.mu.Lock()
	t := p.texts.byAt[i]
	p.texts.mu.Unlock()
	if t != nil {
		return t, nil
	}
	t, err := p.renderText(i)
	if err != nil {
		return nil, err
	}
	p.texts.mu.Lock()
	defer p.texts.mu.Unlock()
	if p.texts.byAt == nil {
		p.texts.byAt = map[int]*text{}
	}
	p.texts.byAt[i] = t
	return t, nil
}

func (p *planner) dropText(i int) {
	p.texts.mu.Lock()
	defer p.texts.mu.Unlock()
	delete(p.texts.byAt, i)
}

func (p *planner) renderText(i int) (*text, error) {
	c := p.Proposals[i]
	link := func(dest string) (string, bool) { return p.link(c, dest) }
	key := c.ContentHash + strconv.FormatBool(p.Site.Highlight)
	t := p.Rendered.get(key, link)
	if t == nil {
		d := p.Read(c)
		t = &text{sections: d.Sections, links: map[string]target{}}
		article, err := p.md.Render(d, p.Summaries[i].Title, func(dest string) (string, bool) {
			address, ok := link(dest)
			t.links[dest] = target{address, ok}
			return address, ok
		})
		if err != nil {
			return nil, fmt.Errorf("render %s: %w", c.File, err)
		}
		t.html = article.HTML
	}
	p.Rendered.put(key, t)
	return t, nil
}
