package rendertest

import (
	"bytes"
	"encoding/xml"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// StrictXML decodes a whole document and fails on what the decoder accepts wrongly: characters that
// XML 1.0 excludes and text after the end.
func StrictXML(t *testing.T, b []byte, v any) {
	t.Helper()
	if !bytes.HasPrefix(b, []byte(`<?xml version="1.0" encoding="UTF-8"?>`)) {
		t.Errorf("no XML declaration in %.60q", b)
	}
	if err := xml.Unmarshal(b, v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	i := bytes.IndexFunc(b, func(r rune) bool {
		return r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff
	})
	if i >= 0 {
		t.Errorf("control character at byte %d: %q", i, b[max(0, i-20):min(len(b), i+20)])
	}
}

func Same(t *testing.T, what, got, want string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

func Absolute(t *testing.T, s string) {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" || strings.ContainsAny(s, " <>\"") {
		t.Errorf("%q (%v), want an Absolute address", s, err)
	}
}

func CheckTimes(t *testing.T, what string, got []string, layout string, want *mip.Time) {
	t.Helper()
	if want == nil {
		if len(got) != 0 {
			t.Errorf("%s %q, want none", what, got)
		}
		return
	}
	if len(got) != 1 || got[0] != want.UTC().Format(layout) {
		t.Errorf("%s %q, want %q", what, got, want.UTC().Format(layout))
	}
}

func TextOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}
