//go:build unix

package main

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheck asks a running sidecar before and after it knows its site, as a health check does: by the address
// that it listens on.
func TestCheck(t *testing.T) {
	h := newHosts(t)
	dir := filepath.Join(t.TempDir(), "site")
	p := start(t, nil, "--site", dir)
	_, port, err := net.SplitHostPort(p.addr)
	if err != nil {
		t.Fatal(err)
	}
	check := func() (int, string) {
		cmd := exec.CommandContext(t.Context(), "sidecar", "--check")
		// A proxy of the environment has nothing to do with it.
		cmd.Env = []string{"SIDECAR_ADDR=0.0.0.0:" + port, "HTTP_PROXY=http://127.0.0.1:1", "PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), string(out)
	}
	if code, out := check(); code != exitNotReady || !strings.Contains(out, "not ready: 0.0.0.0:"+port+" answers 503") {
		t.Errorf("before the site is there: exit code %d, %q, want 1 and what it answers", code, out)
	}
	h.publish(t, dir, "Title")
	p.await("site loaded")
	if code, out := check(); code != exitDone || out != "" {
		t.Errorf("ready: exit code %d, %q, want 0 and nothing", code, out)
	}
}
