package corpus

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

// maxDigits keeps numbers within what every reader's integers hold.
const maxDigits = 9

// isPlaceholder reports what stands for a value that is not known yet.
func isPlaceholder(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	if strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") || strings.Trim(s, "x") == "" || strings.Trim(s, "?") == "" || strings.Trim(s, "-") == "" {
		return true
	}
	switch s {
	case "tbd", "tba", "tbc", "n/a", "na", "none", "null", "~", "to be assigned", "to be determined", "unassigned":
		return true
	}
	return false
}

// fileNumber finds the number in a file's name: MIP-7.md, eip-1046.md and 0047-a-title.md have one
// whatever the letters are, since the folder says what they mean.
var fileNumber = regexp.MustCompile(`^(?:[A-Za-z]+[-_]?)?([0-9]+)(?:[-_. :]|$)`)

// numberInName returns the number that a file's name states.
func numberInName(name string) (int, bool) {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	m := fileNumber.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	return smallNumber(m[1])
}

// mayHaveNumber reports whether bytes that have no sound header may yet be a proposal's: there is a
// header's beginning with the number's key in it, or it cannot be seen that there is none.
func (ld *loader) mayHaveNumber(raw []byte) bool {
	if bytes.IndexByte(raw, 0) >= 0 || bytes.HasPrefix(raw, []byte{0xFF, 0xFE}) || bytes.HasPrefix(raw, []byte{0xFE, 0xFF}) {
		return true
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(raw, []byte("\uFEFF")), " \t\r\n")
	fences := 0
	for line := range strings.FieldsFuncSeq(string(text[:min(len(text), maxHeader)]), func(c rune) bool { return c == '\r' || c == '\n' }) {
		line = strings.TrimSpace(line)
		if isFence([]byte(line)) {
			fences++
		}
		if fences != 1 {
			return false
		}
		line = strings.TrimLeft(line, "- \t")
		if line == "" {
			continue
		}
		if f, isKey := splitKey(line); isKey && f.name == ld.key {
			return true
		}
	}
	return false
}

func smallNumber(digits string) (int, bool) {
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return 0, true
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && len(digits) <= maxDigits
}

// number reads the proposal's number from the raw text of its header, because YAML 1.1 would make
// 113 of 0161, and from the file's name when the header has a placeholder. ok is false when the
// proposal has no number; r then says why.
func (ld *loader) number(d *decoded, name string, r *report) (n int, inferred, ok bool) {
	inName, named := numberInName(name)
	v := d.byName[ld.key]
	if v == nil && d.byName["<<"] != nil {
		r.errorf(d.byName["<<"].line, "bad-number", "the header merges another map and does not state %s itself: write %s: and the number", ld.key, ld.key)
		return 0, false, false
	}
	var text string
	var isText bool
	if v != nil {
		text, isText = v.v.(string)
	}
	if v == nil || v.v == nil || isText && isPlaceholder(text) {
		if !named {
			r.noticef(lineOf(v), "unnumbered-draft", "skipped: neither the header nor the file name has a number")
		}
		return inName, true, named
	}
	digits := text
	if isText {
		digits, isText = stripPrefix(text, ld.prefix)
	}
	n, small := smallNumber(digits)
	if !isText || !small || len(digits) > maxDigits {
		r.errorf(v.line, "bad-number", "%s is not a number: write %s: and decimal digits, at most %d", quoted(v.raw()), ld.key, maxDigits)
		return 0, false, false
	}
	if len(digits) > 1 && digits[0] == '0' && strings.HasPrefix(v.value, "0") {
		r.warnf(v.line, "leading-zeros", "%s is read as the decimal number %d; leave the zeros out or quote it, since YAML would read it as octal", quoted(text), n)
	}
	if named && inName != n {
		r.warnf(v.line, "number-mismatch", "the header says %d and the file name %d: the header counts", n, inName)
	}
	return n, false, true
}

// stripPrefix removes the site's own prefix from MIP-7, mip_7, MIP 7 and MIP7, and reports whether
// nothing but digits is left.
func stripPrefix(s, prefix string) (digits string, ok bool) {
	if len(s) > len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		s = s[len(prefix):]
		if len(s) > 1 && strings.IndexByte("-_ ", s[0]) >= 0 {
			s = s[1:]
		}
	}
	return s, s != "" && strings.Trim(s, "0123456789") == ""
}

func lineOf(v *value) int {
	if v == nil {
		return 0
	}
	return v.line
}
