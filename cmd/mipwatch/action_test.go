//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

const action = "../../.github/actions/publish"

// TestActionPublishes runs the steps of the GitHub Action in a repository with one faulty text: it
// is reported with its line, the others are published, and only a pull request fails, after the
// upload of its preview.
func TestActionPublishes(t *testing.T) {
	t.Parallel()
	const upload, pages = "actions/upload-artifact", "actions/upload-pages-artifact"
	cache := t.TempDir()
	for i, tt := range []struct {
		name, event, config string
		inputs              map[string]string
		base                string // of the published addresses
		uploads             []string
		fails               bool
		warning             bool
	}{
		{name: "push", event: "push", base: "https://mips.example.org", uploads: []string{pages}},
		{name: "pull request", event: "pull_request", base: "https://mips.example.org",
			uploads: []string{upload}, fails: true},
		{name: "own configuration", event: "push",
			config: "title: T\nbase_url: https://m.example\nhost: plain\n",
			base:   "https://m.example", uploads: []string{pages}},
		{name: "rules", event: "push", config: "title: T\nbase_url: https://m.example\n",
			inputs: map[string]string{"base-url": "https://x.example/$(id)/"},
			base:   "https://x.example/$%28id%29", uploads: []string{pages}, warning: true},
		{name: "no pages", event: "push", inputs: map[string]string{"pages": "false"},
			base: "https://team.github.io/mips"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRunner(t, tt.event, tt.inputs)
			r.cache = cache
			if tt.config != "" {
				put(t, filepath.Join(r.workspace, "site.yaml"), tt.config)
			}
			err := r.run(t, stepsOf(t, filepath.Join(action, "action.yml")))
			if (err != nil) != tt.fails || !slices.Equal(r.uploads, tt.uploads) {
				t.Errorf("%v, uploads of %v; want %v, a failure: %t\n%s",
					err, r.uploads, tt.uploads, tt.fails, &r.said)
			}
			if hit := r.values["steps.program.outputs.cache-hit"] == "true"; hit != (i > 0) {
				t.Errorf("the program is from the cache: %t", hit)
			}
			for want, ok := range map[string]bool{
				"\n::error file=proposals/MIP-2.md,line=5,title=header-unterminated::": true,
				"\n::warning::GitHub Pages ": tt.warning,
			} {
				if strings.Contains("\n"+r.said.String(), want) != ok {
					t.Errorf("%q in the log: want %t\n%s", want, ok, &r.said)
				}
			}
			site := filepath.Join(r.temp, "site")
			got := []string{r.values["steps.site.outputs.path"],
				r.values["steps.site.outputs.published"], r.values["steps.site.outputs.errors"]}
			if !slices.Equal(got, []string{site, "2", "1"}) {
				t.Errorf("the outputs are %q", got)
			}
			for file, want := range map[string]bool{"mip/1/index.html": true,
				"mip/2/index.html": false, "mip/3/index.html": true,
				".well-known/api-catalog": true, ".mipwatch": false} {
				if _, err := os.Stat(filepath.Join(site, file)); (err == nil) != want {
					t.Errorf("%s: %v", file, err)
				}
			}
			if feed, err := os.ReadFile(filepath.Join(site, "llms.txt")); err != nil ||
				!bytes.Contains(feed, []byte("("+tt.base+"/")) {
				t.Errorf("no address at %s: %v\n%s", tt.base, err, feed)
			}
			if summary, err := os.ReadFile(filepath.Join(r.temp, "summary")); err != nil ||
				!strings.HasPrefix(string(summary), "    published 2 proposals (1 error, ") {
				t.Errorf("the summary of the run is %q: %v", summary, err)
			}
		})
	}
}

// TestActionRefuses runs the action on a push that cannot be published: it fails with the reason,
// and uploads nothing.
func TestActionRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ config, text, want string }{
		"a wrong configuration": {"title: T\n", "# Sound\n", "site.yaml:1: "},
		"no sound text": {"title: T\nbase_url: https://m.example\n", "\xff",
			"::error file=proposals/MIP-3.md,line=1,"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t, "push", nil)
			put(t, filepath.Join(r.workspace, "site.yaml"), tt.config)
			for _, name := range []string{"MIP-1.md", "MIP-3.md"} {
				put(t, filepath.Join(r.workspace, "proposals", name), tt.text)
			}
			err := r.run(t, stepsOf(t, filepath.Join(action, "action.yml")))
			if err == nil || len(r.uploads) > 0 || !strings.Contains(r.said.String(), tt.want) {
				t.Errorf("%v, uploads of %v; want a failure, and %q in the log:\n%s",
					err, r.uploads, tt.want, &r.said)
			}
		})
	}
}

// TestActionCommands checks that the commands of the action read values only from the environment,
// and runs shellcheck.
func TestActionCommands(t *testing.T) {
	var commands strings.Builder
	commands.WriteString("set -eo pipefail\n") // GitHub runs them so
	for _, s := range stepsOf(t, filepath.Join(action, "action.yml")) {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("a value gets into the commands themselves; want it in env:\n%s", s.Run)
		}
		commands.WriteString(s.Run + "\n")
	}
	cmd := exec.CommandContext(t.Context(), testenv.Program(t, "shellcheck", "shellcheck"),
		"--shell", "bash", "-")
	cmd.Stdin = strings.NewReader(commands.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("shellcheck: %v\n%s", err, out)
	}
}

