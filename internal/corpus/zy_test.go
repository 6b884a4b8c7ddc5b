package corpus

import ("testing";"fmt";"strings";"time";"bytes";"os";"runtime"
"github.com/yuin/goldmark"
"github.com/yuin/goldmark/extension"
)

func TestZY(t *testing.T) {
	rep := strings.Repeat
	fill := func(s string, n int) string { return rep(s, n/len(s)+1)[:n] }
	shapes := map[string]func(int) string{
		"*a_ ": func(n int) string { return fill("*a_ ", n) },
		"*a **b ": func(n int) string { return fill("*a **b ", n) },
		"a**b": func(n int) string { return fill("a**b", n) },
		"[](": func(n int) string { return fill("[](", n) },
		"[a](": func(n int) string { return fill("[a](", n) },
		"[a](<b": func(n int) string { return fill("[a](<b", n) },
		"[a](b \"": func(n int) string { return fill("[a](b \"", n) },
		"[": func(n int) string { return fill("[", n) },
		"[]": func(n int) string { return fill("[]", n) },
		"![": func(n int) string { return fill("![", n) },
		"[a][": func(n int) string { return fill("[a][", n) },
		"<a ": func(n int) string { return fill("<a ", n) },
		"<": func(n int) string { return fill("<", n) },
		"<a b=\"": func(n int) string { return fill("<a b=\"", n) },
		"<!--": func(n int) string { return "x " + fill("<!--", n) },
		"<?": func(n int) string { return "x " + fill("<?", n) },
		"<![CDATA[": func(n int) string { return "x " + fill("<![CDATA[", n) },
		"<!A": func(n int) string { return "x " + fill("<!A ", n) },
		"backticks inc": func(n int) string { var b strings.Builder; for i:=1; b.Len()<n; i++ { b.WriteString(rep("`", i)+" a ") }; return b.String() },
		"backtick": func(n int) string { return fill("` `` ", n) },
		"`a``": func(n int) string { return fill("`a``", n) },
		"~~": func(n int) string { return fill("~~a ", n) },
		"~": func(n int) string { return fill("~a ", n) },
		"defs uses": func(n int) string { var b strings.Builder; for i:=0; b.Len()<n/2; i++ { fmt.Fprintf(&b, "[a%d]: /x\n", i) }; b.WriteString("\n"); for i:=0; b.Len()<n; i++ { fmt.Fprintf(&b, "[a%d] ", i) }; return b.String() },
		"defs": func(n int) string { var b strings.Builder; for i:=0; b.Len()<n; i++ { fmt.Fprintf(&b, "[a%d]: /x\n", i) }; return b.String() },
		"defs sep": func(n int) string { var b strings.Builder; for i:=0; b.Len()<n; i++ { fmt.Fprintf(&b, "[a%d]: /x\n\n", i) }; return b.String() },
		"undef uses": func(n int) string { return fill("[foo] ", n) },
		"fn defs": func(n int) string { var b strings.Builder; for i:=0; b.Len()<n; i++ { fmt.Fprintf(&b, "[^a%d]: x\n", i) }; return b.String() },
		"fn defs uses": func(n int) string { var b strings.Builder; for i:=0; b.Len()<n; i++ { fmt.Fprintf(&b, "[^a%d]: x\n\nb[^a%d]\n\n", i,i) }; return b.String() },
		"fn uses1": func(n int) string { return "[^a]: x\n\n"+fill("b[^a] ", n) },
		"fn undef": func(n int) string { return fill("b[^a] ", n) },
		"fn undef2": func(n int) string { return "[^a]: x\n\n"+fill("b[^b] ", n) },
		"> nest": func(n int) string { return fill("> ", n) },
		"- nest": func(n int) string { return fill("- ", n)+"a" },
		"1. nest": func(n int) string { return fill("1. ", n)+"a" },
		"> nest 64": func(n int) string { return fill(rep("> ",64)+"a\n", n) },
		"> nest 512": func(n int) string { return fill(rep("> ",512)+"a\n", n) },
		"- 512": func(n int) string { return fill(rep("- ",512)+"a\n", n) },
		"list indent": func(n int) string { var b strings.Builder; for i:=0; b.Len()<n; i++ { b.WriteString(rep("  ", i)+"- a\n") }; return b.String() },
		"list 60 deep cycles": func(n int) string { var b strings.Builder; for i:=0; b.Len()<n; i++ { b.WriteString(rep("  ", i%60)+"- a\n") }; return b.String() },
		"list hold 500": func(n int) string { var b strings.Builder; for i:=0; i < 500; i++ { b.WriteString(rep("  ", i)+"- a\n") };  for b.Len()<n { b.WriteString(rep("  ", 500)+"- a\n") }; return b.String() },
		"long line": func(n int) string { return fill("a", n) },
		"words": func(n int) string { return fill("abc def ", n) },
		"lines": func(n int) string { return fill("a\n", n) },
		"fence": func(n int) string { return "```\n"+fill("a b\n", n) },
		"headings": func(n int) string { return fill("#\n", n) },
		"headings b": func(n int) string { return fill("# b\n", n) },
		"setext many": func(n int) string { return fill("b\n=\n", n) },
		"setext long": func(n int) string { return fill("bb\n", n)+"===" },
		"&": func(n int) string { return fill("&", n) },
		"&amp;": func(n int) string { return fill("&amp;", n) },
		"&#1": func(n int) string { return fill("&#1", n) },
		"www.": func(n int) string { return fill("www.", n) },
		"www.a.b ": func(n int) string { return fill("www.a.b ", n) },
		"http://": func(n int) string { return fill("http://", n) },
		"a@b.c": func(n int) string { return fill("a@b.c", n) },
		"a@": func(n int) string { return fill("a@", n) },
		"a.b@": func(n int) string { return fill("a.b-", n)+"@" },
		"http://a)": func(n int) string { return "http://a.b/"+fill(")", n) },
		"http://a((": func(n int) string { return "http://a.b/"+fill("((", n)+fill("))", n) },
		":": func(n int) string { return fill(":", n) },
		"a:": func(n int) string { return fill("a:", n) },
		"\\": func(n int) string { return fill("\\", n) },
		"table1 col": func(n int) string { return "|a|\n|-|\n"+fill("|\n", n) },
		"table delim": func(n int) string { return fill("|a|\n|-|\n", n) },
		"table pre": func(n int) string { return fill("a\n-\n", n) },
		"table wide": func(n int) string { return fill("|a", n/2)+"|\n"+fill("|-", n/2)+"|\n" },
		"table esc": func(n int) string { return "|a|b|\n|-|-|\n"+fill("|`\\|`|", n) },
		"table esc rows": func(n int) string { return "|a|b|\n|-|-|\n"+fill("|`\\|`|b|\n", n) },
		"pipes para": func(n int) string { return fill("|-\n", n) },
		"html div": func(n int) string { return fill("<div>\n", n) },
		"task": func(n int) string { return fill("- [ ] a\n", n) },
		"dash list": func(n int) string { return fill("-\n", n) },
		"dash list blank": func(n int) string { return fill("-\n\n", n) },
		"> lines": func(n int) string { return fill("> a\n\n", n) },
		"tabs": func(n int) string { return fill("\t- a\n", n) },
		"tabs2": func(n int) string { return "- a\n"+fill("\t\t\t\t", n)+"- b\n" },
		"hr": func(n int) string { return fill("---\n", n) },
		"hr long": func(n int) string { return fill("- - ", n)+"x" },
		"spaces": func(n int) string { return "a"+fill(" ", n)+"b" },
		"spaces lines": func(n int) string { return fill("a   \n", n) },
		"blank": func(n int) string { return fill("\n", n) },
		"link paren": func(n int) string { return "[a]("+fill("(", n) },
		"link nest": func(n int) string { return fill("[", n/3)+"a"+fill("](b)", n*2/3) },
		"img nest": func(n int) string { return fill("![", n/3)+"a"+fill("](b)", n*2/3) },
		"em nest": func(n int) string { return fill("*a ", n/2)+fill("b* ", n/2) },
		"strong nest": func(n int) string { return fill("**a ", n/2)+fill("b** ", n/2) },
		"***": func(n int) string { return fill("*", n/2)+"a"+fill("*", n/2) },
		"del nest": func(n int) string { return fill("~~a ", n/2)+fill("b~~ ", n/2) },
		"link label long": func(n int) string { return fill("[a", n)+"]" },
		"ref def open": func(n int) string { return fill("[a]: <b\n", n) },
		"ref def title": func(n int) string { return fill("[a]: b '\n", n) },
		"ref def label": func(n int) string { return fill("[a\n", n) },
		"fn nest": func(n int) string { return fill("[^a]: ", n) },
		"fn indent": func(n int) string { return "[^a]: x\n\n"+fill("    y[^a]\n\n", n) },
	}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote))
	for name, f := range shapes {
		fmt.Fprintln(os.Stderr, "START", name)
		for _, n := range []int{64<<10, 1<<20} {
			src := []byte(f(n))
			start := time.Now()
			var rr report
			susp, ok := limits(src, 1, &rr)
			lt := time.Since(start)
			if !ok { if n == 1<<20 { fmt.Printf("REFUSED %-22s %d %v %s\n", name, n, lt.Milliseconds(), rr.problems[0]) }; continue }
			_ = susp
			done := make(chan bool)
			var dp, dr time.Duration
			var out int
			var peak uint64; runtime.GC(); var m1 runtime.MemStats; runtime.ReadMemStats(&m1); go func() { doc := parse(src); dp = time.Since(start); var b bytes.Buffer; s2:=time.Now(); md.Renderer().Render(&b, src, doc.Root); dr = time.Since(s2); out = b.Len(); var m2 runtime.MemStats; runtime.ReadMemStats(&m2); peak=m2.TotalAlloc-m1.TotalAlloc; close(done); runtime.KeepAlive(doc) }()
			select { case <-done: case <-time.After(4*time.Second): fmt.Println("HANG", name, n); continue }
			if dp+dr+lt > 250*time.Millisecond || (len(src) > 1000000 && dp+dr > 150*time.Millisecond) { fmt.Printf("%-22s %8d parse %6dms render %6dms out %d alloc %dMB susp %v\n", name, n, time.Since(start).Milliseconds()-dr.Milliseconds(), dr.Milliseconds(), out, peak>>20, susp) }
			if time.Since(start) > 700*time.Millisecond { break }
		}
	}
}
