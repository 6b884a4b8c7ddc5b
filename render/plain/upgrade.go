package plain

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Thousands groups the digits of an integer of any type, or of a pointer to one.
func Thousands(n any) string {
	s := fmt.Sprint(reflect.Indirect(reflect.ValueOf(n)))
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Stated is the activation of a network by a text, such as "block 9,200,000" or "14 Oct 2025, 07:36
// UTC, epoch 272640".
func Stated(a mip.ForkActivation) string {
	var parts []string
	if a.Block != nil {
		parts = append(parts, "block "+Thousands(a.Block))
	}
	if a.Time != nil {
		parts = append(parts, a.Time.UTC().Format("2 Jan 2006, 15:04 UTC"))
	} else if a.Text != "" && a.Block == nil {
		parts = append(parts, mip.OneLine(a.Text))
	}
	if a.Epoch != nil {
		parts = append(parts, fmt.Sprint("epoch ", *a.Epoch))
	}
	return cmp.Or(strings.Join(parts, ", "), "no time yet")
}
