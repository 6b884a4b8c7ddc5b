package markdown

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// markdownFaults parses out as a browser would and lists what an article must not contain.
func markdownFaults(out []byte) []string {
	page := append([]byte("<!doctype html><title>t</title><main><article>"), out...)
	page = append(page, `</article><footer id="after">after</footer></main>`...)
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return []string{err.Error()}
	}
	article := find(root, "article")
	faults := rendertest.ArticleFaults(article)
	if !utf8.Valid(out) {
		faults = append(faults, "not UTF-8")
	}
	footer := find(root, "footer")
	if footer == nil || footer.FirstChild == nil || footer.FirstChild.Data != "after" ||
		footer.PrevSibling != article {
		faults = append(faults, "what follows the article is inside it")
	}
	return faults
}

func find(root *html.Node, tag string) *html.Node {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == tag {
			return n
		}
	}
	return nil
}

// hostile are attacks and accidents that would obscure the golden pairs.
var hostile = []string{
	"0000000000<B id=0><div>0", // the parser doubles the b with its id
	"[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](vbscript:x) [d](data:text/html,x) " +
		"[e](file:///etc/passwd)",
	"[a](java&#9;script:alert(1)) [b](java&Tab;script:x) [c](javascript&colon;x) " +
		"[d](&#x6A;avascript:x) [e](&#106avascript:x)",
	"[a](<java\tscript:x>) [b](< javascript:x>) [c](<\x01javascript:x>) [d](<java\\\nscript:x>)",
	"[a][r]\n\n[r]: javascript:alert(1)",
	"<javascript:alert(1)> <JAVASCRIPT:x> <data:text/html,x> <a.b:c> <module::type>",
	"![x](javascript:alert(1)) ![y](data:image/svg+xml,<svg/onload=alert(1)>) " +
		"![z](https://evil.example/x.png)",
	"![\" onerror=alert(1) x=\"](assets/x.png) ![<script>](assets/x.png \"t\")",
	"[x](https://a.example/\"onmouseover=alert(1)) [y](https://a.example/ '\"onclick=x')",
	"[p](//evil.example/x) [q](/\\evil.example) [r](\\\\\\\\evil.example) [s](https:evil) " +
		"[t](http:///x) [u](evil)",
	"<script>alert(1)</script>\n\nafter",
	"text <script>alert(1)</script> <img src=x onerror=alert(1)> <svg onload=alert(1)><a " +
		"xlink:href=javascript:x>",
	"<SCRIPT SRC=//evil.example/x.js></SCRIPT>\n\n<ScRiPt\n>x</sCrIpT\n>",
	"<base href=//evil.example/>\n<meta http-equiv=refresh " +
		"content='0;url=//evil.example'>\n<link rel=stylesheet href=x>",
	"<iframe src=x></iframe><object data=x></object><embed src=x><form action=x><input " +
		"name=y><button>z</button></form>",
	"<style>*{display:none}</style>\n\n<div style='position:fixed' onclick=x class=top " +
		"id=after>x</div>",
	"<a href='javascript:x'>a</a> <a href=' JAVASCRIPT:x'>b</a> <a " +
		"href='java&#10;script:x'>c</a> <a href='&#1;javascript:x'>d</a>",
	"<a href='https://ok.example' onclick='x' target=_blank ping=x>a <a " +
		"href='https://b.example'>b</a></a>",
	"[out <a href=https://in.example>in</a>](https://out.example) <a " +
		"href=https://x.example>[y](https://y.example)</a>",
	"<details>\n<summary>open\n\nnever closed",
	"</article></main></div></body></html>\n\n</details></table>\n\nafter",
	"<table><tr><td>\n\n| a |\n|---|\n| b |\n\nnever closed",
	"<b><i><u>\n\nunclosed *x <b> y* z </i>\n\n- <b>\n- </b>",
	"<!-- open\n\nnever closed <script>x</script>",
	"<!-- <script> --> x <!--> <script>y</script> --> <!---> z -->",
	"<?php echo 1 ?> <!DOCTYPE html> <![CDATA[<script>x</script>]]>",
	"<textarea>\n<script>x</script>\n\n<title>\n\n<plaintext>\n\n<xmp>\n\n<noembed>\n\nend",
	"<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 " +
		"onerror=alert(1)&gt;\">",
	"$<script>alert(1)</script>$ $\\text{</math><img src=x onerror=alert(1)>}$ " +
		"$\\begin{array}{c\" onload=x}a\\end{array}$ $\\href{javascript:x}{y}$",
	"<b>$\\text{</annotation></semantics></math><script>x</script>}$ <span " +
		"class=inset>0</span> <p>$$\\frac{<table>}{</p>}$$\n\n<table><tr>\n\n$x$ $$y$$",
	"<a href=/x>$\\mathbf{<style>}$ [$\\text{<textarea>}$](https://a.example) " +
		"![$x$](assets/x.png)\n\n# [$a$](mip-1.md) $$b$$",
	"$$\n<script>\nalert(1)\n$$\n\n> $$\n> x <img src=y onerror=z>\n\n- $$\n  never closed",
	"<svg></p><style><a id=\"</style><img src=1 onerror=alert(1)>\">",
	"<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
	"<div id=location name=x></div><a id=constructor></a><a name=constructor></a> [l](#location) " +
		"[c](#constructor) [n](#nowhere)",
	"# s-fn-1\n\n# fn 1\n\nx[^1] y[^1]\n\n# fnref-1\n\n[^1]: a [l](#fn-1)",
	"# [a](https://a.example) b[^1] <a href=https://c.example>c</a> ![d](assets/d.png)\n\n[^1]: x",
	"# <b>\n\n## `<script>`\n\n### &lt;script&gt; &amp;amp;\n\n#\n\n# \u200b",
	"![a[^1]](assets/a.png) [b[^1]](https://b.example)\n\n[^1]: x[^2]\n[^2]: y[^1] [c](#fn-1)",
	"```\"><script>alert(1)</script>\nx\n```\n\n" +
		"```<img/src=x>\n</code></pre><script>x</script>\n```",
	"`</code><script>x</script>` $x<y$ $$\n<script>\n$$",
	"|<script>|a|\n|:-:|-:|\n|</td></table><script>|`|`|",
	"<p>\n\n<p>\n\n</p></p>\n\n<h1>x</h1><h6>y</h2> <ul><li>a<ol><td>",
	"<a href=\"#x\" id=x>self</a> <a href=#s-x>x</a> <a name=\"x y\">z</a> [q](#x)",
	"<img src=assets/a.png alt='\"><script>'> <img> <img src='data:x'> <img " +
		"src=https://i.example/i.gif>",
	"<table><caption>c</caption><tr><th colspan=2 rowspan=99999>h<td colspan='2\" " +
		"onclick=x'>d</table>",
	strings.Repeat("<div>", 200) + "x",
	strings.Repeat("<b><i>", 100) + strings.Repeat("\n\n<p>x", 50),
	"\u202egnp.exe \u2066x\u2069 👩\u200d👩\u200d👧\u200d👦 e\u0301 𝔘 &#0; &#x1; &#xD800; \x01",
	"<DETAILS OPEN ONTOGGLE=alert(1)><SUMMARY>x</SUMMARY></DETAILS>",
	"<div\n\nx<script\n\n<a href=\"javascript:",
	"<section id=s-fn-1><span id=fn-1>x</span>[^1]\n\n[^1]: <span id=fnref-1>y</span> " +
		"[z](#fnref-1)",
}

