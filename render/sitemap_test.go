package render

import (
	"bytes"
	"encoding/xml"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

type parsedSitemap struct {
	XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []struct {
		Loc     []string `xml:"loc"`
		LastMod []string `xml:"lastmod"`
	} `xml:"url"`
}

func sitemapCases() []struct {
	name, route, want string
	lastMod           *mip.Time
} {
	at := mip.NewTime(time.Date(2026, time.March, 1, 10, 0, 0, 0, time.FixedZone("", 3600)))
	const base = "https://sample.example.org/mips"
	return []struct {
		name, route, want string
		lastMod           *mip.Time
	}{
		{"home", "/", base + "/", nil},
		{"page with a time", "/mip/3/", base + "/mip/3/", &at},
		{"other script", "/category/ネット/", base + "/category/%E3%83%8D%E3%83%83%E3%83%88/", nil},
		{"markup", `/type/<a&b>"'/`, base + `/type/%3Ca&b%3E%22'/`, nil},
		{"already encoded", "/status/%C3%A9/", base + "/status/%C3%A9/", nil},
		{"blank", "/status/last call/", base + "/status/last%20call/", nil},
	}
}

func TestSitemap(t *testing.T) {
	var entries []SitemapEntry
	for _, tt := range sitemapCases() {
		entries = append(entries, SitemapEntry{tt.route, tt.lastMod})
	}
	out := rendertest.Must[[]byte](t)(Sitemap(rendertest.SampleInfo(), entries))
	var doc parsedSitemap
	rendertest.StrictXML(t, out, &doc)
	if len(doc.URLs) != len(entries) {
		t.Fatalf("%d addresses, want %d", len(doc.URLs), len(entries))
	}
	for i, tt := range sitemapCases() {
		t.Run(tt.name, func(t *testing.T) {
			if got := doc.URLs[i].Loc; !slices.Equal(got, []string{tt.want}) {
				t.Errorf("loc of %q = %q, want %q", tt.route, got, tt.want)
			}
			rendertest.Absolute(t, doc.URLs[i].Loc[0])
			rendertest.CheckTimes(t, "lastmod", doc.URLs[i].LastMod, time.RFC3339, tt.lastMod)
		})
	}
	xsd(t, out)
}

func TestSitemapEmpty(t *testing.T) {
	out := rendertest.Must[[]byte](t)(Sitemap(rendertest.SampleInfo(), nil))
	var doc parsedSitemap
	rendertest.StrictXML(t, out, &doc)
	if len(doc.URLs) != 0 {
		t.Errorf("Sitemap of nothing holds %+v", doc.URLs)
	}
}

func TestSitemapLimit(t *testing.T) {
	entries := slices.Repeat([]SitemapEntry{{Route: "/"}}, 50_001)
	if _, err := Sitemap(rendertest.SampleInfo(), entries[1:]); err != nil {
		t.Errorf("50,000 addresses: %v, want none", err)
	}
	if _, err := Sitemap(rendertest.SampleInfo(), entries); err == nil ||
		!strings.Contains(err.Error(), "50001") {
		t.Errorf("50,001 addresses: %v, want an error that says the number", err)
	}
}

// The schema refuses invalid sitemaps: without this the test above could not fail.
func TestSitemapSchemaRefuses(t *testing.T) {
	lint := xmllint(t)
	for name, url := range map[string]string{
		"no loc":      "<lastmod>2026-01-01</lastmod>",
		"relative":    "<loc>/mip/1/</loc>",
		"not encoded": "<loc>https://example.org/é</loc>",
		"no zone":     "<loc>https://example.org/</loc><lastmod>2026-01-01T00:00:00</lastmod>",
		"wrong order": "<lastmod>2026-01-01</lastmod><loc>https://example.org/</loc>",
		"twice": "<loc>https://example.org/</loc></url>" +
			"<url><loc>https://example.org/</loc>",
		"other element": "<loc>https://example.org/</loc><title>x</title>",
	} {
		doc := `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>` + url + "</url></urlset>"
		if _, err := lint([]byte(doc)); err == nil {
			t.Errorf("%s: %s passes the schema", name, url)
		}
	}
}

func TestRobots(t *testing.T) {
	want := "User-agent: *\nAllow: /\n\nSitemap: https://sample.example.org/mips/sitemap.xml\n"
	rendertest.Same(t, "robots.txt", string(Robots(rendertest.SampleInfo())), want)
}

func xsd(t *testing.T, doc []byte) {
	t.Helper()
	if out, err := xmllint(t)(doc); err != nil {
		t.Errorf("xmllint: %v\n%s", err, out)
	}
}

// xmllint returns a function that validates a document by the schema. It skips the test if the
// program is not installed.
func xmllint(t *testing.T) func([]byte) (string, error) {
	t.Helper()
	path := testenv.Program(t, "xmllint", "xmllint")
	return func(doc []byte) (string, error) {
		cmd := exec.Command(path, "--noout", "--nonet", "--schema", "testdata/sitemap.xsd", "-")
		cmd.Stdin = bytes.NewReader(doc)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}
