package build_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/corpora"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// BenchmarkAuditSearch asks the page's script, Pagefind and MiniSearch the same questions over the
// same sites. It counts in how many of a hundred the right proposal is first, among the first five,
// and first with a typing error in one word. The script must be at least as good as both.
func BenchmarkAuditSearch(b *testing.B) {
	testenv.Long(b, "asks three searches")
	node, pagefind := testenv.Program(b, "node", "node"), testenv.Program(b, "pagefind", "pagefind")
	modules := slices.IndexFunc(filepath.SplitList(os.Getenv("NODE_PATH")), func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "minisearch"))
		return err == nil
	})
	if modules < 0 {
		testenv.Missing(b, "minisearch", "no folder of NODE_PATH has it")
	}
	for b.Loop() {
		total := map[string]map[string]float64{}
		prefixes := map[string]string{"eips": "EIP", "simd": "SIMD", "monad-mips": "MIP"}
		for name, prefix := range prefixes {
			dir := b.TempDir()
			for file, body := range buildCorpus(b, corpora.Need(b, name), testSite(prefix)).files {
				if !strings.HasSuffix(file, ".json") && !strings.HasSuffix(file, ".bin") &&
					!strings.HasPrefix(file, strings.ToLower(prefix)+"/") {
					continue // not searched
				}
				file = filepath.Join(dir, filepath.FromSlash(file))
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					b.Fatal(err)
				}
				if err := os.WriteFile(file, body, 0o600); err != nil {
					b.Fatal(err)
				}
			}
			cmd := exec.CommandContext(b.Context(), pagefind, "--site", dir, "--glob",
				strings.ToLower(prefix)+"/*/index.html")
			if said, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, said)
			}
			cmd = exec.CommandContext(b.Context(), node, "testdata/compare.mjs", dir, name,
				strings.ToLower(prefix))
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				b.Fatal(err)
			}
			var found map[string]map[string]float64
			if err := json.Unmarshal(out, &found); err != nil {
				b.Fatal(err)
			}
			for by, counts := range found {
				for what, n := range counts {
					if total[by] == nil {
						total[by] = map[string]float64{}
					}
					total[by][what] += n
				}
			}
		}
		for by, counts := range total {
			for what, n := range counts {
				b.ReportMetric(n, by+"-"+what)
				if n > total["script"][what] {
					b.Errorf("%s: %s finds %.0f, the page's script %.0f", what, by,
						n, total["script"][what])
				}
			}
		}
	}
}
