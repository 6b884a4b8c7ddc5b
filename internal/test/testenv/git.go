package testenv

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Git runs git in a folder as the committer Test at a time, such as "2026-01-05T12:00:00Z" or empty
// for now, and returns its output. It ignores the user's settings. The author's time is always the
// same, so that a test can distinguish it from the committer's. git runs no maintenance in the
// background.
func Git(t testing.TB, dir, when string, args ...string) string {
	t.Helper()
	return git(t, dir, when, "", args)
}

// GitInput is [Git] for now, with an input.
func GitInput(t testing.TB, dir, input string, args ...string) string {
	t.Helper()
	return git(t, dir, "", input, args)
}

func git(t testing.TB, dir, when, input string, args []string) string {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		Missing(t, "git", "no git program")
	}
	settings := []string{"-C", dir}
	for _, s := range []string{"user.name=Test", "user.email=test@example.org",
		"commit.gpgsign=false", "init.defaultBranch=main",
		"gc.autoDetach=false", "maintenance.autoDetach=false", "maintenance.auto=false",
		"protocol.file.allow=always"} {
		settings = append(settings, "-c", s)
	}
	cmd := exec.CommandContext(t.Context(), program, append(settings, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_DATE=2020-09-13T12:26:40Z")
	if when != "" {
		cmd.Env = append(cmd.Env, "GIT_COMMITTER_DATE="+when)
	}
	cmd.Stdin, cmd.Stderr = strings.NewReader(input), t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}
