package mip_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// TestOneLine tries every character of Unicode alone between Latin letters, and compares with the
// expected visible text.
func TestOneLine(t *testing.T) {
	for c := rune(1); c <= unicode.MaxRune; c++ {
		if !utf8.ValidRune(c) {
			continue
		}
		hidden := unicode.IsControl(c) ||
			unicode.In(c, unicode.Zl, unicode.Zp, unicode.Co, unicode.Variation_Selector,
				unicode.Join_Control, unicode.Other_Default_Ignorable_Code_Point,
				unicode.Noncharacter_Code_Point) || unicode.Is(unicode.Cf, c) &&
			!unicode.Is(unicode.Prepended_Concatenation_Mark, c)
		hidden = hidden || c == 0x2800 || c == 0xFFFC || c == 0x1D159 || c == 0x16FE4 ||
			0x13441 <= c && c <= 0x13446
		line := mip.OneLine("ga" + string(c) + "s")
		want := "ga" + string(c) + "s"
		if hidden == (line == want) || hidden && line != "gas" && line != "ga s" {
			t.Errorf("%U: %q", c, line)
		}
	}
	for name, s := range map[string]string{
		"Persian":               "می\u200cخواهم",
		"Persian plural":        "API\u200cهای جدید و «API»\u200cها",
		"an initial form alone": "سال ۱۴۰۰ ه\u200d.ش",
		"Hindi":                 "क्\u200dष क्\u200cष",
		"Sinhala":               "ශ්\u200dරී ලංකා",
		"Mongolian":             "ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ ᠨ\u180eᠠ ᠭ᠋",
		"Hebrew":                "שלום עולם",
		"a family": "👨\u200d👩\u200d👧 and 🧑🏽\u200d🤝\u200d🧑🏻 and 👁️\u200d🗨️ and " +
			"🏳️\u200d⚧️ and 🙂\u200d↔️",
		"styles": "⚠️ ❤︎ ☎️ ‼️ 1️⃣ #️⃣ ©️",
		"flags": "🇫🇷 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f " +
			"🏴\u200d☠️",
		"variants of ideographs": "葛󠄀城市 and 辻󠄁",
		"a slashed union":        "A ∩︀ B",
		"an Arabic number":       "\u0600١٢٣ \u06dd",
		"marks":                  "cafe\u0301 and Z͑algo",
		"a blank that is wide":   "東京　大阪 and 10\u00a0000",
	} {
		if line := mip.OneLine(s); line != s {
			t.Errorf("%s: %q of %q", name, line, s)
		}
	}
	for s, want := range map[string]string{
		" Last\t \nCall ":         "Last Call",
		"Gas\u3164 \u2800limit":   "Gas limit",
		"a\u200cb ا\u200c\u200cب": "ab ا\u200cب",
		"👨\u200d \u200d👩":         "👨 👩",
		"❤\ufe0f\ufe0f1\ufe0f2":   "❤\ufe0f12",
		"葛\U000E01EF":             "葛",
		"🏴\U000E0067\U000E0062\U000E0068\U000E0061\U000E0063\U000E006B\U000E007F": "🏴",
		"ᠠ\u180e\u180eᠠ": "ᠠᠠ",
		"ក\u17b4\u200dx": "កx",
		"क\u3164\u200c":  "क",
	} {
		if line := mip.OneLine(s); line != want {
			t.Errorf("%+q: %+q, want %+q", s, line, want)
		}
	}
}

// TestEscape covers a terminal, which interprets some characters.
func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"a: \"ö\" 日本語 👩\u200d👧\tb\nc":      "a: \"ö\" 日本語 👩\u200d👧\tb\nc",
		"a\x1b[2Jb\rc\u009bd":              `a\x1b[2Jb\rc\u009bd`,
		"a\u202eb\u2028c\U000E0041d\ufe0f": `a\u202eb\u2028c\U000e0041d\ufe0f`,
		"a\x9bb":                           "a\ufffdb",
	} {
		if got := mip.Escape(in); got != want {
			t.Errorf("%q is written %q, want %q", in, got, want)
		}
	}
}

// FuzzOneLine checks that OneLine is idempotent, and that escaped text contains nothing hidden.
func FuzzOneLine(f *testing.F) {
	f.Add("👨\u200d\U000E0067👩 \xff\u2800 \n a\ufe0f\u200d❤")
	f.Fuzz(func(t *testing.T, s string) {
		line := mip.OneLine(s)
		if c, class := mip.Hidden(line); class != mip.Visible {
			t.Errorf("%+q holds %U: %s", line, c, class)
		}
		if mip.OneLine(line) != line || strings.Trim(line, " ") != line || !utf8.ValidString(line) {
			t.Errorf("%+q is read as %+q", line, mip.OneLine(line))
		}
		if text := strings.NewReplacer("\n", "", "\t", "").Replace(s); utf8.ValidString(s) {
			if c, class := mip.Hidden(mip.Escape(text)); class != mip.Visible {
				t.Errorf("%+q holds %U", mip.Escape(text), c)
			}
		}
	})
}
