package build_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
)

// folderOf writes files, given as name and text in turn.
func folderOf(t testing.TB, files ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a place", "MIPs")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o644)
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func proposalText(head, body string) string {
	return "---\ntitle: T\n" + head + "---\n\n" + body + "\n"
}

// The header's link to a discussion is a topic if it is on the site's forum.
func TestForumTopic(t *testing.T) {
	id := func(n int) *int { return &n }
	link := func(s string) *string { return &s }
	for _, c := range []struct {
		name, head, forum string
		override          site.Override
		topic             int // 0: null
		discussionsTo     string
	}{
		{"a link to the forum", "discussions-to: https://f.example/t/slug/399\n",
			"https://f.example", site.Override{}, 399, "https://f.example/t/slug/399"},
		{"no forum is configured", "discussions-to: https://f.example/t/slug/399\n", "",
			site.Override{}, 0, "https://f.example/t/slug/399"},
		{"a number, and no forum", "forum-topic-id: 7\n", "",
			site.Override{ForumTopicID: id(8)}, 0, ""},
		{"a link of before https", "discussions-to: http://F.example:80/t/slug/399\n",
			"https://f.example", site.Override{}, 399, "http://F.example:80/t/slug/399"},
		{"another port", "discussions-to: https://f.example:8443/t/slug/399\n", "https://f.example",
			site.Override{}, 0, "https://f.example:8443/t/slug/399"},
		{"the site knows a link to elsewhere", "", "https://f.example",
			site.Override{DiscussionsTo: link("https://git.example/t/x/5")}, 0,
			"https://git.example/t/x/5"},
		{"a link that only looks like one", "discussions-to: https://git.example/t/x/5\n",
			"https://f.example", site.Override{}, 0, "https://git.example/t/x/5"},
		{"a host that begins like the forum's", "discussions-to: https://f.example.org/t/x/5\n",
			"https://f.example", site.Override{}, 0, "https://f.example.org/t/x/5"},
		{"stated by itself", "discussions-to: https://git.example/issues/5\nforum-topic-id: 7\n",
			"https://f.example", site.Override{}, 7, "https://git.example/issues/5"},
		{"without a host", "discussions-to: /t/slug/399\n", "https://f.example",
			site.Override{}, 399, ""},
		{"the site knows the number", "discussions-to: https://f.example/t/slug\n",
			"https://f.example", site.Override{ForumTopicID: id(12)}, 12,
			"https://f.example/t/slug"},
		{"the site knows another link", "discussions-to: https://f.example/t/old/11\n",
			"https://f.example", site.Override{DiscussionsTo: link("https://f.example/t/new/55")},
			55, "https://f.example/t/new/55"},
	} {
		s := testSite("MIP")
		s.Forum = c.forum
		s.Overrides = map[mip.ID]site.Override{{Kind: "MIP", Number: 1}: c.override}
		dir := folderOf(t, "MIP-1.md", proposalText(c.head, "Text."))
		content, err := build.Load(t.Context(), build.Options{Site: buildtest.In(s, dir)})
		if err != nil {
			t.Fatal(err)
		}
		p := content.Metadata[0]
		topic, to := 0, ""
		if p.ForumTopicID != nil {
			topic = *p.ForumTopicID
		}
		if p.DiscussionsTo != nil {
			to = *p.DiscussionsTo
		}
		if topic != c.topic || to != c.discussionsTo {
			t.Errorf("%s: topic %d, discussionsTo %q; want %d, %q", c.name, topic, to,
				c.topic, c.discussionsTo)
		}
	}
}

func TestOverriddenHardForkAgrees(t *testing.T) {
	s := testSite("MIP")
	name := "FORK"
	s.HardForks = []mip.HardFork{{Name: name, BundledMIPs: []int{3}}}
	s.Overrides = map[mip.ID]site.Override{{Kind: "MIP", Number: 1}: {Hardfork: &name}}
	text := proposalText("", "Text.")
	b := buildCorpus(t, folderOf(t, "MIP-1.md", text, "MIP-3.md", text), s)
	var forks mip.HardForks
	if err := json.Unmarshal(b.files["api/v1/hardforks.json"], &forks); err != nil {
		t.Fatal(err)
	}
	got := forks.HardForks[0].BundledMIPs
	if len(got) != 2 || got[0] != 1 || *b.single(t, 1).Hardfork != name {
		t.Errorf("bundledMIPs %v, and %v in proposal 1; want both to agree", got,
			b.single(t, 1).Hardfork)
	}
}

// TestLinks checks that links lead to the page, to the file in the repository, or nowhere. A page
// of the repository's host that is not a file's, such as a page of a wiki, stays an external link.
func TestLinks(t *testing.T) {
	body := "[a](./MIP-3.md) [b](../MIPs/MIP-3.md#x-y) [c](MIP-3) [d](../assets/MIP-3/) " +
		"[e](../assets/MIP-3) [f](../assets/MIP-3/data.csv) " +
		"[g](/MIPS/MIP-3.md) [h](../../../etc/passwd) [i](./MIP-9.md) ![j](./MIP-3.md?raw=true) " +
		"[k](gone.md) [l](deep/gone.png) [m](MIP-3.md/x)\n\n" +
		"[n](https://git.example/blob/main/MIP-3.md) [o](https://git.example/wiki/MIP-3)"
	s := testSite("MIP")
	s.BaseURL, s.SourceURL = "https://x.example/p", "https://git.example/blob/{commit}/{path}"
	dir := folderOf(t, "MIP-1.md", proposalText("", body), "MIP-3.md", proposalText("", "## X Y"))
	b := buildCorpus(t, dir, s)
	page := string(b.files["mip/1/index.html"])
	for text, want := range map[string]string{
		"a": `<a href="/p/mip/3/">a</a>`, "b": `<a href="/p/mip/3/#s-x-y">b</a>`,
		"c": `<a href="/p/mip/3/">c</a>`, "g": `<a href="/p/mip/3/">g</a>`,
		"d": `<a href="https://git.example/blob/HEAD/assets/MIP-3" rel="noopener">d</a>`,
		"e": `<a href="https://git.example/blob/HEAD/assets/MIP-3" rel="noopener">e</a>`,
		"f": `<a href="https://git.example/blob/HEAD/assets/MIP-3/data.csv" rel="noopener">f</a>`,
		"h": ` h i `,           // there is no MIP-9.md
		"k": `j</a> k l m</p>`, // and none of these files
		"n": `<a href="/p/mip/3/">n</a>`,
		"o": `<a href="https://git.example/wiki/MIP-3" rel="noopener">o</a>`,
	} {
		if !strings.Contains(page, want) {
			i := strings.Index(page, ">a</a>")
			t.Errorf("link %s: want %s in %.900s", text, want, page[max(0, i-30):])
		}
	}
	if !strings.Contains(string(b.files["_redirects"]), "/MIPs/MIP-3.md /p/mip/3/ 301\n") {
		t.Errorf("_redirects does not lead to the page below the base path:\n%s",
			b.files["_redirects"])
	}
}

// Two categories with one slug share a page that names both, and neither claims the other's rows.
func TestListingsOfOneSlug(t *testing.T) {
	b := buildCorpus(t, folderOf(t,
		"MIP-1.md", proposalText("category: C++\n", "T"),
		"MIP-2.md", proposalText("category: C\n", "T"),
		"MIP-3.md", proposalText("status: none\n", "T"),
		"MIP-4.md", proposalText("", "T")), testSite("MIP"))
	page := string(b.files["category/c/index.html"])
	if !strings.Contains(page, "C, C&#43;&#43;") && !strings.Contains(page, "C, C++") {
		t.Errorf("the page of both categories has another heading:\n%.1500s", page)
	}
	for _, want := range []string{"MIP-1", "MIP-2"} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is not on the page of its category", want)
		}
	}
	none := string(b.files["status/none/index.html"])
	if !strings.Contains(none, "MIP-3") || !strings.Contains(none, "MIP-4") {
		t.Error("a status written none, or none at all, is missing from /status/none/")
	}
}

