package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// serving is a running serve command.
type serving struct {
	t      *testing.T
	dir    string
	base   string
	stderr <-chan string // its lines; closed at the end
	stop   context.CancelFunc
	code   chan int
}

// serve starts the command over the files and waits for its address.
func serve(t *testing.T, files map[string]string, flags ...string) *serving {
	t.Helper()
	s := starting(t, files, flags...)
	line := s.await("mipwatch: serving http://127.0.0.1:")
	s.base = strings.TrimSpace(strings.TrimPrefix(line, "mipwatch: serving "))
	return s
}

// starting starts the command over the files.
func starting(t *testing.T, files map[string]string, flags ...string) *serving {
	t.Helper()
	s := &serving{t: t, dir: t.TempDir(), code: make(chan int, 1)}
	for name, text := range files {
		s.write(name, text)
	}
	if files["site.yaml"] == "" {
		s.write("site.yaml", "title: Sample\nbase_url: https://mips.example.org/base\n")
	}
	ctx, stop := context.WithCancel(t.Context())
	s.stop = stop
	r, w := io.Pipe()
	s.stderr = lines(r)
	go func() {
		args := []string{"serve", "--config", filepath.Join(s.dir, "site.yaml"), "--addr",
			"127.0.0.1:0"}
		args = append(args, flags...)
		code := run(ctx, args, io.Discard, w, func(string) (string, bool) { return "", false })
		w.Close()
		s.code <- code
	}()
	t.Cleanup(func() {
		stop()
		for range s.stderr {
		}
	})
	return s
}

// lines reads to the end, even if nobody waits for a line: an unread log blocks its writer, which
// may be the one that asks an upstream.
func lines(r io.Reader) <-chan string {
	const mostUnread, longest = 1 << 16, 1 << 20
	out := make(chan string, mostUnread)
	in := bufio.NewScanner(r)
	in.Buffer(nil, longest)
	go func() {
		defer close(out)
		for in.Scan() {
			out <- in.Text()
		}
	}()
	return out
}

func proposal(n int, title string) string {
	return fmt.Sprintf("---\nmip: %d\ntitle: %s\nauthor: Ada (@ada)\nstatus: Draft\n---\n\n"+
		"## Abstract\n\nWords.\n", n, title)
}

