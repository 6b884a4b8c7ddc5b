package site_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// head is what every file needs. Cases append to it, so their first line is line 3.
const head = "title: Sample\nbase_url: https://example.org\n"

const full = `# A comment.
title: "Sample: Proposals"
base_url: https://example.org/mips/
description: >
  What changes,
  and when.
prefix: EIP
proposals: [MIPs/, ../other]
source_url: https://example.org/tree/{commit}/{path}
upstream:
  git: https://example.org/mips.git
  ref: main
  folders: [MIPs, MRCs]
forum:
  base_url: https://forum.example.org/
networks:
  - id: mainnet
    name: Mainnet
    chain_id: 143
    rpc: ["https://rpc.example.org/key?x=1", "http://127.0.0.1:8545"]
    block_time: 0.4
  - id: testnet
    chain_id: 10143
    block_time: 400ms
hardforks:
  - name: FORK_ONE
    mips: [4, 3]
    meta: 6
    activation: {mainnet: 1773930600, testnet: null}
    source: https://git.example.org/releases
  - name: Fork two
    activation:
      testnet: 0
overrides:
  7: {forum_topic_id: 399, discussions_to: https://forum.example.org/t/x/399, hardfork: Fork two}
  "8": {forum_topic_id: 5}
locales: [de, zh-Hant, pt-BR, es-419, no]
highlight: false
redirects: ["/EIPS/eip-{n}", "/p/{n}.html"]
`

func activation(seconds int64) mip.Activation {
	var t mip.Time
	switch seconds {
	case 0:
		t = parseTime("1970-01-01T00:00:00Z")
	case 1773930600:
		t = parseTime("2026-03-19T14:30:00Z")
	}
	return mip.Activation{Timestamp: &seconds, Time: &t}
}

func parseTime(s string) mip.Time {
	var t mip.Time
	if err := t.UnmarshalJSON([]byte(`"` + s + `"`)); err != nil {
		panic(err)
	}
	return t
}

