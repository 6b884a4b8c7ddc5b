// Package mipwatch_test checks the rules of the repository, such as the imports of each package,
// the ignored files and the samples.
package mipwatch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	diff "github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

const module = "github.com/mipwatch/mipwatch/"

// imports is the whole table of imports by package, except for the standard library and tests.
var imports = map[string][]string{
	"build": {"render", "render/agent", "render/board", "render/calendar", "render/card",
		"render/feed", "render/markdown", "render/plain", "internal/entity", "internal/folder",
		"internal/markdown", "internal/mip", "internal/corpus", "internal/filename",
		"internal/ai/prose", "internal/attachment", "internal/header", "internal/history",
		"internal/once",
		"internal/problem", "internal/redirect", "internal/site", "internal/api", "internal/ai",
		"internal/ai/summary", "internal/requirement", "internal/search", "internal/upgrade",
		"internal/forks",
		"github.com/gofrs/flock", "golang.org/x/sync"},
	"docs":            {}, // tests only
	"examples/deploy": {}, // tests only
	"cmd/mipwatch": {"build", "internal/attachment", "internal/corpus", "internal/filename",
		"internal/folder", "internal/gitsync", "internal/markdown", "internal/mip",
		"render/markdown",
		"internal/release", "internal/site", "internal/survey",
		"internal/demo", "internal/samples",
		"sidecar", "internal/api", "internal/ai", "sidecar/catalog",
		"github.com/spf13/cobra", "golang.org/x/term"},
	"cmd/sidecar": {"internal/api", "internal/release", "internal/site", "sidecar",
		"sidecar/catalog", "internal/fetch",
		"github.com/VictoriaMetrics/metrics"},
	// for tests only
	"internal/test/aimocktest": {"internal/test/testenv"},
	// tests only
	"internal/test/browsertest": {},
	// for tests only
	"internal/test/buildtest": {"build", "internal/api", "internal/filename", "internal/mip",
		"internal/site"},
	// for tests only
	"internal/test/corpora": {"internal/test/testenv"},
	"internal/attachment":   {"internal/folder", "internal/picture"},
	"internal/corpus": {"internal/api", "internal/day", "internal/filename",
		"internal/folder", "internal/gitsync", "internal/header", "internal/history",
		"internal/markdown", "internal/mip", "internal/problem", "internal/strictjson",
		"github.com/yuin/goldmark", "golang.org/x/sync/errgroup"},
	"internal/filename": {"internal/folder", "internal/mip"},
	"internal/history": {"internal/filename", "internal/folder", "internal/git",
		"internal/gitsync", "internal/header", "internal/mip", "internal/problem",
		"github.com/rogpeppe/go-internal/diff"},
	"internal/day": {"internal/mip"},
	"internal/forks": {"internal/history", "internal/mip", "internal/site",
		"internal/upgrade"},
	"internal/demo":           {"internal/mip"},
	"internal/diagram":        {"internal/diagram/layout"},
	"internal/diagram/layout": {},
	"internal/entity":         {},
	"internal/fetch":          {},
	"internal/folder":         {"internal/mip"},
	"internal/git":            {},
	"internal/gitsync": {"internal/attachment", "internal/folder", "internal/git", "internal/mip",
		"internal/picture",
		"github.com/gofrs/flock", "golang.org/x/text"},
	"internal/graph": {},
	"internal/header": {"internal/day", "internal/filename", "internal/mip",
		"internal/problem", "github.com/yuin/goldmark", "github.com/yuin/goldmark-meta"},
	"internal/markdown":         {"internal/mip", "github.com/yuin/goldmark"},
	"internal/mip":              {"internal/spelling"},
	"internal/test/openapitest": {"github.com/santhosh-tekuri/jsonschema/v6"}, // for tests only
	"internal/test/redistest":   {"internal/test/testenv"},                    // for tests only
	"internal/release":          {},
	"internal/requirement": {"internal/ai/prose", "internal/markdown", "internal/mip",
		"github.com/yuin/goldmark"},
	"internal/samples":  {"internal/git"},
	"internal/once":     {},
	"internal/picture":  {"internal/folder", "internal/mip", "golang.org/x/image/webp"},
	"internal/palette":  {"github.com/lucasb-eyer/go-colorful"},
	"internal/problem":  {"internal/mip"},
	"internal/redirect": {},
	"internal/site": {"internal/day", "internal/filename", "internal/folder", "internal/mip",
		"internal/palette", "internal/picture", "go.yaml.in/yaml/v3"},
	"internal/search": {"internal/mip", "github.com/klauspost/compress", "golang.org/x/sync",
		"golang.org/x/text"},
	"internal/spelling":   {"golang.org/x/text"},
	"internal/strictjson": {"internal/mip", "github.com/go-json-experiment/json"},
	"internal/test/testenv": {"github.com/google/go-cmp", "github.com/rogpeppe/go-internal",
		"golang.org/x/tools"}, // for tests only
	"internal/survey": {"internal/filename", "internal/corpus", "internal/header",
		"internal/folder", "internal/git", "internal/markdown", "internal/mip", "internal/site",
		"internal/upgrade"},
	"internal/tex": {"internal/mip"},
	"internal/upgrade": {"internal/day", "internal/markdown", "internal/mip", "internal/problem",
		"internal/spelling", "github.com/yuin/goldmark"},
	"internal/test/webtest": {}, // for tests only
	"render": {"internal/ai/prose", "internal/graph", "internal/mip",
		"internal/palette", "internal/api", "render/agent", "render/board", "render/calendar",
		"render/card", "render/feed", "render/plain", "golang.org/x/net"},
	"render/agent": {"internal/mip", "internal/api", "internal/search", "render/board",
		"render/feed", "render/plain"},
	"render/board": {"internal/api", "internal/mip"},
	"render/calendar": {"internal/day", "internal/mip", "render/plain",
		"github.com/arran4/golang-ical"},
	"render/card": {"internal/mip", "github.com/klauspost/compress", "golang.org/x/image"},
	"render/feed": {"internal/api", "internal/mip", "render/plain",
		"github.com/gorilla/feeds"},
	"render/markdown": {"internal/markdown", "internal/mip", "internal/tex", "internal/diagram",
		"github.com/alecthomas/chroma/v2", "github.com/microcosm-cc/bluemonday",
		"github.com/yuin/goldmark", "golang.org/x/net"},
	"render/plain": {"internal/day", "internal/mip"},
	// for tests only
	"render/rendertest": {"internal/mip", "github.com/google/go-cmp", "golang.org/x/net"},
	"sidecar": {"internal/entity", "internal/mip", "internal/search", "internal/strictjson",
		"internal/api", "internal/ai", "internal/ai/summary", "sidecar/cache", "sidecar/chain",
		"sidecar/forum", "sidecar/catalog", "sidecar/limit", "sidecar/redis", "sidecar/timing",
		"internal/fetch",
		"golang.org/x/sync"},
	"internal/api": {"internal/mip"},
	"internal/ai": {"internal/ai/prose", "internal/ai/summary", "internal/api", "internal/fetch",
		"internal/folder", "internal/markdown", "internal/mip", "internal/strictjson",
		"github.com/tmc/langchaingo", "github.com/yuin/goldmark", "golang.org/x/sync"},
	"internal/ai/prose": {"internal/markdown", "internal/mip", "github.com/yuin/goldmark",
		"golang.org/x/text"},
	"internal/ai/summary": {"internal/ai/prose", "internal/api", "internal/mip"},
	"sidecar/cache":       {},
	"sidecar/catalog": {"internal/ai/summary", "internal/api", "internal/mip",
		"internal/search", "internal/site", "sidecar/cache", "golang.org/x/sync"},
	"sidecar/chain": {"internal/mip", "internal/api", "sidecar/cache", "sidecar/timing",
		"internal/fetch"},
	"sidecar/forum": {"internal/api", "internal/fetch", "internal/mip", "sidecar/cache",
		"sidecar/timing", "golang.org/x/sync/semaphore"},
	"sidecar/limit":  {"internal/api", "sidecar/redis", "github.com/sethvargo/go-limiter"},
	"sidecar/redis":  {"sidecar/timing", "github.com/gomodule/redigo/redis"},
	"sidecar/timing": {},
	"sidecar/function/api": {"internal/release", "sidecar", "internal/api", "sidecar/catalog",
		"github.com/aws/aws-lambda-go/lambda"},
}

