package build_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// Bounds of a build's work for one text. A new feature must use results of other features in place
// of reading a text again. The bounds may be lowered at any time.
const (
	mostParses    = 1
	mostRenders   = 1
	mostSummaries = 1
	mostTokenised = 1 // for the search
	// mostWords bounds how often text is cut into words for each sentence of a summary by rules:
	// the sentence, and a share of titles, leads of lists, quotes and unfit sentences.
	mostWords = 2
	// mostAllocations bounds the objects for a sample with its files and its share of the site's.
	mostAllocations = 11_500
	// mostFiles bounds the files of a text: six files, its share of the search index, and its share
	// of the lists of a site whose texts share a status, a category and an author.
	mostFiles = 7
)

// TestWork counts what a build does, without a clock.
func TestWork(t *testing.T) {
	testenv.Long(t, "a build in which every allocation is recorded")
	const copies = 20
	mustBuild := func(in string) (files int) {
		t.Helper()
		plan, err := buildtest.Plan(t.Context(), testSite("MIP"), in)
		if err != nil {
			t.Fatal(err)
		}
		report, err := build.Sync(t.Context(), plan, t.TempDir(), build.SyncOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return report.Changed
	}
	once, few := copiesOfSamples(t, 1)
	mustBuild(once) // makes everything that a process makes once
	in, texts := copiesOfSamples(t, copies)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	files := mustBuild(in)
	runtime.ReadMemStats(&after)
	if files > mostFiles*texts {
		t.Errorf("a build writes %d files for %d texts, want at most %d each", files,
			texts, mostFiles)
	}
	if got := int(after.Mallocs-before.Mallocs) / texts; got > mostAllocations {
		t.Errorf("a build allocates %d objects a text, want at most %d", got, mostAllocations)
	}

	// The profile has every allocation with its stack. Each of these functions makes one value a
	// call.
	rate := runtime.MemProfileRate
	t.Cleanup(func() { runtime.MemProfileRate = rate })
	runtime.MemProfileRate = 1
	counted := allocationsIn()
	mustBuild(once)
	made := allocationsIn()
	for function, most := range map[string]int{
		"internal/markdown.Parse":            mostParses,
		"render/markdown.(*Renderer).Render": mostRenders,
		"build.(*planner).byRules":           mostSummaries,
		"internal/search.(*Proposal).Index":  mostTokenised,
	} {
		got := made[function] - counted[function]
		if got > most*few || got == 0 && most > 0 {
			t.Errorf("%s is called %d times for %d texts, want 1 to %d times each", function,
				got, few, most)
		}
	}
	const rules = "internal/ai/summary."
	sentences := made[rules+"(*part).sentences"] - counted[rules+"(*part).sentences"]
	words := made[rules+"wordsOf"] - counted[rules+"wordsOf"]
	if words > mostWords*sentences || words == 0 {
		t.Errorf("%d sentences are cut into words %d times, want at most %d times each",
			sentences, words, mostWords)
	}
}

// copiesOfSamples writes a number of copies of the samples' texts, each copy with other numbers.
func copiesOfSamples(t *testing.T, copies int) (dir string, texts int) {
	t.Helper()
	dir = t.TempDir()
	files, err := filepath.Glob("../internal/samples/proposals/MIP-*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	for i := range copies {
		for k, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			number := i*len(files) + k + 1
			old := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "MIP-"), ".md")
			header, body, _ := strings.Cut(string(text), "mip: "+old+"\n")
			name := filepath.Join(dir, fmt.Sprintf("MIP-%d.md", number))
			err = os.WriteFile(name, fmt.Appendf(nil, "%smip: %d\n%s", header,
				number, body), 0o600)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir, copies * len(files)
}

// allocationsIn returns, by function, the most objects that one of its lines has allocated.
func allocationsIn() map[string]int {
	const module = "github.com/mipwatch/mipwatch/"
	runtime.GC()
	runtime.GC() // a profile is of the time before the last but one
	var records []runtime.MemProfileRecord
	for n, ok := runtime.MemProfile(nil, true); !ok; n, ok = runtime.MemProfile(records, true) {
		records = make([]runtime.MemProfileRecord, n+100)
	}
	places := map[string]map[uintptr]int{}
	for _, r := range records {
		frames := runtime.CallersFrames(r.Stack())
		frame, more := frames.Next()
		for more && strings.HasPrefix(frame.Function, "runtime.") {
			frame, more = frames.Next()
		}
		name, ours := strings.CutPrefix(frame.Function, module)
		if !ours {
			continue
		}
		if places[name] == nil {
			places[name] = map[uintptr]int{}
		}
		places[name][frame.PC] += int(r.AllocObjects)
	}
	out := map[string]int{}
	for name, by := range places {
		for _, n := range by {
			out[name] = max(out[name], n)
		}
	}
	return out
}