// write saves a file as editors do: as a new file that then replaces the old one.
func (s *serving) write(name, text string) {
	s.t.Helper()
	name = filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(name+"~", []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(name+"~", name); err != nil {
		s.t.Fatal(err)
	}
}

// await reads standard error up to a line with the text.
func (s *serving) await(text string) string {
	s.t.Helper()
	var said strings.Builder
	for line := range s.stderr {
		if strings.Contains(line, text) {
			return line
		}
		fmt.Fprintln(&said, line)
	}
	s.t.Fatalf("serve said %q and ended, want %q", said.String(), text)
	return ""
}

// get fetches a path and checks its status.
func (s *serving) get(path string, status int) (string, http.Header) {
	s.t.Helper()
	res, err := http.Get(s.base + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if res.StatusCode != status {
		s.t.Fatalf("GET %s: status %d, want %d; body %.200q", path, res.StatusCode, status, body)
	}
	return string(body), res.Header
}

// contains checks that a page contains a text.
func (s *serving) contains(path, text string) {
	s.t.Helper()
	if body, _ := s.get(path, http.StatusOK); !strings.Contains(body, text) {
		s.t.Errorf("GET %s does not hold %q", path, text)
	}
}

// edition is the name of the served site.
func (s *serving) edition() string {
	s.t.Helper()
	name, header := s.get(editionRoute, http.StatusOK)
	if got := header.Get("Cache-Control"); got != "no-store" || name == "" {
		s.t.Fatalf("GET %s: %q, Cache-Control %q; want a name that is not stored",
			editionRoute, name, got)
	}
	return name
}

func TestServe(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]string{"proposals/MIP-1.md": proposal(1, "First title"),
		"proposals/MIP-2.md": proposal(2, "Second")})

	// Everything is local, and equal to the CDN's.
	s.contains("/mip/1/", "First title")
	s.contains("/api/v1/mips/1", `"url":"`+s.base+`/mip/1/"`)
	body, header := s.get("/api/v1/mips", http.StatusOK)
	if got := header.Get("Content-Type"); !strings.HasPrefix(got, "application/json") ||
		strings.Contains(body, "mips.example.org") {
		t.Errorf("GET /api/v1/mips: Content-Type %q, body %s; want JSON without the "+
			"published address", got, body)
	}
	s.get("/api/v1/nothing", http.StatusNotFound)
	s.get("/_mipwatch/nothing", http.StatusNotFound)

	// Pages have the CDN's bytes. Only a script of the site loads the reloading one.
	page, _ := s.get("/", http.StatusOK)
	if strings.Contains(page, "_mipwatch") {
		t.Error("GET /: the page speaks of _mipwatch, want the bytes that the CDN serves")
	}
	_, after, ok := strings.Cut(page, `src="/assets/`)
	name, _, _ := strings.Cut(after, `"`)
	if !ok {
		t.Fatalf("GET /: no script of the site in %s", page)
	}
	script, header := s.get("/assets/"+name, http.StatusOK)
	first := s.edition()
	if want := `import("/_mipwatch/reload.js?edition=` + first +
		`");`; !strings.Contains(script, want) || header.Get("Cache-Control") != "no-store" {
		t.Errorf("GET /assets/%s: Cache-Control %q, want no-store and the line %s",
			name, header.Get("Cache-Control"), want)
	}
	s.contains("/_mipwatch/reload.js?edition=x", editionRoute)

	// The next build has another name, which open pages request.
	s.write("proposals/MIP-1.md", proposal(1, "Second title"))
	s.await("built 2 proposals")
	s.contains("/mip/1/", "Second title")
	second := s.edition()
	if second == first {
		t.Errorf("two builds have the name %q", first)
	}

	// After an error the last site stays.
	s.write("proposals/MIP-2.md", "---\nmip: two\n---\n")
	s.await("proposals/MIP-2.md:2: bad-number: ")
	s.await("1 error, 0 warnings, 0 notices; the last site without errors is still served")
	s.contains("/mip/2/", "Second")
	if got := s.edition(); got != second {
		t.Errorf("after an error the name is %q, want %q still", got, second)
	}
	s.write("site.yaml", "title: Sample\n")
	s.await("site.yaml:1: missing-key: base_url is required")
	s.contains("/mip/2/", "Second")

	// Fix, move and delete files.
	s.write("site.yaml", "title: Sample\nbase_url: https://mips.example.org\nproposals: [moved]\n")
	s.await("no-folder")
	if err := os.Rename(filepath.Join(s.dir, "proposals"),
		filepath.Join(s.dir, "moved")); err != nil {
		t.Fatal(err)
	}
	s.write("site.yaml",
		"title: Sample two\nbase_url: https://mips.example.org\nproposals: [moved]\n")
	s.await("still served")
	if err := os.Remove(filepath.Join(s.dir, "moved", "MIP-2.md")); err != nil {
		t.Fatal(err)
	}
	s.await("built 1 proposal")
	s.get("/mip/2/", http.StatusNotFound)
	s.contains("/", "Sample two")

	// The program ends with success.
	s.stop()
	if got := <-s.code; got != exitDone {
		t.Errorf("serve ended with exit code %d, want %d", got, exitDone)
	}
}

// TestServeStartsWithErrors serves the sound proposals until there is a site without errors.
func TestServeStartsWithErrors(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]string{"proposals/MIP-1.md": proposal(1, "Sound"),
		"proposals/MIP-2.md": "---\nmip: two\n---\n",
		"proposals/MIP-3.md": "---\nmip: three\n---\n"})
	s.contains("/mip/1/", "Sound")
	s.get("/mip/2/", http.StatusNotFound)
	s.write("proposals/MIP-2.md", proposal(2, "Mended"))
	s.await("only sound proposals are served: 1 error, 0 warnings, 0 notices")
	s.await("built 2 proposals")
	s.contains("/mip/2/", "Mended")
}

// TestServeFollowsLogo rebuilds when the logo changes, and when a refused one is fixed.
func TestServeFollowsLogo(t *testing.T) {
	t.Parallel()
	const svg = `<svg xmlns="http://www.w3.org/2000/svg"/>`
	config := "title: Sample\nbase_url: https://mips.example.org\nbrand:\n  logo: "
	s := serve(t, map[string]string{"site.yaml": config + "a.svg\n", "a.svg": svg,
		"proposals/MIP-1.md": proposal(1, "A")})
	page, _ := s.get("/", http.StatusOK)
	s.write("a.svg", svg+"<!-- again -->")
	s.await("built 1 proposal")
	if again, _ := s.get("/", http.StatusOK); again == page {
		t.Error("the page has the logo of before")
	}
	s.write("site.yaml", config+"b.svg\n")
	s.await(`site.yaml:4: bad-value: brand.logo: no file "b.svg"`)
	s.write("b.svg", svg)
	s.await("built 1 proposal")
}

