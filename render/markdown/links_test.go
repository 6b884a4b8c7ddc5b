package markdown

import (
	"strings"
	"testing"
)

func TestTarget(t *testing.T) {
	d := &document{
		links:    testLinks{},
		ids:      map[string]bool{"s-abstract": true, "s-日本": true, "s-fn-1": true},
		looseIDs: map[string]string{"abstract": "s-abstract"},
	}
	for _, tt := range []struct {
		dest, want string
		external   bool
	}{
		{"https://a.example/b?c=d#e", "https://a.example/b?c=d#e", true},
		{" \x00HTTPS://a.example ", "https://a.example", true},
		{"ht\ntps://a.example", "https://a.example", true},
		{"http://a.example/\"<>`", "http://a.example/%22%3C%3E%60", true},
		{"http://[::1]:80/", "", false},
		{"http:", "", false}, {"http://", "", false}, {"https:a", "", false},
		{"https:///a", "", false}, {"http://[", "", false},
		{"mailto:a@b.example", "mailto:a@b.example", false}, {"MAILTO:a", "mailto:a", false},
		{"mailto:", "", false},
		{"//a.example/b", "https://a.example/b", true},
		{"\\\\a.example", "https://a.example", true}, {"/\\/a.example", "https://a.example", true},
		{"//", "", false}, {"javascript:x", "", false}, {"JAVA\tSCRIPT:x", "", false},
		{"\u0080javascript:x", "", false}, {"vbscript:x", "", false}, {"data:,x", "", false},
		{"file:///x", "", false}, {"ftp://a.example", "", false}, {"blob:x", "", false},
		{"a.b+c-d:x", "", false}, {"", "", false}, {"#", "", false}, {"#gone", "", false},
		{"#abstract", "#s-abstract", false}, {"#Abstract", "#s-abstract", false},
		{"#s-abstract", "#s-abstract", false},
		{"#user-content-abstract", "#s-abstract", false}, {"#-abstract-", "#s-abstract", false},
		{"#%E6%97%A5%E6%9C%AC", "#s-日本", false}, {"#日本", "#s-日本", false},
		{"#fn-1", "#s-fn-1", false}, {"#%zz", "", false},
		{"mip-3.md", "/base/mip/3/", false},
		{"./mip-3.md#The-Rest", "/base/mip/3/#s-the-rest", false},
		{"mip-3.md#", "/base/mip/3/", false}, {"assets/a b.png", "/base/assets/a%20b.png", false},
		{"src/a.sol#L1", "https://git.example/blob/main/src/a.sol#L1", true},
		{"nowhere", "", false}, {"evil", "", false},
	} {
		got, ok := d.target(tt.dest, -1)
		if !ok {
			got = ""
		}
		if got != tt.want || strings.HasPrefix(got, "http") != tt.external ||
			ok != (tt.want != "") {
			t.Errorf("target(%q) = %q external %v, %v, want %q external %v", tt.dest, got,
				strings.HasPrefix(got, "http"), ok, tt.want, tt.external)
		}
	}
	d.links = nil
	if got, ok := d.target("mip-3.md", -1); ok {
		t.Errorf("target(mip-3.md) without Links = %q, want none", got)
	}
}
