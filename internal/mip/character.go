package mip

import (
	"strings"
	"unicode"
)

// Class classifies how a character appears to a reader.
type Class string

// Classes of characters that programs interpret and readers cannot see.
const (
	Visible   Class = ""
	LineBreak Class = "a line break"
	Control   Class = "a control character"
	Direction Class = "a character that changes the direction of text"
	Invisible Class = "an invisible character"
)

// classOf returns the class of c, given its neighbors; before is visible.
func classOf(before, c, after rune) Class {
	switch {
	case c == '\n' || c == 0x2028 || c == 0x2029:
		return LineBreak
	case unicode.IsControl(c):
		return Control
	case unicode.Is(unicode.Bidi_Control, c):
		return Direction
	case !ignorable(c):
		return Visible
	case unicode.Is(unicode.Join_Control, c) && joins(before, c, after),
		unicode.Is(unicode.Variation_Selector, c) && varies(before, c, after),
		c == mongolianVowelSeparator && isMongolian(before) && isMongolian(after):
		return Visible
	}
	return Invisible
}

const mongolianVowelSeparator = 0x180E

// isMongolian reports a Mongolian letter: it may have variants, and may be separated from a
// following vowel.
func isMongolian(c rune) bool { return unicode.Is(unicode.Mongolian, c) && unicode.IsLetter(c) }

// ignorable reports a character that is drawn as nothing, alone or after any other. Format
// characters that precede a number and enclose it are drawn.
func ignorable(c rune) bool {
	return unicode.In(c, unicode.Cf, unicode.Co, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector, unicode.Noncharacter_Code_Point, inkless) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, c)
}

// inkless are the letters, marks and symbols of Unicode that have no ink: the blank Braille
// pattern, the object replacement character, the null notehead, the Khitan fillers and the Egyptian
// blanks.
var inkless = &unicode.RangeTable{
	R16: []unicode.Range16{{0x2800, 0x2800, 1}, {0xFFFC, 0xFFFC, 1}},
	R32: []unicode.Range32{{0x13441, 0x13446, 1}, {0x16FE4, 0x16FE4, 1}, {0x1D159, 0x1D159, 1}},
}

// isGap reports a hidden character that looks like a blank.
func isGap(c rune) bool {
	return unicode.IsSpace(c) || unicode.Is(gaps, c)
}

// gaps are the Hangul fillers and the inkless characters that have a width.
var gaps = &unicode.RangeTable{
	R16: []unicode.Range16{{0x115F, 0x115F, 1}, {0x2800, 0x2800, 1}, {0x3164, 0x3164, 1},
		{0xFFA0, 0xFFA0, 1}, {0xFFFC, 0xFFFC, 1}},
	R32: []unicode.Range32{{0x13441, 0x13446, 1}, {0x1D159, 0x1D159, 1}},
}

// joins reports a joiner with a visible effect: next to a letter of a script whose letters change
// form when joined, or between two emoji that become one.
func joins(before, c, after rune) bool {
	const zeroWidthJoiner = 0x200D
	switch {
	case unicode.In(before, joined...):
		return true
	case unicode.In(after, joined...) && !ignorable(after):
		// e.g. the Arabic plural of a Latin word
		return !unicode.IsSpace(before) && !ignorable(before)
	}
	// a tone of skin
	drawn := unicode.Is(pictographs, before) || before == emojiStyle ||
		0x1F3FB <= before && before <= 0x1F3FF
	return c == zeroWidthJoiner && drawn && unicode.Is(pictographs, after)
}

// joined are the scripts whose letters change form when joined: the cursive ones, and the Indic
// ones and their neighbors, where a joiner also selects a form.
var joined = []*unicode.RangeTable{
	unicode.Adlam, unicode.Arabic, unicode.Chorasmian, unicode.Hanifi_Rohingya, unicode.Mandaic,
	unicode.Manichaean, unicode.Mongolian, unicode.Nko, unicode.Old_Uyghur, unicode.Phags_Pa,
	unicode.Psalter_Pahlavi, unicode.Sogdian, unicode.Syriac, unicode.Balinese, unicode.Bengali,
	unicode.Bhaiksuki, unicode.Brahmi, unicode.Chakma, unicode.Devanagari, unicode.Dogra,
	unicode.Grantha, unicode.Gujarati, unicode.Gunjala_Gondi, unicode.Gurmukhi, unicode.Javanese,
	unicode.Kaithi, unicode.Kannada, unicode.Kharoshthi, unicode.Khmer, unicode.Khojki,
	unicode.Khudawadi, unicode.Limbu, unicode.Malayalam, unicode.Masaram_Gondi,
	unicode.Meetei_Mayek, unicode.Modi, unicode.Myanmar, unicode.Nandinagari, unicode.Newa,
	unicode.Oriya, unicode.Saurashtra, unicode.Sharada, unicode.Siddham, unicode.Sinhala,
	unicode.Sundanese, unicode.Syloti_Nagri, unicode.Takri, unicode.Tamil, unicode.Telugu,
	unicode.Tirhuta,
}

