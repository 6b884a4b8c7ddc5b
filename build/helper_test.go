package build_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
)

// testBase is the address of every site that these tests build.
const testBase = "https://mips.example.org"

// testSite returns a site with a prefix and nothing optional.
func testSite(prefix string) *site.Site {
	return &site.Site{Title: "Test Proposals", BaseURL: testBase, Prefix: prefix, Highlight: true}
}

func buildFolder(in, out string) error {
	p, err := buildtest.Plan(context.Background(), testSite("MIP"), in)
	if err != nil {
		return err
	}
	_, err = build.Sync(context.Background(), p, out, build.SyncOptions{})
	return err
}

// write puts a small proposal into a folder.
func write(t *testing.T, dir string, n int, title, text string) {
	t.Helper()
	body := fmt.Sprintf("---\nmip: %d\ntitle: %s %d\nauthor: Ada (@ada)\nstatus: Draft\n"+
		"type: Standards Track\ncategory: Core\ncreated: 2026-01-%02d\n---\n\n## Abstract\n\n%s\n",
		n, title, n, n, text)
	err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("MIP-%d.md", n)), []byte(body), 0o644)
	if err != nil {
		t.Fatal(err)
	}
}

// internalLinks returns the root-relative addresses that a page refers to.
func internalLinks(page []byte) []string {
	doc, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		return nil
	}
	var out []string
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if (a.Key == "href" || a.Key == "src" || a.Key == "action") &&
				strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "//") {
				out = append(out, a.Val)
			}
		}
	}
	return out
}