// agreed are libraries that the project must use.
var agreed = []string{
	"github.com/yuin/goldmark", "github.com/yuin/goldmark-meta", "github.com/gorilla/feeds",
	"github.com/spf13/cobra",
	"github.com/sethvargo/go-limiter", "github.com/tmc/langchaingo/llms",
}

func TestImports(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list",
		"-json=ImportPath,Imports,IgnoredGoFiles,Dir", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen, used := map[string]bool{}, map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir         string
			Imports, IgnoredGoFiles []string
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.IgnoredGoFiles) > 0 {
			t.Errorf("%s: Go drops %v in silence because of their names or build tags",
				p.Dir, p.IgnoredGoFiles)
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		if name == strings.TrimSuffix(module, "/") {
			continue // this test
		}
		allowed, ok := imports[name]
		if !ok {
			t.Errorf("package %s is not in the table of imports", name)
		}
		seen[name] = true
		for _, imp := range p.Imports {
			local, ours := strings.CutPrefix(imp, module)
			if !ours && !strings.Contains(strings.Split(imp, "/")[0], ".") {
				continue // standard library
			}
			if !slices.ContainsFunc(allowed, func(a string) bool {
				return local == a || !ours && (imp == a || strings.HasPrefix(imp, a+"/"))
			}) {
				t.Errorf("%s imports %s, which the table does not allow", name, local)
			}
			used[imp] = true
		}
	}
	for _, library := range agreed {
		if !used[library] {
			t.Errorf("no package imports %s, which the project is to use", library)
		}
	}
	for name := range imports {
		if !seen[name] {
			t.Errorf("the table of imports has %s, which does not exist", name)
		}
	}
}

