package build_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// mostExpressions bounds the expressions that a build runs over one whole text.
const mostExpressions = 3

// TestExpressions builds the program with a package regexp that records each run over a long input,
// and counts the runs of a build.
func TestExpressions(t *testing.T) {
	testenv.Long(t, "the program compiled with another package regexp")
	const (
		texts = 20
		long  = 16 << 10 // bytes, more than any line or sentence of the texts
		entry = "func (re *Regexp) doExecute(r io.RuneReader, b []byte, s string, pos int, " +
			"ncap int, dstCap []int) []int {\n"
		note = "	if len(b)+len(s)-pos >= %d {\n		noted.WriteString(\"x\")\n	}\n"
		open = "\nvar noted, _ = os.OpenFile(os.Getenv(\"NOTED\"), os.O_WRONLY|os.O_APPEND, 0)\n"
	)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	original := filepath.Join(strings.TrimSpace(string(goroot)), "src", "regexp", "exec.go")
	source, err := os.ReadFile(original)
	if err != nil || strings.Count(string(source), entry) != 1 {
		testenv.Missing(t, "regexp",
			fmt.Sprint("the sources of regexp are not as this test knows them: ", err))
	}
	changed := strings.Replace(string(source), entry, entry+fmt.Sprintf(note, long), 1)
	changed = strings.Replace(changed, "import (\n", "import (\n\t\"os\"\n", 1) + open
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {original: in("exec.go")}})
	if err != nil {
		t.Fatal(err)
	}
	body := "\n## Abstract\n\n" + strings.Repeat("A client sends a `transaction` to a node, "+
		"which [keeps](#abstract) it for 12 blocks.\n\n", 2*long/80)
	files := map[string]string{
		"exec.go": changed, "overlay.json": string(overlay), "noted": "",
		"site.yaml": "title: T\nbase_url: https://m.example\nproposals: [p]\n",
	}
	for n := range texts {
		name, number := fmt.Sprintf("p/MIP-%d.md", n+1), n+1
		files[name] = fmt.Sprintf("---\nmip: %d\ntitle: T %d\nstatus: Draft\n---\n%s",
			number, number, body)
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(in(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(command *exec.Cmd) {
		t.Helper()
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	run(exec.CommandContext(t.Context(), "go", "build", "-overlay", in("overlay.json"), "-o",
		in("mipwatch"), "../cmd/mipwatch"))
	build := exec.CommandContext(t.Context(), in("mipwatch"), "build")
	build.Dir, build.Env = dir, append(os.Environ(), "NOTED="+in("noted"))
	run(build)
	noted, err := os.ReadFile(in("noted"))
	if err != nil {
		t.Fatal(err)
	}
	if len(noted) == 0 || len(noted) > mostExpressions*texts {
		t.Errorf("a build runs %d expressions over %d whole texts, want 1 to %d each",
			len(noted), texts, mostExpressions)
	}
}
