package tex_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/internal/tex"
)

const goldens = "testdata/formulas.txtar"

// sources returns the formulas of the goldens.
func sources(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, f := range testenv.Archives(t, goldens)[goldens].Files {
		if strings.HasSuffix(f.Name, ".tex") {
			out = append(out, strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n")...)
		}
	}
	return out
}

func TestParse(t *testing.T) {
	for _, f := range testenv.Archives(t, goldens)[goldens].Files {
		name, ok := strings.CutSuffix(f.Name, ".tex")
		if !ok {
			continue
		}
		var got strings.Builder
		for line := range strings.Lines(string(f.Data)) {
			source := strings.TrimSuffix(line, "\n")
			m, ok := tex.Parse(source, false)
			if !ok {
				got.WriteString("-\n")
				continue
			}
			checkMathML(t, source, m.MathML)
			inner, _, _ := bytes.Cut(bytes.TrimPrefix(m.MathML, []byte("<math><semantics>")),
				[]byte("<annotation"))
			got.Write(append(inner, '\n'))
		}
		testenv.Golden(t, goldens, name+".mathml", []byte(got.String()))
	}
}

func TestParseDisplay(t *testing.T) {
	f, ok := tex.Parse(`a<b`, true)
	const want = `<math display="block"><semantics><mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>` +
		`<annotation encoding="application/x-tex">a&lt;b</annotation></semantics></math>`
	if !ok || string(f.MathML) != want || f.Width != 3 {
		t.Errorf("Parse = %s, width %d, %t; want %s, width 3", f.MathML, f.Width, ok, want)
	}
}

// TestParseBounds parses sources whose time or output could explode.
func TestParseBounds(t *testing.T) {
	const many = 2000
	for _, tt := range []struct {
		name, source string
		want         bool
	}{
		{"groups within 30 others", strings.Repeat("{", 30) + "x" + strings.Repeat("}", 30), true},
		{"groups too deep", strings.Repeat("{", 40) + "x" + strings.Repeat("}", 40), false},
		{"roots without braces", strings.Repeat(`\sqrt`, 40) + "x", false},
		{"fonts without braces", strings.Repeat(`\mathbf`, 40) + "x", false},
		{"scripts of scripts", strings.Repeat("x^{", 40) + "x" + strings.Repeat("}", 40), false},
		{"delimiters", strings.Repeat(`\left(`, 40) + "x" + strings.Repeat(`\right)`, 40), false},
		{"styles", strings.Repeat(`\displaystyle`, 40) + "x", false},
		{"cells", `\begin{matrix}` + strings.Repeat("&", 500) + `\end{matrix}`, false},
		{"rows", `\begin{matrix}` + strings.Repeat(`\\`, 500) + `\end{matrix}`, false},
		{"a long row", strings.Repeat("a+", many) + "a", true},
		{"many groups", strings.Repeat("{}", many), true},
		{"unclosed texts", strings.Repeat(`\text{`, many/3), false},
		{"too long", strings.Repeat("a", tex.MaxBytes+1), false},
		{"nothing", " \n", false},
		{"not UTF-8", "a\xff", false},
	} {
		f, ok := tex.Parse(tt.source, true)
		if ok != tt.want {
			t.Errorf("%s: ok is %t, want %t", tt.name, ok, tt.want)
		}
		if most := 60*len(tt.source) + 200; len(f.MathML) > most {
			t.Errorf("%s: %d bytes became %d, want at most %d", tt.name, len(tt.source),
				len(f.MathML), most)
		}
	}
}

var elements = strings.Fields(
	"math semantics annotation mrow mi mn mo mtext mspace mstyle mfrac msqrt mroot msub msup " +
		"msubsup munder mover munderover mtable mtr mtd")

// arguments are the required numbers of children.
var arguments = map[string]int{"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2,
	"mover": 2, "msubsup": 3, "munderover": 3, "semantics": 2}

// checkMathML checks that all browsers interpret an output alike.
func checkMathML(t *testing.T, source string, out []byte) {
	t.Helper()
	if !utf8.Valid(out) {
		t.Errorf("Parse(%q) is not UTF-8", source)
	}
	d := xml.NewDecoder(bytes.NewReader(out))
	var open []string
	var kids []int
	var annotation strings.Builder
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("Parse(%q) is no XML: %v in\n%s", source, err, out)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			if !slices.Contains(elements, e.Name.Local) {
				t.Errorf("Parse(%q) holds <%s>", source, e.Name.Local)
			}
			for _, a := range e.Attr {
				if strings.ContainsAny(a.Value, `"<>&:;(`) ||
					strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("Parse(%q) holds %s=%q", source, a.Name.Local, a.Value)
				}
			}
			if len(kids) > 0 {
				kids[len(kids)-1]++
			}
			open, kids = append(open, e.Name.Local), append(kids, 0)
		case xml.EndElement:
			if want, ok := arguments[e.Name.Local]; ok && kids[len(kids)-1] != want {
				t.Errorf("Parse(%q): <%s> has %d children in\n%s", source, e.Name.Local,
					kids[len(kids)-1], out)
			}
			open, kids = open[:len(open)-1], kids[:len(kids)-1]
		case xml.CharData:
			if len(open) > 0 && open[len(open)-1] == "annotation" {
				annotation.WriteString(string(e))
			}
		case xml.Comment, xml.Directive, xml.ProcInst:
			t.Errorf("Parse(%q) holds %v", source, tok)
		}
	}
	if !strings.ContainsFunc(source, func(c rune) bool {
		return c < ' ' || c >= 0xFFFD
	}) && annotation.String() != source {
		t.Errorf("Parse(%q) has the annotation %q", source, annotation.String())
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range sources(f) {
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, source string, display bool) {
		m, ok := tex.Parse(source, display)
		if !ok {
			if m.MathML != nil {
				t.Errorf("Parse(%q) refuses and returns %s", source, m.MathML)
			}
			return
		}
		checkMathML(t, source, m.MathML)
	})
}

func BenchmarkParse(b *testing.B) {
	all := sources(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range all {
			tex.Parse(s, true)
		}
	}
}