// samples skips a test about the repository's sample site if this is a fork with another site.
func samples(t *testing.T) {
	t.Helper()
	for _, name := range []string{"site.yaml", "proposals/MIP-1.md"} {
		if text, err := os.ReadFile(name); !bytes.Contains(text, []byte("Lantern")) {
			testenv.Missing(t, "samples", name, "is not that of the sample network:", err)
		}
	}
}

// TestSamples compares the published site with the samples that tests read.
func TestSamples(t *testing.T) {
	samples(t)
	read := func(top string) map[string]string {
		texts := map[string]string{}
		for _, name := range []string{"site.yaml", "proposals"} {
			err := filepath.WalkDir(filepath.Join(top, name), func(p string, d fs.DirEntry,
				err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				text, err := os.ReadFile(p)
				texts[strings.TrimPrefix(filepath.ToSlash(p), "internal/samples/")] = string(text)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
		return texts
	}
	if d := diff.Diff(read("internal/samples"), read(".")); d != "" {
		t.Errorf("after a change, cp -r site.yaml proposals internal/samples (-copy "+
			"+original):\n%s", d)
	}
}

func TestTopLevel(t *testing.T) {
	samples(t)
	allowed := strings.Fields("cmd build render sidecar proposals public go.mod go.sum Makefile " +
		"netlify.toml README.md CONTRIBUTING.md CHANGELOG.md LICENSE docs site.yaml examples " +
		"internal all_test.go")
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, ".") && name != "bin" && !slices.Contains(allowed, name) {
			t.Errorf("%s does not belong at the top level", name)
		}
	}
}

// TestFunctionsFolder checks what Netlify deploys: each folder in the functions folder is a
// function.
func TestFunctionsFolder(t *testing.T) {
	entries, err := os.ReadDir("sidecar/function")
	if err != nil || len(entries) != 1 || entries[0].Name() != "api" || !entries[0].IsDir() {
		t.Errorf("sidecar/function holds %v, %v; want the folder api alone", entries, err)
	}
	out, err := exec.CommandContext(t.Context(), "git", "ls-files",
		"sidecar/function/api/snapshot").Output()
	if err != nil {
		testenv.Missing(t, "git", "this is no checkout of git")
	}
	got := strings.Fields(string(out))
	if !slices.Equal(got, []string{"sidecar/function/api/snapshot/README.md"}) {
		t.Errorf("of what the function carries, %v is committed; want the README alone", got)
	}
}

// sourceFiles passes each Go file to f.
func sourceFiles(t *testing.T, f func(name string, text []byte)) {
	t.Helper()
	filesBelow(t, ".", []string{".go"}, f)
}

// filesBelow passes each file below a folder to f whose name ends as one of ends.
func filesBelow(t *testing.T, folder string, ends []string, f func(name string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains(ends, filepath.Ext(p)) {
			return err
		}
		b, err := os.ReadFile(p)
		f(filepath.ToSlash(p), b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFileLength bounds the lines of a Go file, and the columns of Go files, templates, style
// sheets and scripts. A tab counts as four. Raw strings may be longer: a line break in them would
// change a text, and a regular expression cannot be broken.
func TestFileLength(t *testing.T) {
	const mostLines, mostColumns, mostOfPages = 400, 100, 120
	check := func(name string, most int, text []byte, whole func(n int, line string) bool) {
		for i, line := range strings.Split(string(text), "\n") {
			columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
			if columns > most && !whole(i+1, line) {
				t.Errorf("%s:%d has %d columns, want at most %d", name, i+1, columns, most)
			}
		}
	}
	sourceFiles(t, func(name string, text []byte) {
		n := bytes.Count(text, []byte("\n"))
		if n > mostLines && !strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s has %d lines; over %d the design wants a better idea", name, n, mostLines)
		}
		raw := rawLines(text)
		check(name, mostColumns, text, func(n int, _ string) bool { return raw[n] })
	})
	unbroken := regexp.MustCompile(`^const \w+ = /.*/[a-z]*;$`)
	for _, folder := range []string{"cmd", "internal", "render"} {
		filesBelow(t, folder, []string{".tmpl", ".css", ".js"}, func(name string, text []byte) {
			check(name, mostOfPages, text, func(_ int, line string) bool {
				return unbroken.MatchString(line)
			})
		})
	}
}

// rawLines returns the lines of a Go file with a part of a raw string, counted from 1.
func rawLines(text []byte) map[int]bool {
	raw := map[int]bool{}
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return raw
		}
		if tok == token.STRING && literal[0] == '`' {
			first := file.Line(pos)
			for line := range strings.Count(literal, "\n") + 1 {
				raw[first+line] = true
			}
		}
	}
}

// TestPackageLength bounds the lines of a package. The longer ones have bounds of their own, which
// may only decrease.
func TestPackageLength(t *testing.T) {
	const most = 2_500
	longer := map[string]int{"build": 4_120, "render": 3_615}
	lines := map[string]int{}
	sourceFiles(t, func(name string, text []byte) {
		if !strings.HasSuffix(name, "_test.go") {
			lines[path.Dir(name)] += bytes.Count(text, []byte("\n"))
		}
	})
	for name, n := range lines {
		if most := max(most, longer[name]); n > most {
			t.Errorf("package %s has %d lines, want at most %d: find the noun that is a package "+
				"of its own", name, n, most)
		}
	}
}

// TestSkips checks that only package testenv skips tests, so that a machine can require them. A
// fuzz target may skip inputs.
func TestSkips(t *testing.T) {
	skip := regexp.MustCompile(`\b[tb]\.Skip(f|Now)?\(`)
	sourceFiles(t, func(name string, text []byte) {
		inFuzz := false
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "func ") {
				inFuzz = strings.HasPrefix(line, "func Fuzz")
			}
			if skip.MatchString(line) && !inFuzz && name != "internal/test/testenv/testenv.go" {
				t.Errorf("%s: %s; want testenv.Missing or testenv.Long",
					name, strings.TrimSpace(line))
			}
		}
	})
}

