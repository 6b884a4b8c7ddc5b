package summary

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpora"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// TestExtractRealProposals holds what must be true of every extractive summary.
func TestExtractRealProposals(t *testing.T) {
	for _, tt := range []struct {
		folder, prefix string
		every          int // a sample is enough of the large ones
		forks          []mip.HardFork
	}{
		{"", "MIP", 1, []mip.HardFork{beacon(), argand()}},
		{"monad-mips", "MIP", 1, []mip.HardFork{monadNine()}},
		{"eips", "EIP", 17, nil},
		{"simd", "SIMD", 9, nil},
	} {
		t.Run(tt.folder, func(t *testing.T) {
			folder := "../../samples/proposals"
			if tt.folder != "" {
				folder = corpora.Need(t, tt.folder)
			}
			all := proposals(t, folder, tt.prefix)
			if len(all) < 5 {
				t.Fatalf("%s holds %d proposals", folder, len(all))
			}
			told, read := 0, 0
			for i := 0; i < len(all); i += tt.every {
				p := all[i]
				read++
				s := forked(p, byNumber(all), tt.forks...)
				sum := Extract(s)
				checkSummary(t, s, sum)
				for _, x := range axes(&sum) {
					if len(x.Evidence) > 0 {
						told++
					}
				}
			}
			t.Logf("%d proposals, %.2f axes each with evidence", read, float64(told)/float64(read))
		})
	}
}

func checkSummary(t *testing.T, s Subject, sum api.Summary) {
	t.Helper()
	if err := Check(sum, s); err != nil {
		t.Errorf("Extract(%s) breaks the rules: %v", s.Proposal.ID, err)
	}
	if diff := cmp.Diff(sum, Extract(s), cmp.Comparer(func(a, b mip.Time) bool { return a.UTC().Equal(b.UTC()) })); diff != "" {
		t.Errorf("Extract(%s) a second time (-first +second):\n%s", s.Proposal.ID, diff)
	}
	if sum.Source != "extractive" || sum.Locale != "en" || sum.ContentHash != s.Proposal.ContentHash || sum.Stale || !sum.GeneratedAt.UTC().Equal(noon) {
		t.Errorf("Extract(%s) = source %q, locale %q, hash %q, stale %t, at %s", s.Proposal.ID, sum.Source, sum.Locale, sum.ContentHash, sum.Stale, sum.GeneratedAt)
	}
	raw, err := json.Marshal(sum)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var back api.Summary
	if err := dec.Decode(&back); err != nil || bytes.Count(raw, []byte(`":null`)) != 1+bytes.Count(raw, []byte(`"actionEvidence":null`)) || !bytes.Contains(raw, []byte(`"fallback":null`)) {
		t.Errorf("Extract(%s) as JSON: %v in %s", s.Proposal.ID, err, raw)
	}
	texts := append([]string{sum.TLDR}, sum.WhatsChanging...)
	for _, x := range axes(&sum) {
		texts = append(texts, x.Impact)
	}
	for _, text := range texts {
		if last := text[len(text)-1]; !strings.ContainsRune(".!?…)\"'`", rune(last)) && last < 0x80 {
			t.Errorf("Extract(%s): %q does not end", s.Proposal.ID, text)
		}
		if strings.HasPrefix(text, "#") || strings.Contains(text, "```") || strings.Contains(text, "| ") && strings.Contains(text, " |") && !strings.Contains(text, "||") {
			t.Errorf("Extract(%s): %q is no prose", s.Proposal.ID, text)
		}
	}
}
