package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// repo is a git repository whose commits have fixed times.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	r := &repo{t, t.TempDir()}
	r.git(0, "init", "-q", "-b", "main", ".")
	return r
}

// git runs git at a time in seconds after a fixed time.
func (r *repo) git(at int, args ...string) {
	r.t.Helper()
	testenv.Git(r.t, r.dir, fmt.Sprintf("%d +0200", 1_700_000_000+at), args...)
}

func (r *repo) write(name, title string) {
	r.t.Helper()
	n := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "MIP-"), ".md")
	writeFile(r.t, filepath.Join(r.dir, filepath.FromSlash(name)),
		fmt.Appendf(nil, "---\nmip: %s\ntitle: %s\ncreated: 2020-01-01\n---\n", n, title))
}

func (r *repo) commit(at int) {
	r.t.Helper()
	r.git(at, "add", ".")
	r.git(at, "commit", "-q", "-m", fmt.Sprint(at))
}

func (r *repo) head() string {
	r.t.Helper()
	return testenv.Git(r.t, r.dir, "", "rev-parse", "HEAD")
}

// times lists "number path updated" in seconds after the fixed time. "-" means unknown.
func times(c *Corpus) []string {
	out := []string{}
	for _, p := range c.Proposals {
		updated := p.Updated.String()
		if p.Updated.UTC().Year() > 2020 {
			updated = fmt.Sprint(p.Updated.UTC().Unix() - 1_700_000_000)
		}
		out = append(out, fmt.Sprintf("%d %s %s", p.Number, p.RepoPath, updated))
	}
	return out
}

func (r *repo) load(dir, folder string) *Corpus {
	r.t.Helper()
	c, err := Load(r.t.Context(), Options{Rules: in(filepath.Join(dir, folder))})
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

func TestHistory(t *testing.T) {
	r := newRepo(t)
	r.write("MIPs/MIP-1.md", "one")
	r.write("MIPs/MIP-2.md", "two")
	r.write("old/MIP-3.md", "three")
	r.commit(10)
	r.write("MIPs/MIP-2.md", "two again")
	r.commit(20)
	touched := r.head()
	writeFile(t, filepath.Join(r.dir, "README"), []byte("x"))
	r.commit(30)
	c := r.load(r.dir, "MIPs")
	if diff := cmp.Diff([]string{"1 MIPs/MIP-1.md 2020-01-01T00:00:00Z", "2 MIPs/MIP-2.md 20"},
		times(c)); diff != "" {
		t.Errorf("times (-want +got):\n%s", diff)
	}
	if c.Commit != touched || c.Proposals[1].Commit != touched ||
		c.Proposals[0].Commit == touched || c.History != "full" || len(c.Problems) > 0 {
		t.Errorf("commit %s, history %s, problems %v; want %s, full, none",
			c.Commit, c.History, c.Problems, touched)
	}

	if c.CommittedAt == nil || c.CommittedAt.UTC().Unix() != 1_700_000_020 {
		t.Errorf("time of the newest commit %v, want that of %s", c.CommittedAt, touched)
	}
	var got []string
	for _, h := range c.Proposals[1].History.Versions {
		got = append(got, fmt.Sprintf("%t %s %s", h.Hash == touched, h.Time(), h.Subject))
	}
	if diff := cmp.Diff([]string{"true 2023-11-14T22:13:40Z 20", "false 2023-11-14T22:13:30Z 10"},
		got); diff != "" {
		t.Errorf("versions of 2, whether the last, when, subject (-want +got):\n%s", diff)
	}

	// A rename creates a new file, without the history of the old one.
	r.git(40, "mv", "old/MIP-3.md", "MIPs/MIP-3.md")
	r.commit(40)
	// A merge brings the side's own time. An untracked file has the header's.
	r.git(50, "checkout", "-q", "-b", "side", "HEAD~1")
	r.write("MIPs/MIP-4.md", "four")
	r.commit(50)
	r.git(60, "checkout", "-q", "main")
	r.git(60, "merge", "-q", "--no-ff", "-m", "merge", "side")
	r.write("MIPs/MIP-5.md", "five")
	// A name that git would quote.
	writeFile(t, filepath.Join(r.dir, "MIPs", `MIP-6 "é".md`), []byte("---\nmip: 6\n---\n"))
	r.git(70, "add", "MIPs/MIP-6*")
	r.git(70, "commit", "-q", "-m", "70")
	c = r.load(r.dir, "MIPs")
	want := []string{"1 MIPs/MIP-1.md 2020-01-01T00:00:00Z", "2 MIPs/MIP-2.md 20",
		"3 MIPs/MIP-3.md 40", "4 MIPs/MIP-4.md 50",
		"5 MIPs/MIP-5.md 2020-01-01T00:00:00Z", `6 MIPs/MIP-6 "é".md 70`}
	if diff := cmp.Diff(want, times(c)); diff != "" {
		t.Errorf("times (-want +got):\n%s", diff)
	}

	// These variables are about another repository.
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "nowhere"))
	t.Setenv("GIT_LITERAL_PATHSPECS", "0")
	if diff := cmp.Diff(want, times(r.load(r.dir, "MIPs"))); diff != "" {
		t.Errorf("times with GIT_DIR set (-want +got):\n%s", diff)
	}
}

func TestMergeThatChanges(t *testing.T) {
	r := newRepo(t)
	r.write("MIP-1.md", "one")
	r.commit(10)
	r.git(20, "checkout", "-q", "-b", "side")
	r.write("MIP-1.md", "side")
	r.commit(20)
	r.git(30, "checkout", "-q", "main")
	r.write("MIP-1.md", "main")
	r.commit(30)
	r.git(40, "merge", "-q", "-s", "ours", "--no-commit", "side")
	r.write("MIP-1.md", "resolved by hand")
	r.commit(40)
	if diff := cmp.Diff([]string{"1 MIP-1.md 40"}, times(r.load(r.dir, "."))); diff != "" {
		t.Errorf("times (-want +got):\n%s", diff)
	}
}

