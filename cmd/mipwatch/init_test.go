//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// TestInitHostile runs init, check and build in folders with hostile names, titles, statuses and
// origins. init either writes a configuration that the others accept, or writes none and reports
// why.
func TestInitHostile(t *testing.T) {
	t.Parallel()
	const folders, short = 100, 12
	dirs := []string{
		".", "p", "x\ny", "[x]", "[x", "a: b", "- x", "#x", `"q"`, "'q'", " x ", "x*", "x?y",
		`a\b`, `a\`, "{x}", "!x", "&x", "%x", "@x", "x\u200by", "\xffx", "null", "~", "yes",
		"x\ty", "1.0", "é", "x,y", "[0-9]*",
	}
	names := []string{
		"MIP-%d.md", "NULL-%d.md", "ASSETS-%d.md", "API-%d.md", "STATUS-%d.md", "%04d-x.md",
		"MIP-%d/README.md", "Y-%d.md", "MIP-%d: [x].md", "TRUE-%d.MD", "EIP-%d.md",
		"%d/readme.md", "ABCDEFGHIJKLMNOPQ-%d.md", "N-%d\n.md",
	}
	titles := []string{
		"One", "[x](y)", "a: b", "#x", "x\u200by", "keep_going: true", "\"q", "- x", "null",
	}
	statuses := []string{
		"Draft", "None", "null", "~", "Very: odd", "#odd", "[x]", "'", "\"\\", "Final\u3164",
		"In_Review", "in review", "true", "{a: b}", "- x", strings.Repeat("long ", 60),
		"other", "_", "x\ty",
	}
	headings := []string{
		"Proposals", "x\u200bproposals", "\ufeffProposals", "x\u2028proposals", "a\tproposals",
		"# proposals: [", "\"proposals", "proposals\x00", "\u200bproposals\u200b",
		"!!proposals", "NULLs", "\xffproposals", "proposals \\x",
	}
	origins := []string{
		"", "https://github.com/a/b", "https://github.com/a/b%0akeep_going%3A%20true",
		"https://user:pass@github.com/a/b.git", "git@github.com:a/b%0Ahost%3A x",
		"https://github.com/a/[b]", "https://gitlab.com/a/{b}",
		"https://codeberg.org/a/b?token=pass#x", "https://github.com/a",
		"https://github.com/../..", "https://github.com/a/b c",
		"ssh://user:pass@github.com/a/b", "https://github.com/a/b: c # d",
		"https://user:pa@ss@github.com/a/b",
	}
	count, refused := short, 0
	if testenv.All() {
		count = folders
	}
	for i := range count {
		dir := t.TempDir()
		// Steps that are coprime to the lengths pair all with all.
		place := dirs[i*7%len(dirs)]
		name, title, status := names[i*5%len(names)], titles[i*5%len(titles)],
			statuses[i*6%len(statuses)]
		heading, origin := headings[i*5%len(headings)], origins[i*9%len(origins)]
		put(t, filepath.Join(dir, "README.md"), "# "+heading+"\n")
		for n := range 3 {
			text := fmt.Sprintf("---\ntitle: %q\nstatus: %q\nStage: %q\ndate: 2024-01-02\n",
				title, status,
				statuses[(i+n)%len(statuses)])
			text += fmt.Sprintf("discussions-to: https://forum.example:%d/t/x/1\n---\n\nWords.\n",
				i*9973)
			put(t, filepath.Join(dir, place, fmt.Sprintf(name, n+1)), text)
		}
		nine := "---\ntitle: Nine\nstatus: None\n---\n\nWords.\n"
		put(t, filepath.Join(dir, place, "MIP-9", "README.md"), nine)
		put(t, filepath.Join(dir, place, "MIP-9", "README.x-y.md"), nine)
		if origin != "" {
			testenv.Git(t, dir, "", "init", "-q")
			testenv.Git(t, dir, "", "config", "remote.origin.url", origin)
		}
		config := filepath.Join(dir, "site.yaml")
		made := fmt.Sprintf("folder %d: %q, %q, title %q, status %q, heading %q, origin %q",
			i, place, name, title, status, heading, origin)
		code, said := command(t, "init", dir)
		text, err := os.ReadFile(config)
		if code == exitUsage && errors.Is(err, os.ErrNotExist) && strings.Count(said, "\n") == 1 {
			refused++
			continue
		}
		if code != 0 || err != nil {
			t.Errorf("%s: init ends with %d, %v\n%s", made, code, err, said)
			continue
		}
		forged := bytes.Contains(text, []byte("\nkeep_going: true")) &&
			!bytes.Contains(text, []byte("are in error"))
		if forged || bytes.Contains(text, []byte("pass")) {
			t.Errorf("%s: a password, or a key that nobody has found:\n%s", made, text)
		}
		for _, args := range [][]string{{"check"},
			{"build", "--out", filepath.Join(dir, "public")}} {
			if code, said := command(t, append(args, "--config", config)...); code > exitProblems {
				t.Errorf("%s: %s ends with %d\n%s\n%s", made, args[0], code, said, text)
			}
		}
	}
	if refused > count/5 {
		t.Errorf("init refuses %d of %d folders", refused, count)
	}
}

// command runs a command line, and returns its exit code and its standard error.
func command(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, &stdout, &stderr, func(string) (string, bool) {
		return "", false
	})
	return code, stderr.String()
}