// TestServeFollowsPictures rebuilds when a picture that a text names appears, changes or goes.
func TestServeFollowsPictures(t *testing.T) {
	t.Parallel()
	drawing := func(width int) string {
		return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d 9"/>`, width)
	}
	s := serve(t, map[string]string{
		"site.yaml":          "title: Sample\nbase_url: https://mips.example.org\n",
		"proposals/MIP-1.md": proposal(1, "A") + "\n![a drawing](../assets/a.svg)\n"})
	s.contains("/mip/1/", `<span class="img">a drawing</span>`)
	for _, width := range []int{10, 2000} {
		s.write("assets/a.svg", drawing(width))
		s.await("built 1 proposal")
		s.contains("/mip/1/", fmt.Sprintf(`alt="a drawing" width="%d"`, width))
	}
	s.write("proposals/MIP-1.md", proposal(1, "A")+"\n![another one](b.svg)\n")
	s.await("built 1 proposal")
	s.write("proposals/b.svg", drawing(7))
	s.await("built 1 proposal")
	s.contains("/mip/1/", `alt="another one" width="7"`)
}

// TestServeFollowsCompanions rebuilds when summaries or translations change, also in new folders.
func TestServeFollowsCompanions(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]string{"proposals/MIP-1.md": proposal(1, "Alone")})
	s.write("proposals/summaries/MIP-1.json", "{}")
	s.await("summary-invalid: contentHash is missing")
	s.await("built 1 proposal")
	s.write("proposals/summaries/MIP-1.json", "[]")
	s.await("summary-invalid: the file must be an object")
	s.await("built 1 proposal")
	s.write("proposals/translations/xx/MIP-1.md", "")
	s.await("unknown-locale")
}

// TestServeAsksGitOnce counts the runs of git: a saved, uncommitted text needs only the newest
// commit, and a page with versions needs their texts. The versions of the text of an upgrade are
// read once. A new commit is read.
func TestServeAsksGitOnce(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		testenv.Missing(t, "git", "no git program")
	}
	bin := t.TempDir()
	log := filepath.Join(bin, "log")
	wrapper := fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' \"$*\" >>'%s'\nexec '%s' \"$@\"\n",
		log, real)
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	network := func(stage string) string {
		return proposal(9, "Network Upgrade: Reed") + "\n### " + stage + "\n\n- MIP-2\n"
	}
	s := serve(t, map[string]string{
		"proposals/MIP-1.md": proposal(1, "One"), "proposals/MIP-2.md": proposal(2, "Two"),
		"proposals/ja/MIP-2.md": proposal(2, "二"),
		"proposals/MIP-9.md":    network("Proposed"),
		"site.yaml":             "title: S\nbase_url: https://m.example\nlocales: [ja]\n",
	})
	commit := func(when string) {
		testenv.Git(t, s.dir, when, "add", "-A")
		testenv.Git(t, s.dir, when, "commit", "-q", "-m", "Words "+when)
	}
	testenv.Git(t, s.dir, "", "init", "-q")
	commit("2026-01-02T03:04:05Z")
	s.write("proposals/MIP-9.md", network("Considered"))
	commit("2026-01-02T04:04:05Z")
	// runs returns the subcommands that git ran since the last call.
	runs := func() (out []string) {
		b, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(log)
		for line := range strings.Lines(string(b)) {
			for _, name := range []string{"rev-parse", "log", "ls-tree", "rev-list", "config",
				"cat-file"} {
				if strings.Contains(line, " "+name+" ") {
					out = append(out, name)
				}
			}
		}
		return out
	}
	save := func(title string) {
		s.write("proposals/MIP-1.md", proposal(1, title))
		s.await("built 3 proposals")
		s.contains("/mip/1/", title)
		s.contains("/upgrade/reed/", ", proposed before")
	}
	save("Uno")
	if got := runs(); !slices.Contains(got, "log") {
		t.Errorf("a new repository: git %q; want its log", got)
	}
	save("Eins")
	places := []string{"rev-parse", "rev-parse"} // of the texts, and of site.yaml
	if diff := cmp.Diff(places, runs()); diff != "" {
		t.Errorf("a saved text (-want +got):\n%s", diff)
	}
	s.contains("/mip/1/history/", "Words 2026-01-02")
	if diff := cmp.Diff([]string{"cat-file"}, runs()); diff != "" {
		t.Errorf("a page with versions (-want +got):\n%s", diff)
	}
	// An uncommitted text changes the selected files, and a commit the history.
	s.write("proposals/MIP-3.md", proposal(3, "Three"))
	s.await("built 4 proposals")
	s.contains("/mip/2/history/", "Words 2026-01-02")
	commit("2026-01-03T03:04:05Z")
	s.write("proposals/MIP-3.md", proposal(3, "Trois"))
	s.await("built 4 proposals")
	s.contains("/mip/1/history/", "Words 2026-01-03")
	s.contains("/mip/3/history/", "Words 2026-01-03")
}
