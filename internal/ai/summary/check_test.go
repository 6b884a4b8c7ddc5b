package summary

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

func TestStands(t *testing.T) {
	s := Subject{Proposal: lamp(),
		Bundled: []*mip.Proposal{{Metadata: mip.Metadata{ID: mip.ID{Kind: "MIP", Number: 4}},
			Sections: []mip.Section{
				{ID: "s-abstract", Level: 2, Markdown: "## Abstract\n明るい灯台が海を照らします。\n"},
				{ID: "s-text", Level: 0, Markdown: "Lamps get brighter again, brighter agains."},
			}}}}
	for _, tt := range []struct {
		section, quote string
		want           bool
	}{
		{"s-abstract", "Every lamp burns *twice* as bright.", true},
		{"s-abstract", "Every lamp burns *twice* as\n\tbright.", true},
		{"s-abstract", "candles MUST be adapted", true},
		{"s-abstract", "Every lamp burns twice as bright.", false}, // marks count
		{"s-abstract", "every lamp burns *twice* as bright.", false},
		{"s-abstract", "Every lamp burns *twice* as bright!", false},
		{"s-abstract", "very lamp burns *twice* as bright.", false}, // a word is cut
		{"s-abstract", "Every lamp burns *twice* as brig", false},
		{"s-abstract", "lamp bur", false},
		{"s-abstract", "lamp", false}, // too short
		{"s-abstract", "", false},
		{"s-abstract", "## Abstract", false}, // a heading is no claim
		{"s-security", "Security --------", false},
		{"s-security", "Users can be dazzled by `lamp()`.", true},
		{"s-abstract", "Users can be dazzled by `lamp()`.", false},
		{"", "Users can be dazzled by `lamp()`.", false},
		{"MIP-4#s-abstract", "灯台が海を照らします", true},
		{"MIP-4#s-text", "brighter again", true}, // not the occurrence within agains
		{"MIP-4#s-text", "brighter agai", false},
		{"s-text", "brighter again", false},
		{"MIP-5#s-text", "brighter again", false},
		{"MIP-4#s-text", strings.Repeat("brighter again, ", 20), false},
	} {
		sum := made()
		sum.Users.Evidence = []api.Evidence{{Section: tt.section, Quote: tt.quote}}
		err := Check(sum, s)
		missing := err != nil && strings.Contains(err.Error(), "users: evidence 0 does not stand")
		if missing == tt.want {
			t.Errorf("the quote %q of section %q stands there: %t, want %t: %v", tt.quote,
				tt.section, !missing, tt.want, err)
		}
	}
}

// TestAccepted checks which quotes of a model's answer are kept: at most three different ones that
// stand in their sections. A group without quotes is one that the text does not mention.
func TestAccepted(t *testing.T) {
	e := func(quote string) api.Evidence {
		return api.Evidence{Section: "s-abstract", Quote: quote}
	}
	for _, tt := range []struct{ given, want []api.Evidence }{
		{[]api.Evidence{}, []api.Evidence{}},
		{[]api.Evidence{e("No such words")}, []api.Evidence{}},
		{[]api.Evidence{e("Every lamp  burns"), e("Every lamp burns"), e("No such words"),
			e("Contracts that"), e("count candles"), e("MUST be adapted")},
			[]api.Evidence{e("Every lamp burns"), e("Contracts that"), e("count candles")}},
	} {
		sum := made()
		sum.Users.Evidence = tt.given
		if err := Accept(&sum, Subject{Proposal: lamp(), Now: noon}); err != nil {
			t.Errorf("Accept: %v", err)
		}
		if diff := cmp.Diff(tt.want, sum.Users.Evidence); diff != "" {
			t.Errorf("kept (-want +got):\n%s", diff)
		}
		if sum.Users.Stated != (len(tt.want) > 0) {
			t.Errorf("the text mentions users: %t, with %d quotes", sum.Users.Stated, len(tt.want))
		}
	}
}

