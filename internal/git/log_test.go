package git

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// TestWalkIsThatOfGit compares the commits of files with git log and git diff, over a complete
// history of branches and merges.
func TestWalkIsThatOfGit(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	for _, format := range []string{"sha1", "sha256"} {
		dir := t.TempDir()
		testenv.Git(t, dir, "", "init", "-q", "--object-format="+format, ".")
		testenv.GitInput(t, dir, history(600), "fast-import", "--quiet")
		for _, tt := range []struct {
			rev     string
			folders []string
		}{
			{"HEAD", []string{"MIPs/"}}, {"HEAD~20", []string{"MIPs/", "MRCs/deep/"}},
			{"HEAD", []string{""}},
			{"HEAD", []string{"none/"}},
		} {
			some := func(name string) bool { return strings.HasSuffix(name, "1.md") }
			commits, err := Walk(t.Context(), dir, tt.rev, tt.folders, some)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string][]string{}
			for _, c := range AsListed(commits) {
				for _, f := range c.Files {
					got[f.Path] = append(got[f.Path],
						c.Hash+" "+orNone(f.Before)+" "+orNone(f.After))
				}
			}
			if len(got) == 0 && tt.folders[0] != "none/" {
				t.Errorf("folders %q have no files", tt.folders)
			}
			for _, file := range slices.Sorted(maps.Keys(got)) {
				// With diffs of merges requested, git lists more commits.
				log := testenv.Git(t, dir, "", "log", "--format=%x01%H", "--raw", "--no-abbrev",
					"--no-renames",
					"--diff-merges=first-parent", tt.rev, "--", file)
				made := map[string]string{}
				for record := range strings.SplitSeq(log, "\x01") {
					// The fields are the commit, two modes, two hashes, a letter and the file.
					if words := strings.Fields(record); len(words) == 7 {
						made[words[0]] = orNone(words[3]) + " " + orNone(words[4])
					}
				}
				var want []string
				for commit := range strings.FieldsSeq(testenv.Git(t, dir, "", "log", "--format=%H",
					tt.rev, "--", file)) {
					want = append(want, commit+" "+made[commit])
				}
				if diff := gocmp.Diff(want, got[file]); diff != "" {
					t.Errorf("%s, %s from %q (-git +here):\n%s", format, file, tt.rev, diff)
				}
			}
		}
	}
}

// orNone returns a blob's name in git, none for the null hash.
func orNone(blob string) string {
	if strings.Trim(blob, "0") == "" {
		return "none"
	}
	return blob
}

// TestTouches covers the ways in which a commit can change the files of a folder.
func TestTouches(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	dir := t.TempDir()
	file := func(name, text string) string {
		return fmt.Sprintf("M 100644 inline \"%s\"\ndata %d\n%s\n", name, len(text), text)
	}
	commits := []struct{ parents, changes, want string }{
		{"", file("M/a b.md", "1") + file(`M/\001\n:u.md`, "1") + file("M/d/x", "1") +
			file("other", "1"), `"\x01\n:u.md" "a b.md"`},
		{"from :1\n", file("M/d/x", "2") + file("other", "2"), ""},
		{"from :2\n", "M 100755 inline \"M/a b.md\"\ndata 1\n1\n" +
			"M 120000 inline M/link\ndata 1\n1\n", `"a b.md"`},
		{"from :3\n", "D \"M/a b.md\"\n" + file("M/link/x", "1"), `"a b.md"-`},
		{"from :4\n", file("M/both", "1") + file("M/one", "1"), `"both" "one"`},
		{"from :4\n", file("M/both", "2") + file("M/other", "1"), `"both" "other"`},
		{"from :5\nmerge :6\n", file("M/both", "3") + file("M/other", "1"), `"both"`},
	}
	var stream strings.Builder
	for i, c := range commits {
		fmt.Fprintf(&stream,
			"commit refs/heads/main\nmark :%d\ncommitter Ada <a@example.org> %d +0000\n"+
				"data 1\n%d\n%s%s",
			i+1, i+1, i, c.parents, c.changes)
	}
	testenv.Git(t, dir, "", "init", "-q")
	testenv.GitInput(t, dir, stream.String(), "fast-import", "--quiet")
	// The user's git settings have no effect.
	for i, setting := range []string{"log.showRoot=false", "diff.renames=copies",
		"diff.noprefix=true", "log.diffMerges=off"} {
		key, value, _ := strings.Cut(setting, "=")
		t.Setenv("GIT_CONFIG_COUNT", fmt.Sprint(i+1))
		t.Setenv(fmt.Sprintf("GIT_CONFIG_KEY_%d", i), key)
		t.Setenv(fmt.Sprintf("GIT_CONFIG_VALUE_%d", i), value)
	}
	got := map[string][]string{}
	changes, err := Walk(t.Context(), dir, "HEAD", []string{"M/"}, func(name string) bool {
		return path.Dir(name) == "M"
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		for _, f := range c.Files {
			what := fmt.Sprintf("%q", strings.TrimPrefix(f.Path, "M/"))
			if f.After == "" {
				what += "-"
			}
			got[c.Subject] = append(got[c.Subject], what)
		}
	}
	for i, c := range commits {
		if touched := strings.Join(got[fmt.Sprint(i)], " "); touched != c.want {
			t.Errorf("commit %d touches %s, want %s", i, touched, c.want)
		}
	}
}

// history returns a stream for git fast-import of that many steps: edits, removals, merges, and
// commits outside the folder.
func history(steps int) string {
	var out strings.Builder
	random := rand.New(rand.NewPCG(1, 2))
	mark := 0
	commit := func(from, merge int, changes ...string) int {
		mark++
		fmt.Fprintf(&out,
			"commit refs/heads/main\nmark :%d\ncommitter Ada <ada@example.org> %d +0000\n"+
				"data 1\nx\n",
			mark, 1_600_000_000+60*mark)
		if from > 0 {
			fmt.Fprintf(&out, "from :%d\n", from)
		}
		if merge > 0 {
			fmt.Fprintf(&out, "merge :%d\n", merge)
		}
		out.WriteString(strings.Join(changes, ""))
		return mark
	}
	folders := []string{"MIPs/", "MIPs/", "MIPs/", "MRCs/deep/", "MIPs/assets/", "other/", ""}
	change := func() string {
		name := fmt.Sprintf("%sMIP-%d.md", folders[random.IntN(len(folders))], random.IntN(20))
		if random.IntN(6) == 0 {
			return "D " + name + "\n"
		}
		return fmt.Sprintf("M 100644 inline %s\ndata 4\n%04d\n", name, random.IntN(50))
	}
	head := commit(0, 0, change())
	for range steps {
		switch random.IntN(5) {
		case 0: // a merge that takes its first parent's files, or its own
			side, main := commit(head, 0, change()), commit(head, 0, change())
			if random.IntN(2) == 0 {
				head = commit(main, side)
			} else {
				head = commit(main, side, change(), change())
			}
		case 1: // a merge whose parents made the same change
			same := change()
			head = commit(commit(head, 0, same), commit(head, 0, same, change()))
		default:
			head = commit(head, 0, change(), change())
		}
	}
	return out.String()
}
