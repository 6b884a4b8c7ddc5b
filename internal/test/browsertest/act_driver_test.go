package browsertest

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Go navigates the tab to a path of the site, with its query and fragment, and waits until it has
// loaded.
func (tab *Tab) Go(path string) {
	tab.t.Helper()
	tab.mu.Lock()
	tab.requests = nil
	tab.mu.Unlock()
	tab.do("go to "+path, chromedp.Navigate(tab.base+path))
	// The content below live figures is shown with the first answer.
	tab.Wait(`[...document.querySelectorAll(".hold")].every(e => e.checkVisibility({ visibilityProperty: true }))`)
}

// Reload loads the page again.
func (tab *Tab) Reload() {
	tab.t.Helper()
	tab.do("reload", chromedp.Reload())
}

// Press types keys, one after another, into the focused element. Package kb of chromedp names the
// keys that are not letters. A letter is typed only if the page does not cancel its key event, as
// with a keyboard.
func (tab *Tab) Press(keys string, modifiers ...chromedp.Modifier) {
	tab.t.Helper()
	for _, r := range keys {
		events := kb.Encode(r) // down, the letter if it is one, up
		down, up := *events[0], *events[len(events)-1]
		if letter := events[1]; letter.Type == kb.KeyChar && len(modifiers) == 0 {
			down.Type, down.Text, down.UnmodifiedText = input.DispatchKeyEventTypeKeyDown,
				letter.Text, letter.UnmodifiedText
		}
		for _, m := range modifiers {
			down.Modifiers |= int64(m)
			up.Modifiers |= int64(m)
		}
		tab.must("press", call(tab.ctx, input.DispatchKeyEvent, down))
		tab.must("let go", call(tab.ctx, input.DispatchKeyEvent, up))
	}
}

// Click clicks with the mouse on the middle of the first element that matches a selector, once it
// is at rest in view and uncovered. With scripts it clicks until the element has received a click:
// the page may scroll in between.
func (tab *Tab) Click(selector string) {
	tab.t.Helper()
	ctx, done := context.WithTimeout(tab.ctx, patience)
	defer done()
	for ctx.Err() == nil {
		at := tab.rest(selector)
		tab.do("click "+selector, chromedp.MouseClickXY(at.X, at.Y))
		if tab.noScript || tab.clicked() {
			return
		}
	}
	tab.t.Fatalf("%s gets no click", selector)
}

// point is a place in the window, in pixels.
type point struct{ X, Y float64 }

// rest scrolls an element into view, waits until it stays in place, and returns its middle. From
// then on the element records clicks.
func (tab *Tab) rest(selector string) point {
	tab.t.Helper()
	type place struct {
		At   point
		Free bool
	}
	ctx, done := context.WithTimeout(tab.ctx, patience)
	defer done()
	var last place
	for ctx.Err() == nil {
		now, err := evaluate[place](ctx, `(e => {
			if (!e) return {Free: false};
			e.scrollIntoView({block: "center", behavior: "instant"});
			const r = e.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2;
			window.clicked = false;
			e.addEventListener("click", () => { window.clicked = true }, {capture: true, once: true});
			return {At: {X: x, Y: y}, Free: r.width > 0 && e.contains(document.elementFromPoint(x, y))};
		})(document.querySelector(`+quote(selector)+`))`)
		switch {
		case err != nil && !navigated(err):
			tab.t.Fatalf("look for %s: %v", selector, err)
		case err == nil && now.Free && now == last:
			return now.At
		}
		last = now
		tab.pause(ctx, 20*time.Millisecond)
	}
	tab.t.Fatalf("%s does not come to rest at %s", selector, Ask[string](tab, "location.href"))
	return point{}
}

// clicked reports whether the element of the last [Tab.rest] recorded a click, or its page is gone.
func (tab *Tab) clicked() bool {
	tab.t.Helper()
	ctx, done := context.WithTimeout(tab.ctx, patience)
	defer done()
	got, err := evaluate[bool](ctx, "window.clicked !== false")
	if err != nil && !navigated(err) {
		tab.t.Fatalf("ask for the click: %v", err)
	}
	return got || err != nil
}

// pause gives the page time before the next question, since questions cost the browser time.
func (tab *Tab) pause(ctx context.Context, moment time.Duration) {
	select {
	case <-time.After(moment):
	case <-ctx.Done():
	}
}

// PDF prints the page as a PDF.
func (tab *Tab) PDF() []byte {
	tab.t.Helper()
	ctx, done := context.WithTimeout(tab.ctx, patience)
	defer done()
	got, err := chromedp.Call(ctx, page.PrintToPDF, page.PrintToPDFParams{})
	tab.must("print", err)
	return got.Data
}

// Wait returns when a JavaScript expression is true in the page, even after a navigation. An
// expression that throws counts as false.
func (tab *Tab) Wait(expression string) {
	tab.t.Helper()
	ctx, done := context.WithTimeout(tab.ctx, patience)
	defer done()
	now := "(() => { try { return !!(" + expression + ") } catch { return false } })()"
	for moment := 10 * time.Millisecond; ctx.Err() == nil; moment = min(2*moment,
		200*time.Millisecond) {
		if ok, err := evaluate[bool](ctx, now); ok {
			return
		} else if err != nil && !navigated(err) && ctx.Err() == nil {
			tab.t.Fatalf("wait for %s: %v", expression, err)
		}
		tab.pause(ctx, moment)
	}
	tab.t.Fatalf("%s did not come true at %s:\n%s", expression, Ask[string](tab, "location.href"),
		Ask[string](tab, "document.body.innerText.slice(0, 600)"))
}

// navigated reports whether a script ended because its page did.
func navigated(err error) bool {
	for _, text := range []string{"navigated", "context was destroyed", "Cannot find context",
		"Promise was collected"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

// Ask returns the value of a JavaScript expression, which may be a promise.
func Ask[T any](tab *Tab, expression string) T {
	tab.t.Helper()
	ctx, done := context.WithTimeout(tab.ctx, patience)
	defer done()
	v, err := evaluate[T](ctx, expression)
	tab.must("ask "+clip(expression), err)
	return v
}

func evaluate[T any](ctx context.Context, expression string) (T, error) {
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, func(p *runtime.EvaluateParams) {
		yes := true
		p.AwaitPromise, p.UserGesture = &yes, &yes
	}))
}

func (tab *Tab) do(what string, a chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	ctx, done := context.WithTimeout(tab.ctx, patience)
	defer done()
	tab.must(what, chromedp.Do(ctx, a))
}

func quote(s string) string {
	b, _ := json.Marshal(s) // a string can be encoded
	return string(b)
}

func clip(s string) string { return s[:min(len(s), 200)] }
