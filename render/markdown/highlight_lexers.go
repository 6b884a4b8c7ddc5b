package markdown

import (
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// highlightOffered names the lexers of the languages that proposals use. Chroma has some three hundred, of
// which many take minutes over a text that is made for them; these are mended below and tried by tests.
const highlightOffered = `bash bash-session c c++ css diff docker gas go graphql haskell html ini java javascript json makefile
	protobuf python rust solidity sql toml typescript xml yaml`

// highlightMends replaces patterns of lexers. They backtrack: a pattern that can match the same text in two
// ways tries each way at each place, 2^n in all, and one that looks for an end that is not there is tried
// again at each beginning. The replacements match a text in one way, look no further than they need, and take
// a comment that is not ended to the end of the text. They have as many groups. In Go, the text between
// backticks is a string, not a template: that lexer is not offered.
var highlightMends = map[string]string{
	// Strings.
	`"(\\\\|\\"|[^"])*"`:                    `"(?:[^"\\\n]|\\.)*"`,
	`'(\\\\|\\'|[^'])*'`:                    `'(?:[^'\\\n]|\\.)*'`,
	`"(?:\\.|[^"])*"`:                       `"(?:[^"\\]|\\.){0,2000}"`,
	`'(?:\\.|[^'])*'`:                       `'(?:[^'\\]|\\.){0,2000}'`,
	`(?s)\$?"(\\\\|\\[0-7]+|\\.|[^"\\$])*"`: `(?s)\$?"(?:[^"\\$]|\\.){0,2000}"`,
	`(?s)\$'(\\\\|\\[0-7]+|\\.|[^'\\])*'`:   `(?s)\$'(?:[^'\\]|\\.){0,2000}'`,
	`(?s)"(\\\\|\\.|[^"\\])*"`:              `(?s)"(?:[^"\\]|\\.){0,2000}"`,
	`(?s)'(\\\\|\\.|[^'\\])*'`:              `(?s)'(?:[^'\\]|\\.){0,2000}'`,
	`(?s)(b?r)(#*)(".*?"\2)`:                `(?s)(b?r)(#*)(".*?(?:"\2|\z))`,
	`<<-?\s*(\'?)\\?(\w+)[\w\W]+?\2`:        `<<-?\s*(\'?)\\?(\w+)\b[\w\W]{1,2000}?\2`,
	"(`)([^`]*)(`)":                         "(`)()([^`]*`)",
	// Comments.
	`/\*.*?\*/`:                      `/\*.*?(?:\*/|\z)`,
	`/\*(?:.|\n)*?\*/`:               `/\*[\w\W]*?(?:\*/|\z)`,
	`/(\\\n)?[*](.|\n)*?[*](\\\n)?/`: `/(\\\n)?[*]([\w\W])*?(?:[*](\\\n)?/|\z)`,
	`/(\\\n)?\*(.|\n)*?\*(\\\n)?/`:   `/(\\\n)?\*([\w\W])*?(?:\*(\\\n)?/|\z)`,
	`/[*].*?\n[\w\W]*?[*]/`:          `/[*].*?\n[\w\W]*?(?:[*]/|\z)`,
	`/[*][\w\W]*?[*]/`:               `/[*][\w\W]*?(?:[*]/|\z)`,
	`.+?(?=<\s*/\s*script\s*>)`:      `.+?(?=<\s*/\s*script\s*>|\z)`,
	`.+?(?=<\s*/\s*style\s*>)`:       `.+?(?=<\s*/\s*style\s*>|\z)`,
	// Functions.
	`((?:[\w*\s])+?(?:\s|[*]))([a-zA-Z_]\w*)(\s*\([^;]*?\))([^;{]*)(\{)`:     `((?:\w+[\s*]+){1,9}?)([a-zA-Z_]\w*)(\s*\([^;()]{0,500}\))([^;{]{0,100})(\{)`,
	`((?:[\w*\s])+?(?:\s|[*]))([a-zA-Z_]\w*)(\s*\([^;]*?\))([^;]*)(;)`:       `((?:\w+[\s*]+){1,9}?)([a-zA-Z_]\w*)(\s*\([^;()]{0,500}\))([^;]{0,100})(;)`,
	`((?:(?:[^\W\d]|\$)[\w.\[\]$<>?]*\s+)+?)((?:[^\W\d]|\$)[\w$]*)(\s*)(\()`: `((?:(?:[^\W\d]|\$)[\w.\[\]$<>?]*\s+){1,9}?)((?:[^\W\d]|\$)[\w$]*)(\s*)(\()`,
	`(')\[[^\]]*\]`: `(')\[[^\]\n]*\]`,
	`(')\([^)]*\)`:  `(')\([^)\n]*\)`,
	`^((?:\[[^]]+@[^]]+\]\s?)?[#$%>])(\s*)(.*\n?)`: `^((?:\[[^]@\n]+@[^]\n]+\]\s?)?[#$%>])(\s*)(.*\n?)`,
	`(super)(\s*)(\([\w,?.$\s]+\s*\))`:             `(super)(\s*)(\([\w,?.$ ]+\))`,
	`(assembly)(\s+\()(.+)(\)\s+{)`:                `(assembly)(\s+\()([^\n]+)(\)\s+{)`,
	`(-)( )((?:(?!//)[^"\n{#])*?)(:)( )`:           `(-)( )((?:(?!//)[^"\n{#]){0,60}?)(:)( )`,
	`((?:(?!//)[^"\n{#])*?)(:)( )`:                 `((?:(?!//)[^"\n{#]){0,60}?)(:)( )`,
	`((?:(?!//)[^"\n{#])*?)(:)(\n)`:                `((?:(?!//)[^"\n{#]){0,60}?)(:)(\n)`,
	// Words and numbers.
	`%(\(\w+\))?[-#0 +]*([0-9]+|[*])?(\.([0-9]+|[*]))?[hlL]?[E-GXc-giorsaux%]`: `%(\(\w+\))?[-#0 +]*([1-9][0-9]*|[*])?` +
		`(\.([0-9]+|[*]))?[hlL]?[E-GXc-giorsaux%]`,
	`\b[+\-]?(0x[\da-f]+|0o[0-7]+|(\d+\.?\d*|\.?\d+)(e[\+\-]?\d+)?|\.inf|\.nan)\b`: `\b[+\-]?(0x[\da-f]+|0o[0-7]+|` +
		`(\d+(?:\.\d*)?|\.\d+)(e[\+\-]?\d+)?|\.inf|\.nan)\b`,
	`\b(r#)?_?([A-Z][A-Z0-9_]*){2,}\b`: `\b(?:r#)?_?[A-Z][0-9_]*[A-Z][A-Z0-9_]*\b`,
}

// offeredLexers returns chroma's lexers with mended rules. They know each other, and no other lexer.
func offeredLexers() []chroma.Lexer {
	r := chroma.NewLexerRegistry()
	for name := range strings.FieldsSeq(highlightOffered) {
		lexer := lexers.Get(name).(*chroma.RegexLexer)
		r.Register(chroma.MustNewLexer(lexer.Config(), func() chroma.Rules { return mendedRules(lexer.MustRules()) }))
	}
	r.Register(chroma.MustNewLexer(&chroma.Config{Name: "Markdown", Aliases: []string{"md", "markdown"}}, markdownRules))
	return r.Lexers
}

// mendedRules returns a copy of rules with those of highlightMends.
func mendedRules(rules chroma.Rules) chroma.Rules {
	rules = rules.Clone()
	for _, of := range rules {
		for i, rule := range of {
			if mend, ok := highlightMends[rule.Pattern]; ok {
				of[i].Pattern = mend
			}
		}
	}
	rules["root"] = append(rules["root"], chroma.Rule{Mutator: patientMutator{}})
	return rules
}

// patientMutator takes its rule out of a lexer and lets a match take longer than chroma's 250 ms: a busy machine
// may need those for a microsecond's work, and a match that is cut off gives other bytes.
type patientMutator struct{}

// Mutate implements [chroma.Mutator] and is never called: MutateLexer removes its rule.
func (patientMutator) Mutate(*chroma.LexerState) error { return nil }

// MutateLexer implements [chroma.LexerMutator]: it is called once, with the compiled rules.
func (patientMutator) MutateLexer(rules chroma.CompiledRules, state string, rule int) error {
	rules[state] = slices.Concat(rules[state][:rule], rules[state][rule+1:])
	for _, of := range rules {
		for _, r := range of {
			r.Regexp.MatchTimeout = 10 * time.Second
		}
	}
	return nil
}

// markdownRules are in place of chroma's lexer of Markdown, which runs any other over what stands in fences.
func markdownRules() chroma.Rules {
	return chroma.Rules{"root": {
		{Pattern: `^#[^\n]*`, Type: chroma.GenericHeading},
		{Pattern: "^```[^\\n]*|`[^`\\n]+`", Type: chroma.LiteralString},
		{Pattern: `^[ \t]*(?:[-*+]|\d{1,9}[.)])(?= )|^>`, Type: chroma.Keyword},
		{Pattern: `(!?\[)([^]\n]+)(\]\()([^)\n]+)(\))`, Type: chroma.ByGroups(chroma.Text, chroma.NameTag, chroma.Text, chroma.NameAttribute, chroma.Text)},
		{Pattern: "[^#`>\\[!\\n]+|[\\w\\W]", Type: chroma.Text},
		{Mutator: patientMutator{}},
	}}
}
