package forks

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"sync"

	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/upgrade"
)

// Cache keeps the states of the versions that it read. The zero value is ready for use. It is safe
// for concurrent use.
type Cache struct{ byText sync.Map } // of kept, by the id of the text

// kept has the readable states in the versions of a text, by the name of the version in git.
type kept struct {
	// of is a hash of everything else that they depend on.
	of     [sha256.Size]byte
	states map[string]upgrade.State
}

// kept returns a copy of the cached states of a text. Versions are read with the present header,
// under the present names of hard forks.
func (c *Cache) kept(s *site.Site, t Text) kept {
	header, _ := json.Marshal(t.Metadata) // encoding this type cannot fail
	from := fmt.Appendln(header, s.Prefixes(), s.Upgrades.Stages, s.PublicNetworks())
	for _, u := range t.Upgrades {
		from = fmt.Appendf(from, "%q %q\n", u.Name, u.Fork)
	}
	k := kept{sha256.Sum256(from), map[string]upgrade.State{}}
	if before, ok := c.byText.Load(t.Meta); ok && before.(kept).of == k.of {
		maps.Copy(k.states, before.(kept).states)
	}
	return k
}

// keep caches the states of a text. A version without a state may be fetched later.
func (c *Cache) keep(t Text, k kept) {
	maps.DeleteFunc(k.states, func(_ string, s upgrade.State) bool { return s == nil })
	c.byText.Store(t.Meta, k)
}
