package summary

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
)

func TestCandidates(t *testing.T) {
	for _, tt := range []struct{ name, markdown, want string }{
		{"sentences", "The first one stands by itself. The second one stands by itself too.",
			"The first one stands by itself.|The second one stands by itself too."},
		{"one points back", "The first one stands by itself. It points back at the first.",
			"The first one stands by itself.|The first one stands by itself. It points back at " +
				"the first."},
		{"one points at the document",
			"The first one stands by itself. This proposal points at the document.",
			"The first one stands by itself.|This proposal points at the document."},
		{"one points at another paragraph",
			"The first one stands by itself.\n\nIt points back at what is not there.",
			"The first one stands by itself.|It points back at what is not there."},
		{"too short, too long", "Short one. " + strings.Repeat("Long ", 100) + "one.", ""},
		{"boilerplate", "The key words in this document are as in RFC 2119. See " +
			"https://x.example " +
			"" +
			"for all of it.", ""},
		{"a placeholder", "The exact gas cost of this call is TBD for now.", ""},
		{"an item without a stop", "- The node must send the block again",
			"The node must send the block again."},
		{"an item and its lead",
			"The change has these parts:\n\n- the first of the parts\n- the second of the parts; " +
				"and\n\n  more of it that stands alone",
			"The change has these parts: the first of the parts.|The change has these parts: the " +
				"second of the parts; and.|more of it that stands alone."},
		{"a nested item and its lead",
			"- The outer item leads these:\n    - the inner item of it\n- The outer item leads " +
				"nothing\n    - the inner item alone",
			"The outer item leads these: the inner item of it.|The outer item leads nothing.|the " +
				"inner item alone."},
		{"a lead that is too long", strings.Repeat("A lead of many words ",
			15) + ":\n\n- the first of its items", "the first of its items."},
		{"a lead with an address", "At www.example.org there are:\n\n- the first of the parts",
			"the first of the parts."},
		{"a lead without a list",
			"The cost of a word is redefined as:\n\n```\nx\n```\n\n- one item of another list",
			"one item of another list."},
		{"a formula", "Then $x$ is what the sender pays for it.", ""},
		{"hidden characters", "The sender pays\u202e for all of the gas here.", ""},
		{"an address", "The sender finds it at www.example.org in the end.", ""},
		{"a tag that was an entity", "The sender writes &lt;script&gt; into the field here.", ""},
		{"brackets", "The sender pays (and so on for all of the gas here.", ""},
		{"figures", "0x01 0x02 0x03 0x04 0x05 0x06 0x07 0x08", ""},
		{"code is a word", "The `0x0000_0000_0000_0000_0000` address burns.",
			"The `0x0000_0000_0000_0000_0000` address burns."},
	} {
		var got []string
		p := lamp()
		p.Sections = []mip.Section{{Level: 2, Title: "Specification", Markdown: tt.markdown}}
		all, _ := sentences(Subject{Proposal: p})
		for _, x := range all {
			got = append(got, x.text)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A long list is counted and not cut within an item, and lists of the compatibility come last.
func TestInventories(t *testing.T) {
	list := func(items string) string {
		return "- " + strings.Join(strings.Fields(items),
			"\n- ") + "\n"
	}
	p := lamp()
	p.Sections = []mip.Section{
		{Level: 2, Title: "Backwards compatibility", Markdown: list("mainnet testnet")},
		{Level: 2, Title: "Specification",
			Markdown: list("first second third fourth fifth sixth seventh eighth")},
		{Level: 2, Title: "Changes", Markdown: list("alone")},
	}
	got := Extract(Subject{Proposal: p}).WhatsChanging
	want := []string{
		"Under “Specification” it lists: first; second; third; fourth; fifth; sixth; and 2 more.",
		"Under “Backwards compatibility” it lists: mainnet; testnet.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("inventories (-want +got):\n%s", diff)
	}
}

func TestQuotable(t *testing.T) {
	long := "The first clause of a long sentence says one thing, " + strings.Repeat("and then it "+
		"goes on and on ", 12) + "until it ends."
	for in, want := range map[string]string{
		"A sentence of fair length.": "A sentence of fair length.",
		"Short":                      "",
		long:                         "The first clause of a long sentence says one thing",
		strings.Repeat("word ", 80):  "",
	} {
		if got := quotable(in); got != want {
			t.Errorf("quotable(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestRoles(t *testing.T) {
	var sections []mip.Section
	var want []role
	for _, s := range []struct {
		level int
		title string
		role  role
	}{
		{0, "", abstract}, {1, "EIP-1 Reference", specification}, {2, "Simple Summary", abstract},
		{2, "Motivation", motivation}, {3, "Specification of today", motivation},
		{2, "Specification", specification}, {3, "Header", specification}, {4, "Overview",
			specification}, {3, "Backwards compatibility", compatibility}, {3, "Test Cases",
			skipped},
		{4, "Security", skipped}, {2, "Rationale", rationale}, {3, "Why not?", rationale}, {2,
			"Security Considerations", security}, {2, "Drawbacks", impact},
		{2, "Reference Implementation", skipped}, {2, "Copyright", skipped}, {2, "Something else",
			specification}, {6, "Deep", other},
	} {
		sections = append(sections, mip.Section{Level: s.level, Title: s.title})
		want = append(want, s.role)
	}
	sections[1].Title, want[1] = "EIP-1: A title", other
	want[len(want)-2] = other
	if diff := cmp.Diff(want, roles(sections)); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
}

func TestKindOf(t *testing.T) {
	for _, tt := range []struct {
		kindType, category, title string
		meta                      bool
		want                      kind
	}{
		{"Standards Track", "Core", "", false, core},
		{"Core", "Standard", "", false, core}, // SIMDs swap the two
		{"", "core ", "", false, core},
		{"Standards Track", "Networking", "", false, "networking"},
		{"Standards Track", "Interface", "", false, interfaces},
		{"Standards Track", "ERC", "", false, convention},
		{"Standards Track", "MRC", "", false, convention},
		{"Meta", "Hardfork", "", false, hardfork},
		{"Meta", "", "Hardfork Meta: Istanbul", false, hardfork},
		{"Meta", "Process", "", false, "process"},
		{"Meta", "Process", "", true, hardfork},
		{"Informational", "", "", false, informational},
		{"Standards Track", "Poetry", "", false, ""},
		{"", "", "", false, ""},
	} {
		p := &mip.Proposal{Metadata: mip.Metadata{Number: 8, Title: tt.title}}
		if tt.kindType != "" {
			p.Type = &tt.kindType
		}
		if tt.category != "" {
			p.Category = &tt.category
		}
		s := Subject{Proposal: p}
		if tt.meta {
			s.Fork = new(beacon())
		}
		if got := kindOf(s); got != tt.want {
			t.Errorf("kindOf(%q, %q, %q, meta %t) = %s, want %s", tt.kindType, tt.category,
				tt.title, tt.meta, got, tt.want)
		}
	}
}

func TestFit(t *testing.T) {
	for in, want := range map[string]string{
		" a\n b\tc ":              "a b c",
		"one two three four five": "one two three…",
		"see https://x.example":   "see https…",
		"[a](b)":                  "[a] (b)",
		"a <b>c</b>":              "a ‹b>c‹/b>",
		"`<b>` x":                 "`<b>` x",
		"a\u202eb\u200bc":         "abc",
		strings.Repeat("x", 30):   strings.Repeat("x", 17) + "…",
		"1 < 2":                   "1 < 2",
		strings.Repeat("灯", 18) + "灯台灯台": strings.Repeat("灯", 17) + "…",
	} {
		got := fit(in, 18)
		if got != want || faultOf(got, 18) != "" {
			t.Errorf("fit(%q) = %q, %q; want %q", in, got, faultOf(got, 18), want)
		}
	}
}
