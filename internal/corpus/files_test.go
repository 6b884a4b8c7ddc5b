package corpus

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// sound is a proposal without problems.
const sound = "---\nmip: 1\ntitle: One\ncreated: 2024-01-02\n---\n\n## Abstract\n\nText.\n"

// fixed disables git in tests about other things.
func fixed() *time.Time { t := time.Unix(1_700_000_000, 0); return &t }

// in are the rules of folders whose Markdown files are texts.
func in(folders ...string) (r filename.Rules) {
	for _, dir := range folders {
		r.Sources = append(r.Sources, filename.Source{Folder: dir})
	}
	return r
}

func load(t *testing.T, folders ...string) *Corpus {
	t.Helper()
	c, err := Load(t.Context(), Options{Rules: in(folders...), Epoch: fixed()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// lines returns problems without their folder.
func lines(c *Corpus, dir string) []string {
	out := []string{}
	for _, p := range c.Problems {
		out = append(out,
			string(p.Level)+" "+strings.TrimPrefix(p.String(), filepath.ToSlash(dir)+"/"))
	}
	return out
}

// TestBytes loads one file with the given bytes, named MIP-1.md.
func TestBytes(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     string // "" for no problem, else a part of the only one
	}{
		{"sound", sound, ""},
		{"bom", "\uFEFF" + sound, ""},
		{"crlf", strings.ReplaceAll(sound, "\n", "\r\n"), ""},
		{"bom and crlf", "\uFEFF" + strings.ReplaceAll(sound, "\n", "\r\n"), ""},
		{"cr only", strings.ReplaceAll(sound, "\n", "\r"), "error MIP-1.md:1: lone-cr"},
		{"one cr", strings.Replace(sound, "Text.", "Te\rxt.", 1), "error MIP-1.md:9: lone-cr"},
		{"utf-16 le", "\xff\xfe-\x00-\x00", "error MIP-1.md:1: not-utf8"},
		{"utf-16 be", "\xfe\xff\x00-\x00-", "error MIP-1.md:1: not-utf8"},
		{"utf-16 without mark", "-\x00-\x00", "error MIP-1.md:1: nul-byte"},
		{"latin-1", strings.Replace(sound, "Text", "T\xe4xt", 1), "error MIP-1.md:9: not-utf8"},
		{"surrogate", strings.Replace(sound, "Text", "\xed\xa0\x80", 1),
			"error MIP-1.md:9: not-utf8"},
		{"binary", "\x7fELF\x02\x01\x01\x00", "error MIP-1.md:1: nul-byte"},
		{"nul in the body", strings.Replace(sound, "Text", "T\x00xt", 1),
			"error MIP-1.md:9: nul-byte"},
		{"control in the body", strings.Replace(sound, "Text", "T\x0bxt", 1),
			"warning MIP-1.md:9: control-character"},
		{"control at the start of the body", "---\nmip: 1\ntitle: One\n---\n\x0bText.\n",
			"warning MIP-1.md:5: control-character"},
		{"noncharacter in the body", strings.Replace(sound, "Text", "T\uFFFExt", 1),
			"warning MIP-1.md:9: control-character"},
		{"empty", "", "error MIP-1.md:1: no-header"},
		{"only a fence", "---", "error MIP-1.md:1: header-unterminated"},
		{"header only", "---\nmip: 1\ntitle: One\n---", ""},
		{"huge header", "---\nmip: 1\n" + strings.Repeat("x: y\n", 20_000) + "---\n",
			"header-too-large"},
		{"long key list", "---\n" + strings.Repeat("# c\n", 100) + "mip: 1\ntitle: One\n---\n", ""},
		{"one megabyte and a byte", sound + strings.Repeat("x", folder.MaxFile),
			"error MIP-1.md: too-large"},
		{"one megabyte in one line", sound + strings.Repeat("x", folder.MaxFile-len(sound)), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "MIP-1.md"), []byte(tt.in))
			c := load(t, dir)
			got := lines(c, dir)
			switch {
			case tt.want == "" && len(got) > 0,
				tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
				t.Errorf("Load(%.40q): problems %q, want %q", tt.in, got, tt.want)
			}
			published := len(c.Proposals) == 1
			if published != (len(got) == 0 || strings.HasPrefix(got[0], "warning")) {
				t.Errorf("Load(%.40q): published %v with problems %q", tt.in, published, got)
			}
			for _, p := range c.Proposals {
				doc := markdown.Parse(p.Body)
				checkDocument(t, tt.name, doc)
				checkSummary(t, p)
				if p.Raw != tt.in {
					t.Errorf("Read: Raw %.40q, want the file's bytes %.40q", p.Raw, tt.in)
				}
			}
		})
	}
}