func TestShallow(t *testing.T) {
	r := newRepo(t)
	r.write("MIPs/MIP-1.md", "one")
	r.commit(10)
	r.write("MIPs/MIP-2.md", "two")
	r.commit(20)
	r.write("MIPs/MIP-2.md", "two again")
	r.write("MIPs/MIP-3.md", "three")
	r.commit(30)
	for _, tt := range []struct {
		depth string
		want  []string
	}{
		{"1", []string{"1 MIPs/MIP-1.md 2020-01-01T00:00:00Z",
			"2 MIPs/MIP-2.md 2020-01-01T00:00:00Z", "3 MIPs/MIP-3.md 2020-01-01T00:00:00Z"}},
		{"2", []string{"1 MIPs/MIP-1.md 2020-01-01T00:00:00Z", "2 MIPs/MIP-2.md 30",
			"3 MIPs/MIP-3.md 30"}},
	} {
		clone := filepath.Join(t.TempDir(), "clone")
		r.git(0, "clone", "-q", "--depth", tt.depth, "file://"+filepath.ToSlash(r.dir), clone)
		c := r.load(clone, "MIPs")
		if diff := cmp.Diff(tt.want, times(c)); diff != "" {
			t.Errorf("depth %s: times (-want +got):\n%s", tt.depth, diff)
		}
		if c.History != "shallow" || len(c.Problems) != 1 ||
			c.Problems[0].Code != "history-shallow" {
			t.Errorf("depth %s: history %s, problems %v", tt.depth, c.History, c.Problems)
		}
	}
}

func TestNoHistory(t *testing.T) {
	want := []string{"1 MIP-1.md 2020-01-01T00:00:00Z"}
	t.Run("untracked", func(t *testing.T) {
		r := newRepo(t)
		r.write("MIP-1.md", "one")
		if c := r.load(r.dir, "."); c.History != "none" || c.Commit != "" || len(c.Problems) > 0 ||
			cmp.Diff(want, times(c)) != "" {
			t.Errorf("before the first commit: history %s, problems %v, %v",
				c.History, c.Problems, times(c))
		}
		writeFile(t, filepath.Join(r.dir, "README"), []byte("x"))
		r.git(10, "add", "README")
		r.git(10, "commit", "-q", "-m", "x")
		if c := r.load(r.dir, "."); c.History != "none" || c.Commit != "" || len(c.Problems) > 0 ||
			cmp.Diff(want, times(c)) != "" {
			t.Errorf("untracked: history %s, problems %v, %v", c.History, c.Problems, times(c))
		}
	})
	t.Run("no repository", func(t *testing.T) {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "MIP-1.md"), []byte(sound))
		t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
		c, err := Load(t.Context(), Options{Rules: in(dir)})
		if err != nil || c.History != "none" || len(c.Problems) > 0 ||
			c.Proposals[0].RepoPath != filepath.Base(dir)+"/MIP-1.md" {
			t.Errorf("no repository: %v, history %s, problems %v, path %s",
				err, c.History, c.Problems, c.Proposals[0].RepoPath)
		}
	})
	t.Run("no program", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "a/MIP-1.md"), []byte(sound))
		writeFile(t, filepath.Join(dir, "b/MIP-2.md"),
			[]byte(strings.Replace(sound, "mip: 1", "mip: 2", 1)))
		t.Setenv("PATH", t.TempDir())
		c, err := Load(t.Context(),
			Options{Rules: in(filepath.Join(dir, "a"), filepath.Join(dir, "b"))})
		if err != nil || c.History != "none" || len(c.Problems) != 1 ||
			c.Problems[0].Code != "history-none" {
			t.Errorf("no program: %v, history %s, problems %v, want one history-none",
				err, c.History, c.Problems)
		}
	})
}

// The first commit of a file is its creation only if it cannot be a move or an import.
func TestCreatedFromHistory(t *testing.T) {
	r := newRepo(t)
	bare := func(name string) {
		writeFile(t, filepath.Join(r.dir, name), []byte("---\ntitle: t\n---\n"))
	}
	bare("MIP-1.md")
	bare("MIP-2.md")
	r.commit(0) // two at once: an import
	bare("MIP-3.md")
	r.commit(86_400) // alone
	r.write("MIP-4.md", "has its own date")
	r.commit(86_400)
	bare("MIP-5.md")
	r.commit(86_400)
	r.git(172_800, "mv", "MIP-5.md", "MIP-6.md")
	r.commit(172_800) // a move touches two names
	r.git(0, "switch", "-q", "-c", "side")
	bare("MIP-7.md")
	r.commit(259_200)
	r.git(0, "mv", "MIP-7.md", "MIP-8.md")
	r.commit(345_600) // a move from a number that is then unused
	r.git(0, "switch", "-q", "main")
	writeFile(t, filepath.Join(r.dir, "MIP-7.md"), []byte("---\ntitle: other\n---\n"))
	r.commit(432_000)
	r.git(432_000, "merge", "-q", "--no-edit", "side")
	got := []string{}
	for _, p := range r.load(r.dir, ".").Proposals {
		got = append(got,
			fmt.Sprintf("%d %s %t", p.Number, p.Created, slices.Contains(p.Inferred, "created")))
	}
	diff := cmp.Diff([]string{"1  false", "2  false", "3 2023-11-15 true", "4 2020-01-01 false",
		"6  false", "7 2023-11-19 true", "8  false"}, got)
	if diff != "" {
		t.Errorf("number, created, inferred (-want +got):\n%s", diff)
	}
}
