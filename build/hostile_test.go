package build_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mmcdole/gofeed"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"go.yaml.in/yaml/v3"
	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// hostileTexts are texts that a header may hold. Package corpus refuses others.
func hostileTexts() []string {
	var out []string
	for _, h := range rendertest.HostileTexts() {
		if h.In == h.Want {
			out = append(out, h.In)
		}
	}
	return out
}

// TestHostileTexts writes each hostile text into every field of a header and of the site's file,
// and reads it from every format of the tree: it must be text, whole, and escaped once.
func TestHostileTexts(t *testing.T) {
	for _, text := range hostileTexts() {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			quoted := string(mustJSON(t, text)) // which YAML reads too
			var head strings.Builder
			head.WriteString(fmt.Sprintf("---\nmip: 1\nauthor: %s\ncreated: 2026-01-01\n",
				mustJSON(t, text+" (@ada)")))
			for _, f := range mip.Fields {
				if f.Kind == mip.FieldProse || f.Kind == mip.FieldWord {
					head.WriteString(f.Key() + ": " + quoted + "\n")
				}
			}
			head.WriteString("---\n\n## Abstract\n\nWords.\n")
			s := testSite("MIP")
			s.Title, s.Description = text, text
			b := buildCorpus(t, folderOf(t, "MIP-1.md", head.String()), s)
			if len(b.corpus.Proposals) != 1 {
				t.Fatalf("not published: %v", b.corpus.Problems)
			}
			checkTree(t, b)
			p := b.single(t, 1)
			for _, f := range mip.Fields {
				got := f.Text(&p.Metadata)
				if (f.Kind == mip.FieldProse || f.Kind == mip.FieldWord) && got != text {
					t.Errorf("the JSON has %q for %s", got, f.Name)
				}
			}
			checkHostilePages(t, b, text)
			checkHostileFeeds(t, b, text)
			checkHostileLLMs(t, b, text)
			checkHostileSkill(t, b, text)
		})
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(out.Bytes())
}

// unquoted removes backticks, which become code, and folds blanks.
func unquoted(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "`", "")), " ")
}

func checkHostilePages(t *testing.T, b built, text string) {
	t.Helper()
	shown := map[string]int{"index.html": 5, "mip/1/index.html": 4, "dashboard/index.html": 2}
	for name, page := range b.files {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		doc, err := html.Parse(bytes.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			if n.Type == html.ElementNode &&
				(n.Data == "img" || n.Data == "b" &&
					strings.Contains(rendertest.TextOf(n), "evil")) {
				t.Errorf("%s: a text became <%s>", name, n.Data)
			}
		}
		got := strings.Count(unquoted(rendertest.TextOf(doc)), unquoted(text))
		if got < shown[name] {
			t.Errorf("%s shows the text %d times, want %d", name, got, shown[name])
		}
	}
}

func checkHostileFeeds(t *testing.T, b built, text string) {
	t.Helper()
	slug := mip.Slug(text)
	for _, name := range []string{"feed.xml", "feed.atom", "feed.json",
		"category/" + slug + "/feed.atom", "mip/1/feed.atom"} {
		feed, err := gofeed.NewParser().Parse(bytes.NewReader(b.files[name]))
		if err != nil || len(feed.Items) != 1 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		item := feed.Items[0]
		description := cmp.Or(item.Description, item.Content) // JSON Feed has the content
		if strings.HasSuffix(name, ".xml") {                  // RSS has HTML
			description = html.UnescapeString(description)
		}
		if !strings.Contains(feed.Title, text) && !strings.Contains(feed.Title, plain.Text(text)) ||
			item.Title != "MIP-1 was created: "+plain.Text(text) ||
			!strings.HasPrefix(description, text) {
			t.Errorf("%s: title %q, item %q: %q", name, feed.Title, item.Title, description)
		}
	}
}

// checkHostileLLMs reads llms.txt as Markdown: it must have the same characters, in one heading,
// one quote and one link.
func checkHostileLLMs(t *testing.T, b built, text string) {
	t.Helper()
	var page bytes.Buffer
	err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert(b.files["llms.txt"], &page)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(&page)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]string{}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode {
			texts[n.Data] = append(texts[n.Data], unquoted(rendertest.TextOf(n)))
		}
	}
	got := texts["h1"]
	if len(got) != 1 || got[0] != unquoted(text) ||
		!strings.HasPrefix(texts["blockquote"][0], unquoted(text)) ||
		texts["a"][0] != unquoted("MIP-1: "+text) {
		t.Errorf("llms.txt: headings %q, quote %q, first link %q", got,
			texts["blockquote"][0], texts["a"][0])
	}
	for _, tag := range []string{"script", "img", "em", "strong", "del", "h3", "ol", "table"} {
		if texts[tag] != nil {
			t.Errorf("llms.txt: %s: %q", tag, texts[tag])
		}
	}
}

func checkHostileSkill(t *testing.T, b built, text string) {
	t.Helper()
	_, rest, _ := strings.Cut(string(b.files["skill.md"]), "---\n")
	header, body, ok := strings.Cut(rest, "\n---\n")
	var head struct{ Name, Description string }
	d := yaml.NewDecoder(strings.NewReader(header))
	d.KnownFields(true)
	if err := d.Decode(&head); err != nil || !ok {
		t.Fatalf("skill.md: %v in %q", err, header)
	}
	if head.Name != "mip-proposals" || !strings.Contains(head.Description, text) ||
		!strings.HasPrefix(body, "\n# Proposals of ") {
		t.Errorf("skill.md: name %q, description %q, body %.99q", head.Name, head.Description, body)
	}
	if strings.Contains(body, "{{") && !strings.Contains(text, "{{") {
		t.Error("skill.md: a placeholder is left")
	}
}
