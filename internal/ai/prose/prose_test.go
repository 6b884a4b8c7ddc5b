package prose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBlocks(t *testing.T) {
	// want: blocks by " / ", items with a dash
	for _, tt := range []struct{ name, markdown, want string }{
		{"paragraphs", "## Title\n\nOne\ntwo.\n\nThree.", "One two. / Three."},
		{"underlined heading", "Title\n=====\n\nOne.", "One."},
		{"heading without a blank line", "# A\nOne.\n## B\nTwo.", "One. / Two."},
		{"list", "Intro:\n- one\n- two\n  goes on\n\n3. three\n4) four",
			"Intro: / -one / -two goes on / -three / -four"},
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
		{"HTML", "A.\n\n<div class=x>\nB.\n</div>\n\n<sub>C</sub> is prose.",
			"A. / <sub>C</sub> is prose."},
		{"definitions", "A.\n\n[b]: https://b.example\n[^c]: D.\n    E.\n\nF.", "A. / F."},
		{"rule", "A.\n\n---\n\nB.\n\n* * *\n\nC.", "A. / B. / C."},
		{"not a list", "-1 is less.\n\n3.5 is more.\n\n*emphasis* is not.",
			"-1 is less. / 3.5 is more. / *emphasis* is not."},
		{"nothing", "\n \n\t\n", ""},
	} {
		var got []string
		for _, b := range Blocks(tt.markdown) {
			if b.Item {
				b.Text = "-" + b.Text
			}
			got = append(got, b.Text)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " / ")); diff != "" {
			t.Errorf("%s: Blocks(%q) (-want +got):\n%s", tt.name, tt.markdown, diff)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct{ text, want string }{ // want: with a bar at every cut
		{"One. Two! Three? Four", "One.|Two!|Three?|Four"},
		{"See e.g. Figure 1, i.e. the first, cf. Smith et al. Nobody else. Next.",
			"See e.g. Figure 1, i.e. the first, cf. Smith et al. Nobody else.|Next."},
		{"It is 3.5 ms. No. 5 is alive. So says V. Buterin. Yes.",
			"It is 3.5 ms.|No. 5 is alive.|So says V. Buterin.|Yes."},
		{"Call `a.b(). C`. Then [x. Y](z. Q). End.", "Call `a.b(). C`.|Then [x. Y](z. Q).|End."},
		{"Go to https://a.example/x. Then <https://b.example/?a.B>. End.",
			"Go to https://a.example/x.|Then <https://b.example/?a.B>.|End."},
		{"(This is. All one.) Next.", "(This is. All one.)|Next."},
		{"An open ( never closes. Next.", "An open ( never closes.|Next."},
		{"He said \"stop.\" She did. **Bold.** After.[^1] End.",
			"He said \"stop.\"|She did.|**Bold.**|After.[^1]|End."},
		{"The version 1.0. and more. eth_call goes on. lower does not.",
			"The version 1.0. and more.|eth_call goes on. lower does not."},
		{"これは文です。次の文です。", "これは文です。|次の文です。"},
		{"What?! Really... Yes.", "What?!|Really...|Yes."},
		{"1. is a number. Two.", "1. is a number.|Two."},
		{"etc. The end.", "etc.|The end."},
		{"", ""},
	} {
		if got := strings.Join(Split(tt.text), "|"); got != tt.want {
			t.Errorf("Split(%q)\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func TestPlain(t *testing.T) {
	labels := map[string]bool{"ref": true}
	for in, want := range map[string]string{
		"**Bold** and *slanted*, __both__ _ways_, ***all***": "Bold and slanted, both ways, all",
		"snake_case and WINDOW * TARGET and 2*3 and ~~gone~~": "snake_case and WINDOW * TARGET " +
			"and 2*3 and gone",
		"[text](https://a.example \"t\") and [MIP-7](./x(1))": "text and MIP-7",
		"[Ref] and [that][ref] and [ref][] but [other] [0, 1]": "Ref and that and ref but " +
			"[other] " +
			"[0, 1]",
		"![image](a.png) after":                             "after",
		"code `a*b*` and ``a ` b``":                         "code `a*b*` and `a ` b`",
		"M<sub>n</sub> = 2<sup>192</sup> − x<sub>n−1</sub>": "M_n = 2^192 − x_(n−1)",
		"a<br>b <b>c</b> <https://x.example> &amp; &lt;":    "a b c https://x.example & <",
		`escaped \*stars\* and \_bars\_`:                    "escaped *stars* and _bars_",
		"a note[^1] stands":                                 "a note stands",
		"1 < 2 and 3 > 2":                                   "1 < 2 and 3 > 2",
		"[open and `open":                                   "[open and `open",
		"[**`f()`** is](x) fine":                            "`f()` is fine",
	} {
		if got := Plain(in, labels); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}
