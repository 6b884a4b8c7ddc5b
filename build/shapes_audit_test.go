package build_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/buildtest"
	"github.com/mipwatch/mipwatch/internal/testenv"
)

const (
	mostBuildSeconds = 2
	mostExcerptMS    = 50
)

// BenchmarkAuditShapes builds a site of one text of 1 MiB in each shape, in a process of its own, and
// makes the excerpt of each part of its texts with the script of the page for searching.
func BenchmarkAuditShapes(b *testing.B) {
	testenv.Long(b, "builds sites of large texts")
	if dir := os.Getenv("SHAPE"); dir != "" {
		buildShape(b, dir)
		return
	}
	node := testenv.Program(b, "node", "node")
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	script, err := filepath.Abs("../render/assets/search.js")
	if err != nil {
		b.Fatal(err)
	}
	const run = `const [script, ...files] = process.argv.slice(1), { readFileSync } = await import("node:fs");
const { best, excerpt } = await import("data:text/javascript," + encodeURIComponent(readFileSync(script, "utf8")));
let most = 0;
for (const f of files) {
  const { sections } = JSON.parse(readFileSync(f, "utf8"));
  if (!sections) continue;
  const start = process.cpuUsage(), asked = ["aa bb", "bb aa bb", "aa", "bb", "b*"];
  excerpt(best(sections, asked)[2], asked);
  const { user, system } = process.cpuUsage(start);
  most = Math.max(most, (user + system) / 1000);
}
console.log(most);`
	for name, text := range shaped() {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			for b.Loop() {
				in := folderOf(b, "MIP-1.md", text)
				cmd := exec.CommandContext(b.Context(), self, "-test.run=^$", "-test.bench=AuditShapes$", "-test.benchtime=1x")
				cmd.Env = append(os.Environ(), "SHAPE="+in)
				if said, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, said)
				}
				seconds := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
				b.ReportMetric(seconds, "cpu-sec")
				if seconds > mostBuildSeconds {
					b.Errorf("a build takes %.2f s of CPU, want %d at most", seconds, mostBuildSeconds)
				}

				parts, err := filepath.Glob(filepath.Join(in, "public/assets/search.*.json"))
				if err != nil || len(parts) == 0 {
					b.Fatalf("%d parts, %v", len(parts), err)
				}
				args := append([]string{"--input-type=module", "-e", run, script}, parts...)
				out, err := exec.CommandContext(b.Context(), node, args...).Output()
				if err != nil {
					b.Fatal(err)
				}
				var ms float64
				if err := json.Unmarshal(bytes.TrimSpace(out), &ms); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(ms, "excerpt-ms")
				if ms > mostExcerptMS {
					b.Errorf("an excerpt takes %.1f ms, want %d at most", ms, mostExcerptMS)
				}
			}
		})
	}
}

// buildShape builds the site of a folder, below it.
func buildShape(b *testing.B, in string) {
	plan, err := buildtest.Plan(b.Context(), testSite("MIP"), in)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := build.Sync(b.Context(), plan, filepath.Join(in, "public"), build.SyncOptions{}); err != nil {
		b.Fatal(err)
	}
}
