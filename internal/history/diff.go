package history

import (
	"bytes"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxDiff bounds the difference of one version that is published, in bytes.
const maxDiff = 64 << 10

// Compare sets the lines that a version added and removed, and its difference: unified, without a
// heading, with a few unchanged lines around each change. It takes time proportional to the texts.
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
