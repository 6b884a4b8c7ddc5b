package plain

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	days "github.com/mipwatch/mipwatch/internal/day"
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

// ByText returns the activations that the text of a hard fork adds to the site's: on other
// networks, and with the number of a block or an epoch.
func ByText(f mip.HardFork) (out []mip.ForkActivation) {
	for _, a := range f.Schedule {
		_, known := f.Activation[mip.Deref(a.ID)]
		if !known || a.Block != nil || a.Epoch != nil {
			out = append(out, a)
		}
	}
	return out
}

// Stated returns a network's activation by a text in words, such as "block 9,200,000" or "14 Oct
// 2025, 07:36 UTC, epoch 272640".
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

// Release returns a release as a command, such as "Wick 2.3 or later by 19 Jan 2027 on mainnet".
func Release(r mip.Release) string {
	out := mip.OneLine(r.Client + " " + r.Version + " or later")
	if r.RequiredBy != nil {
		out += " by " + Due(*r.RequiredBy)
	}
	if len(r.Networks) > 0 {
		out += " on " + mip.OneLine(strings.Join(r.Networks, ", "))
	}
	return out
}

// Due returns the day or the moment by which a release is required, for people.
func Due(text string) string {
	at, hour, _ := days.Due(text)
	if hour {
		return at.Format("2 Jan 2006, 15:04 UTC")
	}
	return at.Format("2 Jan 2006")
}
