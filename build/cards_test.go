package build_test

import (
	"bytes"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// TestEveryPageHasAPicture follows what each page of the samples tells other sites of its picture.
func TestEveryPageHasAPicture(t *testing.T) {
	p, err := planFolder(t.Context(), "../internal/samples/proposals", testSite("MIP"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := p.Publish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	get := func(route string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, route, nil))
		return w
	}
	for _, a := range p.Artifacts {
		if !strings.HasPrefix(a.Type, "text/html") {
			continue
		}
		said := metaOf(get(a.Route).Body.Bytes())
		route, ok := strings.CutPrefix(said["og:image"], testBase)
		want := "/og.{hash}.png"
		if a.Pattern == "/mip/{n}/" {
			want = a.Route + "og.{hash}.png"
		}
		if !ok || cardHash.ReplaceAllString(route, "og.{hash}.png") != want {
			t.Errorf("%s: picture %q, want %s", a.Route, said["og:image"], want)
			continue
		}
		if said["og:image:alt"] == "" || said["twitter:card"] != "summary_large_image" {
			t.Errorf("%s: og:image:alt %q, twitter:card %q", a.Route, said["og:image:alt"], said["twitter:card"])
		}
		w := get(route)
		size, err := png.DecodeConfig(w.Body)
		if err != nil || size.Width != 1200 || size.Height != 630 || said["og:image:width"] != "1200" || said["og:image:height"] != "630" {
			t.Errorf("%s: %v, %d by %d; the page says %s by %s", route, err, size.Width, size.Height, said["og:image:width"], said["og:image:height"])
		}
		if got := w.Header().Get("Content-Type"); w.Code != http.StatusOK || got != "image/png" || got != said["og:image:type"] || w.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: %d, %q, the page says %q, coding %q", route, w.Code, got, said["og:image:type"], w.Header().Get("Content-Encoding"))
		}
	}
}

// TestCardsAreReclaimed holds that cards of another picture go when the record of what was written is lost,
// and so do cards under the name that they had without a hash.
func TestCardsAreReclaimed(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	write(t, in, 1, "Title", "Words.")
	if err := buildFolder(in, out); err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(maps.Keys(files(t, out)))
	for _, old := range []string{"mip/1/og.0123abcd.png", "mip/1/og.png", "mip/2/og.0123abcd.png", "og.0123abcd.png"} {
		put(t, filepath.Join(out, old), "an old picture")
	}
	foreign := []string{"mip/1/og.notahash.png", "og.other.png", "picture.0123abcd.png"}
	for _, name := range foreign {
		put(t, filepath.Join(out, name), "somebody's picture")
	}
	put(t, filepath.Join(out, ".mipwatch", "manifest.json"), "{")
	if err := buildFolder(in, out); err != nil {
		t.Fatal(err)
	}
	want = slices.Sorted(slices.Values(append(want, foreign...)))
	if d := cmp.Diff(want, slices.Sorted(maps.Keys(files(t, out)))); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}

// metaOf is the content of a page's meta elements by property or name.
func metaOf(page []byte) map[string]string {
	out := map[string]string{}
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return out
	}
	for n := range doc.Descendants() {
		if n.Data != "meta" {
			continue
		}
		attr := map[string]string{}
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
		}
		out[attr["property"]+attr["name"]] = attr["content"]
	}
	return out
}
