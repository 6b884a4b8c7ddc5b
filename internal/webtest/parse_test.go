package webtest

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

func TestParse(t *testing.T) {
	s, err := parse("a.web", []byte("json \"a b\".*.0.\"*\"   ~   x  y \r\n\n\tPOST\t  /a?b=%20 \nwith  X-A:  one: two \nsend  {\"a\": 1} \nsend\non 200,404 code != 500\nkeep part2 = json . ~ (.)\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := &script{
		file:   "a.web",
		always: []statement{{line: 1, part: part{kind: "json", path: []step{{"a b", true}, {"*", false}, {"0", false}, {"*", true}}}, op: "~", want: "x  y"}},
		cases: []*testCase{{
			request: request{line: 3, method: "POST", path: "/a?b=%20", fields: [][2]string{{"X-A", "one: two"}}, body: []string{`{"a": 1}`, ""}},
			then: []statement{
				{line: 7, codes: []int{200, 404}, part: part{kind: "code"}, op: "!=", want: "500"},
				{line: 8, keep: "part2", part: part{kind: "json"}, op: "~", want: "(.)"},
			},
		}},
	}
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(script{}, testCase{}, request{}, statement{}, part{}, step{})); diff != "" {
		t.Errorf("parse (-want +got):\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	const get = "GET /a\ncode == 200\n"
	tests := []struct {
		name, in string
		want     []string
	}{
		{"empty", "", []string{"s.web:1: no request; want a line such as GET /api/v1/mips"}},
		{"only comments", "# a\n\n", []string{"s.web:1: no request; want a line such as GET /api/v1/mips"}},
		{"only what is always true", "code == 200\n", []string{"s.web:1: no request; want a line such as GET /api/v1/mips"}},
		{"not UTF-8", "GET /\xff\n", []string{"s.web:1: not UTF-8"}},
		{"no path", "GET\n", []string{`s.web:1: want a method and a path that starts with a slash and holds no blank, got "GET"`}},
		{"path without slash", "GET a\ncode == 200\n", []string{`s.web:1: want a method and a path that starts with a slash and holds no blank, got "GET a"`}},
		{"protocol", "GET /a HTTP/1.1\ncode == 200\n", []string{`s.web:1: want a method and a path that starts with a slash and holds no blank, got "GET /a HTTP/1.1"`}},
		{"nothing said", "GET /a\n\n" + get + "GET /b\nwith A: b\n", []string{"s.web:1: GET /a: nothing is said of its answer", "s.web:5: GET /b: nothing is said of its answer"}},
		{"unknown word", get + "status == 200\n", []string{`s.web:3: unknown word "status"; want a method in capitals, if, with, send, on, keep, code, header, body or json`}},
		{"method in small letters", "get /a\n" + get, []string{`s.web:1: unknown word "get"; want a method in capitals, if, with, send, on, keep, code, header, body or json`}},
		{"request before its line", "with A: b\n" + get, []string{"s.web:1: with is part of a request: it stands after the line with the method, before what is said of the answer"}},
		{"request after the answer", get + "send a\n", []string{"s.web:3: send is part of a request: it stands after the line with the method, before what is said of the answer"}},
		{"header field", "GET /a\nwith A b\nwith A : b\nwith : b\ncode == 200\n", []string{
			`s.web:2: want a header field such as Accept: text/html, got "A b"`,
			`s.web:3: want a header field such as Accept: text/html, got "A : b"`,
			`s.web:4: want a header field such as Accept: text/html, got ": b"`}},
		{"comparison", get + "code\nbody is a\nheader A = b\nheader A ==b\njson a\n", []string{
			`s.web:3: unknown comparison ""; want ==, !=, ~, !~, contains, exists or absent`,
			`s.web:4: unknown comparison "is"; want ==, !=, ~, !~, contains, exists or absent`,
			`s.web:5: unknown comparison "="; want ==, !=, ~, !~, contains, exists or absent`,
			`s.web:6: unknown comparison "==b"; want ==, !=, ~, !~, contains, exists or absent`,
			`s.web:7: unknown comparison ""; want ==, !=, ~, !~, contains, exists or absent`}},
		{"nothing to compare with", get + "body ~\nbody !~ \nheader A contains\n", []string{"s.web:3: nothing after ~", "s.web:4: nothing after !~", "s.web:5: nothing after contains"}},
		{"too much", get + "header A exists b\njson a absent b\n", []string{`s.web:3: "b" after exists, which ends a line`, `s.web:4: "b" after absent, which ends a line`}},
		{"expression", get + "body ~ (\njson a !~ [b-a]\nkeep x = body ~ *\n", []string{
			"s.web:3: error parsing regexp: missing closing ): `(`",
			"s.web:4: error parsing regexp: invalid character class range: `b-a`",
			"s.web:5: error parsing regexp: missing argument to repetition operator: `*`"}},
		{"code", "GET /a\ncode == OK\ncode == 99\ncode == 600\ncode contains 2\ncode exists\n", []string{
			`s.web:2: want a status code from 100 to 599, got "OK"`,
			`s.web:3: want a status code from 100 to 599, got "99"`,
			`s.web:4: want a status code from 100 to 599, got "600"`,
			"s.web:5: a code is compared by ==, !=, ~ or !~, not by contains",
			"s.web:6: a code is compared by ==, !=, ~ or !~, not by exists",
			"s.web:1: GET /a: nothing is said of its answer"}},
		{"body exists", get + "body exists\n", []string{"s.web:3: a body always exists; want body == or body !="}},
		{"on", get + "on\non 200\non x code == 200\non 200, code == 200\non 200 if x\n", []string{
			`s.web:3: want a status code from 100 to 599, got ""`,
			`s.web:4: unknown word ""; want a method in capitals, if, with, send, on, keep, code, header, body or json`,
			`s.web:5: want a status code from 100 to 599, got "x"`,
			`s.web:6: want a status code from 100 to 599, got ""`,
			`s.web:7: unknown word "if"; want a method in capitals, if, with, send, on, keep, code, header, body or json`}},
		{"header name", get + "header\nheader A: b\n", []string{`s.web:3: want the name of a header field, got ""`, `s.web:4: want the name of a header field, got "A:"`}},
		{"path", get + "json\njson a..b exists\njson a. exists\njson \"a exists\njson \"a\"b exists\njson a\"b\" exists\njson \"a\nb\" exists\njson .a exists\n", []string{
			"s.web:3: want a path such as mips.0.title",
			"s.web:4: want a path such as mips.0.title",
			"s.web:5: want a path such as mips.0.title",
			"s.web:6: a key in the path has no closing quote",
			"s.web:7: want a dot between the keys of the path",
			"s.web:8: want a dot between the keys of the path",
			"s.web:9: a key in the path has no closing quote",
			`s.web:10: unknown word "b\""; want a method in capitals, if, with, send, on, keep, code, header, body or json`,
			"s.web:11: want a path such as mips.0.title"}},
		{"keep", "keep a = code\n" + get + "keep\nkeep A = code\nkeep a code\nkeep a = what\nkeep a = header\nkeep a = header B == c\nkeep a = body ~\n", []string{
			"s.web:1: keep stands below a request",
			`s.web:4: want such as keep tag = header ETag, got ""`,
			`s.web:5: want such as keep tag = header ETag, got "A = code"`,
			`s.web:6: want such as keep tag = header ETag, got "a code"`,
			`s.web:7: unknown word "what"; want a method in capitals, if, with, send, on, keep, code, header, body or json`,
			`s.web:8: want the name of a header field, got ""`,
			`s.web:9: want ~ and a regular expression or nothing, got "== c"`,
			"s.web:10: nothing after ~"}},
		{"name that nothing keeps", "GET /{{a}}\nif b\nwith C: {{c}}\nsend {{d}}\ncode ~ {{e}}\nkeep g = body ~ {{f}}\nkeep a = code\nbody == {{a}}{{h i}}\n" + "GET /{{a}}\nif \ncode == 200\n", []string{
			`s.web:1: no line before keeps a value as "a"`,
			`s.web:2: no line before keeps a value as "b"`,
			`s.web:3: no line before keeps a value as "c"`,
			`s.web:4: no line before keeps a value as "d"`,
			`s.web:5: no line before keeps a value as "e"`,
			`s.web:6: no line before keeps a value as "f"`,
			`s.web:8: no line before keeps a value as "h i"`,
			`s.web:10: no line before keeps a value as ""`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parse("s.web", []byte(tt.in))
			var got []string
			if err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("parse(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

// FuzzParse holds that no script panics, neither when it is read nor over an answer, that each line of
// an error names the file and a line, and that what is accepted says something of every request.
func FuzzParse(f *testing.F) {
	names, err := filepath.Glob("testdata/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // the fuzzer's own folder
		}
		if filepath.Ext(name) == ".txtar" {
			text = txtar.Parse(text).Files[0].Data
		}
		f.Add(text)
	}
	a := newAnswer(http.StatusOK, http.Header{"Etag": {`"v1"`}}, []byte(notes))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parse("s.web", text)
		if err != nil {
			if joined, ok := errors.AsType[interface {
				error
				Unwrap() []error
			}](err); ok {
				for _, e := range joined.Unwrap() {
					if !strings.HasPrefix(e.Error(), "s.web:") {
						t.Errorf("parse(%q): error %q, want it to begin with file and line", text, e)
					}
				}
			}
			return
		}
		kept := map[string]string{}
		for _, c := range s.cases {
			if c.line == 0 || c.method == "" || c.path == "" || len(s.always)+len(c.then) == 0 {
				t.Errorf("parse(%q): case %+v", text, c)
			}
			for _, st := range append(s.always, c.then...) {
				// What it says of the answer is not the point.
				_ = st.run(a, kept)
			}
			if ready, err := c.expand(kept); err == nil && !strings.HasPrefix(ready.path, "/") {
				t.Errorf("parse(%q): path %q", text, ready.path)
			}
		}
	})
}
