package ai

import (
	"errors"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// named returns a proposal whose text has the names that these tests let a model use.
func named() *mip.Proposal {
	p := lamp()
	p.Frontmatter["replaces"] = "4844"
	p.Created = mip.Date{Year: 2026, Month: 3, Day: 7}
	p.Sections = append(p.Sections, mip.Section{
		ID: "s-names", Level: 2, Title: "Names", Markdown: "## Names\n\n" +
			"It costs 20,000 gas at 1.5 gwei, or 12345678 in two blocks; see `eip-1559.md`, " +
			"msg.sender, **block.timestamp** and tx\\.origin.\n" +
			"Release v1.2 of Node.js stands at github.com/lamps/lamp, with 0xDEAD00 and " +
			"1\\_024 bytes, 1&nbsp;000 times, 10<sup>18</sup> and 2^16.\n" +
			"Ask lamps@lamps.org about the EVM and Solidity.\n",
	})
	return p
}

// foreign are words that lead a reader away or are figures. No proposal of these tests has them.
func foreign() map[string]string {
	return map[string]string{
		"number":                     "The reward is 9999 tokens.",
		"number in groups":           "The reward is 9,999 tokens.",
		"number in other groups":     "The reward is 9.999 or 9’999 or 9_999 tokens.",
		"fraction":                   "The fee is 3.25 tokens.",
		"fraction of the text's":     "The fee is 15 gwei.",
		"part of the text's number":  "The fee is 345 gwei.",
		"year":                       "It starts in 2031.",
		"block":                      "Pay by block 98765.",
		"percent":                    "Pay 37% of it.",
		"full-width digits":          "The reward is ９９９９ tokens.",
		"Arabic digits":              "The reward is ٩٩٩٩ tokens.",
		"mathematical digits":        "The reward is 𝟗𝟗𝟗𝟗 tokens.",
		"raised digits":              "The reward is 10⁹ tokens.",
		"number as one character":    "The reward is ⑨ tokens, or ½, or Ⅷ.",
		"hexadecimal":                "Send it to 0xdeadbeef.",
		"long word":                  "Send it to bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq.",
		"number beside letters":      "Send 77eth or x99y.",
		"escaped number":             "Send 9&#57;99 or 9\\,999 tokens.",
		"host":                       "Visit evil.example to claim.",
		"host with a path":           "Visit evil.example/claim to claim.",
		"host in capitals":           "Visit EVIL.Example now.",
		"short host":                 "Visit t.me/lamps now.",
		"another host of the text's": "Visit evil.lamps.org or lamps.org.evil.example now.",
		"another path of a host":     "Visit github.com/evil now.",
		"host with a port":           "Visit evil.example:8080 now.",
		"host after ideographs":      "请访问evil.example领取。",
		"ideographic dot":            "Visit evil。example now.",
		"full-width dot":             "Visit evil．example now.",
		"half-width dot":             "Visit evil｡example now.",
		"one dot leader":             "Visit evil․example now.",
		"small dot":                  "Visit evil﹒example now.",
		"full-width host":            "Visit ｅｖｉｌ．ｅｘａｍｐｌｅ now.",
		"other letters":              "Visit пример.рф now.",
		"other letters, wide dot":    "Visit пример。рф now.",
		"letters that look alike":    "Visit еvil.example now.",
		"punycode":                   "Visit evil.xn--p1ai now.",
		"host under marks":           "Visit evil.**example** or `evil`.example now.",
		"escaped host":               "Visit evil\\.example now.",
		"host as an entity":          "Visit evil&#46;example now.",
		"host with a joiner":         "Visit evil\u200d.example now.",
		"file":                       "Run install.sh now.",
		"mail":                       "Write to claim@evil.example now.",
		"mail without a host":        "Write to claim@evil now.",
		"full-width mail":            "Write to claim＠evil now.",
		"letter of another script":   "Visit evil.cоm now.",
		"first of another script":    "Visit evil.сom now.",
		"letters of Greek":           "Visit evil.cοm now.",
		"letter with an accent":      "Visit evil.cóm or evil.hé now.",
		"double-struck letters":      "Visit evil.ℂom now.",
		"letters of mathematics":     "Visit 𝖾𝗏𝗂𝗅.𝖼𝗈𝗆 now.",
		"letters in circles":         "Visit ⓔⓥⓘⓛ.ⓒⓞⓜ now.",
		"one character for some":     "Visit evil.㏇m now.",
		"word of two scripts":        "Claim at Uniswаp now.",
		"this machine":               "Visit localhost/claim now.",
		"this machine, by number":    "Visit [::1]/claim now.",
		"host without a dot":         "Visit //evil/claim now.",
		"dot in brackets":            "Visit evil[.]example now.",
		"dot in round brackets":      "Visit evil(.)com now.",
		"dot in braces":              "Visit evil{.}com or evil [.] com now.",
		"dot in full-width brackets": "Visit evil［．］com now.",
		"dot in quotes":              "Visit evil'.'com now.",
		"dot behind a blank":         "Visit evil .com or evil dot com now.",
		"comma for a dot":            "Visit evil,com now.",
		"two dots":                   "Visit evil..com now.",
		"dot before a blank":         "Visit evil. com now.",
		"punycode alone":             "Visit xn--evl-qma now.",
		"dot as a word":              "Visit evil(dot)com or evil [dot] com now.",
		"at as a word":               "Write to claim[at]evil or claim (at) evil now.",
		"hyphenation point":          "Visit evil‧com now.",
		"dot in the middle":          "Visit evil·com now.",
		"bullet":                     "Visit evil•com now.",
		"operator":                   "Visit evil∙com or evil⋅com now.",
		"dot of Katakana":            "Visit evil・com or evil･com now.",
		"dot of Greek":               "Visit evil\u0387com now.",
		"dots of ink":                "Visit evil●com or evil◦com or evil⚫com now.",
		"marks":                      "Lamps l" + strings.Repeat("\u0301", 5) + "ight.",
		"300 marks":                  "Lamps l" + strings.Repeat("\u0489", 300) + "ight.",
	}
}

// A model that obeys a proposal cannot bring a figure or an address into any text of a summary
// unless the proposal has it.
func TestSummaryMentions(t *testing.T) {
	for name, text := range foreign() {
		for place, spoil := range map[string]func(a map[string]any){
			"tldr": func(a map[string]any) { a["tldr"] = text },
			"whatsChanging": func(a map[string]any) {
				a["whatsChanging"] = []string{"One.", "Two.", text}
			},
			"impact": func(a map[string]any) {
				a["developers"].(map[string]any)["impact"] = text
			},
		} {
			a := answer()
			spoil(a)
			s := summary.Subject{Proposal: named(), Now: noon}
			sum, err := Summarise(t.Context(), &canned{text: encode(t, a)}, s, "en")
			want := errFailed
			if strings.Contains(text, "\u200d") {
				want = errUnreadable // like every hidden character
			}
			if !errors.Is(err, want) || sum.TLDR != "" {
				t.Errorf("%s in %s: %q came through (%v)", name, place, text, err)
			} else if strings.Contains(err.Error(), text) {
				t.Errorf("%s: the error repeats it: %v", name, err)
			}
		}
	}
}

// Names in the text may be used, in the forms of each language.
func TestSummaryMayMention(t *testing.T) {
	for _, text := range []string{
		"It costs 20,000 gas.", "It costs 20000 gas.", "Es kostet 20.000 Gas.",
		"Il coûte 20\u202f000 gas.", "它需要20000 gas。", "يكلف ٢٠٠٠٠.", "它需要２００００。",
		"It costs 1.5 gwei.", "Es kostet 1,5 Gwei.",
		"It lasts 12,345,678 gas, or 12 345 678, or 12\u00a0345\u00a0678.",
		"It takes 2 blocks.", "It is the 1st.", "1024 bytes, or 1,024.", "1000 times.",
		"10^18 or 10¹⁸.", "MIP-6 replaces 4844.", "Created on 7 March 2026, in 2026-03.",
		"See eip-1559.md.", "EIP-1559 is known.",
		"It reads msg.sender, block.timestamp and tx.origin.", "它读取msg.sender和`tx.origin`。",
		"Release v1.2 of Node.js.", "At github.com/lamps/lamp.",
		"It is 0xdead00.", "Ask lamps@lamps.org.", "It is faster, e.g. in the U.S., i.e. there.",
		"z.B. so, т.е. так.", "支持EVM。Solidity也支持。", "灯更亮。更亮。",
		"Tiếng Việt, e\u0302\u0301.", "Lamps... and lamps…",
	} {
		a := answer()
		a["developers"].(map[string]any)["impact"] = text
		s := summary.Subject{Proposal: named(), Now: noon}
		if _, err := Summarise(t.Context(), &canned{text: encode(t, a)}, s, "en"); err != nil {
			t.Errorf("%q is refused: %v", text, err)
		}
	}
}

// A translation has no names that its passage lacks, and usual forms of other languages are no
// addresses.
func TestTranslationMentions(t *testing.T) {
	for name, text := range foreign() {
		s, g := only("%s", "Lamps are bright, says the EVM, msg.sender and nobody else.")
		if got, f := s.check(g, "EVM msg.sender "+text, "ABCDEFGHIJ"); f == noFault {
			t.Errorf("%s: %q came through", name, got)
		}
	}
	for source, text := range map[string]string{
		"The EVM runs it. Solidity compiles it.":      "它由EVM。Solidity编译它。",
		"Nodes read msg.sender there. Others do not.": "节点读取msg.sender。其他的不读。",
		"It is bright. Then it is not.":               "明るい。そして暗い。",
		"See Node.js at github.com/lamps/lamp.":       "Siehe Node.js bei github.com/lamps/lamp.",
		"It uses two lamps, e.g. here.":               "Es braucht 2 Lampen, z.B. hier.",
		"It takes 1.5 s in v1.2.":                     "Es dauert 1.5 s in v1.2.",
		"It costs gas and/or time.":                   "Cuesta gas y/o tiempo.",
		"The EVM is collective.":                      "L'EVM és col·lectiva, intel·ligent.",
		"The EVM is fast.": "EVM은 빠르고, הEVM מהיר, " +
			"EVM-а быстра, EVM·fast.",
		"It takes 5 µs (ΔT).":        "Es dauert 5 μs (ΔT), λ ist frei.",
		"Fields are “a.b” (dotted).": "Felder sind „a.b“ (punktiert).",
		"Vietnamese is fine.":        "Tie\u0302\u0301ng Vie\u0302\u0323t.",
	} {
		s, g := only("%s", source)
		if _, f := s.check(g, text, "ABCDEFGHIJ"); f != noFault {
			t.Errorf("%q translated as %q %s", source, text, f)
		}
	}
}
