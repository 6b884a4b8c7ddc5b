package attachment_test

import (
	"testing"

	"github.com/mipwatch/mipwatch/internal/attachment"
)

// TestLinked checks which texts need to be parsed for their links.
func TestLinked(t *testing.T) {
	for text, want := range map[string]bool{
		"":                               false,
		"[a](x.pdf)":                     true,
		"[a]( ../x.PDF?raw=true )":       true,
		"[a](<x y.pdf>)":                 true,
		"[a](x.pdf \"title\")":           true,
		"[a]: ../x.json\n":               true,
		"[a]:\n  x.json\n":               true,
		"<a href='x.csv'>":               true,
		"<a class=b href=x.csv>":         true,
		"[a](x.y/z.pdf#page=2)":          true,
		"See x.pdf here. It has pages.":  false,
		"[a](https://x.example/y.pdf)":   false,
		"<https://x.example/y.pdf>":      false,
		"<a href='https://x.org/y.pdf'>": false,
		"[a](x.html)":                    false,
		"[a](x.sol)":                     true,
	} {
		if got := attachment.Linked(text, false); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
	if attachment.Linked("[a](x.sol)", true) {
		t.Error("source code has a copy beside its address in the repository")
	}
}
