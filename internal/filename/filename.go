// Package filename parses the names of files in a folder of proposals: the number, the letters and
// the language that a name states, and whether a file is a text. It opens no file.
package filename

import (
	"path"
	"regexp"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// fileNumber finds the number in a file's name, after any letters, as in MIP-7.md, eip-1046.md and
// 0047-a-title.md. The folder gives the letters their meaning.
var fileNumber = regexp.MustCompile(`^(?:[A-Za-z]+[-_]?)?([0-9]+)(?:[-_. :]|$)`)

// Own is the part of a text's path in its folder that identifies the proposal: the file's name, or
// its folder's name if only that has a number, as in CIP-0001/README.md.
func Own(name string) string {
	base := path.Base(name)
	if _, numbered := Number(base); !numbered && base != name {
		return path.Base(path.Dir(name))
	}
	return base
}

// Number returns the number in a file's name.
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

// Letters returns the letters before the number in a file's name, such as MPS in MPS-0013.md. It
// returns "" for the site's prefix or its plural.
func Letters(name, prefix string) string {
	letters := name[:len(name)-len(strings.TrimLeft(name,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))]
	if strings.EqualFold(letters, prefix) || strings.EqualFold(letters, prefix+"s") {
		return ""
	}
	return letters
}
