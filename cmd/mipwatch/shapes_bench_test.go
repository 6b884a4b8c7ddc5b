package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

const (
	mostBuildSeconds = 2
	mostExcerptMS    = 50
)

// BenchmarkAuditShapes builds a site of one text of 1 MiB in each shape, and makes the excerpts of
// all its parts with the script of the search page.
func BenchmarkAuditShapes(b *testing.B) {
	testenv.Long(b, "builds sites of large texts")
	node := testenv.Program(b, "node", "node")
	script, err := filepath.Abs("../../render/assets/search.js")
	if err != nil {
		b.Fatal(err)
	}
	const run = `const [script, ...files] = process.argv.slice(1), { readFileSync } = await import("node:fs"), { inflateRawSync } = await import("node:zlib");
const { best, excerpt } = await import("data:text/javascript," + encodeURIComponent(readFileSync(script, "utf8")));
let most = 0;
for (const f of files) for (let rest = readFileSync(f); rest.length;) {
  const { buffer, engine } = inflateRawSync(rest, { info: true }), { sections } = JSON.parse(buffer);
  rest = rest.subarray(engine.bytesWritten);
  if (!sections) continue;
  const start = process.cpuUsage(), asked = ["aa bb", "bb aa bb", "aa", "bb", "b*"];
  excerpt(best(sections, asked)[2], asked);
  const { user, system } = process.cpuUsage(start);
  most = Math.max(most, (user + system) / 1000);
}
console.log(most);`
	const header = "---\ntitle: T\n---\n\n"
	for name, text := range testenv.Shapes(1<<20 - len(header)) {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			for b.Loop() {
				in := b.TempDir()
				for file, data := range map[string]string{
					"site.yaml":          "title: T\nbase_url: https://mips.example.org\n",
					"proposals/MIP-1.md": header + text,
				} {
					file = filepath.Join(in, file)
					if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
						b.Fatal(err)
					}
					if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
						b.Fatal(err)
					}
				}
				cmd := exec.CommandContext(b.Context(), "mipwatch", "build")
				cmd.Dir = in
				if said, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, said)
				}
				seconds := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
				b.ReportMetric(seconds, "cpu-sec")
				if seconds > mostBuildSeconds {
					b.Errorf("a build takes %.2f s of CPU, want %d at most",
						seconds, mostBuildSeconds)
				}

				parts, err := filepath.Glob(filepath.Join(in, "public/assets/search.*.bin"))
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
