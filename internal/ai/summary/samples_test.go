package summary

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// TestExtractSamples checks properties of every summary by rules. Tests of package build check real
// proposals for them.
func TestExtractSamples(t *testing.T) {
	all := proposals(t, "../../samples/proposals", "MIP")
	for _, p := range all {
		s := forked(p, byNumber(all), beacon(), argand())
		sum := Extract(s)
		checkSummary(t, s, sum)
		from := sourceOf(s)
		for _, text := range Texts(sum) {
			// the rules count the items that they leave out
			if !from.Holds(text) && !strings.Contains(text, " more") {
				t.Errorf("%s: refused: %s", p.ID, text)
			}
		}
	}
}

func checkSummary(t *testing.T, s Subject, sum api.Summary) {
	t.Helper()
	if err := Check(sum, s); err != nil {
		t.Errorf("Extract(%s) breaks the rules: %v", s.Proposal.ID, err)
	}
	if diff := cmp.Diff(sum, Extract(s), cmp.Comparer(func(a,
		b mip.Time) bool {
		return a.UTC().Equal(b.UTC())
	})); diff != "" {
		t.Errorf("Extract(%s) a second time (-first +second):\n%s", s.Proposal.ID, diff)
	}
	if sum.Source != "extractive" || sum.Locale != "en" ||
		sum.ContentHash != s.Proposal.ContentHash || sum.Stale ||
		!sum.GeneratedAt.UTC().Equal(noon) {
		t.Errorf("Extract(%s) = source %q, locale %q, hash %q, stale %t, at %s", s.Proposal.ID,
			sum.Source, sum.Locale, sum.ContentHash, sum.Stale, sum.GeneratedAt)
	}
	raw, err := json.Marshal(sum)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var back api.Summary
	if err := dec.Decode(&back); err != nil || bytes.Count(bytes.ReplaceAll(raw,
		[]byte(`"hardfork":null`), nil), []byte(`":null`)) != 1+bytes.Count(raw,
		[]byte(`"actionEvidence":null`)) || !bytes.Contains(raw, []byte(`"fallback":null`)) {
		t.Errorf("Extract(%s) as JSON: %v in %s", s.Proposal.ID, err, raw)
	}
	texts := append([]string{sum.TLDR}, sum.WhatsChanging...)
	for _, x := range axes(&sum) {
		texts = append(texts, x.Impact)
	}
	for _, text := range texts {
		if last := text[len(text)-1]; !strings.ContainsRune(".!?…)\"'`", rune(last)) &&
			last < 0x80 {
			t.Errorf("Extract(%s): %q does not end", s.Proposal.ID, text)
		}
		if strings.HasPrefix(text, "#") || strings.Contains(text, "```") || strings.Contains(text,
			"| ") && strings.Contains(text, " |") && !strings.Contains(text, "||") {
			t.Errorf("Extract(%s): %q is no prose", s.Proposal.ID, text)
		}
	}
}
