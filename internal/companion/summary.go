package companion

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

const (
	// maxSummary bounds a summary's file in bytes. The largest valid one has a third of it.
	maxSummary = 128 << 10
	// maxSource bounds the name of a model, in characters.
	maxSource = 100
)

// flaw is what is wrong with a file's text, with its line; 0 means the whole file.
type flaw struct {
	line    int
	message string
}

func flawed(line int, format string, args ...any) *flaw {
	return &flaw{line, fmt.Sprintf(format, args...)}
}

// readSummary publishes a summary if its form is right and it holds against the present text.
func (j *job) readSummary(it item, raw []byte, subject ai.Subject) {
	sum, err := parseSummary(raw, it.number)
	if err != nil {
		j.warn(it, err.line, "summary-invalid", "%s; it is not published", err.message)
		return
	}
	sum.Stale = sum.ContentHash != subject.Proposal.ContentHash
	const again = "make it again with mipwatch build --summaries"
	if err := ai.Check(*sum, subject); err != nil {
		what := "it is not borne out by the text"
		if sum.Stale {
			what = "it speaks of an older text and is not borne out by the present one"
		}
		j.warn(it, 0, "summary-refused", "%s (%s) and is not published; %s", what, strings.ReplaceAll(err.Error(), "\n", "; "), again)
		return
	}
	if sum.Stale {
		j.warn(it, 0, "summary-stale", "it speaks of an older text and is published as stale; %s", again)
	}
	j.summary = sum
}

// parseSummary reads the file of a proposal's summary, without looking at the proposal.
func parseSummary(raw []byte, number int) (*api.Summary, *flaw) {
	if len(raw) > maxSummary {
		return nil, flawed(0, "it is larger than %d bytes", maxSummary)
	}
	sum := &api.Summary{}
	// What a build finds out for itself need not be there.
	lines, err := decodeStrict(raw, sum, "stale", "fallback")
	if err != nil {
		return nil, err
	}
	switch {
	case sum.MIPNumber != number:
		return nil, flawed(lines["mipNumber"], "mipNumber is %d and the file's name says %d", sum.MIPNumber, number)
	case sum.Locale != "en":
		return nil, flawed(lines["locale"], "locale is not en: a committed summary is English")
	case !mip.IsContentHash(sum.ContentHash):
		return nil, flawed(lines["contentHash"], "contentHash is not 64 hexadecimal digits in lower case")
	case utf8.RuneCountInString(sum.Source) > maxSource:
		return nil, flawed(lines["source"], "source is longer than %d characters", maxSource)
	case sum.Fallback != nil:
		return nil, flawed(lines["fallback"], "fallback is not null: what only stands in for a summary is not one to keep")
	}
	return sum, nil
}
