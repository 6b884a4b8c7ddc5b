package testenv

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// Start runs a program, and returns once a line of its output contains the text, with that line.
// The program runs until kill is called. The test fails if the program ends before.
func Start(t testing.TB, text string, cmd *exec.Cmd) (line string, kill func()) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	lines := bufio.NewScanner(out)
	for line == "" && lines.Scan() {
		if said.WriteString(lines.Text() + "\n"); strings.Contains(lines.Text(), text) {
			line = lines.Text()
		}
	}
	drained := make(chan struct{})
	go func() { // read on, since the program blocks on a full pipe
		io.Copy(io.Discard, out)
		close(drained)
	}()
	kill = func() {
		cmd.Process.Kill()
		<-drained
		cmd.Wait() // the result does not matter
	}
	if line == "" {
		kill()
		t.Fatalf("%s ended without %q: %s", cmd.Path, text, said.String())
	}
	return line, kill
}
