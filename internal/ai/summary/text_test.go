package summary

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/mip"
)

func TestUnits(t *testing.T) {
	for _, tt := range []struct{ name, markdown, want string }{
		{"sentences", "The first one stands by itself. The second one stands by itself too.", "The first one stands by itself.|The second one stands by itself too."},
		{"one points back", "The first one stands by itself. It points back at the first.", "The first one stands by itself. It points back at the first."},
		{"one points at nothing", "It points back at what is not there. Another one follows that stands.", ""},
		{"pointers of two words", "Validators sign each block of the epoch. Before that, they ask for the seed of it.", "Validators sign each block of the epoch. Before that, they ask for the seed of it."},
		{"a pointer of two words at nothing", "Until then, nodes have to keep both of the trees.", ""},
		{"a connective goes", "However, contracts that hold more will revert now.", "Contracts that hold more will revert now."},
		{"too short, too long", "Short one. " + strings.Repeat("Long ", 80) + "one.", ""},
		{"a question", "Why is this so, one may ask? Because it was always like this in here.", "Because it was always like this in here."},
		{"boilerplate", "The key words in this document are as in RFC 2119. See https://x.example for all of it.", ""},
		{"a placeholder", "The exact gas cost of this call is TBD for now.", ""},
		{"half a sentence", "- a fragment without a capital or a stop\n- Fragment with a capital only", ""},
		{"an item that is a sentence", "- The node must send the block again", "The node must send the block again."},
		{"an item that leads into code", "- The node must send it as\n\n```\nx\n```", ""},
		{"a list and its head", "The change has these parts:\n\n- one\n- two;\n- three.\n", "The change has these parts: one; two; three."},
		{"a head without a list", "The cost of a word is redefined as:\n\n```\nx\n```\n\n- one\n- two", ""},
		{"a formula", "Then $x$ is what the sender pays for it.", ""},
		{"hidden characters", "The sender pays\u202e for all of the gas here.", ""},
		{"an address", "The sender finds it at www.example.org in the end.", ""},
		{"a tag that was an entity", "The sender writes &lt;script&gt; into the field here.", ""},
		{"brackets", "The sender pays (and so on for all of the gas here.", ""},
	} {
		var got []string
		for _, u := range units(prose.Blocks(tt.markdown), nil) {
			got = append(got, u.text)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A long list is counted and not cut within an item, and lists of the compatibility come last.
func TestInventories(t *testing.T) {
	list := func(items string) string { return "- " + strings.Join(strings.Fields(items), "\n- ") + "\n" }
	got := inventories(&mip.Proposal{Sections: []mip.Section{
		{Level: 2, Title: "Backwards compatibility", Markdown: list("mainnet testnet")},
		{Level: 2, Title: "Specification", Markdown: list("first second third fourth fifth sixth seventh eighth")},
		{Level: 2, Title: "Changes", Markdown: list("alone")},
	}})
	want := []string{
		"Under “Specification” it lists: first; second; third; fourth; fifth; sixth; and 2 more.",
		"Under “Backwards compatibility” it lists: mainnet; testnet.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("inventories (-want +got):\n%s", diff)
	}
}

func TestQuotable(t *testing.T) {
	long := "The first clause of a long sentence says one thing, " + strings.Repeat("and then it goes on and on ", 12) + "until it ends."
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
		{0, "", abstract}, {1, "EIP-1 Reference", specification}, {2, "Simple Summary", abstract}, {2, "Motivation", motivation}, {3, "Specification of today", motivation},
		{2, "Specification", specification}, {3, "Header", specification}, {4, "Overview", specification}, {3, "Backwards compatibility", compatibility}, {3, "Test Cases", skipped},
		{4, "Security", skipped}, {2, "Rationale", rationale}, {3, "Why not?", rationale}, {2, "Security Considerations", security}, {2, "Drawbacks", impact},
		{2, "Reference Implementation", skipped}, {2, "Copyright", skipped}, {2, "Something else", specification}, {6, "Deep", other},
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
		p := &mip.Proposal{Summary: mip.Summary{Number: 8, Title: tt.title}}
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
			t.Errorf("kindOf(%q, %q, %q, meta %t) = %s, want %s", tt.kindType, tt.category, tt.title, tt.meta, got, tt.want)
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
