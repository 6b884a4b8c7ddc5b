package header

import (
	"path"
	"regexp"
	"strings"
)

// fileNumber finds the number in a file's name: MIP-7.md, eip-1046.md and 0047-a-title.md have
// one whatever the letters are, since the folder says what they mean.
var fileNumber = regexp.MustCompile(`^(?:[A-Za-z]+[-_]?)?([0-9]+)(?:[-_. :]|$)`)

// OwnName is the part of a text's path in its folder that names the proposal: the file's own name, or that of the folder
// which holds the file where only that has a number, as in CIP-0001/README.md.
func OwnName(name string) string {
	base := path.Base(name)
	if _, numbered := NumberInName(base); !numbered && base != name {
		return path.Base(path.Dir(name))
	}
	return base
}

// NumberInName returns the number that a file's name states.
func NumberInName(name string) (int, bool) {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	m := fileNumber.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	return SmallNumber(m[1])
}

// LettersInName are those before the number in a file's name, MPS of MPS-0013.md, without those of
// the site's prefix or its plural.
func LettersInName(name, prefix string) string {
	letters := name[:len(name)-len(strings.TrimLeft(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))]
	if strings.EqualFold(letters, prefix) || strings.EqualFold(letters, prefix+"s") {
		return ""
	}
	return letters
}
