// Package deploy_test compares the files of this folder with the program: the web server answers
// like the CDN, the image's binary runs as in the image, and every flag, variable, port and path
// exists.
package deploy_test

import (
	"bufio"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// top is the repository.
const top = "../.."

// binary is the sidecar, built once for all tests by the Dockerfile's own command.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "mipwatch-deploy-")
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		return "", err
	}
	command := ""
	for _, in := range instructions(string(text)) {
		if in.word == "RUN" && strings.Contains(in.rest, "go build") {
			command = strings.ReplaceAll(in.rest, "/out/", dir+"/")
		}
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = top
	cmd.Stderr = os.Stderr
	return filepath.Join(dir, "sidecar"), cmd.Run()
})

func TestMain(m *testing.M) {
	code := m.Run()
	if name, err := binary(); err == nil {
		os.RemoveAll(filepath.Dir(name))
	}
	os.Exit(code)
}

func sidecar(t *testing.T) string {
	t.Helper()
	testenv.Long(t, "a build of the image's program")
	name, err := binary()
	if err != nil {
		t.Fatalf("the Dockerfile's build command: %v", err)
	}
	return name
}

// help is the output of sidecar --help, with the existing flags, variables and routes.
func help(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), sidecar(t), "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// logOf starts a program, which ends with the test. await waits for a line of its log.
func logOf(t *testing.T, cmd *exec.Cmd) (await func(text string) string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	lines := make(chan string, 10_000) // more than any test logs
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(r); in.Scan(); {
			lines <- in.Text()
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		r.Close()
	})
	return func(text string) string {
		t.Helper()
		for {
			select {
			case line, ok := <-lines:
				if strings.Contains(line, text) {
					return line
				}
				if !ok {
					t.Fatalf("%s ended without %q in its log", cmd.Path, text)
				}
				t.Log(line)
			case <-time.After(patience):
				t.Fatalf("%s: no %q in its log", cmd.Path, text)
			}
		}
	}
}

// startSidecar runs the sidecar of a published folder and returns the port.
func startSidecar(t *testing.T, program, dir string, variables ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "--addr", "127.0.0.1:0", "--site", dir)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{"RPC_MAINNET=http://127.0.0.1:1", "RPC_TESTNET=http://127.0.0.1:1"},
		variables...)
	return ready(t, logOf(t, cmd))
}

// ready waits until a sidecar has read its site, and returns the port.
func ready(t *testing.T, await func(string) string) string {
	t.Helper()
	var listening struct{ Addr string }
	if err := json.Unmarshal([]byte(await("listening")), &listening); err != nil {
		t.Fatal(err)
	}
	await("site loaded")
	_, port, err := net.SplitHostPort(listening.Addr)
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func recorded(h http.Handler, path string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
	return rec
}

// instruction is an instruction of a Dockerfile, with its lines joined.
type instruction struct{ word, rest string }

func instructions(text string) []instruction {
	var out []instruction
	joined := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if rest, ok := strings.CutSuffix(line, `\`); ok {
			joined += rest + " "
			continue
		}
		word, rest, _ := strings.Cut(joined+line, " ")
		out, joined = append(out, instruction{strings.ToUpper(word), strings.TrimSpace(rest)}), ""
	}
	return out
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
