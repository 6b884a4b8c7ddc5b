package search

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestTerms splits texts into terms as readers write them.
func TestTerms(t *testing.T) {
	for text, want := range map[string]string{
		"Blob base fees, twice.": "blob base fee twice",
		"eth_getProof":           "eth_getproof +eth +get +proof",
		"max_priority_fee_per_gas": "max_priority_fee_per_gas +max " +
			"+priority +fee +per +gas",
		"CREATE2 SELFDESTRUCT 0x0b": "create2 +create selfdestruct 0x0b",
		"HTTPServer parseABIv2": "httpserver +http +server parseabiv2 " +
			"+parse +ab +iv",
		"5.3.2 v1.2.3, 12.5. 2024.12.31": "5.3.2 v1.2.3 12.5 +12 2024.12.31 " +
			"+2024 +12 +31",
		"C++ C++20 c# F#. i++ a + b++c":                  "c++ c++20 +20 c# f# i++ b++c",
		"EIPs#1559 1. 2.x .5 +5 ++ #":                    "eip +ei +ps 1559",
		"count++; _F#_ x_.5_ 3.14159265":                 "count++ +count 3.14159265 +14159265",
		"手++ ๑.5 5.๑ ١.٢ é++ C#é":                        "手 ๑ ๑",
		"EIP-1559 eip1559":                               "eip 1559 eip1559 +eip +1559",
		"policies boxes classes status gas bytes":        "policy box class status gas byte",
		"caches batches sizes buzzes hashes freezes":     "cache batch size buzz hash freeze",
		"Café NAÏVE Straße ﬁne Ångström":                 "cafe naive straße fine angstrom",
		"подписи и транзакция":                           "подписи транзакция",
		"手数料 を 払う":                                       "手数 数料 を 払う",
		"a I 1 __ _x_ -- ":                               "",
		strings.Repeat("f", 33) + " 123456789 12345678":  "12345678",
		"\u0e34 \u0e34\u0e35":                            "",
		"a\u202eb\u200bc deadbeef":                       "deadbeef",
		"1\ufe0f\u20e3 \u0301\u0308 step a\u0301\u0308B": "1 step ab +a",
		"\xff\xfebad\xff":                                "bad",
	} {
		var got []string
		for _, w := range terms(text) {
			if w.start < 0 || w.end > len(text) || w.start >= w.end {
				t.Errorf("%q: %s stands at %d to %d", text, w.term, w.start, w.end)
			}
			if w.part {
				w.term = "+" + w.term
			}
			got = append(got, w.term)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("terms of %q: %s, want %s", text, s, want)
		}
	}
}

// FuzzPostings decodes what was encoded, and from other input at most as many hits as there are
// proposals.
func FuzzPostings(f *testing.F) {
	f.Add("AAAA", uint64(1))
	f.Fuzz(func(t *testing.T, postings string, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		parts := make([]int, 1+r.IntN(1<<r.IntN(12)))
		for i := range parts {
			parts[i] = 1 + r.IntN(1<<r.IntN(6))
		}
		for d, n := newDecoder(postings), 0; !d.ended() && n < 100; n++ {
			if got := d.list(n%2 == 1, 1+r.IntN(2*len(parts)), parts); len(got) > len(parts) {
				t.Fatalf("%d hits in %d proposals", len(got), len(parts))
			}
		}
		var e encoder
		var want [][]hit
		among := len(parts) + 1 + r.IntN(100)
		for n := range 1 + r.IntN(20) {
			var hits []hit
			for i := range parts {
				if r.IntN(1+n) == 0 || i == len(parts)-1 && hits == nil {
					h := hit{proposal: i}
					if n != 3 {
						h.part, h.weight = r.IntN(parts[i]), r.IntN(weights)
					}
					hits = append(hits, h)
				}
			}
			e.list(hits, n == 3, among, parts)
			want = append(want, hits)
		}
		d := newDecoder(e.String())
		for n, hits := range want {
			if got := d.list(n == 3, among, parts); !slices.Equal(got, hits) {
				t.Fatalf("%v was read as %v", hits, got)
			}
		}
	})
}

// made is an index in memory.
type made struct {
	Manifest
	shards map[string]*Shard
	blocks map[string]*Block
	texts  map[string]*Texts
}

func (x *made) Table(url string) (*Table, error) { return NewTable(x.shards[url], x.Parts), nil }
func (x *made) Block(url string) (*Block, error) { return x.blocks[url], nil }
func (x *made) Texts(url string) (*Texts, error) { return x.texts[url], nil }