// TestWorkflows checks the workflows, the action and its example: their syntax, minimal rights and
// pinned foreign code.
func TestWorkflows(t *testing.T) {
	const example = "examples/pages.yml"
	files := []string{example}
	for _, pattern := range []string{".github/workflows/*.yml", ".github/actions/*/action.yml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	uses, pinned := regexp.MustCompile(`uses: *(\S+)`),
		regexp.MustCompile(`@[0-9a-f]{40} # v\d+\.\d+\.\d+\n$`)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		// it has the rights of the workflow that uses it
		isAction := bytes.Contains(text, []byte("\nruns:\n"))
		if !isAction &&
			!regexp.MustCompile(
				`(?m)^permissions:( \{\}|\n  contents: read\n(  pages: read .*\n)?\n)`).Match(text) {
			t.Errorf("%s: a workflow begins with no right, or that to read", name)
		}
		for _, m := range uses.FindAllSubmatch(text, -1) {
			if action := string(m[1]); !strings.HasPrefix(action, "actions/") &&
				!strings.HasPrefix(action, "./") && !strings.HasPrefix(action, "mipwatch/") {
				t.Errorf("%s uses %s; want actions of GitHub's own, or a command", name, action)
			}
		}
		// A tag can be moved, so pin the commit. The comment has its tag.
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "uses: actions/") && !pinned.MatchString(line) {
				t.Errorf("%s: %s; want a commit, and its tag as a comment",
					name, strings.TrimSpace(line))
			}
		}
	}
	testenv.Program(t, "actionlint", "actionlint")
	// without a file, all below .github
	for _, args := range [][]string{{"-no-color"}, {"-no-color", example}} {
		if out, err := exec.CommandContext(t.Context(), "actionlint",
			args...).CombinedOutput(); err != nil {
			t.Errorf("actionlint: %v\n%s", err, out)
		}
	}
}

