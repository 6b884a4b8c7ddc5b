package summary

import (
	"strings"
	"testing"
)

func BenchmarkExtract(b *testing.B) {
	all := byNumber(proposals(b, "../../samples/proposals", "MIP"))
	for _, bb := range []struct {
		name   string
		number int
	}{{"core", 3}, {"fork", 8}} {
		b.Run(bb.name, func(b *testing.B) {
			s := forked(all[bb.number], all, beacon())
			b.ReportAllocs()
			for b.Loop() {
				Extract(s)
			}
		})
	}
}

// BenchmarkExtractInitials reads a text of half a megabyte in which each mark may end a sentence
// and none does. A reader waits for a summary.
func BenchmarkExtractInitials(b *testing.B) {
	p := lamp()
	p.Sections[0].Markdown = strings.Repeat(strings.Repeat("A. B. C. ", 100)+"\n\n", 480<<10/900)
	for b.Loop() {
		Extract(Subject{Proposal: p, Now: noon})
	}
}