func newMade(all []Proposal, stages string) *made {
	x := &made{
		Manifest{Version: Version, Kinds: []string{"MIP", "MRC"}, Shards: []Part{}},
		map[string]*Shard{}, map[string]*Block{}, map[string]*Texts{},
	}
	for i := range all {
		x.add(fmt.Sprint(i+1), stages[i], &all[i])
	}
	x.Shards = x.shardsOf(all)
	return x
}

func (x *made) add(key string, stage byte, p *Proposal) {
	i := len(x.Proposals)
	e := Entry{Title: p.Title}
	parts := p.Index().Parts
	x.Proposals, x.Stages, x.Parts = append(x.Proposals, key), x.Stages+string(stage),
		append(x.Parts, len(parts))
	for k := range parts {
		e.Texts = append(e.Texts, fmt.Sprint("text", i, "-", k))
		x.texts[e.Texts[k]] = &parts[k]
	}
	x.Titles = append(x.Titles, Part{fmt.Sprint(i), fmt.Sprint("title", i)})
	x.blocks[x.Titles[i].URL] = &Block{Version, []Entry{e}}
}

// shardsOf indexes proposals and waits for the result.
func shardsOf(all []Proposal) []Shard {
	indexed := make([]Indexed, len(all))
	for i := range all {
		indexed[i] = all[i].Index()
	}
	shards, _ := Shards(context.Background(), indexed)
	return shards
}

func (x *made) shardsOf(all []Proposal) (out []Part) {
	for _, s := range shardsOf(all) {
		out = append(out, Part{s.First(), fmt.Sprint(len(x.shards))})
		x.shards[out[len(out)-1].URL] = &s
	}
	return out
}

// limit is the number of results that the tests request.
const limit = 5

// where returns the position of the section shown for a result: 0 of the first part is the proposal
// as a whole.
func (x *made) where(t *testing.T, f Found, terms []string) int {
	t.Helper()
	e, err := Shown(&x.Manifest, x, f.Proposal)
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Part(x, f.Part)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Index(p.Sections, p.Best(terms))
}

