package plain

import "strings"

// Capital returns a text whose first byte is a capital.
func Capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
