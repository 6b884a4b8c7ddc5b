package requirement

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// find returns the requirements of a text, one per line: level, section, lead, sentence, items.
func find(text string) (out []string) {
	for _, r := range Find(markdown.Parse(text).Sections) {
		line := fmt.Sprintf("%s %s: %s", strings.Join(r.KeyWords, " + "),
			strings.TrimPrefix(strings.TrimPrefix(r.Section, "s-"), "text"), r.Text)
		if r.Context != "" {
			line += " < " + r.Context
		}
		out = append(out, strings.Join(append([]string{line}, r.Items...), " > "))
	}
	return out
}

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"every key word",
			"## Lamps\n\nA lamp MUST glow. It is REQUIRED to be red. It SHALL hum. A lamp MUST " +
				"NOT, and SHALL NOT, flicker. " +
				"A lamp SHOULD last.\nA dark lamp is NOT RECOMMENDED, a blue one is RECOMMENDED, " +
				"and SHOULD NOT fade.",
			[]string{
				"MUST lamps: A lamp MUST glow.",
				"REQUIRED lamps: It is REQUIRED to be red. < A lamp MUST glow.",
				"SHALL lamps: It SHALL hum. < It is REQUIRED to be red.",
				"MUST NOT + SHALL NOT lamps: A lamp MUST NOT, and SHALL NOT, flicker.",
				"SHOULD lamps: A lamp SHOULD last.",
				"NOT RECOMMENDED + RECOMMENDED + SHOULD NOT lamps: A dark lamp is NOT " +
					"RECOMMENDED, a " +
					"blue one is RECOMMENDED, and SHOULD NOT fade.",
			}},
		{"words that are none",
			"A lamp must glow, MAY hum and MUSTARD is no key word, nor is A_MUST_B. OPTIONAL " +
				"parts.",
			nil},
		{"marks within",
			"A lamp **MUST** _NOT_ [burn](#x \"y\") and **SHOULD\nNOT** smoke.[^1]\n\n[^1]: A " +
				"note MUST be read.",
			[]string{
				"MUST NOT + SHOULD NOT : A lamp MUST NOT burn and SHOULD NOT smoke.",
				"MUST : A note MUST be read.",
			}},
		{"code, headings, HTML",
			"# A title MUST\n\nThe name `MUST_X`, ``a ` MUST``.\n\n```\nMUST\n```\n\n    " +
				"MUST\n\n<p>\nMUST\n</p>\n\n<!-- MUST -->\n\n$$\nMUST\n$$\n",
			nil},
		{"sentences about key words",
			"> The key words \"MUST\", \"MUST NOT\",\n> \"REQUIRED\" and SHOULD are to be " +
				"interpreted as described in RFC 2119 and RFC 8174.\n\n" +
				"Avoid RFC 2119 keywords (SHOULD and so on) here. “MUST” is a word, and 'SHOULD " +
				"NOT' another.",
			nil},
		{"code beside it", "The `stack `MUST grow, `a`/`b` too. It MUST `a` NOT shrink.", []string{
			"MUST : The `stack`MUST grow, `a`/`b` too.",
			"MUST : It MUST `a` NOT shrink. < The `stack`MUST grow, `a`/`b` too.",
		}},
		{"a standard that binds", "Clients MUST follow RFC 2119.",
			[]string{"MUST : Clients MUST follow RFC 2119."}},
		{"a list's lead",
			"A lamp MUST:\n\n- glow\n- hum, of which:\n  - one MUST be low\n  - one is high\n- " +
				"NOT be a `MUST`\n",
			[]string{
				"MUST : A lamp MUST: > glow > hum, of which: > one is high > NOT be a `MUST`",
				"MUST : one MUST be low < hum, of which:",
			}},
		{"items",
			"Lamps:\n\n1. MUST glow. This SHOULD last.\n\n   All of it MUST be seen.\n2. are " +
				"red\n\nThey MUST go.",
			[]string{
				"MUST : MUST glow. < Lamps:",
				"SHOULD : This SHOULD last. < MUST glow.",
				"MUST : All of it MUST be seen.",
				"MUST : They MUST go. < Lamps:",
			}},
		{"an item below one", "- `glow`\n  - MUST be a number\n  - Lamps MUST have it\n", []string{
			"MUST : MUST be a number < `glow`", "MUST : Lamps MUST have it",
		}},
		{"tasks and quotes", "- [ ] Lamps MUST glow\n\n> Lamps SHOULD hum.\n",
			[]string{"MUST : Lamps MUST glow", "SHOULD : Lamps SHOULD hum."}},
		{"a table",
			"| Lamp | Rule |\n|--|--|\n| red | MUST glow. It SHOULD hum |\n| blue | none |\n",
			[]string{
				"MUST + SHOULD : red | MUST glow. It SHOULD hum < Lamp | Rule",
			}},
		{"of another section's link",
			"## A\n\nLamps MUST [glow].\n\n## B\n\n[glow]: https://glow.example\n",
			[]string{"MUST a: Lamps MUST glow."}},
		{"no sentence before", "## A\n\nDark.\n\n## B\n\nIt MUST glow.\n",
			[]string{"MUST b: It MUST glow."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, find(tt.text)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// An id is stable while the words are, wherever the sentence is and whatever its marks are, and no
// two are equal.
func TestIDs(t *testing.T) {
	ids := func(text string) (out []string) {
		for _, r := range Find(markdown.Parse(text).Sections) {
			out = append(out, r.ID)
		}
		return out
	}
	first := ids("## A\n\nLamps MUST glow. Lamps SHOULD hum. Lamps MUST glow.\n")
	if first[0]+"-2" != first[2] {
		t.Errorf("a sentence that stands there twice has the ids %v", first)
	}
	moved := ids(
		"New words. Lamps **SHOULD**\nhum!\n\n## B\n\n- Lamps, MUST " +
			"[glow](https://glow.example)\n- Lamps MUST glow well\n")
	if moved[0] != first[1] || moved[1] != first[0] || moved[2] == first[0] {
		t.Errorf("ids %v became %v", first, moved)
	}
}

// Whatever the text is, a requirement has a key word, a section of the text, a unique id and no nil
// slice.
func FuzzFind(f *testing.F) {
	f.Add(
		"A lamp MUST:\n\n- glow\n  - SHOULD hum\n\n| a MUST | b |\n|--|--|\n| `SHALL` | \"MUST\" " +
			"|\n\n[^1]: MUST")
	f.Fuzz(func(t *testing.T, text string) {
		trial, refused := markdown.Check(text)
		if trial != (markdown.Trial{}) || refused != nil || strings.Contains(text, "\r") {
			t.Skip("not published as it is")
		}
		sections := markdown.Parse(text).Sections
		known, taken := map[string]bool{}, map[string]bool{}
		for _, s := range sections {
			known[s.ID] = true
		}
		found := Find(sections)
		if len(found) > 0 && !Mentioned(text) {
			t.Error("requirements, but no key word is mentioned")
		}
		for _, r := range found {
			if len(r.KeyWords) == 0 || !known[r.Section] || taken[r.ID] || r.Items == nil ||
				r.Level != mip.Must && r.Level != mip.Should {
				t.Errorf("%q: %+v", text, r)
			}
			taken[r.ID] = true
		}
	})
}

// Mentioned finds the same as the expression of key words.
func FuzzMentioned(f *testing.F) {
	for _, text := range []string{"MUST", "MUSTARD", "A_MUST", "MUSTMUST MUST", "xSHALL SHALL",
		"NOT RECOMMENDED", "éMUST", "MUST9", "SHOULD\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := Mentioned(text), keyWord.MatchString(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	})
}
