package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFaultsHaveTests holds that each row of docs/faults.md names tests, and that each of these is there.
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

// hasTest reports whether a package has a test, a target to fuzz or a benchmark of that name, or a script of it among
// its data.
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
