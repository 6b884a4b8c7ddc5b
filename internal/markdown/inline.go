package markdown

import "github.com/yuin/goldmark/parser"

// NewFormulaParser finds formulas in a paragraph. Its priority is that of [Formulas], 150.
func NewFormulaParser() parser.InlineParser { return formulaParser{} }
