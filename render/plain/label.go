package plain

import (
	"regexp"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// featureGate matches the account by which a network such as Solana activates a feature: 32 bytes
// in base58.
var featureGate = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{32,44}(?:$|[^0-9A-Za-z])`)

// Label returns the name under which pages show a header key and its value.
func Label(s mip.Shown) string {
	if strings.EqualFold(s.Key, "feature") && featureGate.MatchString(s.Text) {
		return "Feature gate"
	}
	return Capital(s.Key)
}

// Capital returns a text whose first byte is a capital.
func Capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
