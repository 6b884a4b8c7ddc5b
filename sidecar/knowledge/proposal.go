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
// the one that its contentHash names; the list of the last Load may know an older or a newer one.
func (s *Source) Proposal(ctx context.Context, number int) (*mip.Proposal, error) {
	if number < 0 {
		return nil, fmt.Errorf("proposal %d: %w", number, fs.ErrNotExist)
	}
	d := document{"api/v1/mips/" + strconv.Itoa(number), proposalLimit}
	body, _, err := s.place.read(ctx, d, "")
	if err != nil {
		return nil, err
	}
	p, err := decode[mip.Proposal](s.place, d, body)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256([]byte(p.RawMarkdown))
	if p.Number != number || p.ContentHash != hex.EncodeToString(hash[:]) || p.Sections == nil {
		return nil, fmt.Errorf("check %s: it holds proposal %d with contentHash %q, want %d and the hash of its text", s.place.name(d), p.Number, p.ContentHash, number)
	}
	return &p, nil
}
