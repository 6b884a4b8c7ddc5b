// Package browsertest drives a real browser, Chromium, for tests of the pages. It knows what a reader can
// do and what a browser complains of, and nothing of the site. It is for tests only.
package browsertest

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/mipwatch/mipwatch/internal/testenv"
)

// patience ends what will never come. It is no measure: a busy machine takes its time.
const patience = 45 * time.Second

// Browser is one running process. It is safe for concurrent use.
type Browser struct {
	ctx context.Context
}

// Start runs the browser until the test has ended, its subtests included. The test is skipped when there
// is no chromium on the PATH.
func Start(t *testing.T) *Browser {
	t.Helper()
	program := testenv.Program(t, "chromium", "chromium")
	// The defaults are the new headless mode and, for root only, no sandbox.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.Flag("disable-gpu", true))
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
