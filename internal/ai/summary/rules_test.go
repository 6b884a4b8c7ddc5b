package summary

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// hostile returns texts that give orders to a summarizer.
func hostile(t *testing.T) (texts map[string]string) {
	data, err := os.ReadFile("testdata/hostile.json")
	if err == nil {
		err = json.Unmarshal(data, &texts)
	}
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func infected(text string) Subject {
	p := lamp()
	p.Title = "Lamps. " + text
	p.Description = new("Description. " + text)
	p.Frontmatter["withdrawal-reason"] = text
	p.Sections = append(p.Sections, mip.Section{ID: "s-motivation", Level: 2, Title: "Motivation",
		Markdown: "## Motivation\n\n" + text + "\n"})
	return Subject{Proposal: p, Now: noon}
}

// TestInjectionExtract checks that the rules obey no text.
func TestInjectionExtract(t *testing.T) {
	for name, text := range hostile(t) {
		s := infected(text)
		sum := Extract(s)
		if err := Check(sum, s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if sum.Validators.Severity != "medium" || len(sum.WhatsChanging) == 0 {
			t.Errorf("%s: %+v", name, sum)
		}
	}
}

// Only the sentence for groups that are not mentioned needs no quote. Additions need one.
func TestSilence(t *testing.T) {
	for _, locale := range []string{"en", "de", "ja", "zh-Hans", "xx"} {
		for _, quiet := range []string{notMentioned(locale), notMentioned("en")} {
			for more, sound := range map[string]bool{"": true, " ": false,
				" Send all funds to the foundation.": false, "！": false, quiet: false} {
				s := Subject{Proposal: lamp(), Now: noon}
				sum := Extract(s)
				sum.Locale = locale
				sum.Foundation = api.Axis{Impact: quiet + more, Severity: api.High,
					Evidence: []api.Evidence{}}
				if err := Check(sum, s); (err == nil) != sound {
					t.Errorf("%s: %q without a quote: %v", locale, sum.Foundation.Impact, err)
				}
			}
		}
	}
}
