package build_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
)

// pixels is a PNG whose bytes depend on a shade.
func pixels(t *testing.T, width, height, shade int) string {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, width, height))
	m.SetGray(0, 0, color.Gray{Y: uint8(shade)})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// siteOf writes files below a new folder. It returns a site in it whose proposals are in the
// folder proposals.
func siteOf(t *testing.T, files map[string]string) *site.Site {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := testSite("MIP")
	s.File = filepath.Join(dir, "site.yaml")
	s.SourceURL = "https://github.com/team/texts/blob/{commit}/{path}"
	s.Sources = []filename.Source{{Folder: filepath.Join(dir, "proposals")}}
	return s
}

// text is a proposal.
func proposalOf(n int, body string) string {
	return fmt.Sprintf("---\nmip: %d\ntitle: Text %d\nauthor: Ada (@ada)\nstatus: Draft\n"+
		"type: Standards Track\ncategory: Core\ncreated: 2026-01-01\n---\n\n%s\n", n, n, body)
}

// planOf loads and plans a site. The cache may be nil.
func planOf(t *testing.T, s *site.Site, cache *build.Cache) *build.Plan {
	t.Helper()
	c, err := build.Load(t.Context(), build.Options{Site: s, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.Problems {
		if p.Level == mip.Error {
			t.Error(p)
		}
	}
	p, err := build.NewPlan(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// served returns the body of a page or a file.
func served(t *testing.T, p *build.Plan, path string) string {
	t.Helper()
	w := httptest.NewRecorder()
	if p.Publish().ServeHTTP(w, httptest.NewRequest("GET", path, nil)); w.Code != 200 {
		t.Fatalf("%s: %d", path, w.Code)
	}
	return w.Body.String()
}

// checkPublished checks that a file is served for ever, as its type and with the ends of headers,
// and that the snapshot for the function lacks it.
func checkPublished(t *testing.T, p *build.Plan, path string, headers map[string]string) {
	t.Helper()
	w := httptest.NewRecorder()
	p.Publish().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	headers["X-Content-Type-Options"] = "nosniff"
	headers["Cache-Control"] = "public, max-age=31536000, immutable"
	for name, want := range headers {
		if got := w.Header().Get(name); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s: %q, want %q", path, name, got, want)
		}
	}
	dir := t.TempDir()
	if _, err := build.Snapshot(t.Context(), p, dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, path)); err == nil {
		t.Errorf("the snapshot has %s", path)
	}
}

var tag = regexp.MustCompile(
	`<img src="(/assets/pictures/[^"]*)" alt="([^"]*)" width="(\d+)" height="(\d+)"`)

// seen returns the pictures of a page: path, alternative text and size.
func seen(t *testing.T, p *build.Plan, path string) (out [][]string) {
	t.Helper()
	for _, m := range tag.FindAllStringSubmatch(served(t, p, path), -1) {
		out = append(out, m[1:])
	}
	return out
}

// found are the problems of links and pictures, as lines.
func found(p *build.Plan) (out []string) {
	for _, problem := range p.LinkProblems() {
		out = append(out, fmt.Sprintf("%s:%d: %s: %s", filepath.Base(problem.File), problem.Line,
			problem.Code, problem.Message))
	}
	return out
}

// TestPictures shows one picture by all names that a text may have for it, as one file.
func TestPictures(t *testing.T) {
	body := "![a](../assets/a%20b.png) ![b](<../assets/a b.png>) " +
		"![c](/assets/a%20b.png?raw=true) ![d][ref]\n\n" +
		"<img src='https://github.com/team/texts/raw/main/assets/a%20b.png' alt=e width=20>\n\n" +
		"![f](./same.png#x)\n" +
		"![g](https://github.com/team/texts/blob/main/assets/a%20b.png?raw=true)\n" +
		"![h](https://raw.githubusercontent.com/team/texts/refs/heads/main/assets/a%20b.png)\n" +
		"![other](https://raw.githubusercontent.com/other/texts/main/assets/a%20b.png)\n" +
		"![old](https://github.com/team/texts/raw/0123456/assets/a%20b.png)\n" +
		"![branch](https://github.com/team/texts/blob/a/b/assets/a%20b.png?raw=true)\n" +
		"![tag](https://raw.githubusercontent.com/team/texts/refs/tags/v1/assets/a%20b.png)\n" +
		"![main](https://github.com/team/texts/raw/main/docs/assets/a%20b.png)\n" +
		"![gone](https://github.com/team/texts/raw/0123456/assets/gone.png)\n" +
		"![gone](https://github.com/team/texts/raw/main/assets/gone.png)\n\n" +
		"[ref]: ../proposals/../assets/a%20b.png \"Title\"\n"
	for _, git := range []bool{false, true} {
		one := pixels(t, 30, 20, 1)
		s := siteOf(t, map[string]string{"proposals/MIP-1.md": proposalOf(1, body),
			"proposals/MIP-2.md": proposalOf(2, "None."),
			"proposals/same.png": one, "assets/a b.png": one})
		if git {
			// The folder of the site is another one.
			dir := filepath.Dir(s.File)
			for _, args := range [][]string{{"init", "-q"}, {"add", "."},
				{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "All"}} {
				cmd := exec.Command("git", args...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v: %s", args, err, out)
				}
			}
			s.File = filepath.Join(t.TempDir(), "site.yaml")
		}
		p := planOf(t, s, nil)
		got := seen(t, p, "/mip/1/")
		file := ""
		if len(got) > 0 {
			file = got[0][0]
		}
		want := [][]string{{file, "a", "30", "20"}, {file, "b", "30", "20"},
			{file, "c", "30", "20"}, {file, "d", "30", "20"}, {file, "e", "20", "13"},
			{file, "f", "30", "20"}, {file, "g", "30", "20"}, {file, "h", "30", "20"},
			{file, "old", "30", "20"}, {file, "branch", "30", "20"}, {file, "tag", "30", "20"}}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("git %v (-want +got):\n%s", git, d)
		}
		if served(t, p, file) != one {
			t.Errorf("git %v: %s has other bytes", git, file)
		}
		if got := found(p); got != nil {
			t.Errorf("git %v: %q", git, got)
		}
		if text := served(t, p, "/mip/1.md"); !strings.Contains(text, "![a](../assets/a%20b.png)") {
			t.Errorf("the raw text is another one: %s", text)
		}
	}
}

// TestPictureFolders finds pictures without git, with pictures and texts in several folders of the
// site.
func TestPictureFolders(t *testing.T) {
	one := pixels(t, 30, 20, 1)
	for _, c := range []struct{ folder, dest string }{
		{"proposals", "../assets/a.png"}, {"proposals", "/assets/a.png"},
		{"texts/mips", "../../assets/a.png"}, {"texts/mips", "/assets/a.png"},
		{"texts/mips", "../a.png"}, {".", "assets/a.png"}, {".", "/assets/a.png"},
	} {
		s := siteOf(t, map[string]string{c.folder + "/MIP-1.md": proposalOf(1,
			"![a]("+c.dest+") ![b](../../../b.png)"), "assets/a.png": one, "texts/a.png": one})
		s.Sources[0].Folder = filepath.Join(filepath.Dir(s.File), c.folder)
		p := planOf(t, s, nil)
		if got := seen(t, p, "/mip/1/"); len(got) != 1 {
			t.Errorf("%s in %s: %q", c.dest, c.folder, got)
		}
		if got := found(p); len(got) != 1 || !strings.Contains(got[0], "dead-link: ") {
			t.Errorf("%s in %s: %q", c.dest, c.folder, got)
		}
	}
}

// TestPicturesRefused leaves hostile and unsuitable files out, with one warning each.
func TestPicturesRefused(t *testing.T) {
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">`
	files := map[string]string{
		"assets/script.svg": svg + "<foreignObject/></svg>",
		"assets/text.png":   "a secret", "assets/large.png": strings.Repeat("x", 5<<20+1),
		"assets/fits.png": pixels(t, 9, 9, 1) + strings.Repeat("x", 5<<20-len(pixels(t, 9, 9, 1))),
	}
	names := []string{"../assets/fits.png", "../assets/script.svg", "../assets/text.png",
		"../assets/large.png", "../assets/link.png", "../assets/pipe.png", "../assets",
		"../assets/none.png", "../../outside.png", "/../outside.png", "//x.example/a.png",
		"https://x.example/a.png", "../assets/text.png"}
	var body strings.Builder
	for i, name := range names {
		body.WriteString(fmt.Sprintf("![p%d](%s)\n", i, name))
	}
	files["proposals/MIP-1.md"] = proposalOf(1, body.String())
	s := siteOf(t, files)
	dir := filepath.Dir(s.File)
	outside := filepath.Join(t.TempDir(), "outside.png")
	if err := os.WriteFile(outside, []byte(pixels(t, 9, 9, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "assets/link.png")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "assets/pipe.png"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := planOf(t, s, nil)
	if got := seen(t, p, "/mip/1/"); len(got) != 1 || got[0][1] != "p0" {
		t.Errorf("%q, want the picture that fits", got)
	}
	got := found(p)
	base := filepath.Base(dir)
	want := []string{
		"12: picture-refused: " + base + `/assets/script.svg: want an SVG that only draws, got ` +
			`the element "foreignObject"; remove it: the picture ../assets/script.svg `,
		"13: picture-refused: " + base + "/assets/text.png: want a PNG, JPEG, GIF, WebP, AVIF ",
		"14: picture-refused: " + base + "/assets/large.png: want at most 5242880 bytes, got ",
		"15: picture-refused: " + base + "/assets/link.png: the file cannot be read: path escapes",
		"16: picture-refused: " + base + "/assets/pipe.png: want a file, got ",
		"17: picture-refused: " + base + "/assets: want a file, got ",
		"18: picture-refused: " + base + "/assets/none.png: there is no such file in this folder",
		"19: dead-link: ", "20: picture-refused: " + base + "/outside.png: there is no such file",
		"23: picture-refused: " + base + "/assets/text.png: ",
	}
	for i, line := range got {
		if i >= len(want) || !strings.HasPrefix(line, "MIP-1.md:"+want[i]) {
			t.Errorf("%s, want %q", line, want[min(i, len(want)-1)])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d warnings, want %d", len(got), len(want))
	}
	page := served(t, p, "/mip/1/")
	for _, part := range []string{
		`<a class="img" href="https://github.com/team/texts/blob/HEAD/assets/script.svg"`,
		`<a class="img" href="https://x.example/a.png"`, `<span class="img">p8</span>`} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %s", part)
		}
	}
	if strings.Contains(page, "<img src=\"http") {
		t.Error("the page loads a picture of another site")
	}
}

// TestManyPictures names 1, most and one more pictures in a text, and one picture in many texts.
func TestManyPictures(t *testing.T) {
	const most = 200 // pictures of a text
	files, body := map[string]string{}, ""
	for i := range most + 1 {
		files[fmt.Sprintf("assets/%d.png", i)] = pixels(t, 1+i, 1, i)
		body += fmt.Sprintf("![](../assets/%d.png) ![again](../assets/%[1]d.png)\n", i)
	}
	files["proposals/MIP-1.md"] = proposalOf(1, body)
	for n := 2; n < 300; n++ {
		files[fmt.Sprintf("proposals/MIP-%d.md", n)] = proposalOf(n, "![one](../assets/0.png)")
	}
	p := planOf(t, siteOf(t, files), nil)
	if got := seen(t, p, "/mip/1/"); len(got) != 2*most {
		t.Errorf("%d pictures, want %d", len(got), 2*most)
	}
	want := "want at most 200 pictures and files in a text"
	if got := found(p); len(got) != 2 || !strings.Contains(got[0], want) {
		t.Errorf("%q, want %q", got, want)
	}
	count := 0
	for _, a := range p.Artifacts {
		if strings.HasPrefix(a.Route, "/assets/pictures/") {
			count++
		}
	}
	if count != most {
		t.Errorf("%d files, want %d", count, most)
	}
}

// TestPictureChanges builds into one folder while pictures appear, change and go. The cache of
// serve notices each change.
func TestPictureChanges(t *testing.T) {
	s := siteOf(t, map[string]string{"proposals/MIP-1.md": proposalOf(1, "![a](../assets/a.png)"),
		"proposals/MIP-2.md": proposalOf(2, "Text.")})
	file, out, cache := filepath.Join(filepath.Dir(s.File), "assets/a.png"), t.TempDir(),
		&build.Cache{}
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	for _, c := range []struct{ name, data, width string }{
		{"missing", "", ""}, {"added", pixels(t, 30, 20, 1), "30"},
		{"changed", pixels(t, 31, 20, 1), "31"}, {"no picture", "text", ""},
		{"again", pixels(t, 30, 20, 1), "30"}, {"removed", "", ""},
	} {
		os.Remove(file)
		at = at.Add(time.Second)
		if c.data != "" {
			if err := os.WriteFile(file, []byte(c.data), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		}
		p := planOf(t, s, cache)
		if _, err := build.Sync(t.Context(), p, out, build.SyncOptions{}); err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(filepath.Join(out, "mip/1/index.html"))
		if err != nil {
			t.Fatal(err)
		}
		m := tag.FindStringSubmatch(string(page))
		files, _ := fs.Glob(os.DirFS(out), "assets/pictures/*")
		switch {
		case c.width == "" && (m != nil || files != nil):
			t.Errorf("%s: %q, files %q, want none", c.name, m, files)
		case c.width != "" && (m == nil || m[3] != c.width ||
			!slices.Equal(files, []string{m[1][1:]})):
			t.Errorf("%s: %q, files %q, want a width of %s and one file", c.name, m, files, c.width)
		}
	}
}

// TestPictureHosts publishes pictures with a policy of their own, on a plain host too. The snapshot
// of the function has none.
func TestPictureHosts(t *testing.T) {
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><g/></svg>`
	s := siteOf(t, map[string]string{
		"proposals/MIP-1.md": proposalOf(1, "![a](a.svg) ![b](b.svg) ![c](c.txt) ![d](d.js)"),
		"proposals/a.svg":    svg,
		// These are HTML, an archive and a script at the same time.
		"proposals/b.svg": svg + "<html><script>alert(1)</script></html>",
		"proposals/c.txt": pixels(t, 9, 9, 1) + "PK\x03\x04<script>alert(1)</script>",
		"proposals/d.js":  "GIF89a/*\x01\x00\x00*/=1;alert(1)//" + strings.Repeat("\n", 99),
	})
	p := planOf(t, s, nil)
	shown := seen(t, p, "/mip/1/")
	for i, kind := range []string{"svg+xml", "svg+xml", "png", "gif"} {
		if i >= len(shown) {
			t.Fatalf("%d pictures, want 4: %q", i, found(p))
		}
		checkPublished(t, p, shown[i][0], map[string]string{
			"Content-Type":            "image/" + kind,
			"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
		})
	}
	file := shown[0][0]
	if shown[1][0] != file {
		t.Errorf("%s is published as %s, want what is drawn alone", "b.svg", shown[1][0])
	}
	plain := *s
	plain.Host, plain.BaseURL = mip.HostPlain, "https://team.example.org/mips"
	p = planOf(t, buildtest.In(&plain, s.Sources[0].Folder), nil)
	if page := served(t, p, "/mip/1/"); !strings.Contains(page, `src="/mips`+file+`"`) ||
		served(t, p, file) == "" {
		t.Errorf("the page of a plain host lacks /mips%s", file)
	}
}
