package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// progress reports how far long work is: in one line that is written over on a terminal, and in a plain
// line for each step elsewhere. It is safe for concurrent use.
type progress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	shown    string
}

// newProgress returns progress on a terminal if stderr is one.
func newProgress(stderr io.Writer) *progress {
	f, ok := stderr.(*os.File)
	return &progress{w: stderr, terminal: ok && term.IsTerminal(int(f.Fd()))}
}

// doing shows what goes on, on a terminal only.
func (p *progress) doing(format string, args ...any) {
	// A log is not flooded with percentages.
	if !p.terminal { // a build has thousands to show
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if text := fmt.Sprintf(format, args...); text != p.shown {
		fmt.Fprintf(p.w, "\r\x1b[K%s", text) // back to the first column, erase the line
		p.shown = text
	}
}

// done reports a step that is over; on a terminal the next step takes its place.
func (p *progress) done(format string, args ...any) {
	// On a terminal the result of a step is shown until the next one begins.
	if p.terminal {
		p.doing(format, args...)
		return
	}
	p.say(format, args...)
}

// say prints a line that stays.
func (p *progress) say(format string, args ...any) {
	p.clear()
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.w, "mipwatch: %s\n", visible(fmt.Sprintf(format, args...)))
}

// clear removes the line that is written over.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown != "" {
		io.WriteString(p.w, "\r\x1b[K")
		p.shown = ""
	}
}

// future says on the terminal that the newest commit is dated later than this machine's clock. It is no problem among
// those that are published: the same input must give the same bytes at any time.
func (p *progress) future(commit string, committed *mip.Time) {
	if committed != nil && committed.UTC().After(time.Now()) {
		p.say("commit %.*s is dated %s, later than this machine's clock; what it changed stands first until then", shortCommit, commit, committed)
	}
}