// emojiStyle selects the colored form of the character before it.
const emojiStyle = 0xFE0F

// varies reports a selector after a character that has variants.
func varies(before, c, after rune) bool {
	const textStyle, keycap = 0xFE0E, 0x20E3
	han := unicode.Is(unicode.Han, before)
	switch {
	case c == textStyle || c == emojiStyle:
		return unicode.Is(pictographs, before) ||
			after == keycap && strings.ContainsRune("#*0123456789", before)
	case 0xFE00 <= c && c <= 0xFE02: // forms of ideographs, of their punctuation, of operators
		return han ||
			unicode.In(before, unicode.Sm, unicode.Myanmar, unicode.Phags_Pa, unicode.Manichaean) ||
			unicode.IsPunct(before) &&
				(0x3000 <= before && before <= 0x303F || 0xFF00 <= before && before <= 0xFF60)
	case 0xE0100 <= c && c <= 0xE011F: // no ideograph has more variants
		return han
	}
	return 0x180B <= c && c <= 0x180F && isMongolian(before)
}

// blackFlag followed by tags is the flag of a country within a state.
const blackFlag = 0x1F3F4

// flagSize returns the length of the subdivision flag at the start of s: England, Scotland and
// Wales have one.
func flagSize(s string) int {
	for _, tags := range []string{"gbeng", "gbsct", "gbwls"} {
		var flag strings.Builder
		flag.WriteString(string(rune(blackFlag)))
		for _, c := range tags + "\x7F" {
			flag.WriteString(string(0xE0000 + c))
		}
		if strings.HasPrefix(s, flag.String()) {
			return len(flag.String())
		}
	}
	return 0
}

