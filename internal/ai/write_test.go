package ai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
)

const proposals = 9

// noon is the time of every summary in these tests.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// folderOf writes small proposals.
func folderOf(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for n := 1; n <= proposals; n++ {
		text := fmt.Sprintf("---\nmip: %d\ntitle: Title %d\nstatus: Draft\n"+
			"type: Standards Track\ncategory: Core\ncreated: 2026-01-02\n---\n\n## Abstract\n\n"+
			"Number %d burns the fees of all transactions. Wallets must "+
			"show the fee to users.\n", n, n, n)
		err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("MIP-%d.md", n)), []byte(text), 0o644)
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// load reads folders of proposals for a site with these forks.
func load(t *testing.T, forks []mip.HardFork, dirs ...string) *build.Content {
	t.Helper()
	in := buildtest.In(&site.Site{Prefix: "MIP", HardForks: forks}, dirs...)
	c, err := build.Load(t.Context(), build.Options{Site: in, Epoch: new(noon)})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.Problems {
		if p.Level == mip.Error {
			t.Errorf("load: %s", p)
		}
	}
	return c
}

// summaries returns the committed summaries by number.
func summaries(t *testing.T, dir string) map[int]api.Summary {
	t.Helper()
	out := map[int]api.Summary{}
	names, err := filepath.Glob(filepath.Join(dir, "summaries", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var sum api.Summary
		if err := json.Unmarshal(b, &sum); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !strings.HasSuffix(string(b), "}\n") ||
			filepath.Base(name) != fmt.Sprintf("MIP-%d.json", sum.MIPNumber) {
			t.Errorf("%s ends with %q", name, b[len(b)-2:])
		}
		out[sum.MIPNumber] = sum
	}
	return out
}

// model answers every proposal with a sound summary, unless it has a fault for the proposal.
type model struct {
	mu     sync.Mutex
	asked  map[string]int // by title
	now    int
	most   int // at a time
	faults map[string][]error
	think  time.Duration
}

func (m *model) Ask(ctx context.Context, p ai.Prompt) (ai.Reply, error) {
	title := "none"
	for n := 1; n <= proposals; n++ {
		if strings.Contains(p.User, fmt.Sprintf("Number %d burns", n)) {
			title = fmt.Sprintf("Title %d", n)
		}
	}
	m.mu.Lock()
	if m.asked == nil {
		m.asked = map[string]int{}
	}
	m.asked[title]++
	m.now++
	m.most = max(m.most, m.now)
	var fault error
	if left := m.faults[title]; len(left) > 0 {
		fault, m.faults[title] = left[0], left[1:]
	}
	m.mu.Unlock()
	defer func() { m.mu.Lock(); m.now--; m.mu.Unlock() }()
	select {
	case <-time.After(m.think):
	case <-ctx.Done():
		return ai.Reply{}, ctx.Err()
	}
	if fault != nil {
		return ai.Reply{}, fault
	}
	axis := func(text string) map[string]any {
		return map[string]any{"impact": text, "severity": "medium", "actionRequired": false,
			"evidence": []map[string]string{{"section": "s-abstract",
				"quote": "burns the fees of all transactions"}}}
	}
	b, err := json.Marshal(map[string]any{
		"tldr": "Fees are burnt.",
		"whatsChanging": []string{
			"Fees are burnt.", "Wallets show fees.", "Nothing else changes."},
		"developers": axis("Tools see burnt fees."), "users": axis("Fees are shown."),
		"validators": axis("No fees are paid out."), "foundation": axis("It may explain this."),
	})
	return ai.Reply{Text: string(b), Model: "oracle-1"}, err
}

// options returns the options of a run with a model of that name.
type options struct {
	ai.WriteOptions
	Name string
}

func writeSet(ctx context.Context, s *build.Content, o options) (ai.WriteReport, error) {
	return ai.WriteSummaries(ctx, s.Outdated(o.Name), o.WriteOptions)
}

func optionsFor(m ai.Model) options {
	o := options{WriteOptions: ai.WriteOptions{Now: noon}}
	if m != nil {
		o.Model, o.Name = m, "oracle-1"
	}
	return o
}

func write(t *testing.T, dir string, o options) ai.WriteReport {
	t.Helper()
	r, err := writeSet(t.Context(), load(t, nil, dir), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestExtractive(t *testing.T) {
	dir := folderOf(t)
	if r := write(t, dir, optionsFor(nil)); len(r.Written) != proposals || len(r.Problems) != 0 {
		t.Errorf("Write = %+v, want %d files", r, proposals)
	}
	for n, sum := range summaries(t, dir) {
		if sum.Source != "extractive" || sum.GeneratedAt != mip.NewTime(noon) ||
			sum.Locale != "en" || sum.Stale {
			t.Errorf("summary of %d: %+v", n, sum)
		}
	}
	if r := write(t, dir, optionsFor(nil)); len(r.Written) != 0 {
		t.Errorf("a second Write wrote %q, want nothing", r.Written)
	}
}

// A model replaces summaries of the rules and of other models, at most four at a time.
func TestModel(t *testing.T) {
	dir := folderOf(t)
	write(t, dir, optionsFor(nil))
	m := &model{think: time.Second}
	synctest.Test(t, func(t *testing.T) {
		if r := write(t, dir, optionsFor(m)); len(r.Written) != proposals || len(r.Problems) != 0 {
			t.Errorf("Write = %+v, want %d files", r, proposals)
		}
	})
	if m.most != 4 {
		t.Errorf("%d questions at a time, want 4", m.most)
	}
	for n, sum := range summaries(t, dir) {
		if sum.Source != "oracle-1" || sum.TLDR != "Fees are burnt." {
			t.Errorf("summary of %d: %+v", n, sum)
		}
	}
	m.asked, m.think = nil, 0
	if r := write(t, dir, optionsFor(m)); len(r.Written) != 0 || len(m.asked) != 0 {
		t.Errorf("a second Write wrote %q and asked %v, want neither", r.Written, m.asked)
	}
	if r := write(t, dir, optionsFor(nil)); len(r.Written) != 0 {
		t.Errorf("without a model %q was written over what one wrote", r.Written)
	}
	o := optionsFor(m)
	o.Name = "oracle-2"
	if write(t, dir, o); len(m.asked) != proposals {
		t.Errorf("of another model's summaries %d were made again, want all", len(m.asked))
	}
}

// A failure of the model is reported by proposal. Its old summary stays, and the others go on.
func TestModelFails(t *testing.T) {
	dir := folderOf(t)
	write(t, dir, optionsFor(nil))
	m := &model{faults: map[string][]error{
		"Title 7": {errors.New("out of order")}, "Title 2": {errors.New("no answer")},
	}}
	r := write(t, dir, optionsFor(m))
	var got []string
	for _, p := range r.Problems {
		got = append(got, string(p.Level)+" "+filepath.Base(p.File)+" "+p.Code+" "+p.Message)
	}
	want := []string{
		"warning MIP-2.md summary-failed no summary could be made: summarise MIP-2: no answer",
		"warning MIP-7.md summary-failed no summary could be made: summarise MIP-7: out of order",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("problems (-want +got):\n%s", d)
	}
	all := summaries(t, dir)
	if len(r.Written) != proposals-2 || all[7].Source != "extractive" ||
		all[8].Source != "oracle-1" {
		t.Errorf("wrote %q; sources of 7 and 8: %q, %q", r.Written, all[7].Source, all[8].Source)
	}
}

// later returns an error with a Retry-After.
func later(d time.Duration) error { return &api.HTTPError{RetryAfter: d, Err: errors.New("later")} }

// A short limit is waited for, a long one is not.
func TestLimitsAreWaitedFor(t *testing.T) {
	dir := folderOf(t)
	synctest.Test(t, func(t *testing.T) {
		m := &model{faults: map[string][]error{
			"Title 3": {fmt.Errorf("over the limit: %w", later(40*time.Second)),
				later(20 * time.Second)},
			"Title 4": {later(24 * time.Hour)},
			"Title 5": {later(0)},
		}}
		o := optionsFor(m)
		var mu sync.Mutex
		var waits []time.Duration
		o.Waiting = func(d time.Duration) { mu.Lock(); defer mu.Unlock(); waits = append(waits, d) }
		began := time.Now()
		r := write(t, dir, o)
		if took := time.Since(began); took != time.Minute {
			t.Errorf("took %v of its own time, want the minute that was asked for", took)
		}
		if d := cmp.Diff([]time.Duration{40 * time.Second, 20 * time.Second}, waits); d != "" {
			t.Errorf("waits (-want +got):\n%s", d)
		}
		if len(r.Written) != proposals-2 || len(r.Problems) != 2 || m.asked["Title 3"] != 3 {
			t.Errorf("Write = %+v, asked %v; want MIP-4 and MIP-5 to fail", r, m.asked)
		}
	})
}

// An interrupted run leaves whole files only, and the next one makes the rest.
func TestInterrupted(t *testing.T) {
	dir := folderOf(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer stop()
		r, err := writeSet(ctx, load(t, nil, dir), optionsFor(&model{think: time.Second}))
		if !errors.Is(err, context.DeadlineExceeded) ||
			len(r.Written) != 4 || len(r.Problems) != 0 {
			t.Errorf("Write = %+v, %v; want four files and the end of the context", r, err)
		}
	})
	if got := len(summaries(t, dir)); got != 4 {
		t.Errorf("%d files stand there, want 4", got)
	}
	left := filepath.Join(dir, "summaries", ".mipwatch-tmp-1-MIP-9.json")
	if err := os.WriteFile(left, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := write(t, dir, optionsFor(&model{})); len(r.Written) != proposals-4 {
		t.Errorf("the next Write wrote %q, want the others", r.Written)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what a killed run left half written is still there")
	}
}

// A summary replaces the committed one, and is never written outside of the proposals' folders.
func TestPlace(t *testing.T) {
	dir, more, outside := folderOf(t), t.TempDir(), t.TempDir()
	if err := errors.Join(
		os.WriteFile(filepath.Join(more, "MIP-20.md"),
			[]byte("---\nmip: 20\ntitle: T\n---\n\nText of it.\n"), 0o644),
		os.Mkdir(filepath.Join(more, "summaries"), 0o755),
		os.WriteFile(filepath.Join(more, "summaries", "MIP-1.json"), []byte(`{}`), 0o644),
	); err != nil {
		t.Fatal(err)
	}
	set := load(t, nil, dir, more)
	if len(set.Problems) != 1 {
		t.Fatalf("problems %v, want one", set.Problems)
	}
	if _, err := writeSet(t.Context(), set, optionsFor(nil)); err != nil {
		t.Fatal(err)
	}
	here, there := summaries(t, dir), summaries(t, more)
	if len(here) != proposals-1 || here[1].MIPNumber != 0 || there[1].MIPNumber != 1 ||
		there[20].MIPNumber != 20 {
		t.Errorf("%d summaries beside the proposals and %d in the other folder",
			len(here), len(there))
	}

	lead := folderOf(t)
	if err := os.Symlink(outside, filepath.Join(lead, "summaries")); err != nil {
		t.Fatal(err)
	}
	r, err := writeSet(t.Context(), load(t, nil, lead), optionsFor(nil))
	if !errors.Is(err, ai.ErrWrite) || len(r.Written) != 0 {
		t.Errorf("Write through a link = %+v, %v; want ErrWrite", r, err)
	}
	if left, _ := os.ReadDir(outside); len(left) != 0 {
		t.Errorf("%d files were written outside", len(left))
	}
}

// The meta proposal of a fork is read together with the proposals of the fork.
func TestSubject(t *testing.T) {
	dir := t.TempDir()
	files := func(texts ...string) {
		for i := 0; i < len(texts); i += 2 {
			name := filepath.Join(dir, filepath.FromSlash(texts[i]))
			err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755),
				os.WriteFile(name, []byte(texts[i+1]), 0o644))
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	files(
		"MIP-1.md", "---\nmip: 1\ntitle: A fee\n---\n\n## Abstract\n\n"+
			"Every block burns the fees of its transactions.\n",
		"MIP-8.md", "---\nmip: 8\ntitle: The fork\n---\n\nIt bundles.\n",
		"MIP-9.md", "---\nmip: 9\ntitle: Alone\n---\n\nNothing.\n")
	forks := []mip.HardFork{{Name: "F", Status: "planned", MetaMIP: new(8),
		BundledMIPs: []int{1, 77}, Activation: map[string]mip.Activation{}}}
	s := load(t, forks, dir)
	for i, want := range []struct {
		fork    bool
		bundled int
	}{{true, 0}, {true, 1}, {false, 0}} {
		got := s.Subject(i)
		if (got.Fork != nil) != want.fork || len(got.Bundled) != want.bundled ||
			len(got.Proposal.Sections) == 0 {
			t.Errorf("Subject(%d): fork %v, %d bundled, %d sections", i, got.Fork, len(got.Bundled),
				len(got.Proposal.Sections))
		}
	}
	b, err := json.Marshal(summary.Extract(s.Subject(1)))
	if err != nil {
		t.Fatal(err)
	}
	files("summaries/MIP-8.json", string(b))
	if s = load(t, forks, dir); s.Committed[1] == nil {
		t.Errorf("the summary of the meta proposal: problems %v", s.Problems)
	}
}
