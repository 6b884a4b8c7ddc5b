// Package corpora finds folders of real proposals for tests and benchmarks. They are not part of
// the repository, and it does not know their contents.
package corpora

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// environment is the variable with the folder of the corpora.
const environment = "MIPWATCH_CORPORA"

// Find returns a corpus by name: in the folder that MIPWATCH_CORPORA names, else in a folder named
// corpora in any folder beside the checkout. An empty name means the folder of all. The result is
// "" if there is none.
func Find(name string) string {
	candidates := []string{os.Getenv(environment)}
	if candidates[0] == "" {
		candidates, _ = filepath.Glob(filepath.Join(filepath.Dir(checkout()), "*", "corpora"))
	}
	for _, dir := range candidates {
		dir = filepath.Join(dir, name)
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			return dir
		}
	}
	return ""
}

// Need is Find for a test that needs a corpus: it skips the test without one.
func Need(t testing.TB, name string) string {
	t.Helper()
	testenv.Long(t, "a whole corpus")
	dir := Find(name)
	if dir == "" {
		testenv.Missing(t, "corpora", "no real proposals here:", environment,
			"names a folder that holds", filepath.Join(name, "*.md"))
	}
	return dir
}

// checkout is the folder with go.mod above the working directory, which for a test is its
// package's.
func checkout() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
	}
	return dir
}