// pictographs are the characters of Unicode 17 that are drawn as emoji, or are reserved for them
// (UTS 51, property Extended_Pictographic).
var pictographs = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0xA9, 0xA9, 1}, {0xAE, 0xAE, 1}, {0x203C, 0x203C, 1}, {0x2049, 0x2049, 1},
		{0x2122, 0x2122, 1}, {0x2139, 0x2139, 1}, {0x2194, 0x2199, 1}, {0x21A9, 0x21AA, 1},
		{0x231A, 0x231B, 1}, {0x2328, 0x2328, 1}, {0x23CF, 0x23CF, 1}, {0x23E9, 0x23F3, 1},
		{0x23F8, 0x23FA, 1}, {0x24C2, 0x24C2, 1}, {0x25AA, 0x25AB, 1}, {0x25B6, 0x25B6, 1},
		{0x25C0, 0x25C0, 1}, {0x25FB, 0x25FE, 1}, {0x2600, 0x2604, 1}, {0x260E, 0x260E, 1},
		{0x2611, 0x2611, 1}, {0x2614, 0x2615, 1}, {0x2618, 0x2618, 1}, {0x261D, 0x261D, 1},
		{0x2620, 0x2620, 1}, {0x2622, 0x2623, 1}, {0x2626, 0x2626, 1}, {0x262A, 0x262A, 1},
		{0x262E, 0x262F, 1}, {0x2638, 0x263A, 1}, {0x2640, 0x2640, 1}, {0x2642, 0x2642, 1},
		{0x2648, 0x2653, 1}, {0x265F, 0x2660, 1}, {0x2663, 0x2663, 1}, {0x2665, 0x2666, 1},
		{0x2668, 0x2668, 1}, {0x267B, 0x267B, 1}, {0x267E, 0x267F, 1}, {0x2692, 0x2697, 1},
		{0x2699, 0x2699, 1}, {0x269B, 0x269C, 1}, {0x26A0, 0x26A1, 1}, {0x26A7, 0x26A7, 1},
		{0x26AA, 0x26AB, 1}, {0x26B0, 0x26B1, 1}, {0x26BD, 0x26BE, 1}, {0x26C4, 0x26C5, 1},
		{0x26C8, 0x26C8, 1}, {0x26CE, 0x26CF, 1}, {0x26D1, 0x26D1, 1}, {0x26D3, 0x26D4, 1},
		{0x26E9, 0x26EA, 1}, {0x26F0, 0x26F5, 1}, {0x26F7, 0x26FA, 1}, {0x26FD, 0x26FD, 1},
		{0x2702, 0x2702, 1}, {0x2705, 0x2705, 1}, {0x2708, 0x270D, 1}, {0x270F, 0x270F, 1},
		{0x2712, 0x2712, 1}, {0x2714, 0x2714, 1}, {0x2716, 0x2716, 1}, {0x271D, 0x271D, 1},
		{0x2721, 0x2721, 1}, {0x2728, 0x2728, 1}, {0x2733, 0x2734, 1}, {0x2744, 0x2744, 1},
		{0x2747, 0x2747, 1}, {0x274C, 0x274C, 1},
		{0x274E, 0x274E, 1}, {0x2753, 0x2755, 1},
		{0x2757, 0x2757, 1}, {0x2763, 0x2764, 1},
		{0x2795, 0x2797, 1}, {0x27A1, 0x27A1, 1},
		{0x27B0, 0x27B0, 1}, {0x27BF, 0x27BF, 1},
		{0x2934, 0x2935, 1}, {0x2B05, 0x2B07, 1},
		{0x2B1B, 0x2B1C, 1}, {0x2B50, 0x2B50, 1},
		{0x2B55, 0x2B55, 1}, {0x3030, 0x3030, 1},
		{0x303D, 0x303D, 1},
		{0x3297, 0x3297, 1}, {0x3299, 0x3299, 1},
	},
	R32: []unicode.Range32{
		{0x1F004, 0x1F004, 1}, {0x1F02C, 0x1F02F, 1}, {0x1F094, 0x1F09F, 1}, {0x1F0AF, 0x1F0B0, 1},
		{0x1F0C0, 0x1F0C0, 1}, {0x1F0CF, 0x1F0D0, 1}, {0x1F0F6, 0x1F0FF, 1}, {0x1F170, 0x1F171, 1},
		{0x1F17E, 0x1F17F, 1}, {0x1F18E, 0x1F18E, 1}, {0x1F191, 0x1F19A, 1}, {0x1F1AE, 0x1F1E5, 1},
		{0x1F201, 0x1F20F, 1}, {0x1F21A, 0x1F21A, 1}, {0x1F22F, 0x1F22F, 1}, {0x1F232, 0x1F23A, 1},
		{0x1F23C, 0x1F23F, 1}, {0x1F249, 0x1F25F, 1}, {0x1F266, 0x1F321, 1}, {0x1F324, 0x1F393, 1},
		{0x1F396, 0x1F397, 1}, {0x1F399, 0x1F39B, 1}, {0x1F39E, 0x1F3F0, 1}, {0x1F3F3, 0x1F3F5, 1},
		{0x1F3F7, 0x1F3FA, 1}, {0x1F400, 0x1F4FD, 1}, {0x1F4FF, 0x1F53D, 1}, {0x1F549, 0x1F54E, 1},
		{0x1F550, 0x1F567, 1}, {0x1F56F, 0x1F570, 1}, {0x1F573, 0x1F57A, 1}, {0x1F587, 0x1F587, 1},
		{0x1F58A, 0x1F58D, 1}, {0x1F590, 0x1F590, 1}, {0x1F595, 0x1F596, 1}, {0x1F5A4, 0x1F5A5, 1},
		{0x1F5A8, 0x1F5A8, 1}, {0x1F5B1, 0x1F5B2, 1}, {0x1F5BC, 0x1F5BC, 1}, {0x1F5C2, 0x1F5C4, 1},
		{0x1F5D1, 0x1F5D3, 1}, {0x1F5DC, 0x1F5DE, 1}, {0x1F5E1, 0x1F5E1, 1}, {0x1F5E3, 0x1F5E3, 1},
		{0x1F5E8, 0x1F5E8, 1}, {0x1F5EF, 0x1F5EF, 1}, {0x1F5F3, 0x1F5F3, 1}, {0x1F5FA, 0x1F64F, 1},
		{0x1F680, 0x1F6C5, 1}, {0x1F6CB, 0x1F6D2, 1}, {0x1F6D5, 0x1F6E5, 1}, {0x1F6E9, 0x1F6E9, 1},
		{0x1F6EB, 0x1F6F0, 1}, {0x1F6F3, 0x1F6FF, 1}, {0x1F7DA, 0x1F7FF, 1}, {0x1F80C, 0x1F80F, 1},
		{0x1F848, 0x1F84F, 1}, {0x1F85A, 0x1F85F, 1}, {0x1F888, 0x1F88F, 1}, {0x1F8AE, 0x1F8AF, 1},
		{0x1F8BC, 0x1F8BF, 1}, {0x1F8C2, 0x1F8CF, 1}, {0x1F8D9, 0x1F8FF, 1}, {0x1F90C, 0x1F93A, 1},
		{0x1F93C, 0x1F945, 1}, {0x1F947, 0x1F9FF, 1}, {0x1FA58, 0x1FA5F, 1}, {0x1FA6E, 0x1FAFF, 1},
		{0x1FC00, 0x1FFFD, 1},
	},
	LatinOffset: 2,
}
