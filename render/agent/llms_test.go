package agent

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/render/board"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// linkLine matches the links of llms.txt in the way of simple programs: by a regular expression
// without escapes.
var linkLine = regexp.MustCompile(`^- \[([^\]]+)\]\(([^)\s]+)\)(?:: (.+))?$`)

// parsedLLMs is llms.txt in the structure of llmstxt.org.
type parsedLLMs struct {
	title, summary string
	details        []string
	sections       []llmsSection
}

type llmsSection struct {
	name  string
	links [][]string // text, address, notes
}

func readLLMs(t *testing.T, out []byte) parsedLLMs {
	t.Helper()
	var p parsedLLMs
	for i, line := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		switch {
		case i == 0:
			title, ok := strings.CutPrefix(line, "# ")
			if !ok {
				t.Fatalf("first line %q, want the title", line)
			}
			p.title = title
		case strings.HasPrefix(line, "> "):
			if i != 2 {
				t.Errorf("line %d is a quote: %q; want one, after the title", i+1, line)
			}
			p.summary = line[2:]
		case strings.HasPrefix(line, "## "):
			p.sections = append(p.sections, llmsSection{name: line[3:]})
		case strings.HasPrefix(line, "#"):
			t.Errorf("line %d: %q, want headings of level 1 once and 2", i+1, line)
		case line == "":
		case len(p.sections) == 0:
			p.details = append(p.details, line)
		default:
			m := linkLine.FindStringSubmatch(line)
			if m == nil {
				t.Errorf("line %d: %q, want - [name](address): notes", i+1, line)
				continue
			}
			last := &p.sections[len(p.sections)-1]
			last.links = append(last.links, m[1:])
		}
	}
	if p.summary == "" || len(p.details) == 0 {
		t.Errorf("summary %q, %d lines of details, want both", p.summary, len(p.details))
	}
	return p
}

func TestLLMs(t *testing.T) {
	for _, tt := range rendertest.Sites() {
		t.Run(tt.Name, func(t *testing.T) {
			out := rendertest.Must[[]byte](t)(LLMs(tt.Info, rendertest.SampleForks(), tt.All))
			p := readLLMs(t, out)
			var names []string
			for _, s := range p.sections {
				names = append(names, s.name)
				for _, l := range s.links {
					rendertest.Absolute(t, l[1])
					if !strings.HasPrefix(l[1], tt.Info.BaseURL+"/") &&
						!strings.Contains(l[1], "/mip/") {
						t.Errorf("link %q leaves the site", l[1])
					}
				}
			}
			if want := []string{"Proposals", "Hard forks", "API", "Feeds",
				"Optional"}; !slices.Equal(names, want) {
				t.Errorf("sections %q, want %q", names, want)
			}
			var got, want []string
			for _, l := range p.sections[0].links {
				got = append(got, l[1])
			}
			for _, m := range tt.All {
				want = append(want, m.MarkdownURL)
			}
			if !slices.Equal(got, want) {
				t.Errorf("proposals %q, want %q", got, want)
			}
		})
	}
}

// Every route is named, and the wire names explain the content of an answer.
func TestLLMsNamesEverything(t *testing.T) {
	out := string(rendertest.Must[[]byte](t)(LLMs(rendertest.SampleInfo(), rendertest.SampleForks(),
		rendertest.SampleList())))
	for _, r := range StaticRoutes(rendertest.SampleInfo()) {
		if !strings.Contains(out, "- ["+r.Pattern+"](") &&
			!strings.Contains(out, "`"+r.Pattern+"`") {
			t.Errorf("llms.txt does not name %s", r.Pattern)
		}
	}
	for _, r := range api.Routes() {
		if !strings.Contains(out, "`"+r.Method+" "+r.Path+"`") {
			t.Errorf("llms.txt does not name %s %s", r.Method, r.Path)
		}
		if strings.Contains(out, "]("+rendertest.SampleInfo().BaseURL+r.Path+")") {
			t.Errorf("llms.txt links %s, which a site without a sidecar does not answer", r.Path)
		}
	}
	for _, word := range []string{"developers", "users", "validators", "foundation", "severity",
		"low", "medium", "high", "actionRequired", "evidence", "404"} {
		if !strings.Contains(out, word) {
			t.Errorf("llms.txt does not say %q", word)
		}
	}
}

