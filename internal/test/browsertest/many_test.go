package browsertest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
)

// runs sends requests until the sidecar has the given number of topics, of which it may miss some
// at first on a busy machine, and the maximum number of heads of each network. Its answers are then
// the longest.
func (v *served) runs(t *testing.T, topics int) {
	t.Helper()
	const heads = 40
	for end := time.Now().Add(patience); time.Now().Before(end); {
		w := read[api.MIPWatch](t, v, "/api/mip-watch")
		few := false
		for _, n := range w.Networks {
			few = few || len(n.Recent) < heads
		}
		if len(w.Forum) == topics && len(w.Errors) == 0 && !few {
			return
		}
		v.later.Add(int64(10 * time.Second))
	}
	t.Fatalf("the sidecar does not know %d topics", topics)
}

// varied are the files of many proposals without common text, since repetitions compress to almost
// nothing. Their words are from the samples, drawn by a generator with a fixed seed.
func varied(t *testing.T, proposals int) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../samples/proposals/MIP-*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	var words []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, regexp.MustCompile(`[a-z]{2,}`).FindAllString(string(b), -1)...)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	draw := rand.New(rand.NewPCG(1, 2))
	some := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = words[draw.IntN(len(words))]
		}
		return strings.Join(out, " ")
	}
	one := func(of ...string) string { return of[draw.IntN(len(of))] }
	all := map[string]string{}
	for n := 1; n <= proposals; n++ {
		all[fmt.Sprintf("MIP-%d.md",
			n)] = fmt.Sprintf("---\nmip: %d\ntitle: %s\ndescription: %s\n"+
			"author: %s (@%s), %s (@%s)\nstatus: %s\ntype: Standards Track\n"+
			"category: %s\ncreated: 2025-%02d-%02d\n"+
			"discussions-to: https://forum.example.org/t/%s/%d\nrequires: %d\n---\n\n"+
			"## Abstract\n\n%s.\n",
			n, some(7), some(18), some(2), one(words...), some(2), one(words...),
			one("Draft", "Review", "Last Call", "Final", "Living", "Stagnant", "Withdrawn"),
			one("Core", "Networking", "Interface", "ERC"), 1+draw.IntN(12), 1+draw.IntN(28),
			strings.ReplaceAll(some(4), " ", "-"), 1000+n, 1+draw.IntN(max(n-1, 1)), some(120))
	}
	return all
}
