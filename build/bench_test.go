package build_test

import (
	"testing"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/corpora"
)

// BenchmarkBuild measures each of the three steps of a build, without and with colored code. It
// builds the EIPs, or the samples if there are no EIPs. Compare the steps with each other: a time
// alone depends on the machine.
func BenchmarkBuild(b *testing.B) {
	dir, prefix := corpora.Find("eips"), "EIP"
	if dir == "" {
		dir, prefix = "../internal/samples/proposals", "MIP"
	}
	for _, c := range []struct {
		name      string
		highlight bool
	}{{"plain", false}, {"highlight", true}} {
		s := testSite(prefix)
		s.Highlight = c.highlight
		o := build.Options{Site: buildtest.In(s, dir)}
		loaded, err := build.Load(b.Context(), o)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name+"/Load", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := build.Load(b.Context(), o); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/NewPlan", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := build.NewPlan(b.Context(), loaded); err != nil {
					b.Fatal(err)
				}
			}
		})
		// Each run has its own plan.
		sync := func(b *testing.B, dir string) {
			p, err := build.NewPlan(b.Context(), loaded)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := build.Sync(b.Context(), p, dir, build.SyncOptions{}); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(c.name+"/Sync", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sync(b, b.TempDir())
			}
		})
		b.Run(c.name+"/Sync unchanged", func(b *testing.B) {
			b.ReportAllocs()
			dir := b.TempDir()
			for b.Loop() {
				sync(b, dir)
			}
		})
	}
}
