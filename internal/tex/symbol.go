package tex

import (
	"maps"
	"strings"
)

// symbol is a character that a token stands for.
type symbol struct {
	text     string
	class    class
	delimits bool // may follow \left
}

// atom is the symbol as an element: operators are mo, with the attributes that keep browsers from stretching them.
func (s symbol) atom() atom {
	a := atom{class: s.class, element: element{tag: "mo", text: s.text}}
	switch {
	case s.class == ordinary && !s.delimits && s.text != "/" && s.text != "." && s.text != "!":
		a.tag = "mi"
		if capitalGreek(s.text) {
			a.attr = ` mathvariant="normal"`
		}
	case s.class == largeOperator:
		a.limits = !strings.Contains("∫∬∭∮", s.text)
	case s.text == "∣":
		a.text, a.attr = "|", ` stretchy="false" lspace="0.2778em" rspace="0.2778em"`
	case s.delimits && s.class == ordinary:
		a.attr = ` stretchy="false"` + tight
	case s.delimits:
		a.attr = ` stretchy="false"`
	case s.class == ordinary:
		a.attr = tight
	}
	return a
}

// capitalGreek reports whether s is a capital Greek letter, which TeX sets upright.
func capitalGreek(s string) bool { return "Α" <= s && s <= "Ω" }

// symbols are the tokens that are one character without arguments.
var symbols = maps.Collect(func(yield func(string, symbol) bool) {
	for _, list := range []struct {
		class    class
		delimits bool
		pairs    string // token and character, in turn
	}{
		{ordinary, false, `\alpha α \beta β \gamma γ \delta δ \epsilon ϵ \varepsilon ε \zeta ζ \eta η \theta θ \vartheta ϑ \iota ι \kappa κ \lambda λ
			\mu μ \nu ν \xi ξ \pi π \varpi ϖ \rho ρ \varrho ϱ \sigma σ \varsigma ς \tau τ \upsilon υ \phi ϕ \varphi φ \chi χ \psi ψ \omega ω
			\Gamma Γ \Delta Δ \Theta Θ \Lambda Λ \Xi Ξ \Pi Π \Sigma Σ \Upsilon Υ \Phi Φ \Psi Ψ \Omega Ω
			\infty ∞ \partial ∂ \nabla ∇ \forall ∀ \exists ∃ \nexists ∄ \emptyset ∅ \varnothing ∅ \ell ℓ \hbar ℏ \Re ℜ \Im ℑ \aleph ℵ
			\neg ¬ \lnot ¬ \top ⊤ \bot ⊥ \angle ∠ \prime ′ \degree ° \checkmark ✓ \square □
			\blacksquare ■ \ldots … \dots … \dotsc … \cdots ⋯ \dotsb ⋯
			\vdots ⋮ \ddots ⋱ \% % \# # \& & \_ _ \$ $ / / . . ! ! ? ? @ @ " " … … ∞ ∞ ∂ ∂ ∇ ∇ ∀ ∀ ∃ ∃ ∅ ∅ ¬ ¬`},
		{ordinary, true, `| | \| ‖ \Vert ‖ \vert |`},
		{largeOperator, false, `\sum ∑ \prod ∏ \coprod ∐ \int ∫ \iint ∬ \iiint ∭ \oint ∮ \bigcup ⋃ \bigcap ⋂ \bigvee ⋁ \bigwedge ⋀ \bigoplus ⨁
			\bigotimes ⨂ \bigsqcup ⨆ ∑ ∑ ∏ ∏ ∫ ∫`},
		{binary, false, `+ + - − * ∗ \pm ± \mp ∓ \times × \div ÷ \cdot ⋅ \ast ∗
			\star ⋆ \circ ∘ \bullet ∙ \oplus ⊕ \ominus ⊖ \otimes ⊗ \odot ⊙
			\cup ∪ \cap ∩ \sqcup ⊔ \setminus ∖ \backslash ∖ \wedge ∧ \land ∧ \vee ∨
			\lor ∨ \dagger † \diamond ⋄ − − ± ± × × ÷ ÷ · ⋅ ⋅ ⋅ ∧ ∧ ∨ ∨ ∪ ∪
			∩ ∩ ⊕ ⊕`},
		{relation, false, `= = < < > > : : \colon : \le ≤ \leq ≤ \leqslant ⩽ \ge ≥ \geq ≥
			\geqslant ⩾ \ne ≠ \neq ≠ \equiv ≡ \approx ≈ \approxeq ≊ \sim ∼ \simeq ≃
			\cong ≅ \propto ∝ \in ∈ \notin ∉ \ni ∋ \subset ⊂ \subseteq ⊆ \subsetneq ⊊
			\supset ⊃ \supseteq ⊇ \mid ∣ \nmid ∤ \parallel ∥ \perp ⟂
			\prec ≺ \preceq ⪯ \succ ≻ \succeq ⪰ \vdash ⊢ \dashv ⊣ \models ⊨ \triangleq ≜
			\doteq ≐ \coloneqq ≔ \gg ≫ \ll ≪ \lll ⋘ \ggg ⋙ \lesssim ≲ \gtrsim ≳
			\to → \rightarrow → \leftarrow ← \gets ← \leftrightarrow ↔ \Rightarrow ⇒ \Leftarrow ⇐ \Leftrightarrow ⇔ \implies ⟹ \impliedby ⟸ \iff ⟺
			\longrightarrow ⟶ \longleftarrow ⟵ \mapsto ↦ \longmapsto ⟼ \hookrightarrow ↪ \uparrow ↑ \downarrow ↓ \updownarrow ↕ \rightharpoonup ⇀
			\leadsto ⇝ \therefore ∴ \because ∵`},
		{opening, true, `( ( [ [ \{ { \lbrace { \lbrack [ \lfloor ⌊ \lceil ⌈ \langle ⟨ \lvert | \lVert ‖`},
		{closing, true, `) ) ] ] \} } \rbrace } \rbrack ] \rfloor ⌋ \rceil ⌉ \rangle ⟩ \rvert | \rVert ‖`},
		{punctuation, false, `, , ; ;`},
	} {
		words := strings.Fields(list.pairs)
		for i := 0; i+1 < len(words); i += 2 {
			if !yield(words[i], symbol{text: words[i+1], class: list.class, delimits: list.delimits}) {
				return
			}
		}
	}
})

