// Package browsertest drives a real browser, Chromium, for tests of the pages. It knows what a reader can
// do and what a browser complains of, and nothing of the site. It is for tests only.
package browsertest

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/mipwatch/mipwatch/internal/testenv"
)

// patience ends what will never come. It is no measure: a busy machine takes its time.
const patience = 4 * time.Minute

// Browser is one running process. It is safe for concurrent use.
type Browser struct {
	ctx context.Context
}

// Start runs the browser until the test has ended, its subtests included. The test is skipped when there
// is no chromium on the PATH, or when the fonts are missing with which it draws.
func Start(t *testing.T) *Browser {
	t.Helper()
	program := testenv.Program(t, "chromium", "chromium")
	// The defaults are the new headless mode and, for root only, no sandbox.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.Flag("disable-gpu", true),
		chromedp.Env("FONTCONFIG_FILE="+fonts(t), "XDG_CACHE_HOME="+t.TempDir()), chromedp.WSURLReadTimeout(patience))
	allocator, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		limit, done := context.WithTimeout(ctx, patience)
		defer done()
		if err := chromedp.Cancel(limit); err != nil {
			t.Errorf("close the browser: %v", err)
		}
		cancel()
		stop() // waits for the process
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	return &Browser{ctx: ctx}
}

// fonts is the path of the file that tells the browser which fonts there are: those of one package, so that pages are
// as wide and as high on every machine.
func fonts(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("testdata/fonts.conf")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`<glob>(/.*)</glob>`).FindAllSubmatch(text, -1) {
		if _, err := os.Stat(string(m[1])); err != nil {
			testenv.Missing(t, "fonts", err, "; fonts-dejavu-core of Debian has it")
		}
	}
	return path
}
