// Package browsertest drives a real browser, Chromium, for tests of the pages. It knows the actions
// of a reader and the complaints of a browser, and not the site. It is for tests only.
package browsertest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// patience ends waits that would never end. It measures nothing: a busy machine is slow.
const patience = 4 * time.Minute

// folder has the files of all tests, until the last has ended.
var folder string

// TestMain runs one more test at a time than the machine has processors, since each sometimes waits
// for the browser. All tests share one browser.
func TestMain(m *testing.M) {
	flag.Parse()
	err := flag.Set("test.parallel", fmt.Sprint(runtime.GOMAXPROCS(0)+1))
	if err == nil {
		folder, err = os.MkdirTemp("", "browsertest")
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	if browser.stop != nil {
		browser.stop()
	}
	os.RemoveAll(folder)
	os.Exit(code)
}

// browser is one running process, for all tabs.
var browser struct {
	started sync.Once
	ctx     context.Context
	stop    func()
	err     error
}

// start starts the browser unless it runs already. It runs until all tests have ended. The test is
// skipped if there is no chromium on the PATH, or its fonts are missing.
func start(t *testing.T) {
	t.Helper()
	program, fonts := testenv.Program(t, "chromium", "chromium"), fonts(t)
	browser.started.Do(func() {
		// The defaults are the new headless mode and, for root only, no sandbox.
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program),
			chromedp.Flag("disable-gpu", true),
			chromedp.Flag("disable-features",
				"Translate,BlinkGenPropertyTrees,SpareRendererForSitePerProcess"),
			chromedp.Env("FONTCONFIG_FILE="+fonts, "XDG_CACHE_HOME="+folder),
			chromedp.WSURLReadTimeout(patience))
		allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, cancel := chromedp.NewContext(allocator)
		browser.ctx, browser.err = ctx, chromedp.Do(ctx)
		browser.stop = func() {
			chromedp.Cancel(ctx)
			cancel()
			stop() // waits for the process
		}
	})
	if browser.err != nil {
		t.Fatalf("start %s: %v", program, browser.err)
	}
}

// fonts is the path of the font configuration for the browser. It has the fonts of one package, so
// that pages have the same size on every machine.
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
