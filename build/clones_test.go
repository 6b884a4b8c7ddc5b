package build_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// TestClonesTellTheSame builds one repository from full and from shallow clones. When a shallow
// clone gets more history, known items keep their ids, and new items are older than known ones.
func TestClonesTellTheSame(t *testing.T) {
	r := &feedRepo{dir: t.TempDir()}
	move := func(from, to string, n int) {
		t.Helper()
		if err := os.Rename(filepath.Join(r.dir, from), filepath.Join(r.dir, to)); err != nil {
			t.Fatal(err)
		}
		r.put(t, n, "Draft")
	}
	for n := 1; n <= 4; n++ {
		r.put(t, n, "Draft", "created: 2023-01-02")
	}
	r.commit(t, "Begin")
	r.put(t, 1, "Review")
	r.commit(t, "Before the clone")
	cut := r.now
	r.put(t, 2, "Review", "created: 2023-01-02")
	r.commit(t, "The clone begins")
	r.put(t, 1, "Final")
	r.commit(t, "Final")
	os.Remove(filepath.Join(r.dir, "MIP-2.md"))
	r.commit(t, "Remove")
	r.put(t, 2, "Draft")
	r.put(t, 5, "Draft")
	r.commit(t, "Restore")
	put(t, filepath.Join(r.dir, "MIP-3.md"), "---\nmip: 3\ntitle: Title 30\n---\n\nWords of 3.\n")
	r.commit(t, "Other words")
	move("MIP-3.md", "MIP-30.md", 30)
	r.commit(t, "Another number")
	r.put(t, 3, "Draft")
	r.commit(t, "Which somebody else gets")

	clone := func(args ...string) *feedRepo {
		out := &feedRepo{dir: filepath.Join(t.TempDir(), "texts")}
		testenv.Git(t, r.dir, "", slices.Concat([]string{"clone", "-q"}, args,
			[]string{"file://" + filepath.ToSlash(r.dir), out.dir})...)
		return out
	}
	testenv.Git(t, r.dir, "", "config", "uploadpack.allowFilter", "true")
	whole := r.items(t)
	if again := r.items(t); !cmp.Equal(again, whole) {
		t.Errorf("a second build (-first +second):\n%s", cmp.Diff(whole, again))
	}
	if fresh := clone().items(t); !cmp.Equal(fresh, whole) {
		t.Errorf("a clone (-repository +clone):\n%s", cmp.Diff(whole, fresh))
	}
	for id := range clone("--filter=blob:none").items(t) {
		// A shallow clone does not know the other number of MIP-30.
		if whole[id] == "" && id != "tag:mips.example.org,2026:mip-30-created" {
			t.Errorf("a clone without texts invents %s", id)
		}
	}
	shallow := clone("--depth=7")
	before := shallow.items(t)
	testenv.Git(t, shallow.dir, "", "fetch", "-q", "--unshallow")
	after := shallow.items(t)
	if !cmp.Equal(after, whole) {
		t.Errorf("a clone that was deepened (-repository +clone):\n%s", cmp.Diff(whole, after))
	}
	for id := range before {
		if after[id] == "" {
			t.Errorf("%s is gone when the clone is deepened", id)
		}
	}
	var learned []string
	for id, when := range after {
		if before[id] == "" {
			learned = append(learned, when+" "+id)
		}
	}
	edge := "at " + time.Unix(1_700_000_000+cut+day, 0).UTC().Format(time.RFC3339)
	for _, line := range learned {
		if line[:len(edge)] > edge {
			t.Errorf("the clone learns of something new: %s", line)
		}
	}
	// MIP-1 and MIP-2 moved to Review, and MIP-2 existed before it was removed.
	if len(learned) != 3 {
		t.Errorf("the clone learns of %d events:\n%s", len(learned), strings.Join(learned, "\n"))
	}
}

// items are the items of the feed of all changes and of each proposal's feed: times by id.
func (r *feedRepo) items(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	files := []string{"changes/feed.atom"}
	for _, n := range []int{1, 2, 3, 4, 5, 30} {
		files = append(files, fmt.Sprintf("mip/%d/feed.atom", n))
	}
	for _, file := range files {
		here := map[string]bool{}
		for _, i := range r.feed(t, file).Items {
			if here[i.GUID] {
				t.Errorf("%s has two items %s", file, i.GUID)
			}
			here[i.GUID], out[i.GUID] = true, "at "+i.Updated
		}
	}
	return out
}
