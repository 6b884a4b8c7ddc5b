// Package browsertest drives a real browser, Chromium, for tests of the pages. It knows what a reader can
// do and what a browser complains of, and nothing of the site. It is for tests only.
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

// patience ends what will never come. It is no measure: a busy machine takes its time.
const patience = 4 * time.Minute

// folder is for files of all tests, until the last has ended.
var folder string

// TestMain runs one test more at a time than the machine has processors, since each waits for the browser now and
// then. The browser is the same for all.
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

// start starts the browser, which runs until all tests have ended, unless it runs already. The test is skipped when
// there is no chromium on the PATH, or when the fonts are missing with which it draws.
func start(t *testing.T) {
	t.Helper()
	program, fonts := testenv.Program(t, "chromium", "chromium"), fonts(t)
	browser.started.Do(func() {
		// The defaults are the new headless mode and, for root only, no sandbox.
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.Flag("disable-gpu", true),
			chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,SpareRendererForSitePerProcess"),
			chromedp.Env("FONTCONFIG_FILE="+fonts, "XDG_CACHE_HOME="+folder), chromedp.WSURLReadTimeout(patience))
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
