// Package rendertest has the sample site and the hostile texts that the tests of the render
// packages share, and the checks of their output. For tests only.
package rendertest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// SampleInfo is a site below a path, so that a test notices a lost base path.
func SampleInfo() mip.Site {
	return mip.Site{
		Title: "Sample Improvement Proposals", Description: "The proposals of a sample network.",
		Prefix: "MIP", BaseURL: "https://sample.example.org/mips", Statuses: mip.Process{},
		Kinds: []mip.Kind{{Prefix: "MIP", Name: "MIPs"}},
		Networks: []mip.Network{{ID: "mainnet", Name: "Sample Mainnet", ChainID: 143},
			{ID: "testnet", Name: "Sample Testnet", ChainID: 10143}},
		Forum: new("https://forum.example.org"), Locales: []string{"ko"}, FullText: true,
	}
}

// SampleMetadata is the metadata of a complete proposal. change modifies it for a test.
func SampleMetadata(number int, title string, change func(*mip.Metadata)) mip.Metadata {
	info := SampleInfo()
	n := strconv.Itoa(number)
	m := mip.Metadata{
		Number: number, ID: mip.ID{Kind: "MIP", Number: number}, Title: title,
		Description: new("Says what " + n + " is about."),
		Authors: []mip.Author{{Name: new("Ada Sample"), GitHub: new("ada"),
			Email: new("ada@example.org")}},
		Standing: mip.Draft.Usual(), Type: new("Standards Track"), Category: new("Core"),
		Created:  mip.Date{Year: 2025, Month: time.December, Day: 10},
		Requires: []int{}, RequiredBy: []int{}, Replaces: []int{}, ReplacedBy: []int{},
		SupersededBy: []int{}, External: []mip.External{},
		Activations: []mip.NetworkActivation{}, StatedActivations: []mip.StatedActivation{},
		Discussions: []string{},
		URL:         info.BaseURL + "/mip/" + n + "/", APIURL: info.BaseURL + "/api/v1/mips/" + n,
		MarkdownURL: info.BaseURL + "/mip/" + n + ".md",
		ContentHash: strings.Repeat("ab", 32),
		Frontmatter: mip.Frontmatter{"mip": n, "title": title}, Inferred: []string{},
	}
	t := mip.NewTime(time.Date(2026, time.January, number, 12, 30, 0, 0, time.UTC))
	m.Updated = &t
	if change != nil {
		change(&m)
	}
	return m
}

// SampleList is a list of three proposals and a fork's meta proposal.
func SampleList() []mip.Metadata {
	info := SampleInfo()
	return []mip.Metadata{
		SampleMetadata(3, "Linear Memory", nil),
		SampleMetadata(4, "Reserve Balance Introspection", func(m *mip.Metadata) {
			m.Standing, m.Type, m.Updated, m.Created = mip.Standing{}, nil, nil, mip.Date{}
		}),
		SampleMetadata(6, "MONAD_NINE Network Upgrade", func(m *mip.Metadata) {
			m.Standing, m.Type, m.Category = mip.Final.Usual(), new("Meta"), new("Meta")
			m.Requires, m.Inferred, m.Hardfork = []int{3, 4}, []string{"type"}, new("MONAD_NINE")
			m.Activations = SampleForks()[0].Activations(info.Networks)
		}),
		SampleMetadata(7, "Extension Opcode `0xAE`", func(m *mip.Metadata) {
			m.Description, m.DiscussionsTo, m.ForumTopicID = nil,
				new("https://forum.example.org/t/opcode/399"), new(399)
			m.Updated = SampleMetadata(6, "", nil).Updated
		}),
	}
}

func SampleProposal() *mip.Proposal {
	first, second := "## Abstract\n\nMemory costs grow in a line.\n\n",
		"## Specification\n\nA caller pays three units a word.\n\nNo call holds more than 8 MB.\n"
	return &mip.Proposal{
		Metadata:    SampleList()[0],
		RawMarkdown: "---\nmip: 3\n---\n\n" + first + second,
		Sections: []mip.Section{
			{ID: "s-abstract", Level: 2, Title: "Abstract", Markdown: first},
			{ID: "s-specification", Level: 2, Title: "Specification", Markdown: second},
		},
		Relations: []mip.Relation{}, Requirements: []mip.Requirement{},
	}
}

