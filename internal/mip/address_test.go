package mip

import "testing"

func TestBelow(t *testing.T) {
	for _, c := range []struct {
		address, base, rest string
		ok                  bool
	}{
		{"https://f.example/t/slug/5", "https://f.example", "t/slug/5", true},
		{"http://f.example/t/slug/5/", "https://f.example", "t/slug/5", true},
		{"http://F.Example:80/t/5?u=ada#p", "https://f.example:443", "t/5", true},
		{"https://f.example./t/5", "http://f.example/", "t/5", true},
		{"https://f.example/Talk/t/5", "https://f.example/talk/", "t/5", true},
		{"https://f.example", "https://f.example/", "", true},
		{"https://f.example:8443/t/5", "https://f.example:8443", "t/5", true},
		{"https://f.example:8443/t/5", "https://f.example", "", false},
		{"https://f.example.org/t/5", "https://f.example", "", false},
		{"https://f.example@other.example/t/5", "https://f.example", "", false},
		{"https://f.example/talks/t/5", "https://f.example/talk", "", false},
		{"https://f.example/talk/../t/5", "https://f.example/talk", "", false},
		{"//f.example/t/5", "https://f.example", "", false},
		{"ftp://f.example/t/5", "https://f.example", "", false},
		{"/t/5", "", "", false},
		{"https:///t/5", "https://", "", false},
	} {
		if rest, ok := Below(c.address, c.base); rest != c.rest || ok != c.ok {
			t.Errorf("Below(%q, %q) = %q, %t; want %q, %t", c.address, c.base, rest, ok,
				c.rest, c.ok)
		}
	}
}