// runner replaces GitHub's: it runs the commands of steps, keeps cached files, and records the
// uploads of other actions.
type runner struct {
	workspace, temp string
	cache           string            // a folder of files by key
	values          map[string]string // of expressions
	uploads         []string
	said            bytes.Buffer
}

// newRunner clones a repository of three proposals, one of them faulty, whose site has its own
// domain.
func newRunner(t *testing.T, event string, inputs map[string]string) *runner {
	t.Helper()
	temp := t.TempDir()
	r := &runner{workspace: t.TempDir(), temp: temp, cache: t.TempDir(), values: map[string]string{
		"runner.temp": temp, "runner.os": "Linux", "runner.arch": "X64",
		"github.event_name": event, "github.token": "token", "inputs.config": "site.yaml",
		"inputs.base-url": "", "inputs.pages": "true",
	}}
	for name, value := range inputs {
		r.values["inputs."+name] = value
	}
	for name, text := range map[string]string{
		"MIP-1.md": "---\nmip: 1\ntitle: Sound\nstatus: Draft\n---\n\nWords.\n",
		"MIP-2.md": "---\nmip: 2\ntitle: Open\n\n## Abstract\n\nWords.\n",
		"MIP-3.md": "---\nmip: 3\ntitle: Sound too\nstatus: Draft\n---\n\nWords.\n",
	} {
		put(t, filepath.Join(r.workspace, "proposals", name), text)
	}
	testenv.Git(t, r.workspace, "", "init", "-q")
	testenv.Git(t, r.workspace, "", "remote", "add", "origin", "https://github.com/Team/mips")
	testenv.Git(t, r.workspace, "", "add", ".")
	testenv.Git(t, r.workspace, "", "commit", "-q", "-m", "All")
	for name, line := range map[string]string{
		"gh": `test "$*" = "api repos/Team/mips/pages --jq .html_url" && echo https://mips.example.org/`,
		// A compiler would need more memory than a run of the program may use: see TestScripts.
		"go": `test "$1 $2 $4 $5" = "build -C -trimpath -o" && test -f "$3/$7/main.go" && ln -s "$(command -v mipwatch)" "$6"`,
	} {
		file := filepath.Join(r.temp, "bin", name)
		put(t, file, "#!/bin/sh\n"+line+"\n")
		if err := os.Chmod(file, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// run runs the steps until one fails.
func (r *runner) run(t *testing.T, steps []step) error {
	t.Helper()
	folder, err := filepath.Abs(action)
	if err != nil {
		t.Fatal(err)
	}
	output := filepath.Join(r.temp, "output")
	for _, s := range steps {
		if !r.holds(t, s.If) {
			continue
		}
		name, _, _ := strings.Cut(s.Uses, "@")
		path, _ := s.With["path"].(string)
		path = r.expand(path)
		switch {
		case name == "actions/cache":
			kept := filepath.Join(r.cache, r.expand(s.With["key"].(string)))
			if os.Link(kept, path) == nil {
				r.values["steps."+s.ID+".outputs.cache-hit"] = "true"
			} else {
				defer os.Link(path, kept)
			}
		case strings.Contains(name, "/upload-"):
			if s.With["include-hidden-files"] != true || path != filepath.Join(r.temp, "site") {
				t.Errorf("%s uploads %v", name, s.With)
			}
			r.uploads = append(r.uploads, name)
		}
		if s.Run == "" {
			continue
		}
		put(t, output, "")
		cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail",
			"-c", s.Run)
		cmd.Dir, cmd.Stdout, cmd.Stderr = r.workspace, &r.said, &r.said
		cmd.Env = append(os.Environ(),
			"PATH="+filepath.Join(r.temp, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
			"RUNNER_TEMP="+r.temp, "GITHUB_ACTION_PATH="+folder, "GITHUB_REPOSITORY=Team/mips",
			"GITHUB_OUTPUT="+output,
			"GITHUB_STEP_SUMMARY="+filepath.Join(r.temp, "summary"),
			"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		for variable, value := range s.Env {
			cmd.Env = append(cmd.Env, variable+"="+r.expand(value))
		}
		err := cmd.Run()
		outputs, readErr := os.ReadFile(output)
		if readErr != nil {
			t.Fatal(readErr)
		}
		for line := range strings.Lines(string(outputs)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			r.values["steps."+s.ID+".outputs."+key] = value
		}
		if err != nil {
			return errors.Join(errors.New(s.Run), err)
		}
	}
	return nil
}

var (
	expression = regexp.MustCompile(`\$\{\{ (\S+) \}\}`)
	condition  = regexp.MustCompile(`^(?:(!?)startsWith\((\S+), '(.*)'\)|(\S+) (==|!=) '(.*)')$`)
)

// expand replaces expressions by their values.
func (r *runner) expand(text string) string {
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		return r.values[expression.FindStringSubmatch(e)[1]]
	})
}

// holds evaluates the condition of a step, in the subset of the language that this action uses.
func (r *runner) holds(t *testing.T, text string) bool {
	t.Helper()
	for term := range strings.SplitSeq(text, " && ") {
		m := condition.FindStringSubmatch(term)
		switch {
		case term == "":
		case m == nil:
			t.Fatalf("this runner does not know the condition %q", term)
		case m[2] != "" && strings.HasPrefix(r.values[m[2]], m[3]) == (m[1] == "!"):
			return false
		case m[4] != "" && (r.values[m[4]] == m[6]) != (m[5] == "=="):
			return false
		}
	}
	return true
}
