package build_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// part is an optional part of a site or a proposal. Its text has n elements of each list.
type part struct {
	name string
	text func(n int) string
}

// always returns the text of a part without a list.
func always(text string) func(int) string { return func(int) string { return text } }

// each joins the results of f for 1 to n.
func each(n int, sep string, f func(i int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = f(i + 1)
	}
	return strings.Join(all, sep)
}

// numbers returns n numbers of proposals, beginning with first.
func numbers(first, n int) string {
	return each(n, ", ", func(i int) string { return fmt.Sprint(first + i - 1) })
}

// Times around the newest change of a generated site, in 2025.
const (
	past  = 1_600_000_000
	ahead = 4_000_000_000
)

// siteParts make site.yaml.
var siteParts = []part{
	{"description", always("description: What changes, one proposal at a time.\n")},
	{"brand", func(n int) string {
		return "brand:\n  name: Sample\n  color: \"#0a5c2e\"\n  footer:\n" +
			"  - {text: All texts are CC0}\n" +
			each(n, "", func(i int) string {
				return fmt.Sprintf("  - {text: Line %d, url: \"https://line.example/%[1]d\"}\n", i)
			})
	}},
	{"kinds", always(`kinds:
- {prefix: MIP, proposals: [mips]}
- {prefix: MRC, name: Standards, proposals: [mrcs]}
`)},
	{"source", always("source_url: https://github.com/team/texts/blob/{commit}/{path}\n")},
	{"forum", always("forum: {base_url: \"https://forum.example\"}\n")},
	{"networks", func(n int) string {
		return "networks:\n" + each(n, "", func(i int) string {
			pace := []string{"", ", block_time: 0.5"}[i%2]
			return fmt.Sprintf("- {id: net%d, name: Network %[1]d, chain_id: %[1]d%s}\n", i, pace)
		})
	}},
	{"forks", forks},
	{"locales", always("locales: [ja, tr]\n")},
	{"statuses", always(`statuses:
- {name: Draft, stage: draft}
- {name: Review, stage: review}
- {name: Last Call, stage: last-call}
- {name: Vote, stage: last-call}
- {name: Final, stage: final}
- {name: Living, stage: living}
- {name: Stagnant, stage: stopped}
- {name: Withdrawn, stage: stopped}
- {name: Rejected, stage: stopped}
- {name: Unused, stage: stopped}
`)},
	{"show", always("show: [implementation, team]\n")},
	{"references", always("references: {ERC: \"https://ercs.example/{n}\"}\n")},
}

// forks returns n hard forks of each state. The first of a state bundles n proposals of one
// standing, and one that is not published.
func forks(n int) string {
	var out strings.Builder
	out.WriteString("hardforks:\n")
	for at, state := range []struct{ name, first, others, bundled string }{
		{"EARLY", "null", "null", "status: Stagnant"},
		{"GENESIS", "0", "0", "status: Draft"},
		{"PAST", fmt.Sprint(past), fmt.Sprint(past + 1), "\n"},
		{"FIRST", fmt.Sprint(past + 2), "null", "status: Living"},
		{"OTHERS", "null", fmt.Sprint(past + 3), "status: Review"},
		{"AHEAD", fmt.Sprint(ahead), fmt.Sprint(ahead + 1), "status: Last Call"},
		{"PLANNED", "null", "null", "status: Final"},
	} {
		for i := range n {
			fmt.Fprintf(&out, "- name: %s_%d\n", state.name, i+1)
			fmt.Fprintf(&out, "  activation: {net1: %s", state.first)
			if n > 1 {
				fmt.Fprintf(&out, ", net2: %s", state.others)
			}
			out.WriteString("}\n")
			if i == 0 {
				out.WriteString("  source: https://git.example/forks\n")
				out.WriteString("  releases:\n")
				for k := range n {
					fmt.Fprintf(&out, "  - {client: C%d, version: %d%s}\n", k, k,
						[]string{"", ", requiredBy: 2026-01-01, networks: [net1], " +
							"url: https://c.example"}[k%2])
				}
				fmt.Fprintf(&out, "  mips: [%s, 9999]\n", firstOf(state.bundled, n))
			}
			if i == 0 && at%2 == 1 {
				fmt.Fprintf(&out, "  meta: %d\n", numberOf(standings[at]))
			}
		}
	}
	return out.String()
}