// TestSyncWorkflow runs the step that commits, with upstream names that a host would obey in a
// commit message.
func TestSyncWorkflow(t *testing.T) {
	text, err := os.ReadFile(".github/workflows/sync.yml")
	if err != nil {
		t.Fatal(err)
	}
	_, step, _ := strings.Cut(string(text), "- name: commit\n")
	_, step, _ = strings.Cut(step, "run: |\n")
	dir := t.TempDir()
	// Both programs record their input, and succeed without output.
	fake := "#!/bin/sh\necho \"$0 $*\" >>$RUNNER_TEMP/said; case \"$*\" in *--file=-*) cat " +
		">>$RUNNER_TEMP/said;; *diff*) exit 1;; *--body-file*) cat \"$RUNNER_TEMP\"/body " +
		">>$RUNNER_TEMP/said;; esac\n"
	report := "added proposals/MIP-5 [skip netlify].md\nsynced https://git.example/mips [ci skip]\n"
	err = errors.Join(os.WriteFile(filepath.Join(dir, "git"), []byte(fake), 0o755),
		os.WriteFile(filepath.Join(dir, "gh"), []byte(fake), 0o755),
		os.WriteFile(filepath.Join(dir, "report"), []byte(report), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"commit", "pull-request"} {
		cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", step)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "RUNNER_TEMP="+dir,
			"SYNC="+way, "MAIN=main",
			"GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"), "RUN=https://git.example/run/1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("SYNC=%s: %v\n%s", way, err, out)
		}
	}
	said, err := os.ReadFile(filepath.Join(dir, "said"))
	if err != nil || !bytes.Contains(said, []byte("git commit")) ||
		!bytes.Contains(said, []byte("gh pr create")) || bytes.Contains(said, []byte("skip")) {
		t.Errorf("%v; git and gh are told:\n%s", err, said)
	}
	if summary, _ := os.ReadFile(filepath.Join(dir, "summary")); !bytes.Contains(summary,
		[]byte("    added proposals/MIP-5 [skip netlify].md\n")) {
		t.Errorf("the summary of the run does not list the files:\n%s", summary)
	}
}

// TestIgnored checks that the image's build leaves out the files that git ignores, such as files
// with keys.
func TestIgnored(t *testing.T) {
	docker, err := os.ReadFile(".dockerignore")
	git, err2 := os.ReadFile(".gitignore")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(docker), "\n")
	for line := range strings.SplitSeq(string(git), "\n") {
		if !strings.HasPrefix(line, "#") && !slices.Contains(lines, line) {
			t.Errorf(".dockerignore lacks %s of .gitignore", line)
		}
	}
}

// TestFuzzCounts checks that make fuzz fails if a target ran with only a few inputs.
func TestFuzzCounts(t *testing.T) {
	for execs, want := range map[string]bool{"999": false, "1000": true} {
		dir := t.TempDir()
		fake := "#!/bin/sh\ncase \"$*\" in list*) echo p;; *-list*) echo FuzzOne;; *) echo " +
			"'fuzz: elapsed: 3s, execs: 5 (1/sec)'; echo 'fuzz: elapsed: 30s, execs: " + execs +
			" (33/sec)';; esac\n"
		if err := os.WriteFile(filepath.Join(dir, "go"), []byte(fake), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "make", "fuzz")
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); (err == nil) != want {
			t.Errorf("%s inputs: %v\n%s", execs, err, out)
		}
	}
}

func TestModuleIsTidy(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "mod", "tidy", "-diff")
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	if err != nil && bytes.Contains(out, []byte("GOPROXY=off")) {
		testenv.Missing(t, "modcache",
			"the module cache does not hold what go mod tidy looks at; go mod tidy -diff "+
				"fetches it")
	}
	if err != nil {
		t.Errorf("go mod tidy -diff: %v\n%s", err, out)
	}
}

// TestDeadCode checks that a program or a test reaches every function.
func TestDeadCode(t *testing.T) {
	testenv.Long(t, "deadcode over the whole program")
	out, err := exec.CommandContext(t.Context(), "go", "tool", "deadcode", "-test",
		"./...").CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("deadcode: %v\n%s", err, out)
	}
}
