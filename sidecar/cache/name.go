package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Name is a key for values that several processes share: short, and different whenever the site's base address, the kind
// or one of the parts differ. Keys of one site begin alike, and so do those of a kind.
func Name(site, kind string, parts ...string) string {
	const siteDigits, digits = 12, 32
	hash := func(texts ...string) string {
		h := sha256.New()
		for _, t := range texts {
			fmt.Fprintf(h, "%d:%s", len(t), t)
		}
		return hex.EncodeToString(h.Sum(nil))
	}
	return hash(site)[:siteDigits] + ":" + kind + ":" + hash(parts...)[:digits]
}
