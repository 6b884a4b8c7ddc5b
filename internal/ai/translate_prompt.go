package ai

import (
	"crypto/rand"
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/strictjson"
)

//go:embed prompts/translation.txt
var translationTaskFile string

// translationTask is the system message. It has the language's tag and a placeholder in it; nothing else changes.
var translationTask = strings.TrimSuffix(translationTaskFile, "\n")

// prompt asks for the translation of passages. faults are what was wrong with the last answer, nil the first time. The
// code word around the data is drawn for this call, and no answer may hold it.
func (t *text) prompt(asked []*passage, locale string, faults []fault) (p Prompt, codeWord string) {
	var data strings.Builder
	for i, p := range asked {
		separator := ",\n"
		if i == 0 {
			separator = "{\n"
		}
		fmt.Fprintf(&data, "%s%q: %s", separator, strconv.Itoa(i+1), quoteJSON(p.asked))
	}
	data.WriteString("\n}")
	codeWord = rand.Text()
	var user strings.Builder
	fmt.Fprintf(&user, "%s BEGIN\n%s\n%s END\n", codeWord, data.String(), codeWord)
	if faults != nil {
		user.WriteString("\nYour last answer for these passages was not accepted:\n")
		for i, f := range faults {
			fmt.Fprintf(&user, "- %d: it %s\n", i+1, f)
		}
	}
	const room = 256 // tokens, for all of an answer that is no text
	return Prompt{
		System:    fmt.Sprintf(translationTask, locale, t.placeholder(1)),
		User:      user.String(),
		MaxTokens: data.Len() + room, // a token a byte of English is enough for every script
		JSON:      true,
	}, codeWord
}

// quoteJSON is a string in JSON. It leaves <, > and & as they are, which models read and write.
func quoteJSON(s string) string {
	text, _ := api.JSON(s) // no string fails
	return strings.TrimSuffix(string(text), "\n")
}

// leaksTask reports whether a translation holds a sentence of the task that its source does not.
func leaksTask(source, text string) bool {
	const telling = 32 // bytes; a shorter one can be anybody's
	for line := range strings.SplitSeq(translationTask, "\n") {
		for sentence := range strings.SplitSeq(strings.TrimPrefix(line, "- "), ". ") {
			if len(sentence) >= telling && strings.Contains(text, sentence) && !strings.Contains(source, sentence) {
				return true
			}
		}
	}
	return false
}

// readAnswers reads a JSON object of strings with the keys "1" to n and no others, each once.
func readAnswers(reply string, n int) ([]string, error) {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = strconv.Itoa(i + 1)
	}
	found, err := members(reply, keys...)
	if err != nil {
		return nil, fmt.Errorf("the answer %w", err)
	}
	out := make([]string, n)
	for i, key := range keys {
		if out[i], err = strictjson.String(found[key]); err != nil {
			return nil, fmt.Errorf("passage %s %w", key, err)
		}
	}
	return out, nil
}
