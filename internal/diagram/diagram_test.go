package diagram

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

const goldens = "testdata/*.txtar" // sources and drawings

// TestGolden draws each NAME.mmd of the archives into NAME.svg, with the name in the first line, or
// writes the error.
func TestGolden(t *testing.T) {
	for path, archive := range testenv.Archives(t, goldens) {
		for _, f := range archive.Files {
			name, ok := strings.CutSuffix(f.Name, ".mmd")
			if !ok {
				continue
			}
			t.Run(filepath.Base(path)+"/"+name, func(t *testing.T) {
				d, err := Draw(string(f.Data))
				got := fmt.Sprintf("error: %v\n", err)
				if err == nil {
					svg := strings.ReplaceAll(string(d.SVG), "><", ">\n<")
					got = d.Name + "\n" + svg + "\n"
				}
				testenv.Golden(t, path, name+".svg", []byte(got))
				for _, fault := range faults(d) {
					t.Error(fault)
				}
			})
		}
	}
}

// faults lists what is wrong with any drawing: it is no XML, has other elements, or a text or a box
// leaves it. Letters count as in a narrow font, since no text may reach the edge even there.
func faults(d Diagram) (found []string) {
	if len(d.SVG) == 0 {
		return nil
	}
	if len(d.SVG) > maxOutput || len([]rune(d.Name)) > 120 {
		found = append(found, fmt.Sprintf("%d bytes, name %q", len(d.SVG), d.Name))
	}
	fault := func(format string, args ...any) {
		found = append(found, fmt.Sprintf(format, args...))
	}
	var left, top, width, height, x, y int
	text := false
	for in := xml.NewDecoder(bytes.NewReader(d.SVG)); ; {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return found
		} else if err != nil {
			return append(found, err.Error())
		}
		switch e := token.(type) {
		case xml.StartElement:
			at := map[string]string{}
			for _, a := range e.Attr {
				at[a.Name.Local] = a.Value
			}
			number := func(key string) int { n, _ := strconv.Atoi(at[key]); return n }
			x, y = number("x"), number("y")
			switch text = e.Name.Local == "text"; e.Name.Local {
			case "svg":
				_, err := fmt.Sscan(at["viewBox"], &left, &top, &width, &height)
				if err != nil || width != number("width") || height != number("height") ||
					width <= 0 || height <= 0 {
					fault("size %v, %v", at, err)
				}
			case "rect":
				if x < left || y < top || number("width") < 0 || number("height") < 0 ||
					x+number("width") > left+width || y+number("height") > top+height {
					fault("%v leaves %d %d %d %d", at, left, top, width, height)
				}
			case "path", "text":
				if x < left || x > left+width || y < top || y > top+height {
					fault("%v leaves %d %d %d %d", at, left, top, width, height)
				}
			default:
				fault("element %q", e.Name.Local)
			}
			if at["style"] != "" || at["id"] != "" || at["href"] != "" {
				fault("attributes %v", at)
			}
		case xml.CharData:
			if !text && len(bytes.TrimSpace(e)) > 0 {
				fault("text %q outside of a text element", e)
			}
		}
	}
}

// TestTextFits draws words of wide letters: the box of each is at least as wide as the word.
func TestTextFits(t *testing.T) {
	for _, tt := range []struct {
		word string
		most int // width of the word in hundredths of the font size, in a wide font
	}{
		{"i", 28}, {"WWWWWWWWWWWW", 12 * 99}, {"mmmmmmmmmmmm", 12 * 98}, {"MMMMMMMMMMMM", 12 * 87},
		{"GOQGOQGOQGOQ", 12 * 79}, {"abdeghnopqu", 11 * 64}, {"0123456789", 640},
		{"====####", 8 * 84},
		{"日本語日本語日本語", 900}, {"ЖЩЮЖЩЮ", 6 * 100}, {"ÆŒÆŒ", 4 * 107 * 93 / 100}, {"🦊🦊🦊🦊", 4 * 137},
	} {
		d, err := Draw("sequenceDiagram\nparticipant " + tt.word)
		if err != nil {
			t.Fatal(err)
		}
		_, rect, _ := strings.Cut(string(d.SVG), `<rect class="box"`)
		var x, y, w int
		_, err = fmt.Sscanf(rect, ` x="%d" y="%d" width="%d"`, &x, &y, &w)
		if want := tt.most * 14 / 100; err != nil || w < want+8 {
			t.Errorf("the box of %s is %d wide, %v; want at least %d", tt.word, w, err, want+8)
		}
	}
}