func TestVariantsAreEqual(t *testing.T) {
	var first *Proposal
	var doc *markdown.Document
	for _, in := range []string{sound, "\uFEFF" + sound, strings.ReplaceAll(sound, "\n", "\r\n"),
		"\uFEFF" + strings.ReplaceAll(sound, "\n", "\r\n")} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "MIP-1.md"), []byte(in))
		c := load(t, dir)
		if len(c.Proposals) != 1 {
			t.Fatalf("Load(%q): %v", in, c.Problems)
		}
		d := markdown.Parse(c.Proposals[0].Body)
		if first == nil {
			first, doc = c.Proposals[0], d
			continue
		}
		diff := cmp.Diff(first.Metadata, c.Proposals[0].Metadata,
			cmpopts.IgnoreFields(mip.Metadata{}, "ContentHash"), cmp.AllowUnexported(mip.Time{}))
		if diff != "" {
			t.Errorf("Load(%q): summary (-plain +got):\n%s", in, diff)
		}
		if string(d.Body) != string(doc.Body) || cmp.Diff(doc.Sections, d.Sections) != "" {
			t.Errorf("Load(%q): body %q, want %q", in, d.Body, doc.Body)
		}
	}
}

func TestFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		testenv.Missing(t, "unix", "needs pipes and symbolic links")
	}
	outside := filepath.Join(t.TempDir(), "secret.md")
	writeFile(t, outside, []byte(sound))
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	writeFile(t, in("MIP-1.md"), []byte(sound))
	writeFile(t, in("sub/MIP-2.md"), []byte(sound))
	writeFile(t, in(".hidden.md"), []byte(sound))
	writeFile(t, in("notes.txt"), []byte("no proposal"))
	writeFile(t, in("MIP-2\x1b[31m.md"), []byte(sound))
	writeFile(t, in("MIP-3\n.md"), []byte(sound))
	for _, err := range []error{
		os.Mkdir(in("MIP-4.md"), 0o755),
		syscall.Mkfifo(in("MIP-5.md"), 0o644),
		os.Symlink(outside, in("MIP-6.md")),
		os.Symlink("MIP-7.md", in("MIP-7.md")),
		os.Symlink("nowhere", in("MIP-8.md")),
		os.Symlink("MIP-5.md", in("MIP-9.md")),
		os.Symlink("/dev/zero", in("MIP-10.md")),
		os.WriteFile(in("MIP-11.md"), []byte(sound), 0o644),
		os.WriteFile(in("mip-11.md"), []byte(sound), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"error MIP-10.md: bad-symlink", "error MIP-11.md:2: duplicate-number",
		"warning MIP-11.md:2: number-mismatch", `error MIP-2\x1b[31m.md: bad-file-name`,
		`error MIP-3\n.md: bad-file-name`,
		"error MIP-4.md: not-a-file", "error MIP-5.md: not-a-file", "error MIP-6.md: bad-symlink",
		"error MIP-7.md: bad-symlink",
		"error MIP-8.md: bad-symlink", "error MIP-9.md: not-a-file", "error mip-11.md: name-case",
		"warning mip-11.md:2: number-mismatch", "notice sub: not-read",
	}
	c := load(t, dir)
	got := lines(c, dir)
	for i, line := range got {
		parts := strings.SplitN(line, ": ", 3)
		got[i] = parts[0] + ": " + parts[1]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if len(c.Proposals) != 1 || c.Proposals[0].Number != 1 {
		t.Errorf("%d proposals, want MIP-1 alone", len(c.Proposals))
	}
}

func TestTwoFolders(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "MIPs"), filepath.Join(dir, "MRCs")
	writeFile(t, filepath.Join(a, "MIP-1.md"), []byte(sound))
	writeFile(t, filepath.Join(b, "MRC-2.md"),
		[]byte(strings.Replace(sound, "mip: 1", "mip: 2", 1)))
	writeFile(t, filepath.Join(b, "MRC-1.md"), []byte(sound))
	one, two := load(t, a, b), load(t, b, a+string(filepath.Separator), a)
	if diff := cmp.Diff(lines(one, dir), lines(two, dir)); diff != "" {
		t.Errorf("the order of folders matters:\n%s", diff)
	}
	want := []string{"error MRCs/MRC-1.md:2: duplicate-number: number 1 belongs to " +
		filepath.ToSlash(a) +
		"/MIP-1.md by its file name: this file is not published; give it another number"}
	if diff := cmp.Diff(want, lines(one, dir)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if len(one.Proposals) != 2 || filepath.Base(one.Proposals[0].File) != "MIP-1.md" {
		t.Errorf("%d proposals, want MIP-1 of MIP-1.md, and MIP-2", len(one.Proposals))
	}
}

func TestLoadFails(t *testing.T) {
	if _, err := Load(t.Context(),
		Options{Rules: in(filepath.Join(t.TempDir(), "none"))}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Load of no folder: %v, want os.ErrNotExist", err)
	}
	if _, err := Load(t.Context(), Options{}); err == nil {
		t.Error("Load without folders: no error")
	}
}

// TestReadIsOfLoad uses the bytes that Load read, even if the file has changed since.
func TestReadIsOfLoad(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "MIP-1.md")
	writeFile(t, name, []byte(sound))
	c := load(t, dir)
	writeFile(t, name, []byte(sound+"more"))
	if got := markdown.Parse(c.Proposals[0].Body); !strings.HasSuffix(sound, string(got.Body)) {
		t.Errorf("Read of a changed file: %q, want the end of %q", got.Body, sound)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if got := markdown.Parse(c.Proposals[0].Body); c.Proposals[0].Raw != sound ||
		len(got.Sections) != 1 {
		t.Errorf("Read of a removed file: %q, want %q", c.Proposals[0].Raw, sound)
	}
}

func TestNumber(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "MIP-1.md"), []byte(sound))
	writeFile(t, filepath.Join(dir, "0047-slug.md"),
		[]byte(strings.Replace(sound, "mip: 1", "mip: 48", 1)))
	c := load(t, dir)
	for _, tt := range []struct {
		in   string
		want int
		ok   bool
	}{
		{"MIP-1.md", 1, true}, {"mip-1.MD", 1, true}, {"../MIPs/MIP-1.md", 1, true},
		{"MIP-01.md", 1, true}, {"MIP-1", 1, true},
		{"0047-slug.md", 48, true}, {"MIP-48.md", 48, true}, {"MIP-47.md", 0, false},
		{"EIP-1.md", 0, false}, {"1.md", 0, false}, {"", 0, false}, {"README.md", 0, false},
	} {
		got, ok := c.byFile(tt.in)
		if ok != tt.ok || ok && got.Number != tt.want {
			t.Errorf("ID(%q) = %s, %v, want number %d, %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
}

func TestFixedTimes(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "MIP-1.md"), []byte(sound))
	c := load(t, dir)
	got := c.Proposals[0].Updated.String()
	if got != "2023-11-14T22:13:20Z" || c.History != "fixed" || c.Commit != "" {
		t.Errorf("with an epoch: updated %s, history %s, commit %q", got, c.History, c.Commit)
	}
}
