package corpus

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseTranslation(t *testing.T) {
	hash := strings.Repeat("0a", 32)
	for _, tt := range []struct {
		name, file               string
		title, description, body string
		err                      string
	}{
		{name: "plain", file: "---\nmip: 7\ntitle: Eine Spur: für Stimmen\ndescription: Datagramme\ntranslation-of: " + hash + "\n---\n\n# Text\n",
			title: "Eine Spur: für Stimmen", description: "Datagramme", body: "\n# Text\n"},
		{name: "byte order mark and CRLF", file: "\uFEFF---\r\ntitle: A\r\ntranslation-of: " + hash + "\r\n---\r\nb\r\n", title: "A", body: "b\n"},
		{name: "quotes", file: "---\ntitle: \"A \\\"b\\\"\"\ndescription: 'c''d'\ntranslation-of: " + hash + "\n---\n", title: `A "b"`, description: "c'd"},
		{name: "lists of others", file: "---\n# c\nrequires:\n  - 3\n- 4\n\ntitle: A\ntranslation-of: " + hash + "\n---", title: "A"},
		{name: "empty", err: "line 1: the file does not begin with a line of three hyphens"},
		{name: "no end", file: "---\ntitle: A\n", err: "line 1: the header is not closed: put a line with --- where it ends, which seems to be here"},
		{name: "no title", file: "---\ntranslation-of: " + hash + "\n---\n", err: "line 3: the header has no title"},
		{name: "no hash", file: "---\ntitle: A\n---\n", err: "line 3: the header has no translation-of"},
		{name: "short hash", file: "---\ntranslation-of: 0a\n---\n", err: "line 2: translation-of is no contentHash: 64 hexadecimal digits in lower case"},
		{name: "twice", file: "---\ntitle: A\ntitle: B\n---\n", err: `line 3: "title" is stated a second time (first on line 2): the first value that is not empty counts`},
		{name: "folded", file: "---\ntitle: A\n  b\ntranslation-of: " + hash + "\n---\n", title: "A b"},
		{name: "direction", file: "---\ntitle: A\u202e\n---\n", err: "line 2: title holds a character that changes the direction of text"},
		{name: "control character", file: "---\ntitle: A\n---\n\nb\x1b\n", err: "line 5: the control character U+001B"},
		{name: "not UTF-8", file: "---\ntitle: \xff\n", err: "line 2: byte 0xFF is not valid UTF-8; save the file as UTF-8"},
		{name: "block", file: "---\ntitle: |\n  A\ntranslation-of: " + hash + "\n---\n", title: "A"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &report{}
			v, doc, _ := parseTranslation(tt.file, r)
			if tt.err != "" {
				if len(r.problems) == 0 || fmt.Sprintf("line %d: %s", r.problems[0].Line, r.problems[0].Message) != tt.err {
					t.Errorf("parseTranslation(%q): %v, want %s", tt.file, r.problems, tt.err)
				}
				return
			}
			if len(r.problems) > 0 {
				t.Fatalf("parseTranslation(%q): %v", tt.file, r.problems)
			}
			title, description := v.get("title").text(), v.get("description").text()
			if v.get("translation-of").text() != hash || title != tt.title || description != tt.description || string(doc.Body) != tt.body {
				t.Errorf("parseTranslation(%q): title %q, description %q, body %q", tt.file, title, description, doc.Body)
			}
		})
	}
}
