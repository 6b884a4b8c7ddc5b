package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/audits"
	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// View is how a reader views the site. The zero value is a wide window in the light theme with
// scripts.
type View struct {
	Width    int // pixels; 0: 1200
	Letters  int // the reader's font size, in pixels; 0: 16
	Dark     bool
	NoScript bool
	// Zone is the reader's IANA time zone. Empty is the machine's.
	Zone string
	// Early runs in each page before the page's own scripts. The page's policy does not apply to
	// it.
	Early string
}

// String names a view for the name of a test.
func (v View) String() string {
	name := fmt.Sprint(v.width())
	if v.Letters != 0 {
		name += fmt.Sprintf(" letters of %d", v.Letters)
	}
	if v.Dark {
		name += " dark"
	}
	if v.NoScript {
		name += " without scripts"
	}
	return name
}

func (v View) width() int {
	if v.Width == 0 {
		return 1200
	}
	return v.Width
}

// Tab is one tab with a profile of its own, without other tabs' storage or permissions. At the end
// it fails its test for every complaint of the browser, and for every request that left the site.
// Only one goroutine may use it.
type Tab struct {
	t    *testing.T
	ctx  context.Context
	base string

	noScript bool

	mu       sync.Mutex
	requests []Request
	problems []string
	expected []*regexp.Regexp
}

// Request is a network request of a page. Range is its header field, empty for a whole file.
type Request struct{ URL, Type, Range string }

// open opens a tab on the site at a base address.
func open(t *testing.T, base string, v View) *Tab {
	t.Helper()
	start(t)
	ctx, cancel := chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	tab := &Tab{t: t, ctx: ctx, base: base, noScript: v.NoScript}
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Errorf("close the tab: %v", err)
		}
		cancel()
		tab.check()
	})
	tab.must("open a tab", chromedp.Do(ctx))
	tab.must("listen", chromedp.Listen(ctx, tab.hear))
	tab.must("watch the policy", call(ctx, audits.Enable, cdp.Empty{}))
	tab.Resize(v.width())
	scheme := "light"
	if v.Dark {
		scheme = "dark"
	}
	tab.Media("prefers-color-scheme", scheme)
	// Several tests use several tabs at once.
	tab.must("focus", call(ctx, emulation.SetFocusEmulationEnabled,
		emulation.SetFocusEmulationEnabledParams{Enabled: true}))
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		_, err := chromedp.CallBrowser(ctx, cdpbrowser.SetPermission,
			cdpbrowser.SetPermissionParams{
				Origin: base, BrowserContextID: chromedp.FromContext(ctx).BrowserContextID,
				Permission: &cdpbrowser.PermissionDescriptor{Name: name},
				Setting:    cdpbrowser.PermissionSettingGranted,
			})
		tab.must("allow the clipboard", err)
	}
	if v.NoScript {
		tab.must("turn scripts off",
			call(ctx, emulation.SetScriptExecutionDisabled,
				emulation.SetScriptExecutionDisabledParams{Value: true}))
	}
	if v.Letters != 0 {
		tab.must("set the size of letters",
			call(ctx, page.SetFontSizes,
				page.SetFontSizesParams{FontSizes: &page.FontSizes{Standard: int64(v.Letters)}}))
	}
	if v.Zone != "" {
		tab.must("set the time zone", call(ctx, emulation.SetTimezoneOverride,
			emulation.SetTimezoneOverrideParams{TimezoneID: v.Zone}))
	}
	if v.Early != "" {
		tab.must("add a script",
			call(ctx, page.AddScriptToEvaluateOnNewDocument,
				page.AddScriptToEvaluateOnNewDocumentParams{Source: v.Early}))
	}
	return tab
}

// Resize sets the width of the window in pixels. A narrow one is a phone's.
func (tab *Tab) Resize(width int) {
	tab.t.Helper()
	tab.must("set the size",
		call(tab.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: int64(width), Height: 800, DeviceScaleFactor: 1, Mobile: width < 600,
		}))
}

// Media sets a media feature. Empty restores the browser's own value.
func (tab *Tab) Media(feature, value string) {
	tab.t.Helper()
	tab.must("set "+feature,
		call(tab.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
		}))
}

// Expect allows complaints that match an expression.
func (tab *Tab) Expect(expression string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.expected = append(tab.expected, regexp.MustCompile(expression))
}

// Requests returns the requests since the last [Tab.Go], except data addresses.
func (tab *Tab) Requests() []Request {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.requests)
}

// hear records events. It must not block.
func (tab *Tab) hear(event any) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	say := func(format string, a ...any) {
		tab.problems = append(tab.problems, fmt.Sprintf(format, a...))
	}
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if strings.HasPrefix(e.Request.URL, "data:") {
			return
		}
		asked, _ := e.Request.Headers["range"].(string)
		tab.requests = append(tab.requests, Request{e.Request.URL, string(e.Type), asked})
		if !strings.HasPrefix(e.Request.URL, tab.base+"/") {
			say("request to another site: %s", e.Request.URL)
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Source == log.EntrySourceSecurity {
			say("console: %s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *audits.EventIssueAdded:
		if v := e.Issue.Details.ContentSecurityPolicyIssueDetails; v != nil {
			say("policy: %s forbids %s", v.ViolatedDirective, v.BlockedURL)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError ||
			e.Type == runtime.ConsoleAPICalledTypeWarning {
			say("console.%s", e.Type)
		}
	case *runtime.EventExceptionThrown:
		say("exception: %s", e.ExceptionDetails.Text)
	}
}

// check fails the test for unexpected complaints.
func (tab *Tab) check() {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	for _, p := range tab.problems {
		if !slices.ContainsFunc(tab.expected, func(r *regexp.Regexp) bool {
			return r.MatchString(p)
		}) {
			tab.t.Error(p)
		}
	}
}

func (tab *Tab) must(what string, err error) {
	tab.t.Helper()
	if err != nil {
		tab.t.Fatalf("%s: %v", what, err)
	}
}

// call sends a command and ignores its answer.
func call[P, R any](ctx context.Context, c cdp.Command[P, R], p P) error {
	limit, done := context.WithTimeout(ctx, patience)
	defer done()
	_, err := chromedp.Call(limit, c, p)
	return err
}

// Tree is the accessibility tree of the page, as a screen reader gets it: the role and the name of
// each node, in reading order.
func (tab *Tab) Tree() (out []string) {
	tab.t.Helper()
	limit, done := context.WithTimeout(tab.ctx, patience)
	defer done()
	tree, err := chromedp.Call(limit, accessibility.GetFullAXTree,
		accessibility.GetFullAXTreeParams{})
	tab.must("ask for the accessibility tree", err)
	nodes := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range tree.Nodes {
		nodes[n.NodeID] = n
	}
	text := func(v *accessibility.Value) (s string) {
		if v != nil && len(v.Value) > 0 {
			tab.must("read the accessibility tree", json.Unmarshal(v.Value, &s))
		}
		return s
	}
	var read func(n *accessibility.Node)
	read = func(n *accessibility.Node) {
		if role := text(n.Role); !n.Ignored && role != "InlineTextBox" {
			out = append(out, strings.TrimSpace(role+" "+text(n.Name)))
		}
		for _, id := range n.ChildIDs {
			if child := nodes[id]; child != nil {
				read(child)
			}
		}
	}
	read(tree.Nodes[0])
	return out
}

// Print shows the page as on paper.
func (tab *Tab) Print() {
	tab.t.Helper()
	tab.must("show paper",
		call(tab.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}))
}
