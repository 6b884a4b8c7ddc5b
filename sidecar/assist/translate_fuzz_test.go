package assist

import (
	"testing"
)

func FuzzX(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) {
		if g := join(layout(s)); g != s {
			t.Errorf("%q -> %q", s, g)
		}
	})
}