// standings are the lines on the status in a proposal's header. A site has n proposals of each.
var standings = []string{
	"status: Draft\n",
	"status: Review\n",
	"status: Final\n",
	"status: Last Call\nlast-call-deadline: 2099-01-02\n",
	"status: Last Call\nlast-call-deadline: 2020-01-02\n",
	"status: Last Call\n",
	"status: Vote\nlast-call-deadline: 2099-01-03\n",
	"status: Living\n",
	"status: Stagnant\n",
	"status: Withdrawn\nwithdrawal-reason: It was `too slow`.\n",
	"status: Withdrawn\n",
	"status: Rejected\nwithdrawal-reason: Too `dear`.\n",
	"status: Superseded\nwithdrawal-reason: Nobody `answers`.\n",
	"status: Superseded\n",
	"status: Odd\n",
	"\n",
}

// listed are the standings with a list on some page or in another header. Others have two
// proposals.
var listed = []string{
	standings[0], standings[1], standings[2], standings[3],
	"status: Living\n", "status: Stagnant\n",
}

// numberOf returns the number of the first proposal of the first standing with a word.
func numberOf(word string) int {
	has := func(s string) bool { return strings.HasPrefix(s, word) }
	return 1000 * (1 + slices.IndexFunc(standings, has))
}

// firstOf returns the numbers of the first n proposals of a standing.
func firstOf(word string, n int) string { return numbers(numberOf(word), n) }

// headParts make the rest of a proposal's header, after number, title and status.
var headParts = append(textParts(), []part{
	{"authors", func(n int) string {
		if n == 1 {
			return "author: One (@one)\n"
		}
		named := func(i int) string { return fmt.Sprintf(", Author %d (@author%[1]d)", i) }
		return "author: Some Foundation, <a@authors.example>, (@login)" + each(n, "", named) + "\n"
	}},
	{"created", always("created: 2023-01-02\n")},
	{"discussions", func(n int) string {
		return "discussions-to:\n- https://forum.example/t/topic/7\n" +
			each(n, "", func(i int) string { return fmt.Sprintf("- https://talk.example/%d\n", i) })
	}},
	{"requires", func(n int) string {
		return fmt.Sprintf("requires: %s, ERC-20, %s, %s\n",
			numbers(9990, n), firstOf("status: Draft", n), firstOf("status: Stagnant", n))
	}},
	{"replaces", func(n int) string { return "replaces: " + firstOf("status: Review", n) + "\n" }},
	{"successors", func(n int) string {
		return "superseded-by: ERC-20, " + firstOf("status: Final", n) + "\n"
	}},
	{"shown", always("implementation: https://git.example/client\nteam: Clients\n")},
}...)

// textParts are the texts of a header that no standing has.
func textParts() (out []part) {
	for _, f := range mip.Fields {
		switch {
		case strings.Contains("title status withdrawalReason", f.Name):
		case f.Kind == mip.FieldProse:
			out = append(out, part{f.Name, always(f.Key() + ": It changes `one` thing.\n")})
		case f.Kind == mip.FieldWord:
			out = append(out, part{f.Name, always(f.Key() + ": Core " + f.Key() + "\n")})
		}
	}
	return out
}

