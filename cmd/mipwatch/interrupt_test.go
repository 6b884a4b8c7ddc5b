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

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// TestOneSignalIsEnough interrupts a real process once while it is blocked in a call that ignores
// contexts: writing to a full pipe. The published files stay whole.
func TestOneSignalIsEnough(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("mipwatch") // the same program as in the scripts
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
	// Each file is reported with its name, which together exceeds the buffer of a pipe.
	for i := range 500 {
		put(t, filepath.Join(dir, "proposals", fmt.Sprintf("%s%d.md", strings.Repeat("x", 200), i)),
			"---\nmip: two\n---\n")
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

// interrupted starts the program without reading its output, signals once and returns its exit
// code.
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
		_, err = r.Read(make([]byte, 1)) // it has begun to write; nothing else is read
	}
	if err == nil {
		err = cmd.Process.Signal(syscall.SIGTERM)
	}
	if err != nil {
		t.Errorf("%q: %v", args, err)
	}
	cmd.Wait() // the exit code has the result
	return cmd.ProcessState.ExitCode()
}

// published returns the names of the published files, and the bytes of the first page.
func published(t *testing.T, dir string) string {
	t.Helper()
	var b bytes.Buffer
	if err := filepath.WalkDir(filepath.Join(dir, "public"), func(name string, _ os.DirEntry,
		err error) error {
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

// TestInterruptedPlan cancels a build while git reads the history of site.yaml.
func TestInterruptedPlan(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		testenv.Missing(t, "git", "no git program")
	}
	dir, bin := t.TempDir(), t.TempDir()
	put(t, filepath.Join(dir, "site.yaml"), "title: T\nbase_url: https://m.example\n")
	put(t, filepath.Join(dir, "proposals", "MIP-1.md"), "---\nmip: 1\ntitle: One\n---\n\nWords.\n")
	testenv.Git(t, dir, "", "init", "-q")
	testenv.Git(t, dir, "", "add", "-A")
	testenv.Git(t, dir, "", "commit", "-q", "-m", "One")
	asked := filepath.Join(bin, "asked")
	if err := syscall.Mkfifo(asked, 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(bin, "git"), fmt.Sprintf(
		"#!/bin/sh\ncase \"$*\" in *' log '*site.yaml) echo >'%s'; exec sleep 60;; esac\n"+
			"exec '%s' \"$@\"\n", asked, real))
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		os.ReadFile(asked) // returns when git runs
		cancel()
	}()
	var stderr bytes.Buffer
	args := []string{"build", "--config", filepath.Join(dir, "site.yaml"), "--out",
		filepath.Join(dir, "public")}
	code := run(ctx, args, io.Discard, &stderr, func(string) (string, bool) { return "", false })
	if code != exitWrite || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("exit code %d, want %d; %s", code, exitWrite, &stderr)
	}
}
