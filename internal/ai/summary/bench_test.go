package summary

import (
	"testing"
)

func BenchmarkExtract(b *testing.B) {
	all := byNumber(proposals(b, "../../../proposals", "MIP"))
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
