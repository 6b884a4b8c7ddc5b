package build_test

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// validate checks pages of a built tree against the HTML standard with html-validate (npm).
func validate(t *testing.T, b built, files []string) {
	t.Helper()
	program := testenv.Program(t, "html-validate", "html-validate")
	if len(files) == 0 {
		t.Fatal("no page to look at")
	}
	config, err := filepath.Abs("testdata/html-validate.mjs")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, file := range files {
		name := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b.files[file], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), program,
		append([]string{"--config", config, "--formatter", "json"}, files...)...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output() // findings are an error too
	var reports []struct {
		FilePath string
		Messages []struct {
			RuleID, Message, Selector string
			Line                      int
		}
	}
	if e := json.Unmarshal(out, &reports); e != nil {
		t.Fatalf("html-validate: %v, %v, %s", err, e, stderr.String())
	}
	found := 0
	for _, r := range reports {
		for _, m := range r.Messages {
			if found++; found <= 20 {
				t.Errorf("%s:%d: %s: %s (%s)", strings.TrimPrefix(r.FilePath, dir+"/"), m.Line,
					m.RuleID, m.Message, m.Selector)
			}
		}
	}
	if (err != nil) != (found > 0) {
		t.Errorf("html-validate: %d findings, %v, %s", found, err, stderr.String())
	}
}

// pagesOf returns the files of pages in order, at most a number for each kind, which is a pattern
// of addresses: the largest page, and others at even distances.
func pagesOf(b built, most int) []string {
	byKind := map[string][]string{}
	for _, a := range b.plan.Artifacts {
		if strings.HasSuffix(a.File, ".html") {
			byKind[a.Pattern] = append(byKind[a.Pattern], a.File)
		}
	}
	var out []string
	for _, files := range byKind {
		if len(files) > most {
			spread := files[:0:0]
			for i := range most / 2 {
				spread = append(spread, files[i*len(files)/(most/2)])
			}
			slices.SortFunc(files, func(x, y string) int {
				return cmp.Compare(len(b.files[y]), len(b.files[x]))
			})
			files = append(spread, files[:most/2]...)
		}
		out = append(out, files...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestValid validates a proposal with raw HTML that a browser would complete, and with invalid
// addresses, ids and attributes.
func TestValid(t *testing.T) {
	b := buildCorpus(t, "testdata/raw", testSite("MIP"))
	checkTree(t, b)
	validate(t, b, pagesOf(b, 1))
}
