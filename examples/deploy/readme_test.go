package deploy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// standIn replaces a program that needs an engine or a cluster: it checks that every named file
// exists, and records its arguments.
const standIn = `#!/bin/sh
echo "$(basename "$0") $*" >> "$ASKED"
for a in "$@"; do
	case $a in
	examples/*) test -f "$a" || { echo "no file $a" >&2; exit 1; } ;;
	*:ro) test -f "${a%%:*}" || { echo "no file ${a%%:*}" >&2; exit 1; } ;;
	esac
done
`

// TestDeploymentDeploys follows the steps of docs/deployment.md in an empty folder: it runs every
// shell block unchanged in one shell. The repository and Monad's are local copies. For steps that
// need an account, an engine or a cluster it only checks the named files.
func TestDeploymentDeploys(t *testing.T) {
	testenv.Long(t, "the deployment of the documents")
	t.Parallel()
	blocks := shellBlocks(read(t, top+"/docs/deployment.md"))
	if len(blocks) < 4 {
		t.Fatalf("docs/deployment.md has %d shell blocks", len(blocks))
	}
	m := newMachine(t)
	m.follow(t, blocks)

	clone := filepath.Join(m.work, "mips")
	var proposal struct {
		Updated, SourceURL string
	}
	err := json.Unmarshal([]byte(read(t, filepath.Join(clone, "public/api/v1/mips/3.json"))),
		&proposal)
	if err != nil {
		t.Fatal(err)
	}
	head := strings.TrimSpace(m.run(t, m.monads, "git", "log", "-1", "--format=%H"))
	if want := "https://github.com/monad-crypto/MIPs/blob/" + head +
		"/MIPs/MIP-3.md"; proposal.SourceURL != want {
		t.Errorf("the published proposal leads to %s, want %s", proposal.SourceURL, want)
	}
	if status := m.run(t, clone, "git", "status", "--porcelain"); status != "" {
		t.Errorf("after the steps there is more to commit:\n%s", status)
	}
	asked := read(t, filepath.Join(m.home, "asked"))
	for _, want := range []string{"docker build ", "docker run ", "docker compose ",
		"kubectl apply "} {
		if !strings.Contains(asked, want) {
			t.Errorf("the steps have no %q:\n%s", want, asked)
		}
	}
	// The container gets known variables, and has its configuration in the right place.
	var names []string
	for _, m := range regexp.MustCompile(`-e ([A-Z_]+)=`).FindAllStringSubmatch(asked, -1) {
		names = append(names, m[1])
	}
	knownVariables(t, "docs/deployment.md", names...)
	config := regexp.MustCompile(
		`-v \S+:(\S+):ro .*-e SIDECAR_CONFIG=(\S+)`).FindStringSubmatch(asked)
	if config == nil || config[1] != config[2] {
		t.Errorf("the container does not get its configuration: %s", asked)
	}
}

// TestReadmeSteps follows the README's steps from a clone to a site of one's own proposals.
func TestReadmeSteps(t *testing.T) {
	testenv.Long(t, "the steps of the README")
	t.Parallel()
	_, section, ok := strings.Cut(read(t, top+"/README.md"), "\n## Your own proposals\n")
	section, _, ok2 := strings.Cut(section, "\n## ")
	blocks := shellBlocks(section)
	if !ok || !ok2 || len(blocks) != 5 {
		t.Fatalf("README.md has %d steps with commands to a site of one's own, want 5", len(blocks))
	}
	m := newMachine(t)
	m.write(t, filepath.Join(m.work, "our-texts", "MIP-1.md"),
		"---\nmip: 1\ntitle: Ours\nstatus: Draft\n---\n\n## Abstract\n\nWords.\n", 0o644)
	out := m.follow(t, blocks)
	if !strings.Contains(out, "published 1 proposal (0 errors, 0 warnings, 0 notices)") {
		t.Errorf("the steps print %s", out)
	}
	clone := filepath.Join(m.work, "mips")
	page := read(t, filepath.Join(clone, "public/mip/1/index.html"))
	if !strings.Contains(page, "Ours") {
		t.Error("the proposal has no page")
	}
	status := m.run(t, clone, "git", "status", "--porcelain", "--", "site.yaml", "proposals")
	if status != "" {
		t.Errorf("after the steps there is more to commit:\n%s", status)
	}
}

