package summary

import (
	"testing"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// FuzzExtract checks that the summary of any proposal passes Check and is reproducible.
func FuzzExtract(f *testing.F) {
	f.Add("Title", "Description", "Draft",
		"Every contract MUST be adapted. It breaks otherwise.\n\n- one\n- two\n")
	f.Add("`T` <b>", "see https://x.example [a](b)", "Withdrawn",
		"Users pay `f(.` more (fees. A *b _c* [d](e. F) <sub>g</sub> &lt;h&gt; $i$.\n\n```\n")
	f.Add("\u202e", "", "", "No.\u200b Validators must upgrade: \n- a\n\n1. b\n| c |\n> d\n<!-- e")
	f.Add("T", "D", "Stagnant",
		"これは文です。バリデータは更新しなければなりません。\n===\nX. Buterin e.g. Says.[^1] Next.?! So")
	f.Add("T", "D", "Draft", "0 ContrACt MUST 00 000AA! 0\n-")
	f.Add("T", "wwwWw", "ҁ8", "0")
	f.Add("T", "0\x00\v0\v\v\v00\v000@000", "\x1e", "0\n00000000000d\x000")
	f.Add("JavaScript://wWw.]((", "WWW.x HTTP://y", "JAVASCRIPT://", "0")
	f.Add("T", "D", "Draft",
		"Every contract MUST be adapted now.\n=\n\nEvery contract MUST be adapted now.\n- - "+
			"-\n\n- Every contract MUST be adapted now.\n---\n")
	f.Fuzz(func(t *testing.T, title, description, status, markdown string) {
		if !utf8.ValidString(title+description+status+markdown) || len(markdown) > 1<<14 {
			t.Skip("[fuzz] no text of a proposal")
		}
		p := lamp()
		p.Title, p.Description, p.Standing = title, &description, mip.Status(status).Usual()
		p.Sections = append(p.Sections, mip.Section{ID: "s-specification", Level: 2,
			Title: "Specification", Markdown: markdown})
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
