package git

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLog(t *testing.T) {
	const old, one, two = "1111", "2222", "3333"
	in := "\x01aa 5 nothing below\x00\x00" +
		"\x01bb 7 two: files \x01\n:100644 100644 " + old + " " + one + " M\x00MIPs/a b.md\x00:000000 100755 0000 " + two + " A\x00\x01MIPs/ü.md\x00\x00" +
		"\x01cc 8\n::100644 100644 100644 " + old + " " + one + " " + two + " MM\x00merged\x00\x00" +
		"\x01dd 9 gone\n:100644 000000 " + old + " 0000 D\x00x\x00:100644 120000 " + old + " " + one + " T\x00link\x00"
	var got []string
	if err := parseLog(strings.NewReader(in), func(c Commit, f Touch) {
		got = append(got, fmt.Sprintf("%s %d %q: %q %s", c.Hash, c.When, c.Subject, f.Path, f.Blob))
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{`bb 7 "two: files \x01": "MIPs/a b.md" 2222`, `bb 7 "two: files \x01": "\x01MIPs/ü.md" 3333`, `cc 8 "": "merged" 3333`, `dd 9 "gone": "x" `, `dd 9 "gone": "link" `}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parseLog(%q) (-want +got):\n%s", in, diff)
	}
	for _, bad := range []string{"\x01aa\nx\x00", "\x01aa 5 s\nMIPs/1.md\x00a\x00", "\x01aa 5 s\n:1 2 3\x00a\x00"} {
		if err := parseLog(strings.NewReader(bad), func(Commit, Touch) {}); err == nil {
			t.Errorf("parseLog(%q): no error", bad)
		}
	}
}