// bodyParts make the text of a proposal.
var bodyParts = []part{
	{"abstract", always(`## Abstract

Wallets must show the fee. Validators need a new release, or their nodes stop. Every account pays less.

`)},
	{"terms", always("## Terminology\n\nA *fee* is what is paid.\n\n")},
	{"requirements", func(n int) string {
		return "## Specification\n\n" + each(min(n, 2), "", func(i int) string {
			return fmt.Sprintf(`### Part %d

Nodes MUST take part %[1]d. Nodes SHOULD say so.

A node MUST take:

- one
- two

A node:

- MUST stop
- SHOULD start

`, i)
		})
	}},
	{"references", always("## References\n\n- [RFC 2119](https://rfc.example/2119)\n\n")},
	{"compatibility", always(`## Backwards Compatibility

Contracts that read the fee break and must be changed. Users are not affected.

`)},
	{"times", always("## Activation\n\n| Network | Unix time |\n| :-- | --: |\n" +
		"| net1 | `1700000000` |\n| net2 | |\n\n")},
	{"tasks", func(n int) string {
		step := func(i int) string { return fmt.Sprintf("- [ ] Step %d\n", i) }
		return "## Steps\n\n- [x] Written\n" + each(n, "", step) + "\n"
	}},
	{"filler", always(
		strings.Repeat("These words make the text long enough to be summed up. ", 10) + "\n")},
}

// sample is one site: its lists have n elements, and it lacks one part, or "everything" optional.
type sample struct {
	n       int
	without string
}

func (s sample) String() string {
	return fmt.Sprintf("%d of each, without %s", s.n, cmp.Or(s.without, "nothing"))
}

// Lists of more than long elements have only proposals in a last call, and bare ones, whose pages
// are quick to make.
const long = 20

// samples returns sites with lists of these sizes, and sites that lack one part each. On the site
// that lacks "a part each", every proposal lacks another part.
func samples(sizes []int) (out []sample) {
	for _, n := range sizes {
		out = append(out, sample{n: n})
	}
	for _, p := range siteParts {
		out = append(out, sample{1, p.name})
	}
	for _, missing := range []string{
		"a part each", "most forks", "status", "discussion", "everything", "companions", "history",
		"repository",
	} {
		out = append(out, sample{1, missing})
	}
	return append(out, sample{2, "relations"}, sample{2, "older commits"})
}

// single is the standing of a site's only proposal, else empty.
func (s sample) single() string {
	return map[string]string{"status": "\n", "discussion": "status: Living\n"}[s.without]
}

// join returns the text of all parts but one.
func (s sample) join(parts []part, without string) string {
	n := s.n
	if n > long {
		n = 1
	}
	var out strings.Builder
	for _, p := range parts {
		related := slices.Contains([]string{"requires", "replaces", "successors"}, p.name)
		lacks := s.without == "everything" || s.without == "relations" && related
		if p.name != without && !lacks {
			out.WriteString(p.text(n))
		}
	}
	return out.String()
}