func (x *made) ask(t *testing.T, question string) Answer {
	t.Helper()
	a, err := Search(&x.Manifest, x, Parse(question, x.Kinds...), limit)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// few returns proposals that queries can distinguish.
func few() []Proposal {
	section := func(title, text string) Section { return Section{"s", title, text} }
	return []Proposal{
		{Title: "Base fee for blobs",
			Facets: []string{"status:final", "type:core", "author:ada-lovelace", "author:ada"},
			Sections: []Section{section("Abstract", "Blobs get a market of their own."),
				section("Rationale", "A price is found by demand.")}},
		{Title: "Transient storage", Facets: []string{"status:draft", "type:core"},
			Sections: []Section{section("Abstract", "Storage that is gone after the transaction."),
				section("Reentrancy",
					"A lock against reentrancy costs little. "+
						"The base fee of blobs is elsewhere.")}},
		{Title: "Older transient storage", Facets: []string{"status:withdrawn", "type:core"},
			Sections: []Section{section("Abstract", "Storage that is gone after the transaction."),
				section("Reentrancy", "A lock against reentrancy costs little.")}},
		{Title: "Proofs of accounts", Authors: "Grace Hopper",
			Facets: []string{"status:final", "type:interface"},
			Sections: []Section{section("Method",
				"eth_getProof returns a proof. Precompile 0x0b is called.")}},
		{Title: "手数料の市場", Facets: []string{"status:final"},
			Sections: []Section{section("概要", "手数料を払う。")}},
	}
}

// TestSearch runs typical queries: it checks the first proposal and section, and the words searched
// in place of others.
func TestSearch(t *testing.T) {
	x := newMade(few(), "fdsff")
	for question, want := range map[string]string{
		"blob base fee":                         "1.1 2.2",
		"transient storage reentrancy":          "2.2 3.2",
		"reentrancy":                            "2.2 3.2",
		"who calls 0x0b":                        "4.1",
		"eth_getProof":                          "4.1",
		"getProof":                              "4.1 1.1",
		"ETH_GETPROOF proof":                    "4.1",
		"hopper":                                "4.0",
		"3":                                     "3.0",
		"MIP-0002":                              "2.0",
		"mip 2 fee":                             "2.2 1.0",
		"mrc-2":                                 "",
		"trans":                                 "2.1 3.1",
		"trans ":                                "",
		"reentrency ":                           "2.2 3.2 (reentrancy)",
		"tarnsient ":                            "2.0 3.0 (transient)",
		"statusfinal ":                          "",
		"storage status:draft":                  "2.1",
		"storage status:draft status:withdrawn": "2.1 3.1",
		"type:core status:final":                "1.0",
		`author:"Ada Lovelace" blob`:            "1.1",
		"status:unheard-of storage":             "",
		"手数料":                                   "5.1",
		`"base fee"`:                            "1.0 2.2",
		`"fee base"`:                            "",
		`“base fee”`:                            "1.0 2.2",
		`„Base Fees“ blob`:                      "1.1 2.2",
		`«the base fee of blobs» elsewhere`:     "2.2",
		`"the base f`:                           "2.2",
		`"the base fe `:                         "",
		`"base" fee`:                            "1.0 2.2",
		`"trans"`:                               "",
		`"reentrency"`:                          "",
		`"getproof"`:                            "",
		`"eth_getProof returns"`:                "4.1",
		`"getproof returns"`:                    "",
		`"proof precompile, 0x0b"`:              "4.1",
		`"lock against" "costs little"`:         "2.2 3.2",
		`"lock against" "gone after"`:           "",
		`"lock against" status:draft`:           "2.2",
		`"transient storage"`:                   "2.1 3.1",
		`"手数料を"`:                                "5.1",
		`storage ""`:                            "2.1 3.1",
		`storage "`:                             "2.1 3.1",
		`"storage status:draft"`:                "",
		`"" “” «`:                               "",
		"":                                      "",
	} {
		a := x.ask(t, question)
		var got []string
		for _, f := range a.Found {
			got = append(got, fmt.Sprintf("%s.%d", x.Proposals[f.Proposal], x.where(t, f, a.Terms)))
		}
		for _, word := range slices.Sorted(maps.Values(a.Instead)) {
			got = append(got, "("+word+")")
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q finds %s, want %s", question, s, want)
		}
	}
}

// TestBest checks that the section with the phrases is shown, or else the one with most of the
// words.
func TestBest(t *testing.T) {
	all := Texts{Sections: []SectionText{
		{"", "", "All of it."}, {"s-1", "One", "The base fee burns."},
		{"s-2", "Auction", "A market has a base price, and there is no fee."},
		{"s-3", "", "Fee and fee, and a feed."},
	}}
	for asked, want := range map[string]string{
		"base fee,base,fee,auction,market": "s-1", "base,fee,auction,market": "s-2",
		"base fee*,base,fee,fee*": "s-1", "fee,fee*,base": "s-1", "fee": "s-3",
		"auction,fee": "s-2", "x": "", "": "",
	} {
		if got := all.Best(strings.Split(asked, ",")).ID(); got != want {
			t.Errorf("%s: %q, want %q", asked, got, want)
		}
	}
}

// TestMostWords searches for the limit of words, parts of identifiers and phrases, and lists those
// beyond it.
func TestMostWords(t *testing.T) {
	all := []Proposal{{Title: "Storage",
		Sections: []Section{{"s", "A", "A base fee of gas is what a blob has, and eth_getProof."}}}}
	x := newMade(all, "d")
	// some returns n words that no text contains.
	some := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "q%cx ", 'a'+i)
		}
		return b.String()
	}
	for question, want := range map[string]string{
		"":                                        "0 []",
		"storage ":                                "1 []",
		some(15) + "storage ":                     "1 []",
		some(16) + "storage ":                     "0 [storage]",
		some(16) + "storage gas storage q":        "0 [storage gas]",
		strings.Repeat("storage ", 40):            "1 []",
		"no_gas " + strings.Repeat("bb22", 7):     "1 []",
		strings.Repeat("bb22", 7) + " no_bb_gas ": "0 [no_bb_gas]",
		strings.Repeat("bb22", 7) + " no_bb_gas no_gas ":       "1 [no_bb_gas]",
		`"base fee" "of gas" "a blob" "eth_getproof"`:          "1 []",
		`"base fee" "of gas" "is what" "blob has" "base fee" `: "1 []",
		`"base fee" "of gas" "is what" "blob has" "gas fee" "fee gas" "gas fee" `: "1 " +
			"[gas fee fee gas gas fee]",
		`"` + some(18) + `"`:             "0 []",
		`"` + some(16) + `" storage `:    "0 [storage]",
		strings.Repeat(`"storage" `, 30): "1 []",
	} {
		a := x.ask(t, question)
		if got := fmt.Sprint(len(a.Found), " ", a.Ignored); got != want {
			t.Errorf("%q finds %s, want %s", question, got, want)
		}
	}
}

