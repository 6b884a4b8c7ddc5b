package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/testenv"
)

// parsedRSS and parsedAtom are what the tests read feeds back into: by namespace, as a reader does,
// and every element as a list, so that a repetition shows.
type (
	parsedRSS struct {
		XMLName xml.Name `xml:"rss"`
		Version string   `xml:"version,attr"`
		Channel []struct {
			Title       []string     `xml:"title"`
			Links       []parsedLink `xml:"link"` // without a namespace and Atom's: see split
			Description []string     `xml:"description"`
			Language    []string     `xml:"language"`
			Docs        []string     `xml:"docs"`
			Built       []string     `xml:"lastBuildDate"`
			TTL         []string     `xml:"ttl"`
			Items       []struct {
				Title       []string `xml:"title"`
				Link        []string `xml:"link"`
				Description []string `xml:"description"`
				Author      []string `xml:"author"`
				Creator     []string `xml:"http://purl.org/dc/elements/1.1/ creator"`
				Category    []string `xml:"category"`
				PubDate     []string `xml:"pubDate"`
				GUID        []struct {
					Permalink string `xml:"isPermaLink,attr"`
					ID        string `xml:",chardata"`
				} `xml:"guid"`
			} `xml:"item"`
		} `xml:"channel"`
	}
	parsedLink struct {
		XMLName xml.Name
		Rel     string `xml:"rel,attr"`
		Type    string `xml:"type,attr"`
		Href    string `xml:"href,attr"`
		Text    string `xml:",chardata"`
	}
	parsedText struct {
		Type string `xml:"type,attr"`
		Text string `xml:",chardata"`
	}
	parsedPerson struct {
		Name []string `xml:"name"`
		URI  []string `xml:"uri"`
	}
	parsedAtom struct {
		XMLName  xml.Name       `xml:"http://www.w3.org/2005/Atom feed"`
		Title    []parsedText   `xml:"title"`
		Subtitle []parsedText   `xml:"subtitle"`
		ID       []string       `xml:"id"`
		Updated  []string       `xml:"updated"`
		Authors  []parsedPerson `xml:"author"`
		Links    []parsedLink   `xml:"link"`
		Rights   []string       `xml:"rights"`
		Entries  []struct {
			Title      []parsedText   `xml:"title"`
			ID         []string       `xml:"id"`
			Updated    []string       `xml:"updated"`
			Published  []string       `xml:"published"`
			Authors    []parsedPerson `xml:"author"`
			Summary    []parsedText   `xml:"summary"`
			Links      []parsedLink   `xml:"link"`
			Categories []struct {
				Term string `xml:"term,attr"`
				Text string `xml:",chardata"`
			} `xml:"category"`
		} `xml:"entry"`
	}
)

// jsonFeed11 is the format of jsonfeed.org/version/1.1 as far as we use it; other members are refused.
type jsonFeed11 struct {
	Version     string `json:"version"`
	Title       string `json:"title"`
	HomePageURL string `json:"home_page_url"`
	FeedURL     string `json:"feed_url"`
	Description string `json:"description"`
	Language    string `json:"language"`
	Items       []struct {
		ID          string     `json:"id"`
		URL         string     `json:"url"`
		Title       string     `json:"title"`
		ContentText string     `json:"content_text"`
		Summary     string     `json:"summary"`
		Published   *time.Time `json:"date_published"`
		Modified    *time.Time `json:"date_modified"`
		Authors     []struct {
			Name string `json:"name"`
			URL  string `json:"url"`
		} `json:"authors"`
		Tags []string `json:"tags"`
	} `json:"items"`
}

// feedparser finds a Python that has it, and skips the test where none does.
func feedparser(t *testing.T) string {
	t.Helper()
	testenv.Long(t, "feedparser")
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import feedparser").Run() == nil {
			return name
		}
	}
	testenv.Missing(t, "feedparser", "no python3 with feedparser (Debian: python3-feedparser)")
	return ""
}

func readJSONFeed(t *testing.T, b []byte) jsonFeed11 {
	t.Helper()
	var feed jsonFeed11
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&feed); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return feed
}

// strictXML decodes a whole document and fails on what the decoder lets pass: characters that XML
// 1.0 excludes and text after the end.
func strictXML(t *testing.T, b []byte, v any) {
	t.Helper()
	if !bytes.HasPrefix(b, []byte(`<?xml version="1.0" encoding="UTF-8"?>`)) {
		t.Errorf("no XML declaration in %.60q", b)
	}
	if err := xml.Unmarshal(b, v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	if i := bytes.IndexFunc(b, func(r rune) bool { return r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff }); i >= 0 {
		t.Errorf("control character at byte %d: %q", i, b[max(0, i-20):min(len(b), i+20)])
	}
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

func once(t *testing.T, what string, values []string) {
	t.Helper()
	if len(values) != 1 || values[0] == "" {
		t.Errorf("%s %q, want exactly one, not empty", what, values)
	}
}

func absolute(t *testing.T, s string) {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" || strings.ContainsAny(s, " <>\"") {
		t.Errorf("%q (%v), want an absolute address", s, err)
	}
}

func instant(t *testing.T, s string) time.Time {
	t.Helper()
	return must[time.Time](t)(time.Parse(time.RFC3339, s))
}

func latest(all []mip.Summary) *mip.Time {
	var out *mip.Time
	for _, s := range all {
		if s.Updated != nil && (out == nil || s.Updated.UTC().After(out.UTC())) {
			out = s.Updated
		}
	}
	return out
}

func checkTimes(t *testing.T, what string, got []string, layout string, want *mip.Time) {
	t.Helper()
	if want == nil {
		if len(got) != 0 {
			t.Errorf("%s %q, want none", what, got)
		}
		return
	}
	if len(got) != 1 || got[0] != want.UTC().Format(layout) {
		t.Errorf("%s %q, want %q", what, got, want.UTC().Format(layout))
	}
}

// notNewer checks the times of one entry against the entry before and returns what the next one
// has to be held against. An entry without a time may only be followed by such.
func notNewer(t *testing.T, times []string, layout string, previous time.Time) time.Time {
	t.Helper()
	if len(times) == 0 {
		return time.Time{}
	}
	at, err := time.Parse(layout, times[0])
	if err != nil || len(times) != 1 || at.After(previous) {
		t.Errorf("times %q (%v), want one, not after %v", times, err, previous)
	}
	return at
}
