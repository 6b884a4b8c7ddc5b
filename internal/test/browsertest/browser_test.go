package browsertest

import (
	"sync"
	"testing"
)

// clipboard is locked by the step that uses it: all tabs share one.
var clipboard sync.Mutex

// TestPages has the actions of a reader on the site, and the properties that pages must keep
// throughout. The numbers are from the acceptance script. Each step has its own tabs.
func TestPages(t *testing.T) {
	t.Parallel()
	start(t)
	r := serve(t, true)
	for _, s := range []struct {
		name string
		do   func(*testing.T, *served)
	}{
		// The longest come first, so that none runs alone at the end.
		{"step 3: every control by keyboard", reachable},
		{"step 22: a translation of any length", longTranslations},
		{"step 20: the sidecar gives nothing", bare},

		{"step 1: the first page", firstPage},
		{"step 2: skip to content", skip},
		{"step 3: slash leads to the search", slash},
		{"steps 4 to 6: typing filters, the address keeps it, Back leaves", typing},
		{"words alone on a phone", folded},
		{"steps 3 and 7: a number comes first, Escape empties the search", numbers},
		{"step 8: a status filters", tiles},
		{"step 9: filters and heat in an address", combined},
		{"step 10: nothing matches", nothing},
		{"steps 12, 15, 25 and 32: badges, relations, versions, the API", said},
		{"an upgrade as a runbook", runbook},
		{"following", following},
		{"the API's page", describedAPI},
		{"the text begins on the first screen", textFirst},
		{"what a page answers on its first screen", firstFacts},
		{"who wrote a text, and what it requires", firstNames},
		{"a list begins on the first screen", func(t *testing.T, r *served) {
			rowsFirst(t, r, "/", "/status/final/")
		}},
		{"step 13: table of contents", contents},
		{"step 13: table of contents on a phone", phone},
		{"step 13: contents as a sheet on a phone", sheet},
		{"step 14: a heading's address", headingLink},
		{"steps 17 and 18: code, tables and formulas that are wide", wide},
		{"step 18: formulas", formulas},
		{"step 19: who has to act", answers},
		{"step 20: the sidecar answers", offered},
		{"steps 19 and 21: what a proposal means, of an older text, and asked for too often",
			summaries},
		{"step 22: another language", language},
		{"step 22: another language, of a model", live},
		{"step 23: theme", theme},
		{"step 24: print", printed},
		{"steps 23 and 24: colours, sizes and media of the browser", modes},
		{"step 26: figures are filled in and renewed", filled},
		{"steps 20 and 26: no source answers, and one ends and comes back", sources},
		{"step 26: figures age", ages},
		{"step 26: live answers are text", hostileAnswers},
		{"step 27: a hidden tab asks nothing", hidden},
		{"step 33: not found", notFound},
		{"searching", searching},
		{"step 33: links of other publishers", foreign},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.do(t, r)
		})
	}
}
