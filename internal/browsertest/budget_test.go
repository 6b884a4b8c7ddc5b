package browsertest

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/internal/api"
)

// What a first view may weigh, in bytes as they are sent, packed: page, style, scripts, and what these ask
// for before anybody touches the page.
const (
	mostOfIndex     = 30_000 // with fifty proposals
	mostOfProposal  = 35_000
	mostOfDashboard = 25_000
)

// TestBudgets weighs first views with the live answers of a sidecar: of every page of the samples, and of a
// site with fifty proposals and as many discussions, of which no two say the same, as what repeats itself
// weighs next to nothing when it is packed.
func TestBudgets(t *testing.T) {
	const proposals = 50
	fifty, samples := setup{sidecar: true, folders: []string{varied(t, proposals)}}.serve(t), serve(t, true)
	fifty.runs(t, proposals)
	check := func(path string, most int, view func(*testing.T, string) (int, []string)) {
		t.Helper()
		if got, parts := view(t, path); got > most {
			t.Errorf("%s: the first view is %d bytes, want %d at most: %s", path, got, most, strings.Join(parts, ", "))
		}
	}
	check("/", mostOfIndex, fifty.firstView)
	check("/dashboard/", mostOfDashboard, fifty.firstView)
	check("/dashboard/", mostOfDashboard, samples.firstView)
	for _, m := range samples.proposals(t) {
		check(fmt.Sprintf("/mip/%d/", m.Number), mostOfProposal, samples.firstView)
	}
	for _, path := range pages() { // none is heavier than the heaviest that has a budget
		check(path, mostOfProposal, samples.firstView)
	}
}

// runs asks the sidecar until it knows so many topics, as on a busy machine it may give up on some at first,
// and as many heads of each network as it ever tells: its answers are the longest then.
func (v *served) runs(t *testing.T, topics int) {
	t.Helper()
	var w api.MIPWatch
	const heads = 40
	for end := time.Now().Add(patience); time.Now().Before(end); {
		body, _ := v.get(t, "/api/mip-watch")
		w = api.MIPWatch{}
		if err := json.Unmarshal(body, &w); err != nil {
			t.Fatal(err)
		}
		few := false
		for _, n := range w.Networks {
			few = few || len(n.Recent) < heads
		}
		if len(w.Forum) == topics && len(w.Errors) == 0 && !few {
			return
		}
		v.later.Add(int64(10 * time.Second))
	}
	t.Fatalf("%d topics, want %d; networks %+v, errors %v", len(w.Forum), topics, w.Networks, w.Errors)
}

// firstView is what a browser loads for a page, and of which parts that is the sum. Elements say what
// scripts ask for at once: the address of the live figures.
func (v *served) firstView(t *testing.T, path string) (sum int, parts []string) {
	t.Helper()
	add := func(path string) []byte {
		packed, plain := v.weigh(t, path)
		sum += packed
		parts = append(parts, fmt.Sprintf("%s %d", path, packed))
		return plain
	}
	doc, err := html.Parse(strings.NewReader(string(add(path))))
	if err != nil {
		t.Fatal(err)
	}
	loaded := map[string]bool{}
	for n := range doc.Descendants() {
		attr := map[string]string{}
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
		}
		to := ""
		switch {
		case n.Data == "link" && slices.Contains([]string{"stylesheet", "icon", "preload", "modulepreload", "manifest", "prefetch"}, attr["rel"]):
			to = attr["href"]
		case n.Data == "script" || n.Data == "img":
			to = attr["src"]
		case slices.Contains([]string{"now", "filters"}, attr["id"]) || slices.Contains(strings.Fields(attr["class"]), "fh"):
			to = attr["data-api"]
		}
		if to == "" || strings.HasPrefix(to, "data:") || loaded[to] {
			continue
		}
		loaded[to] = true
		body := add(to)
		if attr["data-api"] != "" && !json.Valid(body) {
			t.Errorf("%s: %s is no live answer: %.200s", path, to, body)
		}
		if more := regexp.MustCompile(`(?m)^import\b|@import|url\((?:["']?)/`).Find(body); more != nil && n.Data != "section" {
			t.Errorf("%s: %s asks for more: %q", path, to, more)
		}
	}
	return sum, parts
}

// weigh asks for a path as a browser does, and returns how many bytes came, and what they mean.
func (v *served) weigh(t *testing.T, path string) (packed int, plain []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "gzip") // and so the client does not unpack
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK && path != "/404.html" {
		t.Fatalf("GET %s: %d, %v", path, r.StatusCode, err)
	}
	plain, _ = v.get(t, path)
	return len(body), plain
}

// varied writes so many proposals into a folder. Their words are those of the samples, drawn by a generator
// that always begins alike.
func varied(t *testing.T, proposals int) string {
	t.Helper()
	files, err := filepath.Glob("../samples/proposals/MIP-*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	var words []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, regexp.MustCompile(`[a-z]{2,}`).FindAllString(string(b), -1)...)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	draw := rand.New(rand.NewPCG(1, 2))
	some := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = words[draw.IntN(len(words))]
		}
		return strings.Join(out, " ")
	}
	one := func(of ...string) string { return of[draw.IntN(len(of))] }
	dir := t.TempDir()
	for n := 1; n <= proposals; n++ {
		text := fmt.Sprintf("---\nmip: %d\ntitle: %s\ndescription: %s\nauthor: %s (@%s), %s (@%s)\nstatus: %s\ntype: Standards Track\ncategory: %s\ncreated: 2025-%02d-%02d\ndiscussions-to: https://forum.example.org/t/%s/%d\nrequires: %d\n---\n\n## Abstract\n\n%s.\n",
			n, some(7), some(18), some(2), one(words...), some(2), one(words...), one("Draft", "Review", "Last Call", "Final", "Living", "Stagnant", "Withdrawn"),
			one("Core", "Networking", "Interface", "ERC"), 1+draw.IntN(12), 1+draw.IntN(28), strings.ReplaceAll(some(4), " ", "-"), 1000+n, 1+draw.IntN(max(n-1, 1)), some(120))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("MIP-%d.md", n)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
