package samples_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/samples"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// TestRepository checks that the history ends with the present files, and is the same everywhere.
func TestRepository(t *testing.T) {
	testenv.Git(t, ".", "", "version") // skips the test without git
	heads := map[string]string{}
	var dir string
	for _, zone := range []string{"America/Los_Angeles", "Asia/Tokyo"} {
		t.Setenv("TZ", zone)
		t.Setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00 "+zone)
		dir = t.TempDir()
		if _, err := samples.Repository(t.Context(), dir, ".", "."); err != nil {
			t.Fatal(err)
		}
		heads[testenv.Git(t, dir, "", "rev-parse", "HEAD")] = zone
	}
	if len(heads) != 1 {
		t.Errorf("the newest commits by time zone differ: %v", heads)
	}
	testenv.Git(t, dir, "", "reset", "-q", "--hard")
	if diff := cmp.Diff(texts(t, os.DirFS(".")), texts(t, os.DirFS(dir))); diff != "" {
		t.Errorf("the last commit (-present +committed):\n%s", diff)
	}
}

// texts returns the texts of the site.
func texts(t *testing.T, from fs.FS) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, top := range []string{"site.yaml", "proposals"} {
		err := fs.WalkDir(from, top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(from, name)
			out[name] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestStreamNamesErrors covers each error of a plan, with its line.
func TestStreamNamesErrors(t *testing.T) {
	const begin = "2025-01-20 09:14 Ada: Begin\n    site.yaml created\n" +
		"    proposals/MIP-1.md created\n"
	const next = begin + "2025-01-21 09:14 Ada: Go on\n"
	const edit = next + "    proposals/MIP-1.md\n"
	for _, tt := range []struct{ name, plan, want string }{
		{"none", "",
			`no commit begins proposals/MIP-1.md; want one with "proposals/MIP-1.md created"`},
		{"sound", edit + "    - one\n    + two\n", ""},
		{"a comment", "# one\n\n" + begin, ""},
		{"no commit", "Begin\n", `1: want a commit, such as "2025-01-20 09:14 Ida Brandvold: ` +
			`Describe the process", or an indented change; got "Begin"`},
		{"no such day", "2025-02-30 09:14 Ada: Begin\n",
			`1: want a day and a time of UTC, such as 2025-01-20 09:14; got "2025-02-30 09:14"`},
		{"no order", begin + "2025-01-20 09:14 Ada: Go on\n",
			"4: want a time after the one of the commit above, 2025-01-20 09:14"},
		{"no commit above", "    site.yaml created\n", "1: want a commit above its changes"},
		{"no change", next + "\n2025-01-22 09:14 Ada: End\n",
			`4: want changes below the commit, indented, such as "    proposals/MIP-1.md created"`},
		{"another word", next + "    proposals/MIP-1.md deleted\n",
			`5: want "PATH created", "PATH removed", "PATH -> PATH", "PATH", or a line with - ` +
				`or +; got "proposals/MIP-1.md deleted"`},
		{"no path", next + "    - one\n", "5: want the path of the file above its lines"},
		{"lines of a creation", begin + "    + two\n",
			`4: proposals/MIP-1.md created has no line with +; write "proposals/MIP-1.md" alone ` +
				`above the lines of an edit`},
		{"no lines", edit, "5: want the lines of proposals/MIP-1.md below, each with a - before " +
			"it, and for an edit also those with +"},
		{"nothing before", edit + "    + two\n", "6: want lines with - and then lines with +; " +
			"an added line needs one beside it in both"},
		{"nothing after", edit + "    - one\n    + two\n    - one\n", "8: want lines with - and " +
			"then lines with +; an added line needs one beside it in both"},
		{"not there", edit + "    - one\n    + three\n", "6: want lines with + that " +
			`proposals/MIP-1.md has once after this commit; it has them 0 times: "three"`},
		{"there twice", edit + "    -\n    + o\n", "6: want lines with + that " +
			`proposals/MIP-1.md has once after this commit; it has them 2 times: "o"`},
		{"another file", next + "    proposals/MIP-2.md\n    - one\n    + two\n",
			"5: want a file that is there after this commit, under its name of that time; there " +
				"is no proposals/MIP-2.md"},
		{"the name before", next + "    proposals/MIP-0.md -> proposals/MIP-1.md\n",
			"3: want a file that is there after this commit, under its name of that time; there " +
				"is no proposals/MIP-1.md"},
		{"removed and there", next + "    proposals/MIP-1.md removed\n    - one\n",
			"5: want a file that is gone; proposals/MIP-1.md is there after this commit"},
	} {
		_, err := samples.Stream(fstest.MapFS{
			"history.txt":        {Data: []byte(tt.plan)},
			"site.yaml":          {Data: []byte("title: S\n")},
			"proposals/MIP-1.md": {Data: []byte("two or\n")},
		})
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "internal/samples/history.txt:")
			got = strings.TrimPrefix(got, " ") // there is no line
		}
		if got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestAre tries folders with edited and missing samples around half of them.
func TestAre(t *testing.T) {
	const all = 15
	for edited, want := range map[int]bool{0: true, 1: true, 7: true, 8: false, all: false} {
		for _, missing := range []bool{false, true} {
			dir := t.TempDir()
			for n := 1; n <= all; n++ {
				name := fmt.Sprintf("MIP-%d.md", n)
				text, err := os.ReadFile(filepath.Join("proposals", name))
				if err != nil {
					t.Fatal(err)
				}
				if n <= edited {
					text = bytes.ToUpper(text)
				}
				if n > edited || !missing {
					err = os.WriteFile(filepath.Join(dir, name), text, 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if got := samples.Are(dir); got != want {
				t.Errorf("%d of %d are edited, missing %v: %v", edited, all, missing, got)
			}
		}
	}
	if samples.Are(filepath.Join(t.TempDir(), "none")) {
		t.Error("a missing folder has the samples")
	}
}
