package build

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// text is a proposal's text as its artifacts need it.
type text struct {
	sections []mip.Section
	html     []byte
}

// Rendered keeps rendered texts in memory from one plan to the next, by the hash of the file: rendering takes most
// of a build's time, and a save changes one proposal. Texts that the last plan did not have are forgotten. The
// zero value is empty and ready. It is safe for concurrent use, but for plans that are made at the same time.
type Rendered struct {
	mu    sync.Mutex
	links string           // linkState of the plan
	last  map[string]*text // of the plan before, by key
	texts map[string]*text
}

// begin begins another plan. Texts whose links may lead elsewhere now are forgotten.
func (r *Rendered) begin(links string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.texts = r.texts, map[string]*text{}
	if links != r.links {
		r.links, r.last = links, nil
	}
}

func (r *Rendered) get(key string) (*text, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t, ok := r.texts[key]; ok {
		return t, true
	}
	t, ok := r.last[key]
	if ok {
		r.texts[key] = t
	}
	return t, ok
}

func (r *Rendered) put(key string, t *text) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts[key] = t
}

func (r *Rendered) remove(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.texts, key)
}

// linkState is a hash of everything that decides how texts are rendered, but for the proposal itself: the site, and
// which proposals there are to link to.
func (p *planner) linkState() string {
	h := sha256.New()
	fmt.Fprintln(h, p.Site.BaseURL, p.Site.SourceURL, p.Site.Highlight)
	for _, c := range p.Proposals {
		fmt.Fprintln(h, c.ID, c.File)
	}
	return string(h.Sum(nil))
}

// textKey is the key of a proposal's text: its file's content, and where the links to other files lead.
func textKey(c *corpus.Proposal) string {
	return fmt.Sprintln(c.ContentHash, c.RepoPath, c.Commit, c.Local)
}

// text parses and renders a proposal, once for the artifacts that are made of it one after the other. After
// the last, [planner.dropText] frees the memory.
func (p *planner) text(c *corpus.Proposal) (*text, error) {
	key := textKey(c)
	if t, ok := p.texts.get(key); ok {
		return t, nil
	}
	d := p.Read(c)
	article, err := p.md.Render(d, c.Title, func(dest string) (string, bool) { return p.link(c, dest) })
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", c.File, err)
	}
	t := &text{d.Sections, article.HTML}
	p.texts.put(key, t)
	return t, nil
}

// dropText forgets a proposal's text unless the caller of [NewPlan] keeps texts.
func (p *planner) dropText(c *corpus.Proposal) {
	if p.Rendered == nil {
		p.texts.remove(textKey(c))
	}
}
