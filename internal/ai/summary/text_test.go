package summary

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// TestSentences checks which parts of a text are quoted for a group, and the statement about them.
// The statement is the quotes, unless it differs.
func TestSentences(t *testing.T) {
	for _, tt := range []struct{ name, markdown, quotes, statement string }{
		{"sentences", "Wallets lose the first field. Contracts that hash headers break.",
			"Wallets lose the first field.|Contracts that hash headers break.", ""},
		{"one points back", "Wallets lose the first field. They break contracts of banks.",
			"Wallets lose the first field. They break contracts of banks.", ""},
		{"one points at the document",
			"Wallets lose the first field. This proposal breaks contracts of banks.",
			"Wallets lose the first field.|This proposal breaks contracts of banks.", ""},
		{"one points at another paragraph",
			"Wallets lose the first field.\n\nThey break contracts of banks.",
			"Wallets lose the first field.", ""},
		{"too short", "Wallets break.", "", ""},
		{"too long", strings.Repeat("wallets ", 60) + "break.", "", ""},
		{"key words", "The key words of wallets break as in RFC 2119.", "", ""},
		{"an address", "Wallets break, see https://x.example for all of it.", "", ""},
		{"a host", "Wallets lose the field at www.example.org in the end.", "", ""},
		{"a placeholder", "Wallets break at a cost that is TBD for now.", "", ""},
		{"an item without a stop", "- Wallets lose the first field",
			"Wallets lose the first field", "Wallets lose the first field."},
		{"items and their lead",
			"The change has these parts:\n\n- wallets lose the first field\n- contracts of banks " +
				"break; and\n\n  tools that hash headers fail.",
			"wallets lose the first field|contracts of banks break; and|" +
				"tools that hash headers fail.",
			"The change has these parts: wallets lose the first field. The change has these " +
				"parts: contracts of banks break; and. tools that hash headers fail."},
		{"nested items and their leads",
			"- The outer item leads these:\n    - wallets lose the first field\n- The outer item " +
				"leads nothing\n    - contracts of banks break here",
			"wallets lose the first field|contracts of banks break here",
			"The outer item leads these: wallets lose the first field. " +
				"contracts of banks break here."},
		{"a lead that is too long",
			strings.Repeat("A lead of many words ", 15) + ":\n\n- wallets lose the first field",
			"wallets lose the first field", "wallets lose the first field."},
		{"a lead with an address",
			"At www.example.org there are:\n\n- wallets lose the first field",
			"wallets lose the first field", "wallets lose the first field."},
		{"a lead without a list",
			"The cost of a word is redefined as:\n\n```\nx\n```\n\n- wallets lose the first field",
			"wallets lose the first field", "wallets lose the first field."},
		{"a formula", "Wallets lose $x$ of the first field.", "", ""},
		{"hidden characters", "Wallets lose\u202e the first field.", "", ""},
		{"a tag that was an entity", "Wallets break by a &lt;script&gt; in the first field.", "",
			""},
		{"brackets", "Wallets break (and so on for all of the fields.", "", ""},
		{"figures", "Wallets 0x01 0x02 0x03 0x04 0x05 0x06 0x07 0x08 break", "", ""},
		{"code is a word", "Wallets at `0x0000_0000_0000_0000_0000` break.",
			"Wallets at `0x0000_0000_0000_0000_0000` break.", ""},
		{"a long sentence is cut behind a clause",
			"Wallets lose the first field of each key, " +
				strings.Repeat("and then it goes on and on ", 11) + "until it ends.",
			"Wallets lose the first field of each key",
			"Wallets lose the first field of each key, " +
				strings.Repeat("and then it goes on and on ", 11) + "until it ends."},
		{"a long sentence without clauses",
			"Wallets lose " + strings.Repeat("word ", 70) + "fields.", "", ""},
	} {
		got := Extract(says("Core", "Impact", tt.markdown)).Developers
		var quotes []string
		for _, e := range got.Evidence {
			quotes = append(quotes, e.Quote)
		}
		if diff := cmp.Diff(tt.quotes, strings.Join(quotes, "|")); diff != "" {
			t.Errorf("%s: quotes (-want +got):\n%s", tt.name, diff)
		}
		want := tt.statement
		if want == "" {
			want = strings.ReplaceAll(tt.quotes, "|", " ")
		}
		if got.Stated && got.Impact != want {
			t.Errorf("%s: it says %q, want %q", tt.name, got.Impact, want)
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

// TestSections checks what a heading does to the sentences below it: it makes them more or less
// likely to be quoted, or leaves them out.
func TestSections(t *testing.T) {
	// Each needs fewer points for its section than the one before.
	statements := []string{"Wallets use a field of each.", "Wallets lose a field of each.",
		"Wallets and contracts lose and remove 12 % of a field."}
	for headings, want := range map[string]int{
		"": 3, "Simple Summary": 3, "Abstract": 3, "Overview": 3,
		"Motivation": 2, "Motivation/Specification of today": 2, "Specification": 2,
		"Specification/Overview": 2, "Specification/Why not?": 2, "Specification/Impact": 2,
		"Something else": 2, "Security Considerations": 2, "Drawbacks": 2,
		"Backwards compatibility": 2, "Rationale/Security": 2,
		"Rationale": 1, "Why not?": 1, "Rationale/Overview": 1,
		"Reference Implementation": 0, "Copyright": 0, "Test Cases": 0, "Test Cases/Security": 0,
		"Specification/Test Cases": 0, "Abstract/References": 0,
	} {
		got := 0
		for _, statement := range statements {
			s := says("Core", "", statement)
			text := &s.Proposal.Sections[1]
			text.Level = 0
			if headings != "" {
				s.Proposal.Sections = s.Proposal.Sections[:1]
				for i, title := range strings.Split(headings, "/") {
					s.Proposal.Sections = append(s.Proposal.Sections,
						mip.Section{ID: "s", Level: 2 + i, Title: title})
				}
				text = &s.Proposal.Sections[len(s.Proposal.Sections)-1]
			}
			text.Markdown = "## Title\n\n" + statement + "\n"
			if Extract(s).Developers.Stated {
				got++
			}
		}
		if got != want {
			t.Errorf("below %q, %d of %d statements are quoted, want %d", headings, got,
				len(statements), want)
		}
	}
}

// TestKinds checks which kind a proposal has, by the least severities of a text that states
// nothing.
func TestKinds(t *testing.T) {
	const (
		core         = "medium low medium low"
		networking   = "low low medium low"
		applications = "medium low low low"
		process      = "low low low medium"
		hardfork     = "medium low high medium"
		none         = "low low low low"
	)
	for _, tt := range []struct{ kindType, category, title, want string }{
		{"Standards Track", "Core", "", core},
		{"Core", "Standard", "", core}, // SIMDs swap the two
		{"", "core ", "", core},
		{"Standards Track", "Networking", "", networking},
		{"Standards Track", "Interface", "", applications},
		{"Standards Track", "ERC", "", applications},
		{"Standards Track", "MRC", "", applications},
		{"Meta", "Hardfork", "", hardfork},
		{"Meta", "", "Hardfork Meta: Istanbul", hardfork},
		{"Meta", "Process", "", process},
		{"Informational", "", "", none},
		{"Standards Track", "Poetry", "", none},
		{"", "", "", none},
	} {
		s := says(tt.category, "Specification", "It is so.")
		s.Proposal.Title, s.Proposal.Type = tt.title, &tt.kindType
		sum := Extract(s)
		var got []string
		for _, x := range axes(&sum) {
			got = append(got, string(x.Severity))
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("type %q, category %q, title %q: severities %q, want %q", tt.kindType,
				tt.category, tt.title, got, tt.want)
		}
	}
}

// TestDescription checks how a description becomes the first line of a summary: addresses and
// markup are taken apart, and a long one is cut between words.
func TestDescription(t *testing.T) {
	for in, want := range map[string]string{
		" a\n b\tc ":                          "a b c.",
		"see https://x.example":               "see https: //x.example.",
		"javascript:// is taken apart":        "javascript : // is taken apart.",
		"[a](b)":                              "[a] (b).",
		"a <b>c</b>":                          "a ‹b>c‹/b>.",
		"`<b>` x":                             "`<b>` x.",
		"a\u202eb\u200bc":                     "abc.",
		"1 < 2":                               "1 < 2.",
		strings.Repeat("x", 401):              strings.Repeat("x", 399) + "…",
		strings.Repeat("灯", 399):              strings.Repeat("灯", 399) + ".",
		strings.Repeat("灯", 400) + "灯台":       strings.Repeat("灯", 399) + "…",
		strings.Repeat("one, two ", 45):       strings.Repeat("one, two ", 43) + "one, two…",
		strings.Repeat("ninechar ", 44) + "y": strings.Repeat("ninechar ", 44) + "y.",
	} {
		s := Subject{Proposal: lamp(), Now: noon}
		s.Proposal.Description, s.Proposal.Sections = &in, nil
		sum := Extract(s)
		if sum.TLDR != want {
			t.Errorf("the description %q becomes %q, want %q", in, sum.TLDR, want)
		}
		if err := Check(sum, s); err != nil {
			t.Errorf("the description %q: %v", in, err)
		}
	}
}
