package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFaultsHaveTests checks that each row of docs/faults.md names existing tests.
func TestFaultsHaveTests(t *testing.T) {
	t.Chdir(top)
	row := regexp.MustCompile(`(?m)^\| (.+) \| .+ \| (.+) \|$`)
	named := regexp.MustCompile("^`([^`]+)` (.+)$")
	for _, r := range row.FindAllStringSubmatch(documents(t)["docs/faults.md"], -1) {
		if r[2] == "Tests" || strings.HasPrefix(r[2], ":-") {
			continue
		}
		for in := range strings.SplitSeq(r[2], "; ") {
			m := named.FindStringSubmatch(in)
			if m == nil {
				t.Errorf("%s: %q names no package and its tests", r[1], in)
				continue
			}
			for name := range strings.SplitSeq(m[2], ", ") {
				if !hasTest(t, m[1], name) {
					t.Errorf("%s: %s has no %s", r[1], m[1], name)
				}
			}
		}
	}
}

// hasTest reports whether a package has a test, a fuzz target, a benchmark or a script of that
// name.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	if filepath.Ext(name) != "" {
		for _, place := range []string{"", "script", "web"} {
			if _, err := os.Stat(filepath.Join(folder, "testdata", place, name)); err == nil {
				return true
			}
		}
		return false
	}
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
