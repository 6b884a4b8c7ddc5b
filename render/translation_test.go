package render

import (
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// TestLanguages checks the own name and the direction of a language.
func TestLanguages(t *testing.T) {
	info := pageInfo("https://example.org")
	for tag, want := range map[string]string{
		"ja": "日本語 ltr", "ar": "العربية rtl", "pt-BR": "Português (Brasil) ltr",
		"de-AT": "Deutsch (de-AT) ltr", "xx": "xx ltr", "fa-IR": "فارسی (fa-IR) rtl",
	} {
		info.Locales = []string{tag}
		p := newTestPages(t, info, nil)
		v := proposalPage(p, pageList(), 2)
		v.Translations = []mip.Translation{{Locale: tag,
			URL: "https://example.org/api/v1/mips/3/translations/" + tag}}
		page, err := p.Translation(TranslationPage{ProposalPage: v,
			Text: &api.PublishedTranslation{MIPNumber: 3, Locale: tag, Title: "T",
				Sections: pageSections()}})
		if err != nil {
			t.Fatal(err)
		}
		name, direction := "", ""
		for _, e := range pageElements(t, page) {
			switch {
			case e.tag == "a" && e.attr["hreflang"] == tag:
				name = e.text
			case e.attr["id"] == "text":
				direction = e.attr["dir"]
			}
		}
		if got := name + " " + direction; got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
}

func translationPages(t *testing.T, stale bool) (english, page []byte) {
	t.Helper()
	info := pageInfo("https://example.org/p")
	info.Locales = []string{"ar", "tr"}
	p, all := newTestPages(t, info, pageForks()), pageList()
	about := pageHostile("description")
	links := []mip.Translation{{Locale: "ar",
		URL: "https://example.org/p/api/v1/mips/3/translations/ar", Stale: stale}}
	v := proposalPage(p, all, 2)
	v.Translations = links
	english, err := p.Proposal(v)
	if err != nil {
		t.Fatal(err)
	}
	page, err = p.Translation(TranslationPage{ProposalPage: v, Text: &api.PublishedTranslation{
		MIPNumber: 3, Locale: "ar", Title: pageHostile("title"), Description: &about,
		Sections: pageSections(), Stale: stale,
		GeneratedAt: mip.NewTime(time.Date(2026, 9, 1, 2, 3, 0, 0, time.UTC)), Source: "file",
	}})
	if err != nil {
		t.Fatal(err)
	}
	return english, page
}

// The pages of a proposal in its languages link to each other, and each is its own canonical
// address.
func TestTranslationLinks(t *testing.T) {
	english, page := translationPages(t, false)
	want := map[string]string{"en": "https://example.org/p/mip/3/",
		"x-default": "https://example.org/p/mip/3/", "ar": "https://example.org/p/mip/3/ar/"}
	for canonical, b := range map[string][]byte{want["en"]: english, want["ar"]: page} {
		for _, f := range pageFaults(t, b) {
			t.Errorf("%s: %s", canonical, f)
		}
		got := map[string]string{}
		for _, e := range pageElements(t, b) {
			switch {
			case e.tag == "link" && e.attr["rel"] == "canonical" && e.attr["href"] != canonical:
				t.Errorf("canonical %s, want %s", e.attr["href"], canonical)
			case e.tag == "link" && e.attr["type"] == "text/html":
				got[e.attr["hreflang"]] = e.attr["href"]
			case e.attr["id"] == "text" && canonical == want["ar"] &&
				(e.attr["lang"] != "ar" || e.attr["dir"] != "rtl"):
				t.Errorf("the text has lang %q and dir %q", e.attr["lang"], e.attr["dir"])
			}
		}
		if len(got) != len(want) || got["en"] != want["en"] ||
			got["x-default"] != want["x-default"] || got["ar"] != want["ar"] {
			t.Errorf("%s: hreflang %v, want %v", canonical, got, want)
		}
	}
}

func TestTranslationText(t *testing.T) {
	for _, stale := range []bool{false, true} {
		english, page := translationPages(t, stale)
		body, seen := "", 0
		for _, e := range pageElements(t, page) {
			if e.tag == "body" {
				body = e.text
			}
			if e.tag == "button" {
				seen++ // the first belongs to the search field above every page
			}
			if e.tag == "img" || seen > 1 {
				t.Errorf("the page of a translation holds <%s %v>", e.tag, e.attr)
			}
		}
		for _, want := range []string{pageHostile("title"), pageHostile("description"),
			"The English text is authoritative."} {
			if !strings.Contains(body, want) {
				t.Errorf("the page does not say %q", want)
			}
		}
		if got := strings.Contains(body, "Older than the English text"); got != stale {
			t.Errorf("stale %t: the page says so: %t", stale, got)
		}
		var links, buttons []string
		for _, e := range pageElements(t, english) {
			if e.tag == "a" && e.attr["hreflang"] != "" {
				links = append(links, e.attr["hreflang"]+" "+e.attr["href"])
			}
			if e.tag == "button" && e.attr["lang"] != "" {
				buttons = append(buttons, e.attr["lang"])
			}
		}
		if got := strings.Join(append(links, buttons...),
			", "); got != "en /p/mip/3/, ar /p/mip/3/ar/, en /p/mip/3/, tr" {
			t.Errorf("languages of the English page: %s", got)
		}
	}
}

// A site in one language has no switch. A site without committed translations has one only with a
// sidecar.
func TestLanguagesOfASite(t *testing.T) {
	for locales, want := range map[string]string{"": "", "tr": "langs live"} {
		info := pageInfo("https://example.org")
		info.Locales = strings.Fields(locales)
		p := newTestPages(t, info, nil)
		page, err := p.Proposal(proposalPage(p, pageList(), 2))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, e := range pageElements(t, page) {
			if strings.HasPrefix(e.attr["aria-labelledby"], "languages") {
				got = e.attr["class"]
			}
		}
		if got != want {
			t.Errorf("locales %q: section of class %q, want %q", locales, got, want)
		}
	}
}