// TestPhraseIsBounded reads no more parts of texts than the limit, and reports when there are more.
func TestPhraseIsBounded(t *testing.T) {
	for _, tt := range []struct {
		all, having, found int
		partial            bool
	}{{10, 0, 0, false}, {10, 2, 2, false}, {mostRead, limit, limit, false},
		{10, limit + 1, limit, true}, {mostRead + 1, 1, 0, true}} {
		var all []Proposal
		for i := range tt.all {
			text := "A base is no fee."
			if i >= tt.all-tt.having {
				text = "A base fee is one."
			}
			all = append(all, Proposal{Sections: []Section{{"", "A", text}}})
		}
		a := newMade(all, strings.Repeat("d", tt.all)).ask(t, `"base fee"`)
		if len(a.Found) != tt.found || a.Partial != tt.partial {
			t.Errorf("%+v: %d found, partial %t", tt, len(a.Found), a.Partial)
		}
	}
}

// TestPhraseAnywhere finds a phrase where its words are fewest: in a part of a long text to which
// none of its words leads.
func TestPhraseAnywhere(t *testing.T) {
	long := Proposal{}
	for i := range 8 {
		text := "A base for no fee, a base for no fee. " + strings.Repeat("It goes on. ", 400)
		if i == 6 {
			text = "A base fee. " + strings.Repeat("It goes on. ", 400)
		}
		long.Sections = append(long.Sections, Section{"s", "A", text})
	}
	short := Proposal{Sections: []Section{{"s", "A", "The base fee."}}}
	for want, all := range map[string][]Proposal{"[{1 0 1} {0 7 1}] false": {long, short},
		"[{23 0 1}] true": append(slices.Repeat([]Proposal{long}, 23), short)} {
		a := newMade(all, strings.Repeat("d", len(all))).ask(t, `"base fee"`)
		for i := range a.Found {
			a.Found[i].Score = min(a.Found[i].Score, 1)
		}
		if got := fmt.Sprint(a.Found, a.Partial); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestShardIsReadWithItsList reads a shard that two builds share, with each build's numbers of
// parts: the code of the fourth of five parts is the code of the fifth of six.
func TestShardIsReadWithItsList(t *testing.T) {
	var e encoder
	e.list([]hit{{0, 3, some}}, false, 2, []int{5})
	s := &Shard{Version: Version, Terms: "Afee", Among: 2, Postings: e.String()}
	for parts, want := range map[int]int{5: 3, 6: 4} {
		m := &Manifest{Version: Version, Proposals: []string{"1"}, Stages: "d", Parts: []int{parts},
			Shards: []Part{{"fee", "x"}}}
		a, err := Search(m, &made{Manifest: *m, shards: map[string]*Shard{"x": s}}, Parse("fee "),
			limit)
		if err != nil || len(a.Found) != 1 || a.Found[0].Part != want {
			t.Errorf("of %d parts %+v, error %v; want the one behind %d", parts, a.Found, err, want)
		}
	}
}

// TestDamagedShardIsBounded decodes lists that take no bits.
func TestDamagedShardIsBounded(t *testing.T) {
	parts := make([]int, 1000)
	var e encoder
	for range 10_000 {
		e.count(len(parts) - 1)
	}
	table := NewTable(&Shard{Terms: "Aa:" + strings.Repeat("C", 9_999), Among: len(parts),
		Postings: e.String()}, parts)
	n := 0
	for _, hits := range table.hits {
		n += len(hits)
	}
	if most := 8*len(e.bytes) + 65*len(parts); n > most {
		t.Errorf("%d hits, want %d at most", n, most)
	}
}

// TestUnknownFilters checks the known values listed for an unknown one.
func TestUnknownFilters(t *testing.T) {
	a := newMade(few(), "fdsff").ask(t, "storage status:finish status:draft type:x kind:mip")
	got, want := fmt.Sprint(a.Unknown),
		"[{status:finish [draft final withdrawn]} {type:x [core interface]} {kind:mip []}]"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestShardsStay changes a sentence in one of 400 proposals: few shards change, and each is small.
func TestShardsStay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		n := int(2000 * r.Float64() * r.Float64() * r.Float64())
		return fmt.Sprintf("%c%cw%d", 'a'+n%26, 'a'+n/26%26, n)
	}
	var all []Proposal
	for range 400 {
		var p Proposal
		for range 6 {
			var b strings.Builder
			for range 120 {
				b.WriteString(word() + " ")
			}
			p.Sections = append(p.Sections, Section{"", word(), b.String()})
		}
		all = append(all, p)
	}
	before := shardsOf(all)
	all[200].Sections = slices.Clone(all[200].Sections)
	_, rest, _ := strings.Cut(all[200].Sections[3].Text, " ")
	all[200].Sections[3].Text = "written " + rest
	after := shardsOf(all)
	changed := 0
	for _, s := range after {
		if !slices.Contains(before, s) {
			changed++
		}
		if size := len(s.Terms) + len(s.Postings); size > 2*most {
			t.Errorf("a part has %d bytes", size)
		}
	}
	// The removed word has three terms, the new one has one.
	if len(before) < 20 || len(after) != len(before) || changed > 4 {
		t.Errorf("%d of %d parts changed, %d before", changed, len(after), len(before))
	}
}

// TestFilesStay changes, adds and removes one part among a thousand: few files change, and each is
// bounded.
func TestFilesStay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	part := func() []byte {
		b := make([]byte, 20+r.IntN(3000))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	var parts [][]byte
	for range 1000 {
		parts = append(parts, part())
	}
	join := func(parts [][]byte) (files []string) {
		for _, file := range FilesOf(parts, MostOfFile) {
			files = append(files, string(bytes.Join(file, nil)))
		}
		return files
	}
	before := join(parts)
	if len(before) < 60 || strings.Join(before, "") != string(bytes.Join(parts, nil)) {
		t.Fatalf("%d files, or not with all parts in order", len(before))
	}
	for at := 0; at < len(parts); at += 100 {
		for name, changed := range map[string][][]byte{
			"changed": slices.Replace(slices.Clone(parts), at, at+1, part()),
			"added":   slices.Insert(slices.Clone(parts), at, part()),
			"removed": slices.Delete(slices.Clone(parts), at, at+1),
		} {
			n := 0
			for _, file := range join(changed) {
				if !slices.Contains(before, file) {
					n++
				}
				if len(file) > MostOfFile {
					t.Errorf("a file has %d bytes", len(file))
				}
			}
			if n > 5 {
				t.Errorf("part %d %s: %d of %d files changed", at, name, n, len(before))
			}
		}
	}
	for _, n := range []int{0, 1, MostOfFile, MostOfFile + 1} {
		files := FilesOf([][]byte{make([]byte, n), {1}}, MostOfFile)
		if want := 1 + n/MostOfFile; len(files) != want {
			t.Errorf("a part of %d bytes and one of one are in %d files, want %d", n, len(files),
				want)
		}
	}
}

// TestUnpackRefuses reads what is no packed part.
func TestUnpackRefuses(t *testing.T) {
	part, err := NewPacker().Pack(Texts{Sections: []SectionText{{"", "", "One"}}})
	if err != nil {
		t.Fatal(err)
	}
	last := len(part) - 1
	got, err := Unpack(part, Range(0, last), 1000)
	if err != nil || !strings.Contains(string(got), "One") {
		t.Errorf("%s, %v", got, err)
	}
	for of, file := range map[string][]byte{
		Range(0, last+1): part, Range(-1, last): part, Range(1, 0): part, Range(1, last): part,
		Range(0, last-1): part, "": part, "bytes=0": part, "0-9": part, Range(0, 0): nil,
		Range(0, 5): []byte("<html>"),
	} {
		if got, err := Unpack(file, of, 1000); err == nil {
			t.Errorf("%q of %d bytes is %s, want an error", of, len(file), got)
		}
	}
	if got, err := Unpack(part, Range(0, last), 20); err == nil {
		t.Errorf("%s, want that it is too large", got)
	}
}

// TestHostileTexts indexes unlikely texts.
func TestHostileTexts(t *testing.T) {
	var distinct strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&distinct, "w%dx ", i)
	}
	x := newMade([]Proposal{
		{Title: strings.Repeat("blob ", 200_000),
			Sections: []Section{{"", "A", strings.Repeat("blob ", 1_000_000)}}},
		{Sections: []Section{{"", "B", distinct.String()},
			{"", strings.Repeat("[", 10_000),
				strings.Repeat("<!--", 100_000) + strings.Repeat("](", 100_000)}}},
		{Sections: []Section{{"", "C", strings.Repeat("k", 10_000) + " \u202e\u200b\u2066 " +
			strings.Repeat("_", 100_000) + strings.Repeat("aB", 16)}}},
		{Sections: slices.Repeat([]Section{{"", "D", "one more"}}, 20_000)},
	}, "ffff")
	for question, want := range map[string]int{"blob": 1, "w199999x": 1, "w": 0, "more": 1,
		strings.Repeat("k", 10_000): 0, strings.Repeat("blob more ", 1000): 2,
		strings.Repeat(`"`, 400): 0} {
		if got := len(x.ask(t, question).Found); got != want {
			t.Errorf("%.20q finds %d, want %d", question, got, want)
		}
	}
}