// write writes the texts of a site into its folder. The first proposal of each standing has every
// optional part, or of each listed standing on a site that lacks something. The others have almost
// none. At first all are drafts.
func (s sample) write(t *testing.T, dir string, first bool) {
	t.Helper()
	textParts := slices.Concat(headParts, bodyParts)
	for i, standing := range standings {
		n := s.n
		switch {
		case s.single() != "":
			n = map[bool]int{true: 1}[standing == s.single()]
		case n > long && !strings.Contains(standing, "2099-01-02"):
			n = 1
		case n > 2 && !slices.Contains(listed, standing):
			n = 2
		case s.without == "a part each" && i == 0:
			n = 1 + len(textParts)
		}
		for k := range n {
			number := 1000*(i+1) + k
			if s.single() != "" {
				number = 1 // of no fork
			}
			title, head, body := fmt.Sprintf("Title of `%d`", number), standing, bare(k)
			full := s.without == "" || s.single() == "" && slices.Contains(listed, standing)
			switch {
			case k == 0 && full:
				title = strings.Repeat("A long title ", 20)
				head, body = standing+s.join(headParts, ""), s.join(bodyParts, "")
			case s.without == "a part each" && i == 0:
				lacks := textParts[k-1].name
				head, body = standing+s.join(headParts, lacks), s.join(bodyParts, lacks)
			case k == 1:
				title = fmt.Sprintf("MIP-%d", number)
			}
			if s.n > long {
				body = strings.Repeat("Validators need a new release, or their nodes stop.\n", 8)
			}
			if first {
				title, head, body = "Another title", standings[0], "Words.\n"
			}
			text := fmt.Sprintf("---\nmip: %d\ntitle: %q\n%s---\n\n%s", number, title, head, body)
			put(t, filepath.Join(dir, "mips", fmt.Sprintf("MIP-%d.md", number)), text)
			if !first && s.without != "companions" && s.without != "everything" {
				companions(t, filepath.Join(dir, "mips"), number, standing, k, text)
			}
		}
	}
	for k := range min(s.n, long) {
		status := []string{"Final", "Draft"}[k%2]
		tie := []string{
			"requires: MIP-1000", "replaces: 1", "requires: 9998", "requires: ERC-20",
		}[min(k, 3)]
		text := fmt.Sprintf("---\nmrc: %d\ntitle: T\nstatus: %s\n%s\n---\n\nWords.\n",
			k+1, status, tie)
		put(t, filepath.Join(dir, "mrcs", fmt.Sprintf("MRC-%d.md", k+1)), text)
	}
	if s.n > 0 && s.single() == "" && s.without != "everything" && s.without != "most forks" {
		put(t, filepath.Join(dir, "mips", "MIP-900.md"), upgradeText(min(s.n, long), first))
	}
	removed := filepath.Join(dir, "mips", "MIP-7.md")
	if first {
		put(t, removed, "---\nmip: 7\ntitle: T\n---\n\nText.\n")
	} else if err := os.Remove(removed); err != nil {
		t.Fatal(err)
	}
}

// upgradeText is the text of an upgrade that lists n proposals at each of two stages, one that is
// not published, and one of another site. In the first version the n proposals are at other stages.
func upgradeText(n int, first bool) string {
	stages := []string{"Scheduled", "Declined"}
	if first {
		stages = []string{"Considered", "Proposed"}
	}
	list := func(first int) string {
		return each(n, "", func(i int) string { return fmt.Sprintf("- MIP-%d\n", first+i-1) })
	}
	return fmt.Sprintf("---\nmip: 900\ntitle: Hardfork Meta - LISTED\ntype: Meta\n---\n\n"+
		"## %s for Inclusion\n\n%s\n## %s for Inclusion\n\n- MIP-9996\n- ~~MIP-3000~~\n%s\n"+
		"## Considered for Inclusion\n\n- ERC-20\n\n## Activation\n\n%s",
		stages[0], list(1000), stages[1], list(2000),
		each(n-1, "", func(i int) string { return fmt.Sprintf("- Net %d: block %d\n", i, i) }))
}

// bare are the short texts of proposals with few parts.
func bare(k int) string {
	switch k {
	case 1:
		return "Nodes MUST stop.\n"
	case 2:
		return "The key words MUST and SHOULD are to be interpreted as described in RFC 2119.\n"
	}
	return "Words.\n"
}

// companions writes a summary and translations for the first proposals, and stale ones for Living
// proposals.
func companions(t *testing.T, dir string, number int, standing string, k int, text string) {
	t.Helper()
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	const silent = `{"impact": "The text does not say what this means for this group.",
		"severity": "high", "stated": false, "actionRequired": false, "actionEvidence": null,
		"evidence": []}`
	developers := silent
	switch {
	case standing == standings[0] && k == 0:
		developers = `{"impact": "Contracts that read the fee break.", "severity": "high",
			"stated": true, "actionRequired": false, "actionEvidence": null, "evidence": [
			{"section": "s-backwards-compatibility",
				"quote": "Contracts that read the fee break and must be changed."},
			{"section": "s-abstract", "quote": "Wallets must show the fee."},
			{"section": "s-abstract", "quote": "Every account pays less."}]}`
	case strings.Contains(standing, "Living"):
		hash = strings.Repeat("0", len(hash))
	default:
		return
	}
	sum := fmt.Sprintf(`{"mipNumber": %d, "tldr": "Words.", "whatsChanging": ["One.", "Two.", "Three."],
		"developers": %s, "users": %[3]s, "validators": %[3]s, "foundation": %[3]s,
		"generatedAt": "2025-01-01T00:00:00Z", "contentHash": %[4]q, "locale": "en",
		"source": "a-model", "stale": false, "fallback": null}`, number, developers, silent, hash)
	put(t, filepath.Join(dir, "summaries", fmt.Sprintf("MIP-%d.json", number)), sum)
	for _, translation := range []struct{ locale, head, body string }{
		{"ja", "title: 最初\ndescription: 説明\n", "## 要旨\n\n言葉。\n\n## 二\n\n言葉。\n"},
		{"tr", "title: Bir\n", ""},
	} {
		file := filepath.Join(dir, "translations", translation.locale,
			fmt.Sprintf("MIP-%d.md", number))
		put(t, file, "---\n"+translation.head+"translation-of: "+hash+"\n---\n\n"+translation.body)
	}
}

