package main

import (
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/mip"
)

func TestVisible(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "a: \"ö\" 日本語 👩\u200d👧\tb\nc", "a: \"ö\" 日本語 👩\u200d👧\tb\nc"},
		{"escape sequence", "a\x1b[2Jb", `a\x1b[2Jb`},
		{"carriage return", "a\rb", `a\rb`},
		{"C1 control", "a\u009bb", `a\u009bb`},
		{"bidi", "a\u202eb", `a\u202eb`},
		{"line separator", "a\u2028b", `a\u2028b`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := visible(tt.in); got != tt.want {
				t.Errorf("visible(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestWriteGitHub(t *testing.T) {
	tests := []struct {
		name string
		in   mip.Problem
		want string
	}{
		{"error", mip.Problem{Level: mip.Error, Code: "c", File: "a.md", Line: 2, Message: "m"}, "::error file=a.md,line=2,title=c::m\n"},
		{"whole file", mip.Problem{Level: mip.Notice, Code: "c", File: "a.md", Message: "m"}, "::notice file=a.md,title=c::m\n"},
		{"escapes", mip.Problem{Level: mip.Warning, Code: "c:d", File: "a,b:c%\r\n.md", Line: 1, Message: "50%, a: b\r\n::error::x"},
			"::warning file=a%2Cb%3Ac%25%0D%0A.md,line=1,title=c%3Ad::50%25, a: b%0D%0A::error::x\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			writeGitHub(&b, []mip.Problem{tt.in})
			if b.String() != tt.want {
				t.Errorf("writeGitHub(%+v) = %q, want %q", tt.in, b.String(), tt.want)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	steps := func(p *progress) {
		p.doing("reading…")
		p.done("read %d", 3)
		p.doing("writing… %d %%", 50)
		p.doing("writing… %d %%", 50)
		p.say("a \x1b word")
		p.clear()
	}
	tests := []struct {
		name     string
		terminal bool
		want     string
	}{
		{"terminal", true, "\r\x1b[Kreading…\r\x1b[Kread 3\r\x1b[Kwriting… 50 %\r\x1b[Kmipwatch: a \\x1b word\n"},
		{"elsewhere", false, "mipwatch: read 3\nmipwatch: a \\x1b word\n"},
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
