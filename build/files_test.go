package build_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/mip"
)

var anchor = regexp.MustCompile(`<a (?:class="[^"]*" )?href="([^"]*)"[^>]*>([^<]*)</a>`)

// linked returns the addresses of a page's links by their words.
func linked(t *testing.T, p *build.Plan, path string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, m := range anchor.FindAllStringSubmatch(served(t, p, path), -1) {
		out[m[2]] = m[1]
	}
	return out
}

// fileSite is a site whose text links to files of all kinds.
func fileSite(t *testing.T) map[string]string {
	t.Helper()
	large := strings.Repeat("x", 5<<20+1)
	return map[string]string{
		"proposals/MIP-1.md": proposalOf(1, "[pdf](../assets/a%20Paper.pdf#page=2)\n"+
			"[again](/assets/a%20Paper.pdf?raw=true \"A title\")\n[json][ref]\n"+
			"<a href='../assets/t.JSON'>tag</a>\n[same](../assets/same.csv)\n"+
			"[code](../assets/c.sol)\n[page](../assets/p.html)\n[script](../assets/s.js)\n"+
			"[drawing](../assets/d.svg)\n[large](../assets/large.txt)\n"+
			"[none](../assets/none.pdf)\n"+
			"[no pdf](../assets/text.pdf)\n[out](../../../out.pdf)\n[folder](../assets/f.zip)\n"+
			"[pipe](../assets/link.txt)\n![a picture](../assets/t.JSON)\n\n"+
			"[ref]: ../assets/t.JSON"),
		"assets/a Paper.pdf": "%PDF-1.4", "assets/t.JSON": "{}", "assets/same.csv": "{}",
		"assets/c.sol": "contract", "assets/p.html": "<script>", "assets/s.js": "alert(1)",
		"assets/d.svg":   `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><g/></svg>`,
		"assets/link.md": "x", "assets/large.txt": large, "assets/text.pdf": "text",
		"assets/f.zip/x": "x",
	}
}

// TestPlainFiles publishes copies of files that a browser downloads or shows itself. Code has a
// copy only if the address of the source is unknown. A file that a browser runs has none.
func TestPlainFiles(t *testing.T) {
	const source = "https://github.com/team/texts/blob/HEAD/assets/"
	for _, sourced := range []bool{true, false} {
		s := siteOf(t, fileSite(t))
		outside := filepath.Join(t.TempDir(), "outside.txt")
		if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside,
			filepath.Join(filepath.Dir(s.File), "assets/link.txt")); err != nil {
			t.Fatal(err)
		}
		if !sourced {
			s.SourceURL = ""
		}
		p := planOf(t, s, nil)
		got := linked(t, p, "/mip/1/")
		want := map[string]string{
			"pdf": "/assets/files/*/a-Paper.pdf#page=2", "again": "/assets/files/*/a-Paper.pdf",
			"json": "/assets/files/*/t.json", "tag": "/assets/files/*/t.json",
			"same": "/assets/files/*/same.csv", "drawing": "/assets/pictures/*.svg",
			"a picture": "/assets/files/*/t.json",
			"code":      source + "c.sol", "page": source + "p.html", "script": source + "s.js",
			"large": source + "large.txt", "no pdf": source + "text.pdf",
			"folder": source + "f.zip", "pipe": source + "link.txt", "none": source + "none.pdf",
		}
		warned := []string{"23: dead-link: ", "26: picture-refused: DIR/assets/t.JSON: want a PNG"}
		if !sourced {
			for _, name := range []string{"page", "script", "large", "no pdf", "folder", "pipe",
				"none"} {
				delete(want, name)
			}
			want["code"] = "/assets/files/*/c.sol"
			warned = []string{"17: source-unknown: ", "18: source-unknown: ",
				"20: file-refused: DIR/assets/large.txt: want at most 5242880 bytes, got 5242881",
				"21: file-refused: DIR/assets/none.pdf: there is no such file in this folder",
				"22: file-refused: DIR/assets/text.pdf: want a PDF", "23: dead-link: ",
				"24: file-refused: DIR/assets/f.zip: want a file, got a folder",
				"25: file-refused: DIR/assets/link.txt: the file cannot be read: path escapes",
				"26: picture-refused: DIR/assets/t.JSON: want a PNG"}
		}
		hash := regexp.MustCompile(`[0-9a-f]{32}`)
		for name := range got {
			if _, ok := want[name]; !ok {
				if strings.HasPrefix(got[name], source) ||
					strings.HasPrefix(got[name], "/assets/f") {
					t.Errorf("source %v: a link %q to %s", sourced, name, got[name])
				}
				delete(got, name)
				continue
			}
			got[name] = hash.ReplaceAllString(got[name], "*")
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("source %v (-want +got):\n%s", sourced, d)
		}
		problems := found(p)
		for i, line := range problems {
			line = strings.Replace(line, ": "+filepath.Base(filepath.Dir(s.File))+"/", ": DIR/", 1)
			if i >= len(warned) || !strings.HasPrefix(line, "MIP-1.md:"+warned[i]) {
				t.Errorf("source %v: %s, want %q", sourced, line, warned[min(i, len(warned)-1)])
			}
		}
		if len(problems) != len(warned) {
			t.Errorf("source %v: %d warnings, want %d", sourced, len(problems), len(warned))
		}
		for _, a := range p.Artifacts {
			if strings.HasPrefix(a.Route, "/assets/files/") && strings.HasSuffix(a.Route, ".pdf") &&
				served(t, p, a.Route) != "%PDF-1.4" {
				t.Errorf("%s has other bytes", a.Route)
			}
		}
	}
}

