package feed

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// parsedRSS and parsedAtom are parsed feeds: by namespace, like a reader, and with every element as
// a list, so that a repetition shows.
type (
	parsedRSS struct {
		XMLName xml.Name `xml:"rss"`
		Version string   `xml:"version,attr"`
		Channel []struct {
			Title       []string     `xml:"title"`
			Links       []parsedLink `xml:"link"` // without a namespace, and Atom's: see split
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

// jsonFeed11 is the used part of the format jsonfeed.org/version/1.1. Other members are refused.
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
		Published   *time.Time `json:"date_published"`
		Authors     []struct {
			Name string `json:"name"`
		} `json:"authors"`
		Tags []string `json:"tags"`
	} `json:"items"`
}

// feedparser returns a Python that has it, and skips the test without one.
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

func once(t *testing.T, what string, values []string) {
	t.Helper()
	if len(values) != 1 || values[0] == "" {
		t.Errorf("%s %q, want exactly one, not empty", what, values)
	}
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s %q, want %q", what, got, want)
	}
}

// some is a list of a text, or an empty list for "".
func some(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
