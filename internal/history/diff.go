package history

import (
	"bytes"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxDiff bounds the published difference of one version, in bytes.
const maxDiff = 64 << 10

// Compare sets the number of lines that a version added and removed, and its difference in unified
// format, without a heading and with a few lines of context. The time is linear in the size of the
// texts.
func Compare(v *mip.Version, before, after []byte) {
	text := diff.Diff("a", before, "b", after)
	for range 3 { // the heading: names, --- and +++
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	all := string(text)
	v.Added, v.Removed = new(0), new(0)
	for line := range strings.Lines(all) {
		switch line[0] {
		case '+':
			*v.Added++
		case '-':
			*v.Removed++
		}
	}
	v.Diff, v.Truncated = new(mip.Cut(all, maxDiff)), len(all) > maxDiff
}
