package webtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseErrors(t *testing.T) {
	const get = "GET /a\ncode == 200\n"
	tests := []struct {
		name, in string
		want     []int // lines
	}{
		{"empty", "", []int{1}},
		{"only comments", "# a\n\n", []int{1}},
		{"only what is always true", "code == 200\n", []int{1}},
		{"not UTF-8", "GET /\xff\n", []int{1}},
		{"no path", "GET\n", []int{1}},
		{"path without slash", "GET a\ncode == 200\n", []int{1}},
		{"protocol", "GET /a HTTP/1.1\ncode == 200\n", []int{1}},
		{"nothing said", "GET /a\n\n" + get + "GET /b\nwith A: b\n", []int{1, 5}},
		{"unknown word", get + "status == 200\n", []int{3}},
		{"method in small letters", "get /a\n" + get, []int{1}},
		{"request before its line", "with A: b\n" + get, []int{1}},
		{"request after the answer", get + "send a\n", []int{3}},
		{"header field", "GET /a\nwith A b\nwith A : b\nwith : b\ncode == 200\n", []int{2, 3, 4}},
		{"comparison", get + "code\nbody is a\nheader A = b\nheader A ==b\njson a\n",
			[]int{3, 4, 5, 6, 7}},
		{"nothing to compare with", get + "body ~\nbody !~ \nheader A contains\n", []int{3, 4, 5}},
		{"too much", get + "header A exists b\njson a absent b\n", []int{3, 4}},
		{"expression", get + "body ~ (\njson a !~ [b-a]\nkeep x = body ~ *\n", []int{3, 4, 5}},
		{"code", "GET /a\ncode == OK\ncode == 99\ncode == 600\ncode contains 2\ncode exists\n",
			[]int{2, 3, 4, 5, 6, 1}},
		{"body exists", get + "body exists\n", []int{3}},
		{"on", get + "on\non 200\non x code == 200\non 200, code == 200\non 200 if x\n",
			[]int{3, 4, 5, 6, 7}},
		{"header name", get + "header\nheader A: b\n", []int{3, 4}},
		{"path", get + "json\njson a..b exists\njson a. exists\njson \"a exists\n" +
			"json \"a\"b exists\njson a\"b\" exists\njson \"a\nb\" exists\njson .a exists\n",
			[]int{3, 4, 5, 6, 7, 8, 9, 10, 11}},
		{"keep", "keep a = code\n" + get +
			"keep\nkeep A = code\nkeep a code\nkeep a = what\nkeep a = header\n" +
			"keep a = header B == c\nkeep a = body ~\n", []int{1, 4, 5, 6, 7, 8, 9, 10}},
		{"name that nothing keeps",
			"GET /{{a}}\nif b\nwith C: {{c}}\nsend {{d}}\ncode ~ {{e}}\n" +
				"keep g = body ~ {{f}}\nkeep a = code\nbody == {{a}}{{h i}}\n" +
				"GET /{{a}}\nif \ncode == 200\n", []int{1, 2, 3, 4, 5, 6, 8, 10}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parse("s.web", []byte(tt.in))
			var got []int
			for line := range strings.Lines(fmt.Sprint(err)) {
				var n int
				if _, err := fmt.Sscanf(line, "s.web:%d: ", &n); err != nil {
					t.Errorf("parse(%q): %q, want file and line first", tt.in, line)
				}
				got = append(got, n)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("parse(%q): %v; lines (-want +got):\n%s", tt.in, err, diff)
			}
		})
	}
}
