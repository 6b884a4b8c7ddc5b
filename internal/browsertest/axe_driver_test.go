package browsertest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mipwatch/mipwatch/internal/testenv"
)

// Axe is the source of axe-core (npm), which looks for what keeps people from using a page. The test is
// skipped when no folder of NODE_PATH has it.
func Axe(t *testing.T) string {
	t.Helper()
	for _, dir := range filepath.SplitList(os.Getenv("NODE_PATH")) {
		if b, err := os.ReadFile(filepath.Join(dir, "axe-core", "axe.min.js")); err == nil {
			return string(b)
		}
	}
	testenv.Missing(t, "axe", "no folder of NODE_PATH has axe-core")
	return ""
}
