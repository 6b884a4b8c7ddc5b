// Package filename reads the names of files in a folder of proposals: which number, letters and
// language a name states, and which files are texts. It opens no file.
package filename

import (
	"path"
	"regexp"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// fileNumber finds the number in a file's name: MIP-7.md, eip-1046.md and 0047-a-title.md have
// one whatever the letters are, since the folder says what they mean.
var fileNumber = regexp.MustCompile(`^(?:[A-Za-z]+[-_]?)?([0-9]+)(?:[-_. :]|$)`)

// Own is the part of a text's path in its folder that names the proposal: the file's own name, or
// that of the folder which holds the file where only that has a number, as in CIP-0001/README.md.
func Own(name string) string {
	base := path.Base(name)
	if _, numbered := Number(base); !numbered && base != name {
		return path.Base(path.Dir(name))
	}
	return base
}

// Number returns the number that a file's name states.
func Number(name string) (int, bool) {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	m := fileNumber.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	return mip.ParseNumber(m[1])
}

// Letters are those before the number in a file's name, MPS of MPS-0013.md, without those of
// the site's prefix or its plural.
func Letters(name, prefix string) string {
	letters := name[:len(name)-len(strings.TrimLeft(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))]
	if strings.EqualFold(letters, prefix) || strings.EqualFold(letters, prefix+"s") {
		return ""
	}
	return letters
}
