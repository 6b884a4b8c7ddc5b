package ai

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// FuzzDecode: whatever a model writes, the decoder ends, and what it accepts keeps the rules.
func FuzzDecode(f *testing.F) {
	good := `{"tldr":"Lamps.","whatsChanging":["a","b","c"],"developers":{"impact":"x","severity":"low","actionRequired":false,"evidence":[{"section":"s-a","quote":"Lamps"}]},` +
		`"users":{"impact":"x","severity":"medium","actionRequired":true,"evidence":[]},"validators":{"impact":"x","severity":"high","actionRequired":false,"evidence":[]},` +
		`"foundation":{"impact":"x","severity":"low","actionRequired":false,"evidence":[]}}`
	for _, seed := range []string{good, "```json\n" + good + "\n```", good[:100], good + good, strings.Replace(good, "tldr", "t\\u006cdr", 1), "null", "[]", "{}", `{"tldr":"a","tldr":"b"}`,
		strings.Replace(good, "Lamps.", `\ud800`, 1), strings.Replace(good, "Lamps.", "\u202e", 1), "<html>", strings.Repeat("[", 1000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		d, err := decode(reply)
		if err != nil {
			if !utf8.ValidString(err.Error()) {
				t.Errorf("the error is not UTF-8: %q", err)
			}
			return
		}
		for _, text := range append(append([]string{d.tldr}, d.changes...), d.axes[0].Impact, d.axes[1].Impact, d.axes[2].Impact, d.axes[3].Impact) {
			if err := checkText(text, maxImpact); err != nil {
				t.Errorf("decode(%q) let %q through, which %v", reply, text, err)
			}
		}
		if len(reply) > maxReply || len(d.changes) < minChanges || len(d.changes) > maxChanges {
			t.Errorf("decode(%q) = %d points of %d bytes", reply, len(d.changes), len(reply))
		}
		for _, x := range d.axes {
			if rank(x.Severity) == 0 || len(x.Evidence) > 2*maxEvidence {
				t.Errorf("decode(%q) = %+v", reply, x)
			}
		}
	})
}

// FuzzExtract: whatever a proposal holds, its summary keeps the rules and is the same again.
func FuzzExtract(f *testing.F) {
	f.Add("Title", "Description", "Draft", "Every contract MUST be adapted. It breaks otherwise.\n\n- one\n- two\n")
	f.Add("`T` <b>", "see https://x.example [a](b)", "Withdrawn", "Users pay `f(.` more (fees. A *b _c* [d](e. F) <sub>g</sub> &lt;h&gt; $i$.\n\n```\n")
	f.Add("\u202e", "", "", "No.\u200b Validators must upgrade: \n- a\n\n1. b\n| c |\n> d\n<!-- e")
	f.Add("T", "D", "Stagnant", "これは文です。バリデータは更新しなければなりません。\n===\nX. Buterin e.g. Says.[^1] Next.?! So")
	f.Add("T", "D", "Draft", "0 ContrACt MUST 00 000AA! 0\n-")
	f.Add("T", "wwwWw", "ҁ8", "0")
	f.Add("T", "0\x00\v0\v\v\v00\v000@000", "\x1e", "0\n00000000000d\x000")
	f.Add("JavaScript://wWw.]((", "WWW.x HTTP://y", "JAVASCRIPT://", "0")
	f.Add("T", "D", "Draft", "Every contract MUST be adapted now.\n=\n\nEvery contract MUST be adapted now.\n- - -\n\n- Every contract MUST be adapted now.\n---\n")
	f.Fuzz(func(t *testing.T, title, description, status, markdown string) {
		if !utf8.ValidString(title+description+status+markdown) || len(markdown) > 1<<14 {
			t.Skip("[fuzz] no text of a proposal")
		}
		p := lamp()
		p.Title, p.Description, p.Status = title, &description, mip.Status(status)
		p.Sections = append(p.Sections, mip.Section{ID: "s-specification", Level: 2, Title: "Specification", Markdown: markdown})
		s := Subject{Proposal: p, Now: noon}
		sum := Extract(s)
		if err := Check(sum, s); err != nil {
			t.Errorf("Extract: %v in %s", err, print(sum))
		}
		if again := Extract(s); print(again) != print(sum) {
			t.Errorf("Extract gives %s and then %s", print(sum), print(again))
		}
	})
}
