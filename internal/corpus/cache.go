package corpus

import (
	"crypto/sha256"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Cache keeps what [Load] reads for the next call: the texts, and the history. The zero value is
// empty and ready. It is safe for concurrent use. A nil Cache is always empty.
type Cache struct {
	texts sync.Map // of cachedText, by path
	log   atomic.Pointer[history.Log]
}

// cachedText is a text as it was read.
type cachedText struct {
	from     [sha256.Size]byte // a hash of what it was read from
	proposal *Proposal         // without relations and times
	claim    mip.ID
	problems []mip.Problem
	failed   bool
}

// before returns the history of the newest corpus, or nil.
func (c *Cache) before() *history.Log {
	if c == nil {
		return nil
	}
	return c.log.Load()
}

// read reads a text from the cache. It reports whether it is there.
func (c *Cache) read(e *entry, from [sha256.Size]byte) bool {
	if c == nil {
		return false
	}
	found, _ := c.texts.Load(e.Path)
	text, ok := found.(cachedText)
	if !ok || text.from != from {
		return false
	}
	e.claim = text.claim
	e.report.Problems, e.report.Failed = slices.Clone(text.problems), text.failed
	if text.proposal != nil {
		e.proposal, e.id = text.proposal.copyFor(&e.report), text.proposal.ID
	}
	return true
}

// keep puts a text into the cache.
func (c *Cache) keep(e *entry, from [sha256.Size]byte) {
	if c == nil {
		return
	}
	text := cachedText{
		from: from, claim: e.claim,
		problems: slices.Clone(e.report.Problems), failed: e.report.Failed,
	}
	if e.proposal != nil {
		text.proposal = e.proposal.copyFor(nil)
	}
	c.texts.Store(e.Path, text)
}
