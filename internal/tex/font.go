package tex

import "strings"

// font is a set of letters. The zero value is that of variables, which browsers slant by themselves.
type font int

// The fonts of MathML's mathvariant that formulas use.
const (
	italic font = iota
	upright
	bold
	slanted // italic in every place
	boldItalic
	blackboard
	script
	fraktur
	typewriter
	sansSerif
)

// fonts are the commands that set an argument in a font.
var fonts = map[string]font{
	`\mathrm`: upright, `\mathbf`: bold, `\mathit`: slanted, `\mathbb`: blackboard, `\mathcal`: script, `\mathscr`: script,
	`\mathfrak`: fraktur, `\mathtt`: typewriter, `\mathsf`: sansSerif, `\boldsymbol`: boldItalic, `\bm`: boldItalic, `\mathnormal`: italic,
}

// textFonts are the commands whose argument is text.
var textFonts = map[string]font{
	`\text`: upright, `\textrm`: upright, `\textnormal`: upright, `\mbox`: upright, `\textbf`: bold, `\textit`: slanted, `\emph`: slanted,
	`\texttt`: typewriter, `\textsf`: sansSerif,
}

// alphabet is where Unicode has the letters of a font: A, a, 0, Greek capital and small letters from
// alpha on; 0 where it has none.
type alphabet struct{ upper, lower, digit, greekUpper, greekLower rune }

// alphabets are the mathematical alphabets of Unicode. An upright letter is a plain one.
var alphabets = map[font]alphabet{
	bold:       {0x1D400, 0x1D41A, 0x1D7CE, 0x1D6A8, 0x1D6C2},
	slanted:    {0x1D434, 0x1D44E, 0, 0x1D6E2, 0x1D6FC},
	boldItalic: {0x1D468, 0x1D482, 0x1D7CE, 0x1D71C, 0x1D736},
	blackboard: {0x1D538, 0x1D552, 0x1D7D8, 0, 0},
	script:     {0x1D49C, 0x1D4B6, 0, 0, 0},
	fraktur:    {0x1D504, 0x1D51E, 0, 0, 0},
	typewriter: {0x1D670, 0x1D68A, 0x1D7F6, 0, 0},
	sansSerif:  {0x1D5A0, 0x1D5BA, 0x1D7E2, 0, 0},
}

// earlier are letters that Unicode had before it had alphabets (Letterlike Symbols); the places in
// the alphabets are empty.
var earlier = map[font]map[rune]rune{
	slanted:    {'h': 'ℎ'},
	blackboard: {'C': 'ℂ', 'H': 'ℍ', 'N': 'ℕ', 'P': 'ℙ', 'Q': 'ℚ', 'R': 'ℝ', 'Z': 'ℤ'},
	script:     {'B': 'ℬ', 'E': 'ℰ', 'F': 'ℱ', 'H': 'ℋ', 'I': 'ℐ', 'L': 'ℒ', 'M': 'ℳ', 'R': 'ℛ', 'e': 'ℯ', 'g': 'ℊ', 'o': 'ℴ'},
	fraktur:    {'C': 'ℭ', 'H': 'ℌ', 'I': 'ℑ', 'R': 'ℜ', 'Z': 'ℨ'},
}

// apply returns a text in the font. Characters that the font does not have stay.
func (f font) apply(s string) string {
	a, ok := alphabets[f]
	if !ok {
		return s
	}
	// A font without such letters leaves them as they are.
	from := func(base, first, c rune) rune {
		if base == 0 {
			return c
		}
		return base + c - first
	}
	return strings.Map(func(c rune) rune {
		if e, ok := earlier[f][c]; ok {
			return e
		}
		switch {
		case 'A' <= c && c <= 'Z':
			return from(a.upper, 'A', c)
		case 'a' <= c && c <= 'z':
			return from(a.lower, 'a', c)
		case '0' <= c && c <= '9':
			return from(a.digit, '0', c)
		case 'Α' <= c && c <= 'Ω':
			return from(a.greekUpper, 'Α', c)
		case 'α' <= c && c <= 'ω':
			return from(a.greekLower, 'α', c)
		}
		return c
	}, s)
}