func TestCheckSummary(t *testing.T) {
	s := Subject{Proposal: lamp(), Now: noon}
	for _, tt := range []struct {
		name  string
		spoil func(sum *api.Summary)
		want  string
	}{
		{"as made", func(*api.Summary) {}, ""},
		{"stale is for others to say", func(sum *api.Summary) {
			sum.Stale, sum.ContentHash = true,
				"old"
		}, ""},
		{"another number", func(sum *api.Summary) { sum.MIPNumber = 7 }, "mipNumber is 7, not 6"},
		{"no source", func(sum *api.Summary) { sum.Source = "" }, "locale or source is missing"},
		{"no tldr", func(sum *api.Summary) { sum.TLDR = "" }, "tldr is empty"},
		{"not UTF-8", func(sum *api.Summary) { sum.TLDR = "a\xff" }, "tldr is not UTF-8"},
		{"no points", func(sum *api.Summary) { sum.WhatsChanging = nil },
			"whatsChanging has 0 points, not 1 to 6"},
		{"one point", func(sum *api.Summary) { sum.WhatsChanging = sum.WhatsChanging[:1] }, ""},
		{"six points", func(sum *api.Summary) {
			sum.WhatsChanging = slices.Repeat(sum.WhatsChanging,
				2)
		}, ""},
		{"seven points",
			func(sum *api.Summary) { sum.WhatsChanging = slices.Repeat(sum.WhatsChanging, 3)[:7] },
			"whatsChanging has 7 points, not 1 to 6"},
		{"a long point", func(sum *api.Summary) { sum.WhatsChanging[1] = strings.Repeat("灯", 401) },
			"whatsChanging 1 has 401 characters, more than 400"},
		{"no severity", func(sum *api.Summary) { sum.Users.Severity = "" },
			"users: severity is none of"},
		{"below the floor", func(sum *api.Summary) { sum.Validators.Severity = api.Low },
			"validators: severity low is below the floor medium"},
		{"a duty without a quote", func(sum *api.Summary) { sum.Foundation.ActionRequired = true },
			"foundation: actionRequired is true without actionEvidence"},
		{"null evidence", func(sum *api.Summary) { sum.Foundation.Evidence = nil },
			"foundation: evidence is null"},
		{"a claim without evidence",
			func(sum *api.Summary) { sum.Users.Evidence = []api.Evidence{} },
			"users: there is no evidence and impact does not say so"},
		{"a quote that does not stand",
			func(sum *api.Summary) { sum.Users.Evidence[0].Section = "s-abstract" },
			"users: evidence 0 does not stand"},
		{"everything at once", func(sum *api.Summary) { *sum = api.Summary{} },
			"foundation: evidence is null"},
	} {
		sum := made()
		tt.spoil(&sum)
		err := Check(sum, s)
		if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(),
			tt.want) {
			t.Errorf("%s: Check = %v, want %q", tt.name, err, tt.want)
		}
	}
	s.Fork = new(argand())
	for _, years := range []int{0, 1, 100} { // generatedAt does not date a summary after the fork
		sum := made()
		sum.GeneratedAt = mip.NewTime(noon.AddDate(years, 0, 0))
		if err := Check(sum, s); err == nil || !strings.Contains(err.Error(),
			"foundation: severity low is below the floor medium") {
			t.Errorf("Check of a summary from before the fork, made %s: %v", sum.GeneratedAt, err)
		}
	}
}

// The rules may count the items that they leave out. A model must not add numbers.
func TestCounted(t *testing.T) {
	s := Subject{Proposal: lamp(), Now: noon}
	s.Proposal.Sections = []mip.Section{{ID: "s-changes", Level: 2, Title: "Changes",
		Markdown: "## Changes\n\n" +
			strings.Repeat("- a lamp\n", 43)}}
	sum := Extract(s)
	if err := Check(sum, s); err != nil || !strings.HasSuffix(sum.WhatsChanging[0],
		"and 37 more.") {
		t.Errorf("%q: %v", sum.WhatsChanging, err)
	}
	sum.Source = "lamp-1"
	if err := Check(sum, s); err == nil || !strings.Contains(err.Error(), "mentions a number") {
		t.Errorf("of a model: %v", err)
	}
}
