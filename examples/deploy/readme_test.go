package deploy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/testenv"
)

// standIn takes the place of a program that needs an engine or a cluster: it wants every file that is named to be
// there, and notes what was asked for.
const standIn = `#!/bin/sh
echo "$(basename "$0") $*" >> "$ASKED"
for a in "$@"; do
	case $a in
	examples/*) test -f "$a" || { echo "no file $a" >&2; exit 1; } ;;
	*:ro) test -f "${a%%:*}" || { echo "no file ${a%%:*}" >&2; exit 1; } ;;
	esac
done
`

// TestReadmeDeploys follows the README's steps in an empty folder: every shell block of the section, as it stands, in
// one shell. The repository and Monad's come from copies here; what needs an account, an engine or a cluster is only
// held to the files that it names.
func TestReadmeDeploys(t *testing.T) {
	testenv.Long(t, "the README's deployment")
	if _, err := exec.LookPath("git"); err != nil {
		testenv.Missing(t, "git", "no git program")
	}
	_, section, ok := strings.Cut(read(t, top+"/README.md"), "\n## Deploy\n")
	section, _, ok2 := strings.Cut(section, "\n## ")
	if !ok || !ok2 {
		t.Fatal("README.md has no section on deploying")
	}
	var script strings.Builder
	script.WriteString("set -eu\n")
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1)
	for _, b := range blocks {
		script.WriteString(b[1])
	}
	if len(blocks) < 4 {
		t.Fatalf("the section has %d shell blocks", len(blocks))
	}

	home, work := t.TempDir(), t.TempDir()
	ours, monads := filepath.Join(home, "ours"), filepath.Join(home, "monads")
	environment := append(os.Environ(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+filepath.Join(home, "gitconfig"), "ASKED="+filepath.Join(home, "asked"),
		"PATH="+filepath.Join(home, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"), "GOFLAGS=-mod=readonly -trimpath", "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"), "GOPATH="+goEnv(t, "GOPATH"))
	run := func(dir, name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), name, args...)
		cmd.Dir, cmd.Env = dir, environment
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		return string(out)
	}
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(home, "gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n[safe]\n\tdirectory = *\n"+
		"[url \""+ours+"\"]\n\tinsteadOf = https://github.com/mipwatch/mipwatch\n[url \""+monads+"\"]\n\tinsteadOf = https://github.com/monad-crypto/MIPs\n", 0o644)
	for _, name := range []string{"docker", "kubectl"} {
		write(filepath.Join(home, "bin", name), standIn, 0o755)
	}
	for name, text := range map[string]string{"MIPs/MIP-3.md": "---\nmip: 3\ntitle: Three\n---\n", "MRCs/MRC-1.md": "---\nmip: 100\ntitle: A hundred\n---\n"} {
		write(filepath.Join(monads, name), text, 0o644)
	}
	run(monads, "git", "init", "-q", "-b", "main", ".")
	run(monads, "git", "add", ".")
	run(monads, "git", "commit", "-q", "-m", "Upstream")
	// The repository as it is here, whether committed or not.
	list, err := exec.CommandContext(t.Context(), "git", "-C", top, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		testenv.Missing(t, "git", "this is no clone:", err)
	}
	for name := range bytes.SplitSeq(list, []byte{0}) {
		b, err := os.ReadFile(filepath.Join(top, string(name)))
		if len(name) == 0 || os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(top, string(name)))
		if err != nil {
			t.Fatal(err)
		}
		write(filepath.Join(ours, string(name)), string(b), info.Mode().Perm())
	}
	run(ours, "git", "init", "-q", "-b", "main", ".")
	run(ours, "git", "add", "-A")
	run(ours, "git", "commit", "-q", "-m", "Ours")

	t.Log(run(work, "sh", "-c", script.String()))

	clone := filepath.Join(work, "mips")
	var proposal struct {
		Updated, SourceURL string
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(clone, "public/api/v1/mips/3.json"))), &proposal); err != nil {
		t.Fatal(err)
	}
	head := strings.TrimSpace(run(monads, "git", "log", "-1", "--format=%H"))
	if want := "https://github.com/monad-crypto/MIPs/blob/" + head + "/MIPs/MIP-3.md"; proposal.SourceURL != want {
		t.Errorf("the published proposal leads to %s, want %s", proposal.SourceURL, want)
	}
	if status := run(clone, "git", "status", "--porcelain"); status != "" {
		t.Errorf("after the steps there is more to commit:\n%s", status)
	}
	asked := read(t, filepath.Join(home, "asked"))
	for _, want := range []string{"docker build ", "docker run ", "docker compose ", "kubectl apply "} {
		if !strings.Contains(asked, want) {
			t.Errorf("the steps have no %q:\n%s", want, asked)
		}
	}
	// The container is given variables that the program knows, and its configuration where it looks for it.
	var names []string
	for _, m := range regexp.MustCompile(`-e ([A-Z_]+)=`).FindAllStringSubmatch(asked, -1) {
		names = append(names, m[1])
	}
	knownVariables(t, "README.md", names...)
	if m := regexp.MustCompile(`-v \S+:(\S+):ro .*-e SIDECAR_CONFIG=(\S+)`).FindStringSubmatch(asked); m == nil || m[1] != m[2] {
		t.Errorf("the container does not get its configuration: %s", asked)
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
