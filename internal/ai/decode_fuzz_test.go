package ai

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
)

// FuzzDecode checks that decoding any answer ends, and that accepted answers keep the rules.
func FuzzDecode(f *testing.F) {
	good := `{"tldr":"Lamps.","whatsChanging":["a","b","c"],"developers":{"impact":"x","severity":"low","actionRequired":false,"evidence":[{"section":"s-a","quote":"Lamps"}]},` +
		`"users":{"impact":"x","severity":"medium","actionRequired":true,"evidence":[]},"validators":{"impact":"x","severity":"high","actionRequired":false,"evidence":[]},` +
		`"foundation":{"impact":"x","severity":"low","actionRequired":false,"evidence":[]}}`
	for _, seed := range []string{good, "```json\n" + good + "\n```", good[:100], good + good,
		strings.Replace(good, "tldr", "t\\u006cdr", 1), "null", "[]", "{}",
		`{"tldr":"a","tldr":"b"}`,
		strings.Replace(good, "Lamps.", `\ud800`, 1), strings.Replace(good, "Lamps.", "\u202e", 1),
		"<html>", strings.Repeat("[", 1000),
		"<think>{\"tldr\": \"so?</think>" + good, good + " Hope this helps! {}",
		"{{}{" + good + "}", "[/THINK]" + strings.Repeat("{}", 20)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		d, err := decode(reply)
		if err != nil {
			if !utf8.ValidString(err.Error()) {
				t.Errorf("the error is not UTF-8: %q", err)
			}
			return
		}
		d.MIPNumber, d.Locale, d.Source = 6, "en", "x"
		if summary.Accept(&d, summary.Subject{Proposal: lamp(), Now: noon}) != nil {
			return
		}
		if err := summary.CheckForm(d); err != nil {
			t.Errorf("%q, of %d bytes, is accepted: %v", reply, len(reply), err)
		}
	})
}
