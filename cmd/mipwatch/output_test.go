package main

import (
	"strings"
	"testing"
)

// TestProgress checks the output with a terminal, which scripts lack, and without one.
func TestProgress(t *testing.T) {
	steps := func(p *progress) {
		p.doing("reading…")
		p.done("read %d", 3)
		p.doing("writing… %d %%", 50)
		p.doing("writing… %d %%", 50)
		p.say("a \x1b word, 日本語 👩\u200d👧")
		p.clear()
	}
	tests := []struct {
		name     string
		terminal bool
		want     string
	}{
		{"terminal", true,
			"\r\x1b[Kreading…\r\x1b[Kread 3\r\x1b[Kwriting… 50 %\r\x1b[Kmipwatch: a \\x1b word, " +
				"日本語 👩\u200d👧\n"},
		{"elsewhere", false, "mipwatch: read 3\nmipwatch: a \\x1b word, 日本語 👩\u200d👧\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			steps(&progress{w: &b, terminal: tt.terminal})
			if b.String() != tt.want {
				t.Errorf("terminal %v: got %q, want %q", tt.terminal, b.String(), tt.want)
			}
		})
	}
}
