//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkColdStart compares how long a process takes from its start to its first answer: the function with
// the site that it carries, and the plain server with the same one in a folder. Compare the two with each
// other: a time alone says little.
func BenchmarkColdStart(b *testing.B) {
	b.Run("function", func(b *testing.B) {
		program := built(b, shared.carrying)
		for b.Loop() {
			p := startFunction(b, program)
			if a := p.Invoke(b, ask("GET", "/api/mip-watch", "parts=mips")).Answer(b); a.StatusCode != 200 {
				b.Fatalf("%d %s", a.StatusCode, a.Body)
			}
			p.Stop()
		}
	})
	b.Run("server", func(b *testing.B) {
		program := filepath.Join(b.TempDir(), "sidecar")
		if out, err := exec.CommandContext(b.Context(), "go", "build", "-ldflags", "-s -w", "-o", program, "../../../cmd/sidecar").CombinedOutput(); err != nil {
			b.Fatalf("go build: %v\n%s", err, out)
		}
		for b.Loop() {
			cmd := exec.CommandContext(b.Context(), program, "--addr", "127.0.0.1:0", "--site", shared.snapshot)
			out, err := cmd.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			var line struct{ Addr string }
			for log := bufio.NewScanner(out); line.Addr == "" && log.Scan(); {
				if err := json.Unmarshal(log.Bytes(), &line); err != nil {
					b.Fatal(err)
				}
			}
			res, err := http.Get("http://" + line.Addr + "/api/mip-watch?parts=mips")
			if err != nil || res.StatusCode != http.StatusOK {
				b.Fatalf("%v, %v", res, err)
			}
			res.Body.Close()
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
}