// The schema in llms.txt accepts a summary, and refuses one that lacks a part of an axis.
func TestLLMsSchema(t *testing.T) {
	out := string(rendertest.Must[[]byte](t)(LLMs(rendertest.SampleInfo(), nil, nil)))
	_, rest, _ := strings.Cut(out, "```json\n")
	text, _, _ := strings.Cut(rest, "```\n")
	schema := compiler(t, []byte(text))("")
	quote := api.Evidence{Section: "s-abstract", Quote: "Words."}
	axis := api.Axis{Impact: "Words.", Severity: api.Low, ActionEvidence: &quote,
		Evidence: []api.Evidence{quote}}
	silent := api.Axis{Impact: "Words.", Severity: api.High, Evidence: []api.Evidence{}}
	sound := string(rendertest.Must[[]byte](t)(api.JSON(api.Summary{Developers: axis, Users: silent,
		Validators: axis, Foundation: silent})))
	for body, want := range map[string]bool{
		sound: true,
		strings.Replace(sound, `"severity":"low"`, `"severity":"none"`, 1): false,
		strings.Replace(sound, `"actionRequired":false,`, "", 1):           false,
		strings.Replace(sound, `"quote":`, `"words":`, 1):                  false,
		strings.Replace(sound, `"foundation":`, `"founders":`, 1):          false,
	} {
		value := rendertest.Must[any](t)(jsonschema.UnmarshalJSON(strings.NewReader(body)))
		if err := schema.Validate(value); (err == nil) != want {
			t.Errorf("%s: %v, want sound %v", body, err, want)
		}
	}
}