func SampleForks() []mip.HardFork {
	at, genesis := mip.NewTime(time.Unix(1773930600, 0)), mip.NewTime(time.Unix(0, 0))
	return []mip.HardFork{{
		Name: "MONAD_NINE", Status: "active on testnet", MetaMIP: new(6), BundledMIPs: []int{3, 4},
		Activation: map[string]mip.Activation{"testnet": {Timestamp: new(int64(1773930600)),
			Time: &at}, "mainnet": {}},
	}, {
		Name: "MONAD_ONE", Status: "active", BundledMIPs: []int{},
		Source: new("https://example.org/forks"),
		Activation: map[string]mip.Activation{"testnet": {Timestamp: new(int64(0)), Time: &genesis},
			"mainnet": {Timestamp: new(int64(0)), Time: &genesis}},
	}}
}

// HostileTexts pairs hostile content of a header with the one line of text that every format must
// give back.
func HostileTexts() []struct{ Name, In, Want string } {
	return []struct{ Name, In, Want string }{
		{"script", "<script>alert(1)</script>", "<script>alert(1)</script>"},
		{"cdata end", "a]]>b", "a]]>b"},
		{"entity", "&lt;b&gt; &amp; &#65; AT&T", "&lt;b&gt; &amp; &#65; AT&T"},
		{"title end", "</title></item>", "</title></item>"},
		{"newline", "one\ntwo\r\n- [three](https://evil.example)",
			"one two - [three](https://evil.example)"},
		{"backticks", "`code` and ``two ` in`` and a lone `",
			"`code` and ``two ` in`` and a lone `"},
		{"bracket in code", "`a]` (b) [c](d)", "`a]` (b) [c](d)"},
		{"quotes", `"double" 'single' \" back\slash \`, `"double" 'single' \" back\slash \`},
		{"emoji", "👩‍👩‍👧 family", "👩‍👩‍👧 family"},
		{"astral", "𝕄𝕀ℙ 𐍈", "𝕄𝕀ℙ 𐍈"},
		{"combining", "e\u0301 n\u0303", "e\u0301 n\u0303"},
		{"emphasis", "a*b*c _d_ __e__ f_g ~~h~~ | i", "a*b*c _d_ __e__ f_g ~~h~~ | i"},
		{"heading", "# not a heading #", "# not a heading #"},
		{"list", "1. not a list", "1. not a list"},
		{"quote", "> not a quote", "> not a quote"},
		{"rule", "--- not: a rule", "--- not: a rule"},
		{"image", "![x](https://evil.example/x.png)", "![x](https://evil.example/x.png)"},
		{"address", "see https://evil.example, www.evil.example or a@evil.example",
			"see https://evil.example, www.evil.example or a@evil.example"},
		{"placeholder", "{{base}} %s %!d ${x}", "{{base}} %s %!d ${x}"},
		{"controls", "a\x00b\x1bc\u009dd\ufffee", "abcde"},
		{"line separators", "a\u2028b\u0085c", "a b c"},
	}
}

// HostileList puts every hostile text into every field of an author.
func HostileList() []mip.Metadata {
	var out []mip.Metadata
	for i, h := range HostileTexts() {
		out = append(out, SampleMetadata(i+1, h.In, func(m *mip.Metadata) {
			m.Description, m.Category, m.Standing = new(h.In), new(h.In),
				mip.Standing{Status: mip.Status(h.In)}
			m.Authors = []mip.Author{{Name: new(h.In), GitHub: new(h.In)}}
		}))
	}
	return out
}

// HostileInfo is the sample site with a text for title and description.
func HostileInfo(text string) mip.Site {
	info := SampleInfo()
	info.Title, info.Description = text, text
	return info
}

func Must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Sites are the sites with their proposals for the rules of lists.
func Sites() []struct {
	Name string
	Info mip.Site
	All  []mip.Metadata
} {
	many := []mip.Metadata{}
	for n := range 300 {
		many = append(many,
			SampleMetadata(n+1, fmt.Sprintf("Number %d", n+1), func(m *mip.Metadata) {
				at := mip.NewTime(time.Date(2026, time.January, 1, n%50, 0, 0, 0, time.UTC))
				m.Updated = &at
			}))
	}
	undated := SampleMetadata(1, "Undated", func(m *mip.Metadata) {
		m.Updated, m.Created, m.Authors = nil, mip.Date{}, []mip.Author{{}}
	})
	return []struct {
		Name string
		Info mip.Site
		All  []mip.Metadata
	}{
		{"sample", SampleInfo(), SampleList()},
		{"empty", SampleInfo(), nil},
		{"bare", mip.Site{Title: "T", BaseURL: "https://example.org", Prefix: "MIP",
			Kinds: []mip.Kind{}, Statuses: mip.Process{}}, []mip.Metadata{undated}},
		{"many", SampleInfo(), many},
		{"hostile", HostileInfo("<b>&lt;\n]]></title>"), HostileList()},
	}
}
