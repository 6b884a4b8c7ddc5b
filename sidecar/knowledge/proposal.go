package knowledge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// proposalLimit bounds a proposal's document: a source of a mebibyte at most stands in it twice, every
// byte of it escaped at worst.
const proposalLimit = 16 * mebibyte

// Proposal reads a proposal with its text. One that is not published is [fs.ErrNotExist]. The text is
// the one that its contentHash names; the list of the last Load may know an older or a newer one. It is
// remembered until the next Load that finds changes, a minute at the most, and shared: lists in it must
// not be changed.
func (s *Source) Proposal(ctx context.Context, id mip.ID) (*mip.Proposal, error) {
	if id.Number < 0 {
		return nil, fmt.Errorf("%s: %w", id, fs.ErrNotExist)
	}
	d := document{documentOf(id), proposalLimit}
	return s.proposals.read(ctx, d, s.builds.Load(), func(p *mip.Proposal) error {
		hash := sha256.Sum256([]byte(p.RawMarkdown))
		if p.ID != id || p.Number != id.Number || p.ContentHash != hex.EncodeToString(hash[:]) || p.Sections == nil {
			return fmt.Errorf("check %s: it holds %s with contentHash %q, want %s and the hash of its text", s.place.name(d), p.ID, p.ContentHash, id)
		}
		if p.Translations == nil { // the site was built before there were any
			p.Translations = []mip.Translation{}
		}
		return nil
	})
}

// documentOf is the path of a proposal's document below the site's address.
func documentOf(id mip.ID) string { return "api/v1/mips/" + strconv.Itoa(id.Number) }
