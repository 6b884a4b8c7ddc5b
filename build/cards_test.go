package build_test

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// checkPictures checks the picture that the metadata of each page names.
func checkPictures(t *testing.T, b built) {
	types := map[string]string{}
	for _, a := range b.plan.Artifacts {
		types[a.File] = a.Type()
	}
	moved := map[string]bool{}
	for _, m := range b.corpus.Metadata {
		moved[m.URL] = m.Moved()
	}
	for _, a := range b.plan.Artifacts {
		if !strings.HasPrefix(a.Type(), "text/html") {
			continue
		}
		said := metaOf(b.files[a.File])
		route, ok := strings.CutPrefix(said["og:image"], b.base)
		want := "/og.{hash}.png"
		if a.Pattern == "/"+strings.ToLower(b.prefix)+"/{n}/" && !moved[b.base+a.Route] {
			want = a.Route + "og.{hash}.png"
		}
		if !ok || contentHash.ReplaceAllString(route, "$1.{hash}.$2") != want {
			t.Errorf("%s: picture %q, want %s", a.Route, said["og:image"], want)
			continue
		}
		file := strings.TrimPrefix(route, "/")
		if said["og:image:alt"] == "" || said["twitter:card"] != "summary_large_image" ||
			said["og:image:type"] != types[file] || types[file] != "image/png" {
			t.Errorf("%s: og:image:alt %q, twitter:card %q, og:image:type %q of a file of type %q",
				a.Route, said["og:image:alt"], said["twitter:card"],
				said["og:image:type"], types[file])
		}
		size, err := png.DecodeConfig(bytes.NewReader(b.files[file]))
		if err != nil || size.Width != 1200 || size.Height != 630 ||
			said["og:image:width"] != "1200" || said["og:image:height"] != "630" {
			t.Errorf("%s: %v, %d by %d; the page says %s by %s", route, err, size.Width,
				size.Height, said["og:image:width"], said["og:image:height"])
		}
	}
}

// metaOf returns the content of a page's meta elements by property or name.
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