func TestMarkdownHostile(t *testing.T) {
	m := New(true)
	for _, source := range hostile {
		out := renderTest(t, m, []byte(source), "")
		for _, fault := range markdownFaults(out) {
			t.Errorf("Render(%q): %s in\n%s", source, fault, out)
		}
	}
}

// The check itself must find the faults.
func TestMarkdownFaults(t *testing.T) {
	for _, tt := range []string{
		`<script>x</script>`, `<p style="x">`, `<p onclick="x">`, `<a href="javascript:x">`,
		`<a href="//x">`, `<a href="x">`, `<a href="#x">`, `<i id="s-a"></i><i id="s-a"></i>`,
		`<i id="a"></i>`, `<img src="https://x/y.png">`, `<svg></svg>`, `</article><p>`, `<table>`,
		`<!-- x -->`, `<a href="/a"><table><tr><td><a href="/b">`, "\xff",
	} {
		if len(markdownFaults([]byte(tt))) == 0 {
			t.Errorf("markdownFaults(%q) finds nothing", tt)
		}
	}
	got := markdownFaults([]byte(`<h2 id="s-a"><a class="h" href="#s-a">a</a></h2><p>b</p>`))
	if got != nil {
		t.Errorf("markdownFaults of a sound article = %q, want none", got)
	}
}