// TestForkPassesTests runs all short tests in a fork with other proposals, in another folder and
// with another prefix. The tests are compiled here, where the build cache has them, and started in
// the fork.
func TestForkPassesTests(t *testing.T) {
	testenv.Long(t, "all short tests in a fork")
	t.Parallel()
	m := newMachine(t)
	fork := filepath.Join(m.home, "ours")
	m.run(t, fork, "git", "rm", "-rq", "proposals", "site.yaml")
	m.write(t, filepath.Join(fork, "site.yaml"),
		"title: Ours\nbase_url: https://ours.example.org/texts\nprefix: OUR\nproposals: [texts]\n",
		0o644)
	for _, number := range []string{"41", "7000"} {
		m.write(t, filepath.Join(fork, "texts", "OUR-"+number+".md"),
			"---\nour: "+number+"\ntitle: Ours\nstatus: Draft\n---\n\n## Abstract\n\nWords.\n",
			0o644)
	}
	m.run(t, fork, "git", "add", "-A")
	m.run(t, fork, "git", "commit", "-q", "-m", "Our proposals")
	here, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(m.home, "bin", "there")
	m.write(t, there, "#!/bin/sh\ncd \"$FORK${PWD#\"$HERE\"}\" && exec \"$@\"\n", 0o755)
	cmd := exec.CommandContext(t.Context(), "go",
		append([]string{"test", "-vet=off", "-p", "2", "-timeout", "10m", "-exec", there},
			outward(t)...)...)
	cmd.Dir = here
	cmd.Env = append(os.Environ(), "MIPWATCH_TESTS=", "MIPWATCH_REQUIRE=git", "HERE="+here,
		"FORK="+fork)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, regexp.MustCompile(`(?m)^(ok|\?) .*\n`).ReplaceAll(out, nil))
	}
}

// outward returns the packages with tests that use the top folder, or its site.yaml or proposals:
// no other test can notice a fork.
func outward(t *testing.T) []string {
	t.Helper()
	files, err := exec.CommandContext(t.Context(), "git", "-C", top, "grep", "-lE",
		`"(\.\./)*\.\."|"(\.\./)+(site\.yaml|proposals)`, "--", "*_test.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := []string{"."}
	for file := range strings.Lines(string(files)) {
		packages = append(packages, "./"+filepath.Dir(file))
	}
	slices.Sort(packages)
	return slices.Compact(packages)
}

// shellBlocks returns the shell blocks of a document. A block in an item of a list is indented by
// its item.
func shellBlocks(text string) []string {
	var blocks []string
	for _, b := range regexp.MustCompile("(?ms)^( *)```sh\n(.*?)^ *```$").FindAllStringSubmatch(
		text, -1) {
		blocks = append(blocks, strings.ReplaceAll("\n"+b[2], "\n"+b[1], "\n")[1:])
	}
	return blocks
}

// machine has the repository and Monad's where git finds them, and programs that replace an engine
// and a cluster.
type machine struct {
	home, work, monads string
	environment        []string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		testenv.Missing(t, "git", "no git program")
	}
	home, work := t.TempDir(), t.TempDir()
	ours, monads := filepath.Join(home, "ours"), filepath.Join(home, "monads")
	m := &machine{home: home, work: work, monads: monads}
	m.environment = append(os.Environ(),
		"HOME="+home, "PATH="+filepath.Join(home,
			"bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"ASKED="+filepath.Join(home, "asked"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+filepath.Join(home, "gitconfig"),
		"GOFLAGS=-mod=readonly "+os.Getenv("GOFLAGS"), "GOCACHE="+goEnv(t, "GOCACHE"),
		"GOMODCACHE="+goEnv(t, "GOMODCACHE"), "GOPATH="+goEnv(t, "GOPATH"))
	m.write(t, filepath.Join(home, "gitconfig"),
		"[user]\n\tname = Ada\n\temail = ada@example.org\n[safe]\n"+
			"\tdirectory = *\n[url \""+ours+"\"]\n\tinsteadOf = "+
			"https://github.com/mipwatch/mipwatch\n[url \""+monads+"\"]\n\tinsteadOf = "+
			"https://github.com/monad-crypto/MIPs\n", 0o644)
	for _, name := range []string{"docker", "kubectl"} {
		m.write(t, filepath.Join(home, "bin", name), standIn, 0o755)
	}
	for name, text := range map[string]string{"MIPs/MIP-3.md": "---\nmip: 3\ntitle: Three\n---\n",
		"MRCs/MRC-1.md": "---\nmip: 100\ntitle: A hundred\n---\n"} {
		m.write(t, filepath.Join(monads, name), text, 0o644)
	}
	m.run(t, monads, "git", "init", "-q", "-b", "main", ".")
	m.run(t, monads, "git", "add", ".")
	m.run(t, monads, "git", "commit", "-q", "-m", "Upstream")
	// The repository in its present state, committed or not.
	list, err := exec.CommandContext(t.Context(), "git", "-C", top, "ls-files", "-z", "--cached",
		"--others", "--exclude-standard").Output()
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
		m.write(t, filepath.Join(ours, string(name)), string(b), info.Mode().Perm())
	}
	if err := os.RemoveAll(filepath.Join(ours, "proposals")); err != nil { // a fork has its own
		t.Fatal(err)
	}
	m.run(t, ours, "cp", "-r", "internal/samples/proposals", "internal/samples/site.yaml", ".")
	m.run(t, ours, "git", "init", "-q", "-b", "main", ".")
	m.run(t, ours, "git", "add", "-A")
	m.run(t, ours, "git", "commit", "-q", "-m", "Ours")
	return m
}

func (m *machine) run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), name, args...)
	cmd.Dir, cmd.Env = dir, m.environment
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// follow runs shell blocks in one shell, and returns their output.
func (m *machine) follow(t *testing.T, blocks []string) string {
	t.Helper()
	out := m.run(t, m.work, "sh", "-c", "set -eu\n"+strings.Join(blocks, ""))
	t.Log(out)
	return out
}

func (m *machine) write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
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
