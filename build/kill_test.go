package build_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// helperEnv makes the test binary run one build instead of the tests. Its value has the folder of
// proposals, the output, and when the process kills itself: after a number of files and
// microseconds, or never.
const helperEnv = "MIPWATCH_TEST_BUILD"

func TestMain(m *testing.M) {
	if spec := strings.Split(os.Getenv(helperEnv), "|"); len(spec) > 1 {
		if err := helperBuild(spec[0], spec[1], spec[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func helperBuild(in, out string, moment []string) error {
	p, err := buildtest.Plan(context.Background(), testSite("MIP"), in)
	if err != nil {
		return err
	}
	if len(moment) == 2 {
		files, err := strconv.Atoi(moment[0])
		wait, err2 := strconv.Atoi(moment[1])
		self, err3 := os.FindProcess(os.Getpid())
		if err := errors.Join(err, err2, err3); err != nil {
			return err
		}
		var made atomic.Int64
		for i := range p.Artifacts {
			body := p.Artifacts[i].Body
			p.Artifacts[i].Body = func() ([]byte, error) {
				if made.Add(1) == int64(files) {
					time.AfterFunc(time.Duration(wait)*time.Microsecond, func() { self.Kill() })
				}
				return body()
			}
		}
	}
	_, err = build.Sync(context.Background(), p, out, build.SyncOptions{})
	return err
}

// helper returns a command that builds in another process.
func helper(t *testing.T, in, out string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(append(os.Environ(), helperEnv+"="+in+"|"+out), env...)
	return cmd
}

// files reads a published tree by slash-separated name, without the build's own state.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".mipwatch" {
			return fs.SkipDir
		}
		if strings.HasPrefix(d.Name(), ".mipwatch-tmp-") {
			return nil
		}
		if d.IsDir() {
			return nil
		}
		b, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		out[filepath.ToSlash(rel)] = b
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return out
}

// TestKilledAtAnyMoment kills builds that replace one site by another at 100 moments during the
// writing, and checks the tree. The moments are counted in written files.
func TestKilledAtAnyMoment(t *testing.T) {
	testenv.Long(t, "a hundred builds that are killed")
	before, after := t.TempDir(), t.TempDir()
	for n := 1; n <= 5; n++ {
		write(t, before, n, "Old title", "Old words.")
		if n != 3 {
			write(t, after, n, "New title", "New words, and more of them.")
		}
	}
	write(t, after, 6, "New title", "A proposal that was not there.")
	wantBefore, wantAfter := t.TempDir(), t.TempDir()
	for in, out := range map[string]string{before: wantBefore, after: wantAfter} {
		if err := buildFolder(in, out); err != nil {
			t.Fatal(err)
		}
	}
	oldTree, newTree := files(t, wantBefore), files(t, wantAfter)
	rnd := rand.New(rand.NewPCG(1, 2))
	var killed atomic.Int64
	t.Run("moments", func(t *testing.T) {
		for range 100 {
			made, wait := 1+rnd.IntN(len(newTree)-3), rnd.IntN(1000)
			t.Run(fmt.Sprintf("%d files and %dus", made, wait), func(t *testing.T) {
				t.Parallel()
				out := t.TempDir()
				if err := os.CopyFS(out, os.DirFS(wantBefore)); err != nil {
					t.Fatal(err)
				}
				err := helper(t, after, fmt.Sprintf("%s|%d|%d", out, made, wait)).Run()
				if err != nil {
					killed.Add(1)
				}
				left := files(t, out)
				for name, b := range left {
					if !bytes.Equal(b, oldTree[name]) && !bytes.Equal(b, newTree[name]) {
						t.Errorf("%s is neither the old file nor the new one (%d bytes)",
							name, len(b))
					}
				}
				if err := named(left); err != nil {
					t.Error(err)
				}
				if err := buildFolder(after, out); err != nil {
					t.Fatalf("the next build: %v", err)
				}
				if left := temporary(t, out); len(left) > 0 {
					t.Errorf("the next build left %v", left)
				}
				if got := files(t, out); !sameTree(got, newTree) {
					t.Errorf("the next build did not mend the tree: %s", diffTree(newTree, got))
				}
			})
		}
	})
	if killed.Load() < 50 {
		t.Errorf("only %d of 100 builds were killed before their end: the test does not test",
			killed.Load())
	}
}

// temporary lists the drafts of files in a tree.
func temporary(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".mipwatch-tmp-") {
			out = append(out, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// named checks that every file that an index of the tree names exists.
func named(tree map[string][]byte) error {
	var list struct{ MIPs []struct{ Number int } }
	if err := json.Unmarshal(tree["api/v1/mips.json"], &list); err != nil {
		return fmt.Errorf("list: %w", err)
	}
	for _, m := range list.MIPs {
		for _, f := range []string{"api/v1/mips/%d.json", "mip/%d/index.html", "mip/%d.md"} {
			if name := fmt.Sprintf(f, m.Number); tree[name] == nil {
				return fmt.Errorf("the list names %d but %s is not there", m.Number, name)
			}
		}
	}
	var sitemap struct {
		URL []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal(tree["sitemap.xml"], &sitemap); err != nil {
		return fmt.Errorf("sitemap: %w", err)
	}
	for _, u := range sitemap.URL {
		name := strings.TrimPrefix(u.Loc, testBase+"/") + "index.html"
		if tree[name] == nil {
			return fmt.Errorf("the sitemap names %s but %s is not there", u.Loc, name)
		}
	}
	for line := range strings.SplitSeq(string(tree["_redirects"]), "\n") {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		name := strings.TrimPrefix(f[1], "/")
		if strings.Contains(name, "/:") {
			continue // a pattern
		}
		if strings.HasSuffix(name, "/") {
			name += "index.html"
		}
		if tree[name] == nil {
			return fmt.Errorf("_redirects names %s but it is not there", name)
		}
	}
	for name, page := range tree {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		for _, link := range internalLinks(page) {
			if strings.HasPrefix(link, "/assets/") && tree[link[1:]] == nil {
				return fmt.Errorf("%s needs %s, which is not there", name, link)
			}
		}
	}
	return nil
}

func sameTree(a, b map[string][]byte) bool { return diffTree(a, b) == "" }

// diffTree lists the files that differ.
func diffTree(want, got map[string][]byte) string {
	var out []string
	for name, b := range want {
		if g, ok := got[name]; !ok {
			out = append(out, "missing "+name)
		} else if !bytes.Equal(b, g) {
			out = append(out, fmt.Sprintf("%s differs (%x, want %x)", name,
				sha256.Sum256(g), sha256.Sum256(b)))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			out = append(out, "unexpected "+name)
		}
	}
	return strings.Join(out, "; ")
}
