package build_test

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
)

// TestTranslationPage publishes a translation as a page: with the ids of the English headings, the
// proposal's link targets, and no active content from the file.
func TestTranslationPage(t *testing.T) {
	in, hash := besideFolder(t)
	put(t, filepath.Join(in, "translations", "ja", "MIP-2.md"),
		"---\ntitle: 最初 <b>\ntranslation-of: "+hash+
			"\n---\n\n## 要旨\n\n[一](./MIP-1.md#abstract) [二](#abstract) [三](javascript:alert(1)) "+
			"<script>alert(1)</script><img src=x onerror=alert(1)>\n")
	p, err := buildtest.Plan(t.Context(), besideSite(), in)
	if err != nil {
		t.Fatal(err)
	}
	h := p.Publish()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/mip/2/ja/", nil))
	page := w.Body.String()
	for _, want := range []string{`<article class="prose" id="text" lang="ja" dir="ltr">`,
		`<h2 id="s-abstract">`, `href="/mip/1/#s-abstract"`, `href="#s-abstract">二`, "最初 &lt;b&gt;",
		"The English text</a> is authoritative"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s:\n%s", want, page)
		}
	}
	_, body, _ := strings.Cut(page, "<article")
	body, _, _ = strings.Cut(body, "</article>")
	for _, bad := range []string{"<script", "javascript:", "onerror=", "<b>"} {
		if strings.Contains(body, bad) {
			t.Errorf("the text holds %q: %s", bad, body)
		}
	}
}

// Load leaves out a translation that would become far too large, and the build goes on.
func TestTranslationTooLarge(t *testing.T) {
	in, hash := besideFolder(t)
	put(t, filepath.Join(in, "translations", "ja", "MIP-2.md"),
		"---\ntitle: x\ntranslation-of: "+hash+"\n---\n\n## 要旨\n\n"+
			strings.Repeat("[x][a] ", 9_000)+
			"\n\n[a]: https://example.org/"+strings.Repeat("a", 4_000)+"\n")
	c, err := build.Load(t.Context(),
		build.Options{Site: buildtest.In(besideSite(), in), Epoch: new(time.Unix(0, 0))})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Proposals[1].Translations) != 0 || len(c.Problems) != 1 ||
		!strings.Contains(c.Problems[0].Message, "too large") {
		t.Errorf("translations %+v, problems %v; want none, and one that says that it is too large",
			c.Proposals[1].Translations, c.Problems)
	}
}
