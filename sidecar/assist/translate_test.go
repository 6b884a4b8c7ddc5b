package assist

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/corpora"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
)

type modelFunc func(ctx context.Context, p Prompt) (Reply, error)

func (f modelFunc) Ask(ctx context.Context, p Prompt) (Reply, error) { return f(ctx, p) }

func material(p Prompt) string {
	_, rest, _ := strings.Cut(p.User, " BEGIN\n")
	i := strings.LastIndex(rest, "\n}\n")
	return rest[:i+2]
}

func TestX(t *testing.T) {
	for _, f := range []string{corpora.Find("eips"), corpora.Find("monad-mips"), corpora.Find("simd"), "../../proposals"} {
		pre := "MIP"
		if strings.HasSuffix(f, "eips") {
			pre = "EIP"
		}
		if strings.HasSuffix(f, "simd") {
			pre = "SIMD"
		}
		c, err := corpus.Load(t.Context(), corpus.Options{Prefix: pre, Folders: []string{f}})
		if err != nil {
			t.Fatal(err)
		}
		calls, bytes, sent := 0, 0, 0
		dump, _ := os.Create("/tmp/dump-" + pre + ".txt")
		for _, cp := range c.Proposals {
			doc, err := c.Read(cp)
			if err != nil {
				t.Fatal(err)
			}
			p := &mip.Proposal{Summary: cp.Summary, Sections: doc.Sections}
			bytes += len(doc.Body)
			for _, sec := range doc.Sections {
				if g := join(layout(sec.Markdown)); g != sec.Markdown {
					t.Errorf("%s: %q -> %q", cp.File, sec.Markdown, g)
				}
			}
			tr, err := Translate(t.Context(), modelFunc(func(ctx context.Context, p Prompt) (Reply, error) {
				calls++
				sent += len(material(p))
				return Reply{Text: material(p), Model: "x"}, nil
			}), p, "de", nil)
			if err != nil {
				t.Errorf("%s: %v", cp.File, err)
				continue
			}
			if tr.Markdown != string(doc.Body) || tr.Title != p.Title {
				t.Errorf("%s: not the same", cp.File)
			}
			s := newSegments(p)
			for _, sec := range doc.Sections {
				s.text(sec.Markdown)
			}
			s.hide()
			for _, g := range s.all {
				b, _ := json.Marshal(g.asked)
				dump.WriteString(cp.File + " " + string(b) + "\n")
			}
		}
		t.Logf("%s: %d proposals, %d bytes, %d calls, %d sent", f, len(c.Proposals), bytes, calls, sent)
	}
}