// load loads the site of a sample from its folder.
func (s sample) load(t *testing.T, dir string) *build.Content {
	t.Helper()
	config := "title: Generated\nbase_url: " + testBase + "\n"
	switch s.without {
	case "most forks":
		config += s.join(siteParts, "forks") +
			"hardforks:\n- {name: ONLY, mips: [1000], activation: {net1: 0}}\n"
	case "status":
		config += s.join(siteParts, "statuses") + "statuses: [{name: Odd, stage: stopped}]\n"
	default:
		config += s.join(siteParts, s.without)
	}
	if s.without == "networks" {
		named := regexp.MustCompile(`(?m)^  activation:.*\n| networks: \[net1\],`)
		config = named.ReplaceAllString(config, "")
	}
	parsed, err := site.Parse("site.yaml", []byte(config))
	if err != nil {
		t.Fatalf("%s: %v\n%s", s, err, config)
	}
	mips, mrcs := filepath.Join(dir, "mips"), filepath.Join(dir, "mrcs")
	o := build.Options{Site: parsed}
	parsed.Sources = []filename.Source{{Folder: mips}}
	if len(parsed.Kinds) > 1 && s.single() == "" {
		parsed.Sources = append(parsed.Sources, filename.Source{Folder: mrcs, Kind: "MRC"})
	}
	for _, src := range parsed.Sources {
		if err := os.MkdirAll(src.Folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if s.without == "history" {
		o.Epoch = new(time.Unix(ahead, 0))
	}
	c, err := build.Load(t.Context(), o)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return c
}

// generate loads the sites of all samples from one repository.
func generate(t *testing.T, all []sample) []*build.Content {
	t.Helper()
	root, out := t.TempDir(), make([]*build.Content, len(all))
	dir := func(i int) string { return filepath.Join(root, fmt.Sprint(i)) }
	for i, s := range all {
		s.write(t, dir(i), true)
	}
	commit(t, root, "Drafts", 0)
	for i, s := range all {
		s.write(t, dir(i), false)
	}
	commit(t, root, "What stands now (#7)", 1_000_000)
	for i, s := range all {
		if s.n > 0 && s.single() == "" {
			put(t, filepath.Join(dir(i), "mips", "MIP-1001.md"), "---\nmip: 1001\nstatus: Draft\n"+
				"discussions-to: https://talk.example/9\n---\n\nOther words.\n")
		}
	}
	commit(t, root, "Other words", 40_000_000)
	for i, s := range all {
		in := dir(i)
		switch s.without {
		case "repository":
			in = filepath.Join(t.TempDir(), "site")
			if err := os.CopyFS(in, os.DirFS(dir(i))); err != nil {
				t.Fatal(err)
			}
		case "older commits":
			clone := t.TempDir()
			testenv.Git(t, clone, "", "clone", "-q", "--depth", "2", "file://"+root, ".")
			in = filepath.Join(clone, fmt.Sprint(i))
		}
		out[i] = s.load(t, in)
	}
	return out
}