// TestPlainFileHosts serves copies as downloads, also on a plain host. The snapshot for the
// function has no copies.
func TestPlainFileHosts(t *testing.T) {
	s := siteOf(t, fileSite(t))
	p := planOf(t, s, nil)
	file, _, _ := strings.Cut(linked(t, p, "/mip/1/")["pdf"], "#")
	checkPublished(t, p, file, map[string]string{
		"Content-Type":            "application/pdf",
		"Content-Security-Policy": "default-src 'none'; sandbox",
		"Content-Disposition":     "attachment",
	})
	plain := *s
	plain.Host, plain.BaseURL = mip.HostPlain, "https://team.example.org/mips"
	p = planOf(t, &plain, nil)
	if got := linked(t, p, "/mip/1/")["json"]; !strings.HasPrefix(got, "/mips/assets/files/") ||
		served(t, p, strings.TrimPrefix(got, "/mips")) != "{}" {
		t.Errorf("a plain host has the link %q", got)
	}
}

// TestManyFiles links to as many files as a text may, to one more, and to one from many texts.
func TestManyFiles(t *testing.T) {
	const most = 200
	files, body := map[string]string{}, ""
	for i := range most + 1 {
		files[fmt.Sprintf("assets/%d.txt", i)] = fmt.Sprint(i)
		body += fmt.Sprintf("[f%d](../assets/%[1]d.txt)\n", i)
	}
	files["proposals/MIP-1.md"] = proposalOf(1, body)
	for n := 2; n < 30; n++ {
		files[fmt.Sprintf("proposals/MIP-%d.md", n)] = proposalOf(n, "[one](../assets/0.txt)")
	}
	s := siteOf(t, files)
	s.SourceURL = ""
	p := planOf(t, s, nil)
	if got := found(p); len(got) != 1 || !strings.Contains(got[0], "want at most 200 ") {
		t.Errorf("%q, want one refusal", got)
	}
	count := 0
	for _, a := range p.Artifacts {
		if strings.HasPrefix(a.Route, "/assets/files/") {
			count++
		}
	}
	if count != most {
		t.Errorf("%d files, want %d", count, most)
	}
}
