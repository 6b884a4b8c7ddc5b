package palette_test

import (
	"fmt"
	"testing"

	"github.com/mipwatch/mipwatch/internal/palette"
)

func color(t *testing.T, s string) palette.Color {
	t.Helper()
	c, ok := palette.Parse(s)
	if !ok {
		t.Fatalf("%s is no colour", s)
	}
	return c
}

func TestParse(t *testing.T) {
	for in, want := range map[string]string{"#5431C0": "#5431c0", "#fa0": "#ffaa00"} {
		if got := color(t, in).String(); got != want {
			t.Errorf("Parse(%q) = %s, want %s", in, got, want)
		}
	}
	for _, in := range []string{"", "#", "5431c0", "#5431c", "#5431c0ff", " #5431c0", "#5431cg",
		"red", "rgb(0,0,0)"} {
		if c, ok := palette.Parse(in); ok {
			t.Errorf("Parse(%q) = %s, want none", in, c)
		}
	}
}

// TestContrast compares with ratios from other tools.
func TestContrast(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"#000", "#fff", "21.00"}, {"#fff", "#000", "21.00"}, {"#808080", "#808080", "1.00"},
		{"#767676", "#fff", "4.54"}, {"#777777", "#fff", "4.48"}, {"#ff0000", "#fff", "4.00"},
		{"#0000ff", "#fff", "8.59"}, {"#008000", "#fff", "5.14"},
	} {
		got := fmt.Sprintf("%.2f", palette.Contrast(color(t, c.a), color(t, c.b)))
		if got != c.want {
			t.Errorf("contrast of %s and %s is %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

// TestNearest checks that a color is borne, and no further away than necessary.
func TestNearest(t *testing.T) {
	for name, theme := range map[string]palette.Theme{"light": palette.Light(),
		"dark": palette.Dark()} {
		for _, s := range []string{"#808080", "#e00000", "#00b050", "#3b82f6", "#9945ff", "#ff9900",
			"#5431c0", "#b9a5ff", "#000", "#fff"} {
			c := color(t, s)
			got := theme.Nearest(c)
			_, ratio := theme.Worst(got)
			if theme.Bears(c) && got != c || !theme.Bears(got) ||
				!theme.Bears(c) && ratio > palette.Ratio+.1 {
				t.Errorf("%s theme: nearest to %s is %s with %.2f", name, c, got, ratio)
			}
		}
	}
}
