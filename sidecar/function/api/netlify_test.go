package main

import (
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

const root = "../../.."

// netlifyConfig is the part of netlify.toml that these tests check.
type netlifyConfig struct {
	Build struct {
		Command, Publish, Functions, Ignore string
		Environment                         map[string]string
	}
	Context   map[string]struct{ Command string }
	Redirects []struct {
		From, To  string
		Status    int
		Force     bool
		RateLimit *struct {
			Limit       int      `toml:"window_limit"`
			Seconds     int      `toml:"window_size"`
			AggregateBy []string `toml:"aggregate_by"`
		} `toml:"rate_limit"`
	}
}

func readNetlify(t *testing.T) netlifyConfig {
	t.Helper()
	var c netlifyConfig
	if _, err := toml.DecodeFile(filepath.Join(root, "netlify.toml"), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNetlifyRules compares netlify.toml with the routes of the code: this function answers each
// live route, routes that cost money are limited, and any other path below /api/ then gets a
// problem.
func TestNetlifyRules(t *testing.T) {
	c := readNetlify(t)
	got, limited := map[string]string{}, map[string]string{}
	for i, r := range c.Redirects {
		if r.From == "/api/*" {
			if i != len(c.Redirects)-1 || r.To != "/api-404.json" || r.Status != 404 {
				t.Errorf("rule %d, %+v: want 404 by /api-404.json, as the last one", i, r)
			}
			continue
		}
		if got[r.From] = r.To; r.Status != 200 {
			t.Errorf("%s: status %d, want 200", r.From, r.Status)
		}
		if l := r.RateLimit; l != nil {
			limited[r.From] = r.To
			// The published limit. Netlify's free plan allows two such rules.
			if l.Limit != 10 || l.Seconds != 60 ||
				!cmp.Equal(l.AggregateBy, []string{"ip", "domain"}) {
				t.Errorf("%s: limit %+v", r.From, *l)
			}
		}
	}
	want, posts := map[string]string{"/api/v1/mips/*": "/.netlify/functions/api"},
		map[string]string{}
	for _, r := range api.Routes() {
		want[r.Path] = "/.netlify/functions/api"
		if r.Method == "POST" {
			posts[r.Path] = want[r.Path]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("live routes of the code and of netlify.toml (-code +file):\n%s", diff)
	}
	if diff := cmp.Diff(posts, limited); diff != "" {
		t.Errorf("routes that are posted to and those with a limit (-code +file):\n%s", diff)
	}
}

// TestNetlifyBuild checks that every context builds the same way except for its address, with a Go
// version that go.mod allows.
func TestNetlifyBuild(t *testing.T) {
	c := readNetlify(t)
	for _, flag := range []string{"./.ci/netlify/history && ", ` --base-url "$URL"`,
		" --snapshot sidecar/function/api/snapshot", " --no-api-fallback"} {
		if !strings.Contains(c.Build.Command, flag) {
			t.Errorf("the command %q lacks %q", c.Build.Command, flag)
		}
	}
	for _, context := range []string{"deploy-preview", "branch-deploy"} {
		if want := strings.Replace(c.Build.Command, "$URL", "$DEPLOY_PRIME_URL",
			1); c.Context[context].Command != want {
			t.Errorf("%s: command %q, want %q", context, c.Context[context].Command, want)
		}
	}
	if c.Build.Publish != "public" || c.Build.Functions != "sidecar/function" {
		t.Errorf("publish %q, functions %q", c.Build.Publish, c.Build.Functions)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	least := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(mod)
	have := "go" + c.Build.Environment["GO_VERSION"]
	if !version.IsValid(have) || version.Compare(have, "go"+string(least[1])) < 0 {
		t.Errorf("GO_VERSION is %s, want at least that of go.mod, %s", have, least[1])
	}
}

// bash runs a command in a folder, with only these variables.
func bash(t *testing.T, dir, command string, variables ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", command)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@example.org"}, variables...)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// TestNetlifyHistory completes a clone like Netlify's, which lacks the contents of earlier commits.
func TestNetlifyHistory(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		testenv.Missing(t, "git", "git is not installed")
	}
	script, err := filepath.Abs(filepath.Join(root, ".ci/netlify/history"))
	if err != nil {
		t.Fatal(err)
	}
	const missing = "cd clone && git rev-list --objects --missing=print HEAD | grep -c '^?' || true"
	dir := t.TempDir()
	for _, step := range []struct{ command, want string }{
		{"git init -q full && cd full && git config uploadpack.allowFilter true && git config " +
			"uploadpack.allowAnySHA1InWant true && for i in 1 2 3; do echo $i > MIP-1.md && git " +
			"add -A && git commit -qm $i; done", ""},
		{"git clone -q --filter=blob:none file://$PWD/full clone", ""},
		{missing, "2"},
		{"cd clone && bash " + script, ""},
		{missing, "0"},
		{"cd clone && bash " + script, ""},
		{"cd full && bash " + script, ""},
	} {
		if out, err := bash(t, dir, step.command); err != nil || out != step.want {
			t.Fatalf("%s: %q, %v; want %q", step.command, out, err, step.want)
		}
	}
}

// TestNetlifyIgnore runs the ignore rule over a repository: it skips builds that cannot change
// anything.
func TestNetlifyIgnore(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		testenv.Missing(t, "git", "git is not installed")
	}
	c := readNetlify(t)
	dir := t.TempDir()
	sh := func(command string, variables ...string) (string, error) {
		return bash(t, dir, command, variables...)
	}
	must := func(command string) string {
		t.Helper()
		out, err := sh(command)
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		return out
	}
	rule, err := os.ReadFile(filepath.Join(root, ".ci/netlify/ignore"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".ci/netlify"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".ci/netlify/ignore"), rule, 0o644); err != nil {
		t.Fatal(err)
	}
	must(`git init -q . && mkdir -p proposals/summaries build/testdata/web .github/workflows && touch proposals/MIP-1.md README.md && git add -A && git commit -qm 1`)
	first := must("git rev-parse HEAD")
	commit := func(file string) string {
		return must("git checkout -q " + first + " && mkdir -p $(dirname " + file +
			") && echo x > " + file + " && git add -A && git commit -qm 2 && git rev-parse HEAD")
	}
	skipped := func(context, cached, head string) bool {
		_, err := sh(c.Build.Ignore, "CONTEXT="+context, "CACHED_COMMIT_REF="+cached,
			"COMMIT_REF="+head)
		return err == nil
	}
	for file, want := range map[string]bool{
		"README.md": true, "LICENSE": true, "docs/operators.md": true, "build/sync_test.go": true,
		"build/testdata/web/api.web": true, ".github/workflows/check.yml": true, ".ci/run": true,
		".ci/audit": true, ".ci/install": true,
		"proposals/MIP-1.md": false, "proposals/README.md": false, "proposals/docs/MIP-2.md": false,
		"build/sync.go": false, "site.yaml": false, "unheard-of": false,
		".ci/netlify/ignore": false,
	} {
		if got := skipped("deploy-preview", first, commit(file)); got != want {
			t.Errorf("a preview that changes %s: skipped %v, want %v", file, got, want)
		}
	}
	words := commit("README.md")
	if skipped("production", first, words) || skipped("branch-deploy", first, words) {
		t.Error("a deploy for others is skipped")
	}
	must("git checkout -q " + first)
	for name, refs := range map[string][2]string{
		"first build": {"", first}, "build without cache": {first, first},
		"unknown commit": {strings.Repeat("0", 40), first}, "no commit": {first, ""},
		"nothing": {"", ""},
	} {
		if skipped("deploy-preview", refs[0], refs[1]) {
			t.Errorf("%s: skipped", name)
		}
	}
	// A merged change: Netlify may have kept its preview, which has the same files.
	preview := commit("proposals/MIP-1.md")
	must("git checkout -q " + first + " && git merge -q --squash " + preview +
		" && git commit -qm merged")
	if skipped("production", preview, must("git rev-parse HEAD")) {
		t.Error("a change that was merged is not published")
	}
}
