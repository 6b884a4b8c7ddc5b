package ai

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/strictjson"
)

// Bounds of a question and its answer.
const (
	maxAnswer = 4096     // tokens: enough for the longest summary in scripts that need most of them
	maxReply  = 64 << 10 // bytes that are read at all: three times the largest valid summary
)

// Summarise asks the model once for a summary in the language of locale, a BCP 47 tag, and keeps of the answer what the
// text supports: see [summary.Accept]. The error for an answer that breaks the schema, repeats the question or is not
// accepted wraps [ErrFailed]. The model's own errors are returned, wrapped.
func Summarise(ctx context.Context, m Model, s summary.Subject, locale string) (api.Summary, error) {
	sum, err := summarise(ctx, m, s, locale)
	if err != nil {
		return api.Summary{}, fmt.Errorf("summarise %s: %w", s.Proposal.ID, err)
	}
	return sum, nil
}

// summarise is Summarise without the id of the proposal in its errors. There is no half summary: with an error the
// summary is the zero value.
func summarise(ctx context.Context, m Model, s summary.Subject, locale string) (api.Summary, error) {
	if !mip.IsLocale(locale) {
		return api.Summary{}, fmt.Errorf("%s is no language tag", quoteName(locale))
	}
	p, codeWord := prompt(s, locale)
	reply, err := m.Ask(ctx, p)
	if err != nil {
		return api.Summary{}, err
	}
	sum, err := decode(reply.Text)
	if err != nil {
		return api.Summary{}, newError(ErrFailed, err.Error())
	}
	sum.MIPNumber, sum.ContentHash, sum.GeneratedAt = s.Proposal.Number, s.Proposal.ContentHash, mip.NewTime(s.Now)
	sum.Locale, sum.Source = locale, reply.Model
	if slices.ContainsFunc(summary.Texts(sum), func(text string) bool { return leaksPrompt(text, codeWord) }) {
		return api.Summary{}, newError(ErrFailed, "it repeats the question")
	}
	if err := summary.Accept(&sum, s); err != nil {
		return api.Summary{}, newError(ErrFailed, err.Error())
	}
	return sum, nil
}

//go:embed prompts/summary.txt
var taskFile string

// task is the system message. It holds nothing of any proposal; %s is the language's tag.
var task = strings.TrimSuffix(taskFile, "\n")

// prompt asks for a summary. The material stands between lines with a code word that is drawn for
// this call, so that no text can contain it and none can close the data.
func prompt(s summary.Subject, locale string) (p Prompt, codeWord string) {
	facts := summary.Facts(s)
	// The word has at least 128 random bits, so no author guesses it. The header is compared because that is cheap.
	codeWord = rand.Text()
	for strings.Contains(facts, codeWord) {
		codeWord = rand.Text()
	}
	var b strings.Builder
	line := func(name string) { fmt.Fprintf(&b, "\n===== %s %s\n", codeWord, name) }
	line("header")
	b.WriteString(facts)
	for _, section := range summary.Sections(s) {
		line("section " + section.Name)
		b.WriteString(section.Text + "\n")
	}
	line("end")
	user := strings.TrimLeft(b.String(), "\n")
	return Prompt{System: fmt.Sprintf(task, locale), User: user, MaxTokens: maxAnswer, JSON: true}, codeWord
}

// leaksPrompt reports whether a text repeats the code word or eight words of the task in a row.
func leaksPrompt(text, codeWord string) bool {
	const telling = 8
	text = strings.ToLower(prose.Collapse(text))
	if strings.Contains(text, strings.ToLower(codeWord)) {
		return true
	}
	words := strings.Fields(strings.ToLower(task))
	for i := range len(words) - telling + 1 {
		if strings.Contains(text, strings.Join(words[i:i+telling], " ")) {
			return true
		}
	}
	return false
}

// decode reads a model's reply. It must be one JSON object, in one code fence or none, with exactly the members of the
// schema, each once and of the right type. White space in texts is collapsed; their lengths are for
// [summary.Accept]. Errors name the rule and the place and repeat nothing of the reply.
func decode(reply string) (sum api.Summary, err error) {
	if len(reply) > maxReply {
		return sum, fmt.Errorf("the reply has %d bytes, more than %d", len(reply), maxReply)
	}
	if !utf8.ValidString(reply) {
		return sum, errors.New("the reply is not UTF-8")
	}
	m, err := members(reply, "tldr", "whatsChanging", "developers", "users", "validators", "foundation")
	if err != nil {
		return sum, fmt.Errorf("the reply %w", err)
	}
	if sum.TLDR, err = decodeText(m["tldr"]); err != nil {
		return sum, fmt.Errorf("tldr %w", err)
	}
	points, err := strictjson.Array(m["whatsChanging"])
	if err != nil {
		return sum, fmt.Errorf("whatsChanging %w", err)
	}
	for i, raw := range points {
		line, err := decodeText(raw)
		if err != nil {
			return sum, fmt.Errorf("whatsChanging %d %w", i, err)
		}
		sum.WhatsChanging = append(sum.WhatsChanging, line)
	}
	for name, axis := range map[string]*api.Axis{
		"developers": &sum.Developers, "users": &sum.Users, "validators": &sum.Validators, "foundation": &sum.Foundation,
	} {
		if err := decodeAxis(m[name], axis); err != nil {
			return sum, fmt.Errorf("%s: %w", name, err)
		}
	}
	return sum, nil
}

// decodeAxis reads the part of one group into x. A severity of another type or spelling is left for [summary.Accept],
// which knows the severities.
func decodeAxis(raw json.RawMessage, x *api.Axis) error {
	m, err := members(string(raw), "impact", "severity", "actionRequired", "evidence")
	if err != nil {
		return fmt.Errorf("the axis %w", err)
	}
	if x.Impact, err = decodeText(m["impact"]); err != nil {
		return fmt.Errorf("impact %w", err)
	}
	// What is no string is none of the severities.
	severity, _ := strictjson.String(m["severity"])
	x.Severity = api.Severity(severity)
	x.ActionRequired = string(m["actionRequired"]) == "true"
	if !x.ActionRequired && string(m["actionRequired"]) != "false" {
		return errors.New("actionRequired is neither true nor false")
	}
	quotes, err := strictjson.Array(m["evidence"])
	if err != nil {
		return fmt.Errorf("evidence %w", err)
	}
	x.Evidence = []api.Evidence{}
	for i, raw := range quotes {
		e, err := decodeQuote(raw)
		if err != nil {
			return fmt.Errorf("evidence %d %w", i, err)
		}
		x.Evidence = append(x.Evidence, e)
	}
	return nil
}

// decodeQuote reads one quote. Whether it is in its section is for [summary.Accept].
func decodeQuote(raw json.RawMessage) (e api.Evidence, err error) {
	m, err := members(string(raw), "section", "quote")
	if err != nil {
		return e, err
	}
	if e.Section, err = strictjson.String(m["section"]); err != nil {
		return e, fmt.Errorf("section %w", err)
	}
	if e.Quote, err = strictjson.String(m["quote"]); err != nil {
		return e, fmt.Errorf("quote %w", err)
	}
	return e, nil
}

// decodeText reads one of the summary's own texts. Line breaks in it become blanks.
func decodeText(raw json.RawMessage) (string, error) {
	s, err := strictjson.String(raw)
	return prose.Collapse(s), err
}