// Pages of lists name their feeds, in any script. Each kind of feed has one rule in `_headers`.
func TestListFeeds(t *testing.T) {
	s := testSite("MIP")
	s.HardForks = []mip.HardFork{{Name: "Été 九", BundledMIPs: []int{2}}}
	b := buildCorpus(t, folderOf(t,
		"MIP-1.md", proposalText("author: A (@ada)\ncategory: Ядро & слой\ntype: Meta\n", "T"),
		"MIP-2.md", proposalText("author: A (@Ada)\n", "T")), s)
	h := b.plan.Publish()
	for page, entries := range map[string]int{
		"/status/none/": 2, "/category/ядро-слой/": 1, "/type/meta/": 1,
		"/author/ada/": 2, "/upgrade/ete-九/": 1,
	} {
		escaped := (&url.URL{Path: page}).EscapedPath()
		html := string(b.files[page[1:]+"index.html"])
		if !strings.Contains(html, `<link rel="alternate" type="application/atom+xml" title="`) ||
			!strings.Contains(html, `href="`+escaped+`feed.atom">`) {
			t.Errorf("%s does not name its feed", page)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", escaped+"feed.atom", nil))
		got := w.Header().Get("Content-Type")
		if w.Code != 200 || got != "application/atom+xml; charset=utf-8" ||
			strings.Count(w.Body.String(), "<entry>") != entries {
			t.Errorf("%sfeed.atom: %d, type %s, want %d entries in %s", page, w.Code,
				got, entries, w.Body)
		}
	}
	rules := string(b.files["_headers"])
	types := map[string]string{
		".ics": "text/calendar", ".xml": "application/rss+xml", ".atom": "application/atom+xml",
		".json": "application/feed+json",
	}
	names := strings.FieldsSeq(`
		/calendar.ics /upgrade/:name/calendar.ics /for/:role/calendar.ics
		/mip/:n/feed.atom /status/:status/feed.atom /category/:category/feed.atom
		/type/:type/feed.atom /upgrade/:name/feed.atom /author/:login/feed.atom
		/feed.xml /feed.atom /feed.json
		/changes/feed.xml /changes/feed.atom /changes/feed.json`)
	for name := range names {
		rule := "\n" + name + "\n  Content-Type: " + types[path.Ext(name)] + "; charset=utf-8\n"
		if strings.Count(rules, rule) != 1 {
			t.Errorf("_headers has not one rule for %s:\n%s", name, rules)
		}
	}
}

// An author has one page for all spellings of the login. Its heading is the most frequent name.
func TestListingsOfAuthors(t *testing.T) {
	by := func(author string) string { return proposalText("author: "+author+"\n", "T") }
	b := buildCorpus(t, folderOf(t,
		"MIP-1.md", by("Ada Lovelace (@Ada-L), A. Lovelace (@ada-l)"),
		"MIP-2.md", by("A. Lovelace (@ADA-L)"),
		"MIP-3.md", by("Ada Lovelace (@ada-l)"),
		"MIP-4.md", by("Ada Lovelace <ada@example.org>")), testSite("MIP"))
	page := string(b.files["author/ada-l/index.html"])
	for _, want := range []string{"<h1>Proposals by Ada Lovelace</h1>", "<b>3</b> proposals",
		`<a href="https://github.com/ada-l" rel="noopener">`} {
		if !strings.Contains(page, want) {
			t.Errorf("the author's page does not hold %s:\n%.3000s", want, page)
		}
	}
	if got := strings.Count(page, `href="/mip/1/"`); got != 1 {
		t.Errorf("the author's page lists a proposal with two spellings of the author %d "+
			"times", got)
	}
	const author = `<a href="/author/ada-l/" rel="author"><bdi>Ada Lovelace</bdi></a> ` +
		`<a class="gh" href="https://github.com/Ada-L" rel="noopener">@Ada-L</a>`
	if !strings.Contains(string(b.files["mip/1/index.html"]), author) {
		t.Error("the proposal's page does not link its author here and at GitHub")
	}
	if strings.Contains(string(b.files["mip/4/index.html"]), "/author/") ||
		!strings.Contains(string(b.files["sitemap.xml"]), "/author/ada-l/") {
		t.Error("an author without a login has a page, or one with a login is not in the sitemap")
	}
}

// Problems name files without the path before their folder, wherever the program is started.
func TestDiagnosticsNameNoPlace(t *testing.T) {
	dir := folderOf(t,
		"MIP-1.md", proposalText("status: Odd\n", "T"),
		"MIP-5.md", proposalText("", "T"), "mip-05.md", proposalText("", "T"))
	want := ""
	for _, folder := range []string{dir, "MIPs", "../a place/MIPs"} {
		if folder != dir {
			t.Chdir(filepath.Dir(dir))
		}
		b := buildCorpus(t, folder, testSite("MIP"))
		got := string(b.files["api/v1/diagnostics.json"])
		if want == "" {
			want = got
		}
		if got != want || !strings.Contains(got, `"MIPs/MIP-1.md"`) ||
			strings.Contains(got, "a place") {
			t.Errorf("folder %s: %s\nwant %s", folder, got, want)
		}
	}
}

// The snapshot holds the JSON tree without events and history, and the configuration with the
// addresses of nodes.
func TestSnapshot(t *testing.T) {
	for _, host := range []mip.Host{"", mip.HostPlain} {
		t.Run(string(host), func(t *testing.T) { checkSnapshot(t, host) })
	}
}

func checkSnapshot(t *testing.T, host mip.Host) {
	s := testSite("MIP")
	s.Host = host
	s.Networks = []mip.Endpoints{{
		Network: mip.Network{ID: "mainnet", Name: "M", ChainID: 7, BlockTime: 0.5},
		RPC:     []string{"https://rpc.example/KEY"},
	}}
	in, out, snap := folderOf(t, "MIP-1.md", proposalText("", "T")), t.TempDir(), t.TempDir()
	commit(t, in, "One", 10)
	p, err := buildtest.Plan(t.Context(), s, in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := build.Sync(t.Context(), p, out, build.SyncOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := build.Snapshot(t.Context(), p, snap); err != nil {
		t.Fatal(err)
	}
	published, carried := files(t, out), files(t, snap)
	for name, b := range published {
		if strings.Contains(string(b), "KEY") {
			t.Errorf("%s publishes the address of a node", name)
		}
		want := string(b)
		if strings.HasPrefix(name, "api/v1/events") || strings.HasSuffix(name, "/history.json") {
			want = "" // a function does not read events or history
		}
		if strings.HasPrefix(name, "api/v1/") && string(carried[name]) != want {
			t.Errorf("the snapshot's %s differs from the published one", name)
		}
	}
	var config struct {
		Networks []struct {
			ID        string   `json:"id"`
			ChainID   uint64   `json:"chainId"`
			RPC       []string `json:"rpc"`
			BlockTime float64  `json:"blockTime"`
		} `json:"networks"`
	}
	if err := json.Unmarshal(carried["sidecar.json"], &config); err != nil ||
		len(config.Networks) != 1 || config.Networks[0].RPC[0] != "https://rpc.example/KEY" ||
		config.Networks[0].ID != "mainnet" || config.Networks[0].ChainID != 7 ||
		config.Networks[0].BlockTime != 0.5 {
		t.Errorf("sidecar.json: %v: %s", err, carried["sidecar.json"])
	}
}

// The list, the index and the states of hard forks have the time of the newest change, wherever it
// is in the list.
func TestUpdatedAt(t *testing.T) {
	s := testSite("MIP")
	s.HardForks = []mip.HardFork{{Name: "BEACON"}}
	in, out := t.TempDir(), t.TempDir()
	for n, day := range map[int]int{1: 3, 2: 20, 3: 7} {
		head := fmt.Sprintf("mip: %d\ncreated: 2026-01-%02d\n", n, day)
		text := proposalText(head, "Words.")
		err := os.WriteFile(filepath.Join(in, fmt.Sprintf("MIP-%d.md", n)), []byte(text), 0o644)
		if err != nil {
			t.Fatal(err)
		}
	}
	p, err := buildtest.Plan(t.Context(), s, in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := build.Sync(t.Context(), p, out, build.SyncOptions{}); err != nil {
		t.Fatal(err)
	}
	members := map[string]string{
		"mips.json": "updatedAt", "index.json": "updatedAt", "hardforks.json": "statusAsOf"}
	for name, member := range members {
		b, err := os.ReadFile(filepath.Join(out, "api", "v1", name))
		want := fmt.Sprintf(`"%s":"2026-01-20T00:00:00Z"`, member)
		if err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s has no %s: %v: %s", name, want, err, b)
		}
	}
}

// TestMovedCard checks that a text with only its new address has the picture of the site.
func TestMovedCard(t *testing.T) {
	t.Parallel()
	in := t.TempDir()
	put(t, filepath.Join(in, "MIP-1.md"),
		"---\nmip: 1\ntitle: One\nstatus: Moved\n---\n\nSee https://example.com/1.\n")
	put(t, filepath.Join(in, "MIP-2.md"), "---\nmip: 2\ntitle: Two\nstatus: Final\n---\n\nWords.\n")
	p, err := buildtest.Plan(t.Context(), testSite("MIP"), in)
	if err != nil {
		t.Fatal(err)
	}
	own := regexp.MustCompile(`property="og:image" content="` + testBase +
		`(/mip/2)?/og\.[0-9a-f]{8}\.png"`)
	cards := 0
	for _, a := range p.Artifacts {
		if strings.HasSuffix(a.Route, ".png") {
			cards++
		}
		if a.Route != "/mip/1/" && a.Route != "/mip/2/" {
			continue
		}
		page, err := a.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		m := own.FindSubmatch(page)
		if m == nil || (len(m[1]) > 0) != (a.Route == "/mip/2/") {
			t.Errorf("%s has the picture %q", a.Route, m)
		}
	}
	if cards != 2 {
		t.Errorf("%d cards, want the site's and one", cards)
	}
}