// Text that is not markup must not disappear.
func TestMarkdownKeepsText(t *testing.T) {
	m := New(true)
	for _, tt := range []struct{ source, want string }{
		{"call <address> at <offset>", "call <address> at <offset>"},
		{"<unknown>\nx\n</unknown>", "<unknown>\nx\n</unknown>"},
		{"<script>alert(1)</script>", "<script>alert(1)</script>"},
		{"<!-- open", "<!-- open"},
		{"an <a b=c> and a <b", "an <a b=c> and a <b"},
		{"a <!-- gone --> b", "a  b"},
		{"<module::type>", "<module::type>"},
		{"[text](javascript:x)", "text"},
		{"[text](#nowhere)", "text"},
		{"[text](unknown.bin)", "text"},
		{"![alt](data:x)", "alt"},
		{"![](data:x)", "Image"},
		{"![](https://a.example/b.png)", "https://a.example/b.png"},
		{"<div\n", "<div"},
		{"a &lt;b&gt; &amp;amp; \\< \\& c", "a <b> &amp; < & c"},
		{"<div>a &lt;b&gt;</div>", "a <b>"},
		{"$a_1 < b_2$ and $$x^2$$", "a1<b2a_1 < b_2 and x2x^2"}, // with the hidden sources
		{"$a_1 < b_2 and $5 or US$6 $", "$a_1 < b_2 and $5 or US$6 $"},
		{"`$x$` $\\unknown *x* <b>$ and\n\n$$\\frac{a *b*$$",
			"$x$ \\unknown *x* <b> and\n\\frac{a *b*"},
		{"👩\u200d👩\u200d👧 e\u0301 𝔘 日本", "👩\u200d👩\u200d👧 e\u0301 𝔘 日本"},
	} {
		root, err := html.Parse(bytes.NewReader(renderTest(t, m, []byte(tt.source), "")))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(rendertest.TextOf(root)); got != tt.want {
			t.Errorf("Render(%q) reads %q, want %q", tt.source, got, tt.want)
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, archive := range testenv.Archives(f, goldens) {
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".md") {
				f.Add(file.Data)
			}
		}
	}
	for _, source := range hostile {
		f.Add([]byte(source))
	}
	m := New(true)
	f.Fuzz(func(t *testing.T, source []byte) {
		if len(source) > 4096 || !utf8.Valid(source) {
			t.Skip("the corpus refuses what is not UTF-8; long inputs are slow to parse")
		}
		doc := markdown.Parse(string(source))
		out, err := m.Render(doc, "Title", testLinks{})
		if err != nil {
			t.Fatalf("Render(%q) = %v", source, err)
		}
		for _, fault := range markdownFaults(out.HTML) {
			t.Errorf("Render(%q): %s in\n%s", source, fault, out.HTML)
		}
		again, err := m.Render(doc, "Title", testLinks{})
		if err != nil || !bytes.Equal(out.HTML, again.HTML) {
			t.Errorf("Render(%q) gives\n%s\nand then another text, %v", source, out.HTML, err)
		}
	})
}

// A text nested deeper than an HTML parser allows is shown as its source.
func TestMarkdownTooDeep(t *testing.T) {
	source := strings.Repeat("> ", 600) + "<b>x</b> <script>"
	out := renderTest(t, New(true), []byte(source), "")
	if want := "<pre>" + escape(source) + "</pre>\n"; string(out) != want {
		t.Errorf("Render of 600 quotes = %.200q, want %.200q", out, want)
	}
}
