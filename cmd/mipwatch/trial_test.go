package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/build"
)

// TestOneCannotBeRendered shows what becomes of a build when the page of one proposal cannot be made: with
// --keep-going it costs that proposal alone, without it nothing is published, and neither blames the folder.
func TestOneCannotBeRendered(t *testing.T) {
	for _, keepGoing := range []bool{false, true} {
		dir := t.TempDir()
		for n := 1; n <= 3; n++ {
			put(t, filepath.Join(dir, "proposals", "MIP-"+string(rune('0'+n))+".md"), proposal(n, "Title"))
		}
		put(t, filepath.Join(dir, "site.yaml"), "title: T\nbase_url: https://m.example\n")
		var stdout, stderr bytes.Buffer
		b := &builder{
			program: &program{stdout: &stdout, stderr: &stderr, env: func(string) (string, bool) { return "", false }},
			input:   input{config: filepath.Join(dir, "site.yaml")}, out: filepath.Join(dir, "public"), keepGoing: keepGoing, format: newChoice("text"),
		}
		b.planned = func(p *build.Plan) {
			for i := range p.Artifacts {
				if p.Artifacts[i].Route == "/mip/2/" {
					p.Artifacts[i].Body = func(io.Writer) error { return errors.New("it cannot be") }
				}
			}
		}
		err := b.run(t.Context(), nil)
		if !keepGoing {
			e, ok := errors.AsType[*exitError](err)
			if !ok || e.code != exitProblems || !strings.Contains(err.Error(), "make mip/2/index.html: it cannot be") {
				t.Errorf("build: %v, want exit code %d and the file", err, exitProblems)
			}
			if _, err := os.Stat(filepath.Join(dir, "public", "index.html")); err == nil {
				t.Error("build: something is published")
			}
			continue
		}
		if err != nil {
			t.Fatalf("build --keep-going: %v\n%s", err, stderr.Bytes())
		}
		if said := stderr.String(); !strings.Contains(said, "MIP-2.md: not-rendered: it cannot be") {
			t.Errorf("build --keep-going said %q, want the proposal's name", said)
		}
		for name, want := range map[string]bool{"mip/1/index.html": true, "mip/2/index.html": false, "mip/3/index.html": true, "index.html": true} {
			if _, err := os.Stat(filepath.Join(dir, "public", name)); (err == nil) != want {
				t.Errorf("build --keep-going: %s: %v", name, err)
			}
		}
		diagnostics, err := os.ReadFile(filepath.Join(dir, "public", "api", "v1", "diagnostics.json"))
		if err != nil || !bytes.Contains(diagnostics, []byte("not-rendered")) {
			t.Errorf("diagnostics do not name the proposal: %s, %v", diagnostics, err)
		}
	}
}
