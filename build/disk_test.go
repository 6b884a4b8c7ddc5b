package build_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mipwatch/mipwatch/internal/testenv"
)

// TestDiskFull builds into a file system of its own that is too small, in a mount namespace.
func TestDiskFull(t *testing.T) {
	if err := exec.Command("unshare", "-rm", "true").Run(); err != nil {
		testenv.Missing(t, "tmpfs", "no mount namespace can be made here: unshare -rm:", err)
	}
	in, mount, copied := t.TempDir(), t.TempDir(), t.TempDir()
	for n := 1; n <= 30; n++ {
		write(t, in, n, "Title", strings.Repeat("Many words. ", 500))
	}
	small := t.TempDir()
	write(t, small, 1, "Title", "Few words.")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A small site fits, the large one does not; what is left is copied out before the mount goes.
	script := `mount -t tmpfs -o size=600k tmpfs "$MNT" || exit 99
` + helperEnv + `="$SMALL|$MNT/public" "$EXE" || exit 98
` + helperEnv + `="$IN|$MNT/public" "$EXE"; code=$?
cp -r "$MNT/public" "$COPY/public"; exit $code`
	cmd := exec.Command("unshare", "-rm", "sh", "-c", script)
	cmd.Env = append(os.Environ(), "MNT="+mount, "SMALL="+small, "IN="+in, "EXE="+exe, "COPY="+copied)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = cmd.Run()
	code := cmd.ProcessState.ExitCode()
	if code == 99 {
		testenv.Missing(t, "tmpfs", "a tmpfs cannot be mounted here:", stderr.String())
	}
	if code != 3 || !strings.Contains(stderr.String(), "no space left") || !strings.Contains(stderr.String(), mount) {
		t.Fatalf("exit code %d (%v), stderr %q; want 3 and a message with the path and the cause", code, err, stderr.String())
	}
	out := filepath.Join(copied, "public")
	if err := named(files(t, out)); err != nil {
		t.Errorf("after the disk was full: %v", err)
	}
	want := t.TempDir()
	if err := buildFolder(in, want); err != nil {
		t.Fatal(err)
	}
	wantTree := files(t, want)
	smallTree := t.TempDir()
	if err := buildFolder(small, smallTree); err != nil {
		t.Fatal(err)
	}
	old := files(t, smallTree)
	for name, b := range files(t, out) {
		if !bytes.Equal(b, wantTree[name]) && !bytes.Equal(b, old[name]) {
			t.Errorf("%s is not whole: %d bytes", name, len(b))
		}
	}
	// With room again, the next build mends the rest.
	if err := buildFolder(in, out); err != nil {
		t.Fatal(err)
	}
	if diff := diffTree(wantTree, files(t, out)); diff != "" {
		t.Errorf("after the next build: %s", diff)
	}
}

// TestReadOnlyFolder builds as a user who may not write there.
func TestReadOnlyFolder(t *testing.T) {
	in := t.TempDir()
	write(t, in, 1, "Title", "Words.")
	out := filepath.Join(t.TempDir(), "public")
	if err := buildFolder(in, out); err != nil {
		t.Fatal(err)
	}
	before := files(t, out)
	write(t, in, 1, "Another title", "Other words.")
	exe := filepath.Join(t.TempDir(), "build.test")
	copyFile(t, helper(t, in, out).Path, exe)
	cmd := helper(t, in, out)
	cmd.Path = exe
	if os.Geteuid() == 0 {
		// Root may write anywhere: become nobody, who must be able to read and run everything here.
		for _, file := range []string{in, exe} {
			for dir := file; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
				st, err := os.Stat(dir)
				if err == nil && st.Mode().Perm()&0o005 != 0o005 {
					err = os.Chmod(dir, st.Mode().Perm()|0o055)
				}
				if err != nil {
					testenv.Missing(t, "nobody", "the temporary folder cannot be opened to another user:", err)
				}
			}
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	} else {
		for _, dir := range []string{out, filepath.Join(out, ".mipwatch")} {
			if err := os.Chmod(dir, 0o555); err != nil {
				t.Fatal(err)
			}
			defer os.Chmod(dir, 0o755)
		}
	}
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 3 || !strings.Contains(string(text), out) {
		t.Errorf("read-only folder: %v, output %q; want exit code 3 and the path", err, text)
	}
	if diff := diffTree(before, files(t, out)); diff != "" {
		t.Errorf("the read-only folder changed: %s", diff)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o755); err != nil {
		t.Fatal(err)
	}
}