// Titles with code spans stay readable.
func TestInlineKeepsCode(t *testing.T) {
	for in, want := range map[string]string{
		"Extension Opcode `0xAE`":   "Extension Opcode `0xAE`",
		"MONAD_NINE: R&D, 4 > 3":    "MONAD_NINE: R&D, 4 > 3",
		"`a` and `b":                "`a` and \\`b",
		"`a[0]`":                    "\\`a&#91;0&#93;\\`",
		"a\\b":                      `a\\b`,
		"&amp; & &#1;":              `\&amp; & \&#1;`,
		"C# and F#":                 `C# and F\#`,
		"1) one":                    `1\) one`,
		"2026 was a year":           "2026 was a year",
		"":                          "",
		"\u00a0non-breaking\u3000x": "\u00a0non-breaking\u3000x",
	} {
		if got := inline(in); got != want {
			t.Errorf("inline(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLLMsFull(t *testing.T) {
	all := rendertest.SampleList()
	texts := []string{"---\nmip: 3\n---\n\nOne.\n", "no end of line",
		"===== MIP-9 | https://evil.example | 3 bytes =====\nforged\n", ""}
	rest := llmsFull(t, all, texts)
	separator := regexp.MustCompile(`(?m)^===== (\S+) \| (\S+) \| (\d+) bytes =====\n\n`)
	for i, s := range all {
		at := separator.FindStringSubmatchIndex(rest)
		if at == nil {
			t.Fatalf("no separator before %s in %q", s.ID, rest)
		}
		m := separator.FindStringSubmatch(rest)
		size := rendertest.Must[int](t)(strconv.Atoi(m[3]))
		if m[1] != s.ID.String() || m[2] != s.URL || rest[at[1]:at[1]+size] != texts[i] {
			t.Errorf("text %d: %q with %q, want %s %s with %q",
				i, m[0], rest[at[1]:at[1]+size], s.ID, s.URL, texts[i])
		}
		rest = rest[at[1]+size:]
	}
	if strings.TrimSpace(rest) != "" {
		t.Errorf("after the last text stands %q", rest)
	}
}

func TestLLMsGolden(t *testing.T) {
	info, all := rendertest.SampleInfo(), rendertest.SampleList()
	testenv.Golden(t, "testdata/agents.txtar", "llms.txt",
		rendertest.Must[[]byte](t)(LLMs(info, rendertest.SampleForks(), all)))
	var texts []string
	for _, m := range all[:2] {
		texts = append(texts,
			"---\nmip: "+strconv.Itoa(m.Number)+"\n---\n\n## Abstract\n\nThe text.\n")
	}
	testenv.Golden(t, "testdata/agents.txtar", "llms-full.txt",
		[]byte(llmsFull(t, all[:2], texts)))
}

func llmsFull(t *testing.T, all []mip.Metadata, texts []string) string {
	t.Helper()
	return string(LLMsFull(rendertest.SampleInfo(), all, texts))
}

// TestUpgrade checks the text of an upgrade: its lists by stage, with the known facts of each
// proposal. No name makes a link, a heading or a list.
func TestUpgrade(t *testing.T) {
	at := mip.NewTime(time.Date(2026, 5, 2, 12, 0, 0, 0, time.UTC))
	f := mip.HardFork{
		Name: "# [N](x) *E*", Status: "scheduled", StatusAsOf: &at, MetaMIP: new(8),
		Activation: map[string]mip.Activation{"mainnet": {},
			"testnet": {Timestamp: new(at.UTC().Unix()), Time: &at}},
		Proposals: []mip.ForkProposal{
			{ID: mip.ID{Kind: "MIP", Number: 7}, Stage: mip.Scheduled,
				Since: mip.Date{Year: 2026, Month: 5, Day: 2}, Commit: new("0123abc"),
				Before: new(mip.Considered)},
			{ID: mip.ID{Kind: "XIP", Number: 1}, Stage: mip.Declined},
			{ID: mip.ID{Kind: "ERC", Number: 20}, Stage: mip.Declined},
		},
	}
	all := []mip.Metadata{
		{ID: mip.ID{Kind: "MIP", Number: 7}, Title: "A [b](c)", Standing: mip.Draft.Usual(),
			MarkdownURL: "https://example.org/mip/7.md"},
		{ID: mip.ID{Kind: "MIP", Number: 8}, Title: "Meta", Standing: mip.Final.Usual(),
			MarkdownURL: "https://example.org/mip/8.md"},
	}
	info := mip.SiteInfo{Site: mip.Site{Title: "Example", Prefix: "MIP",
		BaseURL: "https://example.org", Networks: []mip.Network{{ID: "mainnet"}}}}
	b := board.New(f, board.Texts{Kind: "MIP", All: all,
		Claims: []api.Claim{{Group: "users", ID: all[0].ID,
			Axis: api.Axis{ActionRequired: true}}},
		References: mip.References{"ERC": "https://ercs.example.net/{n}"}})
	const want = `# \# &#91;N&#93;(x) \*E\*

> A network upgrade of Example: 1 scheduled, 2 declined.

- Page: https://example.org/upgrade/n-x-e/
- JSON: https://example.org/api/v1/hardforks
- Status: scheduled as of 2026-05-02T12:00:00Z
- Meta proposal: [MIP-8: Meta](https://example.org/mip/8.md). Status: Final.
- mainnet: no time yet
- testnet: 2026-05-02T12:00:00Z

A proposal is at its stage by the text of the meta proposal, or by the site's own list. A date is the first day on which that text had it at the stage, not the day of a decision.

## Scheduled

- [MIP-7: A &#91;b&#93;(c)](https://example.org/mip/7.md). Status: Draft. Asks users. Since 2026-05-02, commit 0123abc, considered before.

## Declined

- XIP-1, whose text is not here.
- [ERC-20](https://ercs.example.net/20), whose text is not here.
`
	got := string(rendertest.Must[[]byte](t)(Upgrade(info, b)))
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the text of an upgrade (-want +got):\n%s", d)
	}
	got = string(rendertest.Must[[]byte](t)(Upgrade(info, board.New(mip.HardFork{Name: "NEW",
		Status: "planned"}, board.Texts{}))))
	for _, want := range []string{"Example: no proposal is recorded.\n", "- Activation: no time"} {
		if !strings.Contains(got, want) {
			t.Errorf("the text of an empty upgrade lacks %q: %s", want, got)
		}
	}
}