func TestParse(t *testing.T) {
	whole := &site.Site{
		Title: "Sample: Proposals", BaseURL: "https://example.org/mips",
		Description: "What changes, and when.", Prefix: "EIP",
		Proposals: []string{"MIPs", "../other"},
		SourceURL: "https://example.org/tree/{commit}/{path}",
		Upstream: &site.Upstream{
			Git: "https://example.org/mips.git", Ref: "main", Folders: []string{"MIPs", "MRCs"},
		},
		Forum: "https://forum.example.org",
		Networks: []mip.Endpoints{
			{Network: mip.Network{ID: "mainnet", Name: "Mainnet", ChainID: 143, BlockTime: 0.4},
				RPC: []string{"https://rpc.example.org/key?x=1", "http://127.0.0.1:8545"}},
			{Network: mip.Network{ID: "testnet", Name: "testnet", ChainID: 10143, BlockTime: 0.4}},
		},
		HardForks: []mip.HardFork{
			{Name: "FORK_ONE", MetaMIP: new(6), BundledMIPs: []int{3, 4},
				Source: new("https://git.example.org/releases"),
				Activation: map[string]mip.Activation{"mainnet": activation(1773930600),
					"testnet": {}}},
			{Name: "Fork two", BundledMIPs: []int{},
				Activation: map[string]mip.Activation{"mainnet": {}, "testnet": activation(0)}},
		},
		Overrides: map[mip.ID]site.Override{
			{Kind: "EIP", Number: 7}: {ForumTopicID: new(399),
				DiscussionsTo: new("https://forum.example.org/t/x/399"), Hardfork: new("Fork two")},
			{Kind: "EIP", Number: 8}: {ForumTopicID: new(5)},
		},
		Locales:   []string{"de", "zh-Hant", "pt-BR", "es-419", "no"},
		Redirects: []string{"/EIPS/eip-{n}", "/p/{n}.html"},
	}
	least := &site.Site{Title: "Sample", BaseURL: "https://example.org", Prefix: "MIP",
		Proposals: []string{"proposals"}, Highlight: true}
	tests := []struct {
		name string
		in   string
		want *site.Site
	}{
		{"everything", full, whole},
		{"title and base_url suffice", head, least},
		{"BOM and CRLF", "\ufeff" + strings.ReplaceAll(head, "\n", "\r\n"), least},
		{"null leaves a key out",
			head + "description:\nprefix: ~\nnetworks: null\nhardforks:\noverrides:\nforum:\n",
			least},
		{"a text may look like something else",
			"title: Sample\nbase_url: https://example.org\n" +
				"upstream: {git: true, ref: 1_0}\ndescription: 2026-01-01\nprefix: x\n",
			&site.Site{Title: "Sample", BaseURL: "https://example.org", Description: "2026-01-01",
				Prefix: "x", Proposals: []string{"proposals"},
				Upstream: &site.Upstream{Git: "true", Ref: "1_0"}, Highlight: true}},
		{"JSON is YAML", `{"title": "Sample", "base_url": "https://example.org/"}`, least},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := site.Parse("site.yaml", []byte(tt.in))
			if err != nil {
				t.Fatalf("Parse(%q): %v", tt.in, err)
			}
			lines := got.Lines
			got.Lines = nil
			if tt.want == whole && (lines["upstream"] != 10 || lines["redirects[1]"] != 39) {
				t.Errorf("Parse(%q): lines %v", tt.in, lines)
			}
			opt := cmp.Comparer(func(a, b mip.Time) bool { return a.UTC().Equal(b.UTC()) })
			if diff := cmp.Diff(tt.want, got, opt); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	deep := strings.Repeat("[", 20_000)
	tests := []struct {
		name string
		in   string   // after head, unless it starts with !
		want []string // line: code: part of the message
	}{
		{"empty file", "!", []string{"0: missing-key: the file is empty; title and base_url"}},
		{"comments only", "!# nothing\n",
			[]string{"0: missing-key: the file is empty; title and base_url"}},
		{"list at the top", "!- a\n",
			[]string{"1: wrong-type: the file: want a mapping (key: value, without hyphens), " +
				"got a list"}},
		{"text at the top", "!site\n", []string{"1: wrong-type: the file: want a mapping"}},
		{"nothing required is there", "!prefix: MIP\n",
			[]string{"1: missing-key: base_url is required", "1: missing-key: title is required"}},
		{"title null, base_url empty", "!title:\nbase_url: ''\n",
			[]string{"1: missing-key: title", "2: bad-value: base_url: empty"}},
		{"title of blanks", "!title: '  '\nbase_url: http://x\n",
			[]string{"1: bad-value: title: empty"}},
		{"title a list", "!title: [a]\nbase_url: http://x\n",
			[]string{"1: wrong-type: title: want text, got a list"}},
		{"title of two lines", "!title: \"a\\nb\"\nbase_url: http://x\n",
			[]string{"1: bad-value: title: holds a line break, U+000A"}},
		{"title with bidi control", "!title: \"a\\u202eb\"\nbase_url: http://x\n",
			[]string{"1: bad-value: title: holds a character that changes the direction of " +
				"text, U+202E"}},
		{"base_url relative", "!title: x\nbase_url: example.org\n",
			[]string{"2: bad-value: base_url: want an absolute address starting with http:// " +
				"or https://"}},
		{"base_url of another scheme", "!title: x\nbase_url: ftp://example.org\n",
			[]string{"2: bad-value: base_url: want an absolute address"}},
		{"base_url without host", "!title: x\nbase_url: https:///a\n",
			[]string{"2: bad-value: base_url: want an absolute address"}},
		{"base_url with query", "!title: x\nbase_url: https://example.org/?a=1\n",
			[]string{"2: bad-value: base_url: want an address without query"}},
		{"base_url with fragment", "!title: x\nbase_url: 'https://example.org/#a'\n",
			[]string{"2: bad-value: base_url: want an address without query"}},
		{"base_url with user", "!title: x\nbase_url: https://u:p@example.org\n",
			[]string{"2: bad-value: base_url: want an address without user"}},
		{"base_url with dots", "!title: x\nbase_url: https://example.org/a/../b\n",
			[]string{"2: bad-value: base_url: want a path without"}},
		{"base_url with blank", "!title: x\nbase_url: https://example.org/a b\n",
			[]string{"2: bad-value: base_url: want an address in plain ASCII"}},
		{"base_url with umlaut", "!title: x\nbase_url: https://bücher.example\n",
			[]string{`2: bad-value: base_url: want an address in plain ASCII (names as xn--…, other characters as %XX), got '\u00fc'`}},
		{"base_url with port 0", "!title: x\nbase_url: https://example.org:0\n",
			[]string{"2: bad-value: base_url: want a port"}},

		{"unknown key", "tittle: x\n",
			[]string{"3: unknown-key: tittle is unknown; did you mean title?"}},
		{"unknown keys below",
			"forum: {base_url: http://x, url: y}\n" +
				"networks: [{id: a, chain_id: 1, rcp: []}]\nupstream: {git: a, branch: b}\n",
			[]string{"3: unknown-key: forum.url",
				"4: unknown-key: networks[0].rcp is unknown; did you mean rpc?",
				"5: unknown-key: upstream.branch is unknown; want one of git, ref, folders"}},
		{"merge key", "<<: {prefix: A}\n", []string{"3: unknown-key: <<"}},
		{"key set twice", "title: Again\n",
			[]string{"3: duplicate-key: title is set twice, first in line 1"}},
		{"key set twice below", "forum:\n  base_url: http://x\n  base_url: http://y\n",
			[]string{"5: duplicate-key: forum.base_url is set twice, first in line 4"}},
		{"key a list", "? [a]\n: b\n",
			[]string{"3: wrong-type: the file: a key must be plain text"}},
		{"key with control characters", "\"a\\e[2J\": b\n",
			[]string{`3: unknown-key: a\x1b[2J is unknown`}},
		{"alias", "description: &a x\nprefix: *a\n",
			[]string{"4: wrong-type: prefix: want text, got an alias (*name); write the " +
				"value out"}},
		{"alias bomb", "locales: &a [x,x,x,x]\nproposals: &b [*a,*a]\n",
			[]string{"3: bad-value", "3: bad-value", "3: bad-value", "3: bad-value",
				"4: wrong-type: proposals[0]: want text, got an alias",
				"4: wrong-type: proposals[1]"}},
		{"anchor that holds itself", "locales: &a [*a]\n",
			[]string{"3: wrong-type: locales[0]: want text, got an alias"}},
		{"alias for a mapping", "networks: &n []\nhardforks: [*n]\noverrides: *n\n",
			[]string{"4: wrong-type: hardforks[0]: want a mapping (key: value, without hyphens), " +
				"got an alias", "5: wrong-type: overrides"}},
		{"broken YAML", "networks:\n  - id: [\n",
			[]string{"4: yaml-syntax: a value is missing; close each [ and each {"}},
		{"broken in the first line", "!title: [\n", []string{"1: yaml-syntax: "}},
		{"nesting without end", "a: " + deep, []string{"3: yaml-syntax: brackets within brackets"}},
		{"unknown keys of other files",
			"chain_id: 1\nforum: {title: x, base_url: http://x}\nbaseURL: x\ncolour: red\n",
			[]string{"3: unknown-key: chain_id is unknown; want one of title, base_url, ",
				"4: unknown-key: forum.title is unknown; want one of base_url",
				"5: unknown-key: baseURL is unknown; did you mean base_url?",
				"6: unknown-key: colour is unknown; want one of"}},
		{"keys of a mapping that are not indented", "forum:\nbase_url: http://x\n",
			[]string{"4: duplicate-key: base_url is set twice, first in line 2; remove one, " +
				"or indent"}},
		{"a mapping for a list", "networks:\n  id: a\n  chain_id: 1\n",
			[]string{"3: wrong-type: networks: want a list (in brackets, or each item behind a " +
				"hyphen), got a mapping"}},
		{"a list for a mapping", "forum:\n  - base_url: http://x\n",
			[]string{"3: wrong-type: forum: want a mapping (key: value, without hyphens), " +
				"got a list"}},
		{"a text for a list", "locales: ja\n",
			[]string{"3: wrong-type: locales: want a list (in brackets, or each item behind a " +
				"hyphen), got text"}},
		{"yes", "highlight: yes\n",
			[]string{"3: wrong-type: highlight: want true or false, got text (\"yes\")"}},
		{"key less indented than its neighbours",
			"networks:\n  - id: a\n    chain_id: 1\n   rpc: [x]\nlocales: [de]\n",
			[]string{"6: yaml-syntax: the indentation does not fit the lines above"}},
		{"key more indented than its neighbours",
			"networks:\n  - id: a\n    chain_id: 1\n      rpc: [x]\n",
			[]string{"6: yaml-syntax: a key where none can be"}},
		{"item less indented than its neighbours", "locales:\n  - ja\n  - de\n - tr\nprefix: A\n",
			[]string{"6: yaml-syntax: the indentation does not fit the lines above"}},
		{"key that is indented under a text", "!title: x\n\n  base_url: http://x\n",
			[]string{"3: yaml-syntax: a key where none can be"}},
		{"list behind its key", "locales: - ja\n",
			[]string{"3: yaml-syntax: a hyphen where no item can begin"}},
		{"backslash", "description: \"a\\qb\"\n",
			[]string{`3: yaml-syntax: a \ that means nothing in double quotes`}},
		{"words of the parser", "description: x\n]\n", []string{"4: yaml-syntax: "}},
		{"tab", "forum:\n\tbase_url: http://x\n",
			[]string{"4: yaml-syntax: a tab at the beginning of the line; indent with blanks"}},
		{"tab behind blanks", "networks:\n  - id: a\n  \tchain_id: 1\n",
			[]string{"5: yaml-syntax: a tab at the beginning of the line"}},
		{"colon in a text", "networks: []\n\ndescription: It is: a test\nlocales: [de]\n",
			[]string{"5: yaml-syntax: a key where none can be; put a text that holds a colon and " +
				"a blank in quotes"}},
		{"no colon", "!title x\nbase_url: http://x\n",
			[]string{"1: yaml-syntax: no key; want key: value, with a blank behind the colon"}},
		{"no colon in an item", "networks:\n  - id a\n    chain_id: 1\n",
			[]string{"4: yaml-syntax: no key; want key: value"}},
		{"no blank behind a colon", "highlight:false\nprefix: A\n",
			[]string{"3: yaml-syntax: no key; want key: value"}},
		{"quote that stays open", "prefix: A\ndescription: \"What changes\nlocales: [de]\n",
			[]string{"4: yaml-syntax: a quote is never closed"}},
		{"single quote that stays open", "description: 'What changes\nlocales: [de]\n",
			[]string{"3: yaml-syntax: a quote is never closed"}},
		{"bracket that stays open",
			"hardforks:\n  - name: A\n    mips: [1, 2\n    meta: 3\nlocales: [de]\n",
			[]string{"5: yaml-syntax: a [ is never closed"}},
		{"brace that stays open", "forum: {base_url: http://x\nprefix: A\n",
			[]string{"3: yaml-syntax: a { is never closed"}},
		{"after brackets over several lines",
			"locales: [\n  de,\n  ja,\n]\nforum:\n\tbase_url: http://x\n",
			[]string{"8: yaml-syntax: a tab"}},
		{"text that begins with @", "description: @lantern\n",
			[]string{"3: yaml-syntax: a value cannot begin with @"}},
		{"text that begins with *", "\ndescription: *lantern\nlocales: [de]\n",
			[]string{"4: yaml-syntax: a value that begins with * stands for another"}},
		{"two documents", "---\ntitle: x\n", []string{"3: yaml-syntax: a second document"}},
		{"not UTF-8", "description: \xff\n",
			[]string{"3: yaml-syntax: not UTF-8; save the file as UTF-8"}},
		{"NUL", "description: \x00\n",
			[]string{"3: yaml-syntax: an invisible character, such as NUL; remove it"}},
		{"larger than 1 MiB", "#" + strings.Repeat("x", 1<<20), []string{"0: too-large: "}},

		{"prefix with hyphen", "prefix: M-IP\n", []string{"3: bad-value: prefix: want a letter"}},
		{"prefix that is another folder", "prefix: Status\n",
			[]string{"3: bad-value: prefix: /status/ holds other pages of the site; want " +
				"another word"}},
		{"prefix too long", "prefix: ABCDEFGHIJKLMNOPQ\n", []string{"3: bad-value: prefix"}},
		{"prefix starting with a digit", "prefix: 1IP\n", []string{"3: bad-value: prefix"}},
		{"proposals not a list", "proposals: MIPs\n",
			[]string{"3: wrong-type: proposals: want a list (in brackets, or each item behind a " +
				"hyphen), got text"}},
		{"proposals empty", "proposals: []\n", []string{"3: bad-value: proposals: no folder"}},
		{"proposals twice", "proposals: [a, ./a/]\n",
			[]string{"3: duplicate-value: proposals[1]: stands for the same as proposals[0] in " +
				"line 3; want another, or remove one"}},
		{"proposals with null", "proposals:\n  -\n",
			[]string{"4: wrong-type: proposals[0]: want text, got nothing"}},
		{"source_url with unknown part", "source_url: https://x/{branch}/{path}\n",
			[]string{"3: bad-value: source_url: only {path} and {commit} are filled in, got " +
				"\"{branch}/"}},
		{"source_url without path", "source_url: https://x/{commit}\n",
			[]string{"3: bad-value: source_url: want {path}"}},
		{"source_url relative", "source_url: /x/{path}\n",
			[]string{"3: bad-value: source_url: want an absolute address"}},
		{"upstream without git", "upstream: {ref: main}\n",
			[]string{"3: missing-key: upstream.git is required"}},
		{"upstream git an option", "upstream: {git: --upload-pack=x}\n",
			[]string{"3: bad-value: upstream.git: want the address"}},
		{"upstream git a command", "upstream: {git: 'ext::sh -c x'}\n",
			[]string{"3: bad-value: upstream.git"}},
		{"upstream git a remote helper", "upstream: {git: 'ext::x'}\n",
			[]string{"3: bad-value: upstream.git: want the address of a git repository, without"}},
		{"upstream ref an option", "upstream: {git: a, ref: -x}\n",
			[]string{"3: bad-value: upstream.ref"}},
		{"upstream ref a range", "upstream: {git: a, ref: a..b}\n",
			[]string{"3: bad-value: upstream.ref"}},
		{"upstream folders outside", "upstream: {git: a, folders: [a/../../b, /c]}\n",
			[]string{"3: bad-value: upstream.folders[0]", "3: bad-value: upstream.folders[1]"}},
		{"forum text", "forum: https://x\n", []string{"3: wrong-type: forum: want a mapping"}},
		{"forum without address", "forum: {}\n", []string{"3: missing-key: forum.base_url"}},
		{"forum bad address", "forum: {base_url: x}\n",
			[]string{"3: bad-value: forum.base_url: want an absolute"}},

		{"network without id and chain", "networks:\n  - name: x\n",
			[]string{"4: missing-key: networks[0].chain_id", "4: missing-key: networks[0].id"}},
		{"network ids", "networks:\n  - {id: Main, chain_id: 1}\n  - {id: a b, chain_id: 2}\n",
			[]string{"4: bad-value: networks[0].id: want small letters",
				"5: bad-value: networks[1].id"}},
		{"network id twice", "networks:\n  - {id: a, chain_id: 1}\n  - {id: a, chain_id: 2}\n",
			[]string{"5: duplicate-value: networks[1].id: stands for the same as networks[0].id " +
				"in line 4"}},
		{"chain id twice", "networks:\n  - {id: a, chain_id: 1}\n  - {id: b, chain_id: 1}\n",
			[]string{"5: duplicate-value: networks[1].chain_id: stands for the same as " +
				"networks[0].chain_id in line 4"}},
		{"chain ids",
			"networks:\n  - {id: a, chain_id: 0}\n  - {id: b, chain_id: -1}\n" +
				"  - {id: c, chain_id: 0x8f}\n  - {id: d, chain_id: 010}\n" +
				"  - {id: e, chain_id: 9007199254740992}\n  - {id: f, chain_id: '1'}\n" +
				"  - {id: g, chain_id: 1.0}\n",
			[]string{"4: bad-value: networks[0].chain_id: want a number from 1 to " +
				"9007199254740991, got 0", "5: wrong-type", "6: wrong-type",
				"7: wrong-type: networks[3].chain_id: want a whole number in plain digits, got a " +
					"number (\"010\")", "8: bad-value",
				"9: wrong-type: networks[5].chain_id: want a whole number in plain " +
					"digits, got text", "10: wrong-type"}},
		{"rpc addresses",
			"networks:\n  - {id: a, chain_id: 1, rpc: [ws://x, http://a, http://a]}\n",
			[]string{"4: bad-value: networks[0].rpc[0]: want an absolute address",
				"4: duplicate-value: networks[0].rpc[2]"}},
		{"rpc text", "networks: [{id: a, chain_id: 1, rpc: http://a}]\n",
			[]string{"3: wrong-type: networks[0].rpc: want a list"}},
		{"block times",
			"networks:\n  - {id: a, chain_id: 1, block_time: 0}\n" +
				"  - {id: b, chain_id: 2, block_time: -1s}\n" +
				"  - {id: c, chain_id: 3, block_time: .inf}\n" +
				"  - {id: d, chain_id: 4, block_time: 12}\n" +
				"  - {id: e, chain_id: 5, block_time: soon}\n" +
				"  - {id: f, chain_id: 6, block_time: 2h}\n" +
				"  - {id: g, chain_id: 7, block_time: [1]}\n" +
				"  - {id: h, chain_id: 8, block_time: true}\n",
			[]string{"4: bad-value: networks[0].block_time: want seconds such as 0.4, or a " +
				"duration such as 400ms", "5: bad-value", "6: bad-value", "8: bad-value",
				"9: bad-value", "10: wrong-type: networks[6].block_time: want text, got a list",
				"11: bad-value"}},

		{"fork without name", "hardforks: [{mips: [1]}]\n",
			[]string{"3: missing-key: hardforks[0].name"}},
		{"fork name empty", "hardforks: [{name: ''}]\n",
			[]string{"3: bad-value: hardforks[0].name: empty"}},
		{"fork name twice", "hardforks:\n  - name: A b\n  - name: a-B\n",
			[]string{"5: duplicate-value: hardforks[1].name: stands for the same as " +
				"hardforks[0].name in line 4"}},
		{"fork mips", "hardforks:\n  - {name: A, mips: [one, 1.5, -2, 010, 1_000, 9999999999]}\n",
			[]string{"4: bad-value: hardforks[0].mips[5]: want a number from 0 to",
				"4: wrong-type: hardforks[0].mips[0]: want a whole number in plain " +
					"digits, got text",
				"4: wrong-type: hardforks[0].mips[1]", "4: wrong-type: hardforks[0].mips[2]",
				"4: wrong-type: hardforks[0].mips[3]", "4: wrong-type: hardforks[0].mips[4]"}},
		{"fork source",
			"hardforks: [{name: A, source: 'javascript:alert(1)'}, {name: B, source: release " +
				"notes}]\n", []string{"3: bad-value: hardforks[0].source: want an absolute address",
				"3: bad-value: hardforks[1].source: want an address"}},
		{"releases", "networks: [{id: a, chain_id: 1}]\nhardforks:\n" +
			"  - name: A\n    releases:\n" +
			"      - {client: W, version: 2.10, url: 'http://x.example', networks: [a, b, a]}\n" +
			"      - {client: W, requiredBy: 19 January, since: 1}\n" +
			"      - {client: '', version: [2], requiredBy: 2027-13-01, " +
			"url: 'javascript:x'}\n",
			[]string{"7: bad-value: hardforks[0].releases[0].networks[1]: networks has no such id",
				"7: bad-value: hardforks[0].releases[0].url: want an address starting with https:",
				"7: duplicate-value: hardforks[0].releases[0].networks[2]",
				"8: bad-value: hardforks[0].releases[1].requiredBy: want a day such as " +
					"2027-01-19, or a time such as 2027-01-19T15:00:00Z, got \"19 January\"",
				"8: missing-key: hardforks[0].releases[1].version is required",
				"8: unknown-key: hardforks[0].releases[1].since is unknown",
				"9: bad-value: hardforks[0].releases[2].client: empty",
				"9: bad-value: hardforks[0].releases[2].requiredBy",
				"9: bad-value: hardforks[0].releases[2].url: want an absolute address",
				"9: wrong-type: hardforks[0].releases[2].version: want text, got a list"}},
		{"fork meta text", "hardforks: [{name: A, meta: MIP-6}]\n",
			[]string{"3: wrong-type: hardforks[0].meta: want a whole number in plain " +
				"digits, got text"}},
		{"activation of an unknown network",
			"hardforks: [{name: A, activation: {mainnet: 1}}]\n" +
				"networks: [{id: testnet, chain_id: 1}]\n",
			[]string{"3: bad-value: hardforks[0].activation.mainnet: networks has no such id"}},
		{"activation values",
			"networks: [{id: a, chain_id: 1}, {id: b, chain_id: 2}]\nhardforks:\n  - name: A\n" +
				"    activation:\n      a: 1773930600000\n      b: 2026-03-19\n  - name: B\n" +
				"    activation:\n      a: -1\n      b: TBD\n",
			[]string{"7: bad-value: hardforks[0].activation.a: want unix seconds from 0 to " +
				"253402300799, got 1773930600000",
				"8: wrong-type: hardforks[0].activation.b: want unix seconds, or null when no " +
					"time is set, got a date",
				"11: wrong-type: hardforks[1].activation.a: want unix seconds, or null when no " +
					"time is set, got a number (\"-1\")", "12: wrong-type"}},
		{"activation twice",
			"networks: [{id: a, chain_id: 1}]\nhardforks: [{name: A, activation: {a: 1, a: 2}}]\n",
			[]string{"4: duplicate-key: hardforks[0].activation.a is set twice"}},

		{"override by number and by id",
			"overrides: {MIP-007: {forum_topic_id: 1}, 7: {forum_topic_id: 2}}\n",
			[]string{"3: duplicate-value: overrides.MIP-007: stands for the same as overrides.7 " +
				"in line 3; want another, or remove one"}},
		{"override of no number",
			"overrides:\n  ABC-7: {forum_topic_id: 1}\n  0x7: {forum_topic_id: 1}\n",
			[]string{"4: bad-value: overrides.ABC-7: want a proposal's number",
				"5: bad-value: overrides.0x7"}},
		{"override twice", "overrides:\n  7: {forum_topic_id: 1}\n  \"7\": {forum_topic_id: 2}\n",
			[]string{"5: duplicate-key: overrides.7 is set twice"}},
		{"override values",
			"overrides:\n  7: {forum_topic_id: 0, discussions_to: 'javascript:alert(1)', " +
				"hardfork: NONE, topic: 1}\n",
			[]string{"4: bad-value: overrides.7.discussions_to: want an absolute",
				"4: bad-value: overrides.7.forum_topic_id: want a number from 1",
				"4: bad-value: overrides.7.hardfork: hardforks has no \"NONE\"",
				"4: unknown-key: overrides.7.topic"}},
		{"override not a mapping", "overrides: {7: 399}\n",
			[]string{"3: wrong-type: overrides.7: want a mapping (key: value, without hyphens), " +
				"got a number"}},
		{"locales", "locales: [en, DE, zh-hant, de_AT, de, de]\n",
			[]string{"3: bad-value: locales[0]: en is always included",
				"3: bad-value: locales[1]: want a language tag", "3: bad-value: locales[2]",
				"3: bad-value: locales[3]", "3: duplicate-value: locales[5]"}},
		{"redirects",
			"redirects: [/a, 'b/{n}', '/{n}/{n}', '/{x}/{n}', '/a b/{n}', '/a*/{n}', '//h/{n}', " +
				"'/../{n}']\n",
			[]string{"3: bad-value: redirects[0]: want {n} once",
				"3: bad-value: redirects[1]: want a path such as /EIPS/eip-{n}, got \"b/{n}\"",
				"3: bad-value: redirects[2]: want {n} once",
				"3: bad-value: redirects[3]: want a path", "3: bad-value: redirects[4]",
				"3: bad-value: redirects[5]", "3: bad-value: redirects[6]",
				"3: bad-value: redirects[7]"}},
		{"brand values",
			"brand: {logo: ../logo.svg, icon: a.png, footer: [{url: /about/}, Words]}\n", []string{
				"3: bad-value: brand.footer[0].url: want an absolute address",
				"3: bad-value: brand.logo: want an SVG or PNG file beside site.yaml or below its " +
					"folder, got \"../logo.svg\"",
				"3: missing-key: brand.footer[0].text is required",
				"3: unknown-key: brand.icon is unknown",
				"3: wrong-type: brand.footer[1]: want a mapping"}},
		{"logo at an absolute path", "brand: {logo: /logo.svg}\n",
			[]string{"3: bad-value: brand.logo: want an SVG or PNG file beside site.yaml"}},
		{"accents without contrast", "brand:\n  color:\n    light: '#7755ee'\n    dark: '#222'\n",
			[]string{
				"5: bad-value: brand.color.light: want at least 7:1 on #f7f6fb, got 4.52:1; " +
					"#5d32cb would do",
				"6: bad-value: brand.color.dark: want at least 7:1 on #1c1925, got 1.08:1; " +
					"#a5a5a5 would do"}},
		{"one accent that does in no theme", "brand: {color: '#3b82f6'}\n", []string{
			"3: bad-value: brand.color: want at least 7:1 on #f7f6fb, got 3.42:1; #004dba would " +
				"do in the light theme, and #6fa6ff in the dark one"}},
		{"accents that are none", "brand: {color: {light: purple, dark: '#12345'}}\n",
			[]string{"3: bad-value: brand.color.dark: want a colour such as \"#5431c0\", got " +
				"\"#12345\"", "3: bad-value: brand.color.light"}},
		{"accents in a list", "brand: {color: ['#000', '#fff']}\n",
			[]string{"3: wrong-type: brand.color: want a colour in quotes, or light and dark " +
				"with one each, got a list"}},
		{"accent that is a comment", "brand:\n  color: #5431c0\n",
			[]string{"4: yaml-syntax: brand.color: # begins a comment; put a colour in quotes"}},
		{"accents that are comments",
			"brand:\n  color: {light: #5431c0, dark: #b9a5ff}\n  name: A\n",
			[]string{"4: yaml-syntax: # begins a comment; put a colour in quotes"}},
		{"highlight text", "highlight: often\n",
			[]string{"3: wrong-type: highlight: want true or false, got text"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, whole := strings.CutPrefix(tt.in, "!")
			if !whole {
				in = head + in
			}
			_, err := site.Parse("conf/site.yaml", []byte(in))
			invalid, ok := errors.AsType[*site.InvalidError](err)
			if !ok {
				t.Fatalf("Parse(%.200q) = %v, want an InvalidError", in, err)
			}
			var got []string
			for _, p := range invalid.Problems {
				if p.Level != mip.Error || p.File != "conf/site.yaml" {
					t.Errorf("Parse(%.200q): problem %+v, want level error and file conf/site.yaml",
						in, p)
				}
				got = append(got, fmt.Sprintf("%d: %s: %s", p.Line, p.Code, p.Message))
			}
			for i := range max(len(got), len(tt.want)) {
				if i >= len(got) || i >= len(tt.want) || !strings.Contains(got[i], tt.want[i]) {
					t.Fatalf("Parse(%.200q)\ngot:\n%s\nwant in each line:\n%s",
						in, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
				}
			}
		})
	}
}

// TestErrorKeepsKeys checks that errors do not repeat addresses, which may contain keys.
func TestErrorKeepsKeys(t *testing.T) {
	in := head + "networks: [{id: a, chain_id: 1, rpc: ['https://x.example:99999/secret', " +
		"'ws://secret', 'http://x/secret', 'http://x/secret', 'https://x/\tsecret']}]\n"
	_, err := site.Parse("site.yaml", []byte(in))
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("Parse(%q) = %v, want an error that does not hold secret", in, err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "site.yaml")
	bad := filepath.Join(dir, "bad.yaml")
	for file, text := range map[string]string{good: head, bad: head + "x: y\n"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, path, want string
	}{
		{"good", good, ""},
		{"unknown key", bad, filepath.ToSlash(bad) + ":3: unknown-key: x is unknown"},
		{"missing", filepath.Join(dir, "none.yaml"),
			"none.yaml: file does not exist: create it with the keys title and base_url"},
		{"folder", dir, dir + " is not a file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := site.Load(tt.path)
			if tt.want == "" {
				if err != nil || s.Title != "Sample" {
					t.Errorf("Load(%q) = %v, %v, want the site", tt.path, s, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Load(%q) = %v, want an error with %q", tt.path, err, tt.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte(head))
	f.Add([]byte(head + "a: &a [*a]\n<<: {x: y}\n? [k]\n: v\n"))
	f.Add([]byte(head + "networks: [{id: a, chain_id: 0x1, block_time: .nan}]\nlocales: [en]\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		s, err := site.Parse("f", in)
		if err != nil {
			invalid, ok := errors.AsType[*site.InvalidError](err)
			if !ok || len(invalid.Problems) == 0 {
				t.Fatalf("Parse(%q) = %v, want an InvalidError with problems", in, err)
			}
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "f:") || strings.Contains(line, "yaml: ") ||
					strings.Contains(line, "unmarshal") {
					t.Errorf("Parse(%q): line %q of the error does not start with the file, or "+
						"has the parser's words", in, line)
				}
			}
			return
		}
		if s.Title == "" || s.Prefix == "" || len(s.Proposals) == 0 {
			t.Errorf("Parse(%q) = %+v, want title, prefix and proposals set", in, s)
		}
		if again, err := site.ParseBaseURL(s.BaseURL); err != nil || again != s.BaseURL {
			t.Errorf("ParseBaseURL(%q) = %q, %v, want it unchanged", s.BaseURL, again, err)
		}
	})
}

// A proposal may be named twice: as the meta proposal among the bundled ones, or by two forks.
func TestForksMayShareProposals(t *testing.T) {
	s, err := site.Parse("site.yaml",
		[]byte("title: T\nbase_url: HTTPS://X.Example.ORG/Path/\nhardforks:\n"+
			"  - {name: A, mips: [6, 3, 3, 4], meta: 6}\n  - {name: B, mips: [3]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	a, b := s.HardForks[0], s.HardForks[1]
	if !slices.Equal(a.BundledMIPs, []int{3, 4}) || a.MetaMIP == nil || *a.MetaMIP != 6 ||
		!slices.Equal(b.BundledMIPs, []int{3}) {
		t.Errorf("forks %+v and %+v; want [3 4] with meta 6, and [3]", a, b)
	}
	if s.BaseURL != "https://x.example.org/Path" {
		t.Errorf("base URL %q; want scheme and host in lower case, the path as it is", s.BaseURL)
	}
}
