package ai

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// FuzzTranslate checks that a divided text can be joined again, that a model which repeats its
// input returns the text byte for byte, and that a model which translates changes no block. It does
// not use Translate, whose goroutines and code words would make inputs look different to the
// fuzzer.
func FuzzTranslate(f *testing.F) {
	const mostSeeded = 1 << 10 // bytes; the fuzzer shortens long inputs for minutes
	for _, d := range load(f, "MIP", samples) {
		for _, section := range d.proposal.Sections {
			if len(section.Markdown) < mostSeeded {
				f.Add(section.Markdown)
			}
		}
	}
	for _, seed := range []string{
		"- a\n\t- `b\n\n      c\n> d\n```\n", "| a | b |\n|--|:-:|\n| c\\|d |\n",
		"[a]: b\n[a] [c][a] ![a](<d>)\n===\n", "{{1}} {{x2}} <b>\n",
	} {
		f.Add(seed)
	}
	const mostFuzzed = 8 << 10 // bytes
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > mostFuzzed || !utf8.ValidString(text) {
			return
		}
		blocks := structure(document{body: []byte(text), root: markdown.Parse(text).Root})
		got, ok := sectionOf(text).with(func(p *passage) string { return p.source })
		if !ok || got != text {
			t.Errorf("the passages of %q put back are %q", text, got)
		}
		p := &mip.Proposal{Sections: []mip.Section{{Markdown: text}}}
		if got, ok := translated(t, p, echo, true); !ok || got != text {
			t.Errorf("repeated %q: %q, %v", text, got, ok)
		}
		if got, ok := translated(t, p, cyrillic, false); ok {
			after := structure(document{body: []byte(got), root: markdown.Parse(got).Root})
			if diff := cmp.Diff(blocks, after); diff != "" {
				t.Errorf("translated %q: %q has another structure (-want +got):\n%s",
					text, got, diff)
			}
		}
	})
}

// translated returns a proposal's only section with each passage translated by f. ok is false if a
// check refuses one. must requires that none does.
func translated(
	t *testing.T, p *mip.Proposal, f func(string) string, must bool,
) (markdown string, ok bool) {
	all := newTranslationSource(p)
	for _, passage := range all.all {
		result, found := all.check(passage, f(passage.asked), "ABCDEFGHIJ")
		if found != noFault {
			if must {
				t.Errorf("%q, asked as %q, %s", passage.source, passage.asked, found)
			}
			return "", false
		}
		passage.result = result
	}
	return all.sections[0].with(func(p *passage) string { return p.result })
}
