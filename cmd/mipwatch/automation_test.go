//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v3"
)

// TestAutomationKeepsGoing runs the commands of the workflows and of netlify.toml over a folder
// with one faulty text: it is reported, the other is published, and only the check of a pull
// request fails.
func TestAutomationKeepsGoing(t *testing.T) {
	const root = "../.."
	var netlify struct{ Build struct{ Command string } }
	if _, err := toml.DecodeFile(filepath.Join(root, "netlify.toml"), &netlify); err != nil {
		t.Fatal(err)
	}
	for name, steps := range map[string][]string{
		"publish.yml": runs(t, filepath.Join(root, ".github/workflows/publish.yml")),
		"check.yml":   runs(t, filepath.Join(root, ".github/workflows/check.yml")),
		"netlify":     {netlify.Build.Command},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, filepath.Join(dir, "site.yaml"), "title: T\nbase_url: https://m.example\n")
			put(t, filepath.Join(dir, "proposals", "MIP-1.md"),
				"---\nmip: 1\ntitle: Sound\n---\n\nWords.\n")
			put(t, filepath.Join(dir, "proposals", "MIP-2.md"),
				"---\nmip: 2\ntitle: Open\n\n## Abstract\n\nWords.\n")
			put(t, filepath.Join(dir, ".ci", "netlify", "history"), "")
			var said strings.Builder
			for _, step := range steps {
				cmd := exec.CommandContext(t.Context(), "bash", "-eo", "pipefail", "-c",
					strings.ReplaceAll(step, "go run ./cmd/mipwatch", "mipwatch"))
				cmd.Dir, cmd.Env = dir,
					append(os.Environ(), "SITE_CONFIG=site.yaml", "URL=https://m.example")
				out, err := cmd.CombinedOutput()
				said.WriteString(string(out))
				fails := name == "check.yml" && strings.Contains(step, " check ")
				if (err != nil) != fails {
					t.Errorf("%s: %v\n%s", step, err, out)
				}
			}
			if !strings.Contains(said.String(), "proposals/MIP-2.md") ||
				!strings.Contains(said.String(), "header-unterminated") {
				t.Errorf("the text in error is not named:\n%s", said.String())
			}
			for file, want := range map[string]bool{"mip/1/index.html": true,
				"mip/2/index.html": false} {
				if _, err := os.Stat(filepath.Join(dir, "public", file)); (err == nil) != want {
					t.Errorf("%s: %v", file, err)
				}
			}
		})
	}
}

// runs returns the commands of a workflow that run this program, in order.
func runs(t *testing.T, file string) (out []string) {
	t.Helper()
	for _, step := range stepsOf(t, file) {
		if strings.Contains(step.Run, "cmd/mipwatch") {
			out = append(out, step.Run)
		}
	}
	return out
}

// TestAutomationTokens checks that only the steps that need a token have one: none is in a
// checkout, where every later step can read it, in the environment of a job, or in a step that
// reads untrusted texts.
func TestAutomationTokens(t *testing.T) {
	const root = "../.."
	files := []string{filepath.Join(root, "examples/pages.yml")}
	for _, pattern := range []string{".github/workflows/*.yml", ".github/actions/*/action.yml"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	secret := regexp.MustCompile(`\$\{\{[^}]*\b(?:github\.token|secrets\.)`)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var all struct {
			Env  map[string]string
			Jobs map[string]struct{ Env map[string]string }
		}
		if err := yaml.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		shared := []map[string]string{all.Env}
		for _, job := range all.Jobs {
			shared = append(shared, job.Env)
		}
		for _, s := range stepsOf(t, name) {
			if strings.HasPrefix(s.Uses, "actions/checkout@") &&
				s.With["persist-credentials"] != false {
				t.Errorf("%s: %s keeps its token; want persist-credentials: false", name, s.Uses)
			}
			if strings.Contains(s.Run, "cmd/mipwatch") || strings.Contains(s.Run, "$mipwatch") {
				shared = append(shared, s.Env)
			}
		}
		for _, env := range shared {
			for variable, value := range env {
				if secret.MatchString(value) {
					t.Errorf("%s: %s is there where texts are read; want it in the one step "+
						"that needs it", name, variable)
				}
			}
		}
	}
}

// step is one step of a workflow or an action: it runs commands or uses another action.
type step struct {
	ID, If, Run, Uses string
	Env               map[string]string
	With              map[string]any
}

// stepsOf returns the steps of a workflow or an action, in order.
func stepsOf(t *testing.T, file string) (out []step) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var automation struct {
		Jobs map[string]struct{ Steps []step }
		Runs struct{ Steps []step }
	}
	if err := yaml.Unmarshal(text, &automation); err != nil {
		t.Fatal(err)
	}
	for _, job := range automation.Jobs {
		out = append(out, job.Steps...)
	}
	return append(out, automation.Runs.Steps...)
}
