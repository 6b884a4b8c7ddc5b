//go:build unix

package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestStartsLight bounds what the packages that the program links do before main: every start of a
// function waits for it. The bound is in bytes, since a duration would be the machine's.
func TestStartsLight(t *testing.T) {
	const most = 128 << 10 // of one package; a table of regular expressions has megabytes
	// goldmark reads the passages of translations, and makes its tables of entities and of case folding at once.
	goldmark := map[string]int{"github.com/yuin/goldmark/util": 160 << 10, "github.com/yuin/goldmark/extension": 288 << 10}
	program := filepath.Join(t.TempDir(), "sidecar")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), program, "--version")
	cmd.Env = append(cmd.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`^init (\S+) @.*, ([0-9]+) bytes, ([0-9]+) allocs$`)
	seen := 0
	for text := range strings.Lines(trace.String()) {
		m := line.FindStringSubmatch(strings.TrimSpace(text))
		if m == nil {
			continue
		}
		seen++
		if n, err := strconv.Atoi(m[2]); err != nil || n > max(most, goldmark[m[1]]) {
			t.Errorf("before main: %s", text)
		}
	}
	if seen == 0 {
		t.Fatalf("the trace names no package: %s", &trace)
	}
}
