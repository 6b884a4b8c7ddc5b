//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestInterruptible ends commands that look at their context, and those that do not.
func TestInterruptible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		defer close(free) // the goroutines that are left behind
		r, w := io.Pipe()
		defer r.Close() // nobody reads
		for _, c := range []struct {
			name    string
			stderr  io.Writer
			command func(ctx context.Context) int
			want    int
		}{
			{"done before", io.Discard, func(context.Context) int { return 7 }, 7},
			{"heeds", io.Discard, func(ctx context.Context) int { <-ctx.Done(); return 8 }, 8},
			{"finishes", io.Discard, func(ctx context.Context) int { <-ctx.Done(); <-time.After(shutdownTimeout); return 9 }, 9},
			{"does not heed", io.Discard, func(context.Context) int { <-free; return 0 }, exitWrite},
			{"does not heed, and nobody reads", w, func(context.Context) int { <-free; return 0 }, exitWrite},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // of the bubble's own clock
			if got := interruptible(ctx, c.stderr, func() int { return c.command(ctx) }); got != c.want {
				t.Errorf("%s: exit code %d, want %d", c.name, got, c.want)
			}
			cancel()
		}
	})
}

// TestOneSignalIsEnough interrupts a real process once while it is stuck in what looks at no context: writing to
// a pipe that nobody reads. What was published before stays whole.
func TestOneSignalIsEnough(t *testing.T) {
	path, err := exec.LookPath("mipwatch") // as the scripts have it
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "site.yaml"), "title: T\nbase_url: https://m.example\n")
	put(t, filepath.Join(dir, "proposals", "MIP-1.md"), "---\nmip: 1\ntitle: One\n---\n\nWords.\n")
	build := exec.CommandContext(t.Context(), path, "build")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	before := published(t, dir)
	// Each file is told of with its name: more than a pipe holds.
	for i := range 1000 {
		put(t, filepath.Join(dir, "proposals", fmt.Sprintf("%s%d.md", strings.Repeat("x", 200), i)), "---\nmip: two\n---\n")
	}
	var stuck sync.WaitGroup
	for _, args := range [][]string{{"check"}, {"check", "--format", "json"}, {"build"}} {
		stuck.Go(func() {
			if got := interrupted(t, dir, path, args); got != exitWrite {
				t.Errorf("%q: exit code %d, want %d", args, got, exitWrite)
			}
		})
	}
	stuck.Wait()
	if diff := cmp.Diff(before, published(t, dir)); diff != "" {
		t.Errorf("what was published (-before +after):\n%s", diff)
	}
}

// interrupted starts the program, whose output nobody reads, signals once and returns its exit code.
func interrupted(t *testing.T, dir, path string, args []string) int {
	r, w, err := os.Pipe()
	if err != nil {
		t.Error(err)
		return -1
	}
	defer r.Close()
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, w, w
	err = errors.Join(cmd.Start(), w.Close())
	if err == nil {
		_, err = r.Read(make([]byte, 1)) // it writes; no other byte is read
	}
	if err == nil {
		err = cmd.Process.Signal(syscall.SIGTERM)
	}
	if err != nil {
		t.Errorf("%q: %v", args, err)
	}
	cmd.Wait() // the exit code says it
	return cmd.ProcessState.ExitCode()
}

// published are the names of the published files, and of the first page its bytes.
func published(t *testing.T, dir string) string {
	t.Helper()
	var b bytes.Buffer
	if err := filepath.WalkDir(filepath.Join(dir, "public"), func(name string, _ os.DirEntry, err error) error {
		b.WriteString(name + "\n")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "public", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	return b.String() + string(page)
}