// accents are marks above or below an argument: relation says that the mark does not grow, punctuation
// that it is below.
var accents = map[string]symbol{
	`\bar`: {text: "¯", class: relation}, `\hat`: {text: "^", class: relation}, `\tilde`: {text: "~", class: relation}, `\vec`: {text: "→", class: relation},
	`\dot`: {text: "˙", class: relation}, `\ddot`: {text: "¨", class: relation}, `\check`: {text: "ˇ", class: relation},
	`\overline`: {text: "‾"}, `\widehat`: {text: "^"}, `\widetilde`: {text: "~"}, `\overrightarrow`: {text: "→"}, `\overbrace`: {text: "⏞"},
	`\underline`: {text: "_", class: punctuation}, `\underbrace`: {text: "⏟", class: punctuation},
}

// functions are names in upright letters; those that are true take their scripts below.
var functions = map[string]bool{
	`\arccos`: false, `\arcsin`: false, `\arctan`: false, `\arg`: false, `\cos`: false, `\cosh`: false, `\cot`: false, `\csc`: false, `\deg`: false,
	`\dim`: false, `\exp`: false, `\hom`: false, `\ker`: false, `\lg`: false, `\ln`: false, `\log`: false, `\sec`: false, `\sin`: false, `\sinh`: false,
	`\tan`: false, `\tanh`: false, `\det`: true, `\gcd`: true, `\inf`: true, `\lim`: true, `\liminf`: true, `\limsup`: true, `\max`: true, `\min`: true,
	`\Pr`: true, `\sup`: true,
}

// spaces are the commands that leave room, which may be less than none.
var spaces = map[string]string{
	`\,`: "0.1667em", `\:`: "0.2222em", `\>`: "0.2222em", `\;`: "0.2778em", `\ `: "0.3333em",
	"\\\n": "0.3333em", `\!`: "-0.1667em", `\quad`: "1em", `\qquad`: "2em",
	`\thinspace`: "0.1667em", `\enspace`: "0.5em",
}

// sizes are the heights of delimiters that an author chose. A last letter of l, r or m gives the class.
var (
	sizes       = map[string]string{`\big`: "1.2em", `\Big`: "1.8em", `\bigg`: "2.4em", `\Bigg`: "3em"}
	sizeClasses = map[byte]class{'l': opening, 'r': closing, 'm': relation}
)
