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
		{name: "no end", file: "---\ntitle: A\n", err: "line 2: no line of three hyphens ends the header"},
		{name: "no title", file: "---\ntranslation-of: " + hash + "\n---\n", err: "line 3: the header has no title"},
		{name: "no hash", file: "---\ntitle: A\n---\n", err: "line 3: the header has no translation-of"},
		{name: "short hash", file: "---\ntranslation-of: 0a\n---\n", err: "line 2: translation-of is no contentHash: 64 hexadecimal digits in lower case"},
		{name: "twice", file: "---\ntitle: A\ntitle: B\n---\n", err: "line 3: title stands a second time"},
		{name: "folded", file: "---\ntitle: A\n  b\n---\n", err: "line 3: the value above goes on here; write it on one line"},
		{name: "direction", file: "---\ntitle: A\u202e\n---\n", err: "line 2: title: it holds control characters or characters that cannot be seen"},
		{name: "control character", file: "---\ntitle: A\n---\n\nb\x1b\n", err: "line 5: the control character U+001B"},
		{name: "not UTF-8", file: "---\ntitle: \xff\n", err: "line 2: not valid UTF-8"},
		{name: "block", file: "---\ntitle: |\n---\n", err: `line 2: title: it begins with "|": put it between double quotes`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := translationParser{values: map[string]string{}}
			err := p.parse(tt.file)
			if tt.err != "" {
				if err == nil || fmt.Sprintf("line %d: %v", p.line, err) != tt.err {
					t.Errorf("parse(%q): %v, want %s", tt.file, err, tt.err)
				}
				return
			}
			v := p.values
			if err != nil || v["translation-of"] != hash || v["title"] != tt.title || v["description"] != tt.description || p.body != tt.body {
				t.Errorf("parse(%q) = %q, %q, %v, want title %q, description %q, body %q", tt.file, v, p.body, err, tt.title, tt.description, tt.body)
			}
		})
	}
}
