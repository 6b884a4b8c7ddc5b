package history

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Cache keeps the part of a history that was read, until another one is read. The zero value is
// ready for use. It is safe for concurrent use.
type Cache struct{ newest atomic.Pointer[cached] }

// cached is the part of a history that was read.
type cached struct {
	// of is a hash of everything that the rest depends on.
	of [sha256.Size]byte
	// years are nil, and events are empty while read is false, if they are unknown so far.
	years    []int
	read     bool
	events   []mip.Event
	complete bool
}

// kept returns the cached part of a history.
func (r *Reader) kept(p *Past) cached {
	if r.Cache == nil {
		return cached{}
	}
	t := cached{of: p.sum()}
	if newest := r.Cache.newest.Load(); newest != nil && newest.of == t.of {
		return *newest
	}
	return t
}

// keep caches a part of a history.
func (r *Reader) keep(t cached) {
	if r.Cache != nil {
		r.Cache.newest.Store(&t)
	}
}

// sum is a hash of everything that the events depend on.
func (p *Past) sum() [sha256.Size]byte {
	o := p.headers
	b := fmt.Appendln(nil, o.Prefix, o.Others, p.rules.Sources, o.Keys, o.Dates, o.Statuses,
		o.References, p.whole)
	for _, h := range p.histories {
		for _, s := range h.commits {
			b = fmt.Appendln(b, s.Hash, s.Landed, h.cut[s.Hash], h.imports[s.Hash])
			for _, f := range s.Files {
				b = append(b, f.Path+"\x00"+f.Before+"\x00"+f.After+"\x00"...)
			}
		}
		b = fmt.Appendln(b, slices.Sorted(maps.Keys(h.texts)))
	}
	return sha256.Sum256(b)
}
