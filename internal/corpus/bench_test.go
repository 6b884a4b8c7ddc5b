package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/test/corpora"
)

// generated writes a folder of n different proposals that depend on each other.
func generated(b *testing.B, n int) string {
	b.Helper()
	dir := b.TempDir()
	paragraph := strings.Repeat("The network *must* reject a block whose `gasUsed` exceeds the "+
		"[limit](./MIP-1.md), see section 2.\n", 8)
	for i := 1; i <= n; i++ {
		var t strings.Builder
		fmt.Fprintf(&t,
			"---\nmip: %d\ntitle: Proposal `%d` of the benchmark\n"+
				"author: Ada (@ada), Ben <ben@example.org>\nstatus: Draft\n"+
				"type: Standards Track\ncategory: Core\ncreated: 2024-02-%02d\n"+
				"requires: %d\n---\n\n",
			i, i, 1+i%28, max(1, i-1))
		for s := range 12 {
			fmt.Fprintf(&t, "## Section %d\n\n%s\n", s, paragraph)
		}
		err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("MIP-%d.md", i)),
			[]byte(t.String()), 0o644)
		if err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// benchmarkFolders are a generated corpus and a real one if it is available.
func benchmarkFolders(b *testing.B) map[string]Options {
	epoch := time.Unix(1_700_000_000, 0)
	folders := map[string]Options{"generated": {Options: header.Options{Prefix: "MIP"},
		Rules: in(generated(b, 500)), Epoch: &epoch}}
	if dir := corpora.Find("eips"); dir != "" {
		folders["eips"] = Options{Options: header.Options{Prefix: "EIP"}, Rules: in(dir),
			Epoch: &epoch}
	}
	return folders
}

func BenchmarkLoad(b *testing.B) {
	for name, o := range benchmarkFolders(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Load(b.Context(), o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for name, o := range benchmarkFolders(b) {
		c, err := Load(b.Context(), o)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				markdown.Parse(c.Proposals[i%len(c.Proposals)].Body)
				i++
			}
		})
	}
}
