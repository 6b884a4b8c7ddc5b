package summary

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
)

func TestBlocks(t *testing.T) {
	for _, tt := range []struct{ name, markdown, want string }{ // want: blocks by " / ", items with a dash
		{"paragraphs", "## Title\n\nOne\ntwo.\n\nThree.", "One two. / Three."},
		{"underlined heading", "Title\n=====\n\nOne.", "One."},
		{"heading without a blank line", "# A\nOne.\n## B\nTwo.", "One. / Two."},
		{"list", "Intro:\n- one\n- two\n  goes on\n\n3. three\n4) four", "Intro: / -one / -two goes on / -three / -four"},
		{"tasks", "- [x] done\n- [ ] open", "-done / -open"},
		{"nested list", "- a\n    - b\n        - c", "-a / -b / -c"},
		{"paragraph of an item", "- a\n\n    more of a\n\nOut.", "-a / more of a / Out."},
		{"code", "A.\n```go\nB.\n```\nC.\n~~~\nD.\n~~~", "A. / C."},
		{"fence that stays open", "A.\n```\nB.", "A."},
		{"fence in a list", "- A.\n  ```\n  B.\n  ```\n- C.", "-A. / -C."},
		{"three backticks in a line", "``` x ``` is code.", "``` x ``` is code."},
		{"indented code", "A.\n\n    B.\n    C.\n\nD.", "A. / D."},
		{"table", "A.\n\n| B | C |\n|---|---|\n| d | e |\nstill\n\nF.", "A. / F."},
		{"table without outer bars", "B | C\n--- | ---\nd | e\n\nF.", "F."},
		{"quote", "A.\n\n> B.\nlazy.\n\nC.", "A. / C."},
		{"comment", "A.\n<!-- B.\nC. -->\nD.\n<!-- E. -->\nF.", "A. / D. / F."},
		{"formula", "A.\n$$\nB.\n$$\nC.\n$$ D. $$\nE.", "A. / C. / E."},
		{"HTML", "A.\n\n<div class=x>\nB.\n</div>\n\n<sub>C</sub> is prose.", "A. / <sub>C</sub> is prose."},
		{"definitions", "A.\n\n[b]: https://b.example\n[^c]: D.\n    E.\n\nF.", "A. / F."},
		{"rule", "A.\n\n---\n\nB.\n\n* * *\n\nC.", "A. / B. / C."},
		{"not a list", "-1 is less.\n\n3.5 is more.\n\n*emphasis* is not.", "-1 is less. / 3.5 is more. / *emphasis* is not."},
		{"nothing", "\n \n\t\n", ""},
	} {
		var got []string
		for _, b := range blocks(tt.markdown) {
			if b.item {
				b.text = "-" + b.text
			}
			got = append(got, b.text)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " / ")); diff != "" {
			t.Errorf("%s: blocks(%q) (-want +got):\n%s", tt.name, tt.markdown, diff)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct{ text, want string }{ // want: with a bar at every cut
		{"One. Two! Three? Four", "One.|Two!|Three?|Four"},
		{"See e.g. Figure 1, i.e. the first, cf. Smith et al. Nobody else. Next.", "See e.g. Figure 1, i.e. the first, cf. Smith et al. Nobody else.|Next."},
		{"It is 3.5 ms. No. 5 is alive. So says V. Buterin. Yes.", "It is 3.5 ms.|No. 5 is alive.|So says V. Buterin.|Yes."},
		{"Call `a.b(). C`. Then [x. Y](z. Q). End.", "Call `a.b(). C`.|Then [x. Y](z. Q).|End."},
		{"Go to https://a.example/x. Then <https://b.example/?a. B>. End.", "Go to https://a.example/x.|Then <https://b.example/?a. B>.|End."},
		{"(This is. All one.) Next.", "(This is. All one.)|Next."},
		{"An open ( never closes. Next.", "An open ( never closes.|Next."},
		{"He said \"stop.\" She did. **Bold.** After.[^1] End.", "He said \"stop.\"|She did.|**Bold.**|After.[^1]|End."},
		{"The version 1.0. and more. eth_call goes on. lower does not.", "The version 1.0. and more.|eth_call goes on. lower does not."},
		{"これは文です。次の文です。", "これは文です。|次の文です。"},
		{"What?! Really... Yes.", "What?!|Really...|Yes."},
		{"1. is a number. Two.", "1. is a number.|Two."},
		{"etc. The end.", "etc.|The end."},
		{"", ""},
	} {
		if got := strings.Join(split(tt.text), "|"); got != tt.want {
			t.Errorf("split(%q)\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func TestPlain(t *testing.T) {
	labels := map[string]bool{"ref": true}
	for in, want := range map[string]string{
		"**Bold** and *slanted*, __both__ _ways_, ***all***":   "Bold and slanted, both ways, all",
		"snake_case and WINDOW * TARGET and 2*3 and ~~gone~~":  "snake_case and WINDOW * TARGET and 2*3 and gone",
		"[text](https://a.example \"t\") and [MIP-7](./x(1))":  "text and MIP-7",
		"[Ref] and [that][ref] and [ref][] but [other] [0, 1]": "Ref and that and ref but [other] [0, 1]",
		"![image](a.png) after":                                "after",
		"code `a*b*` and ``a ` b``":                            "code `a*b*` and `a ` b`",
		"M<sub>n</sub> = 2<sup>192</sup> − x<sub>n−1</sub>":    "M_n = 2^192 − x_(n−1)",
		"a<br>b <b>c</b> <https://x.example> &amp; &lt;":       "a b c https://x.example & <",
		`escaped \*stars\* and \_bars\_`:                       "escaped *stars* and _bars_",
		"a note[^1] stands":                                    "a note stands",
		"1 < 2 and 3 > 2":                                      "1 < 2 and 3 > 2",
		"[open and `open":                                      "[open and open",
		"[**`f()`** is](x) fine":                               "`f()` is fine",
	} {
		if got := plain(in, labels); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, tt := range []struct{ name, markdown, want string }{
		{"sentences", "The first one stands by itself. The second one stands by itself too.", "The first one stands by itself.|The second one stands by itself too."},
		{"one points back", "The first one stands by itself. It points back at the first.", "The first one stands by itself. It points back at the first."},
		{"one points at nothing", "It points back at what is not there. Another one follows that stands.", ""},
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
		for _, u := range units(blocks(tt.markdown), nil) {
			got = append(got, u.text)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
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
		{"Standards Track", "Networking", "", false, networking},
		{"Standards Track", "Interface", "", false, interfaces},
		{"Standards Track", "ERC", "", false, convention},
		{"Standards Track", "MRC", "", false, convention},
		{"Meta", "Hardfork", "", false, hardfork},
		{"Meta", "", "Hardfork Meta: Istanbul", false, hardfork},
		{"Meta", "Process", "", false, process},
		{"Meta", "Process", "", true, hardfork},
		{"Informational", "", "", false, informational},
		{"Standards Track", "Poetry", "", false, unknown},
		{"", "", "", false, unknown},
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

func TestObliges(t *testing.T) {
	for _, tt := range []struct {
		a    axis
		text string
		want bool
	}{
		{validators, "Validators must upgrade their nodes before activation.", true},
		{validators, "Node operators have to restart with the new flag.", true},
		{validators, "Operators of nodes are required to upgrade.", true},
		{validators, "A node MUST answer with an error.", false}, // its software does
		{validators, "A validator MUST NOT vote for such a block.", false},
		{users, "Users have to sign again.", true},
		{users, "The user's balance must suffice.", false},
		{users, "Holders who have approved need to approve again.", true},
		{users, "Users need no new wallet.", false},
		{users, "Users do not have to act.", false},
		{users, "Wallets must show the fee.", false},
		{developers, "Wallets must show the fee.", true},
		{developers, "Wallets and tools that cache it must forget it.", true},
		{developers, "Bridges no longer need to keep a committee.", false},
		{developers, "`contract` must be set.", false},
		{foundation, "An editor must merge it.", true},
	} {
		if got := obliges(words(tt.text), tt.a); got != tt.want {
			t.Errorf("obliges(%q, %s) = %t, want %t", tt.text, tt.a, got, tt.want)
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
		if got != want || checkText(got, 18) != nil {
			t.Errorf("fit(%q) = %q, %v; want %q", in, got, checkText(got, 18), want)
		}
	}
}