// TestBounds draws diagrams at the bounds and beyond them.
func TestBounds(t *testing.T) {
	names := func(n int) string {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "participant p%d\n", i)
		}
		return text.String()
	}
	all := func(n int, between string) string { // n names
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprint("n", i)
		}
		return strings.Join(names, between)
	}
	subgraphs := func(n int) string {
		return "subgraph " + all(n, "\nsubgraph ") + "\n"
	}
	for _, tt := range []struct {
		name, source, want string
	}{
		{"150 nodes", "graph TD\n" + all(150, "-->"), ""},
		{"151 nodes", "graph LR\n" + all(151, "-->"), "line 2: want at most 150 nodes"},
		{"300 edges that cross", "graph TD\n" + all(30, "&") + "-->" +
			strings.ReplaceAll(all(10, "&"), "n", "k"), ""},
		{"400 edges that cross", "graph TD\n" + all(20, "&") + "-->" +
			strings.ReplaceAll(all(20, "&"), "n", "k"), "300 edges"},
		{"edges that multiply", "graph TD\n" + strings.Repeat(all(149, "&")+"-->", 16) + "n0",
			"300 edges"},
		{"bends", "graph TD\n" + all(120, "-->") + "\nn0-->" + all(100, "&"), "at most 1500 ranks"},
		{"12 subgraphs", "graph\n" + subgraphs(12) + "b\n" + strings.Repeat("end\n", 12), ""},
		{"13 subgraphs", "graph\n" + subgraphs(13), "line 14: want at most"},
		{"300 edges between two frames", "graph\nsubgraph a\n" + all(15, "\n") +
			"\nend\nsubgraph b\n" +
			strings.ReplaceAll(all(20, "\n"), "n", "k") + "\nend\na-->b", ""},
		{"400 edges between two frames", "graph\nsubgraph a\n" + all(20, "\n") +
			"\nend\nsubgraph b\n" +
			strings.ReplaceAll(all(20, "\n"), "n", "k") + "\nend\na-->b", "300 edges, with"},
		{"300 edges to frames", "graph\n" + subgraphs(12) + "b\nc\n" + strings.Repeat("end\n", 12) +
			strings.Repeat("x-->n0\n", 150), ""},
		{"quotes without an end", "graph\n" + strings.Repeat("a[\"b\n", 2_001), "line 2002: "},
		{"brackets", "graph\na" + strings.Repeat("[;(;{;", 2_000), "line 2: "},
		{"10,000 cycles", "graph\n" + strings.Repeat("a-->b-->a\n", 10_000), "at most 16384 bytes"},
		{"cycles", "graph\n" + strings.Repeat("a-->b-->a\n", 150), ""},
		{"40 participants", names(40), ""},
		{"41 participants", names(41), "line 42: want at most 40 participants"},
		{"500 messages", strings.Repeat("a->b:c\n", 500), ""},
		{"501 messages", strings.Repeat("a->b:c\n", 501), "line 502: want at most"},
		{"10,000 messages", strings.Repeat("a->b:c\n", 10_000), "at most 16384 bytes"},
		{"10,000 participants", names(10_000), "at most 16384 bytes"},
		{"12 frames", strings.Repeat("opt x\n", 12) + "a->b:c\n" + strings.Repeat("end\n", 12), ""},
		{"13 frames", strings.Repeat("opt x\n", 13), "line 14: want at most"},
		{"a long label", "a->b:" + strings.Repeat("word ", 3000), ""},
		{"a long word", "a->b:" + strings.Repeat("w", 15_000), "at most 6000 pixels in width"},
		{"a megabyte", "a->b:" + strings.Repeat("w ", 500_000), "at most 16384 bytes"},
		{"12 activations", strings.Repeat("activate a\n", 12), ""},
		{"13 activations", strings.Repeat("activate a\n", 13), "line 14: want at most"},
		{"line breaks", "a->b:x" + strings.Repeat("<br>", 4000) + "y", ""},
		{"entities", "a->b:" + strings.Repeat("&quot; ", 2300), ""},
		{"not UTF-8", "a->b:\xff", "want UTF-8"},
		{"letters that XML forbids", "a->b:\x00\x01\ufffe", ""},
		{"numbers", "autonumber 9999 9999\n" + strings.Repeat("a->b:c\n", 400), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.HasPrefix(tt.source, "graph") {
				tt.source = "sequenceDiagram\n" + tt.source
			}
			var d Diagram
			var err error
			const most = 100_000 // objects; the work for a source is bounded, too
			if n := testing.AllocsPerRun(1, func() { d, err = Draw(tt.source) }); n > most {
				t.Errorf("%.0f objects, want at most %d", n, most)
			}
			got := fmt.Sprint(err)
			if err != nil != (tt.want != "") || !strings.Contains(got, tt.want) {
				t.Errorf("error %q, want %q", got, tt.want)
			}
			for _, fault := range faults(d) {
				t.Error(fault)
			}
		})
	}
}

func FuzzDraw(f *testing.F) {
	for _, archive := range testenv.Archives(f, goldens) {
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".mmd") {
				f.Add(string(file.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, source string) {
		d, _ := Draw(source)
		for _, fault := range faults(d) {
			t.Errorf("Draw(%q): %s in\n%s", source, fault, d.SVG)
		}
		if again, _ := Draw(source); !bytes.Equal(again.SVG, d.SVG) {
			t.Errorf("Draw(%q) gives another drawing", source)
		}
	})
}

// TestDrawn draws diagrams that no golden file has.
func TestDrawn(t *testing.T) {
	for path, archive := range testenv.Archives(t, "testdata/drawn/*.txtar") {
		for _, f := range archive.Files {
			t.Run(filepath.Base(path)+"/"+f.Name, func(t *testing.T) {
				d, err := Draw(string(f.Data))
				if err != nil {
					t.Errorf("%v in\n%s", err, f.Data)
				}
				for _, fault := range faults(d) {
					t.Error(fault)
				}
			})
		}
	}
}
