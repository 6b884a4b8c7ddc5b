package ai

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/strictjson"
)

// Summarise asks the model once for a summary in the language of locale, a BCP 47 tag, and keeps
// the parts of the answer that the text supports: see [summary.Accept]. It returns a whole summary
// or an error. An error is an [api.HTTPError]: of code ai_unreadable for an answer without the
// requested form, of code ai_failed for an answer that the text does not support or that repeats
// the question. The model's own errors are returned, wrapped.
func Summarise(
	ctx context.Context, m Model, s summary.Subject, locale string,
) (sum api.Summary, err error) {
	defer func() {
		if err != nil {
			sum, err = api.Summary{}, fmt.Errorf("summarise %s: %w", s.Proposal.ID, err)
		}
	}()
	if !mip.IsLocale(locale) {
		return sum, fmt.Errorf("%s is no language tag", mip.Quote(locale))
	}
	p, codeWord := prompt(s, locale)
	reply, err := m.Ask(ctx, p)
	if err != nil {
		return sum, err
	}
	if sum, err = decode(reply.Text); err != nil {
		return sum, errUnreadable.because(err.Error())
	}
	sum.MIPNumber, sum.ContentHash = s.Proposal.Number, s.Proposal.ContentHash
	sum.Locale, sum.Source, sum.GeneratedAt = locale, reply.Model, mip.NewTime(s.Now)
	switch err := summary.Accept(&sum, s); {
	case errors.Is(err, summary.ErrForm):
		return sum, errUnreadable.because(err.Error())
	case err != nil:
		return sum, errFailed.because(err.Error())
	}
	// An accepted summary is short, but an answer may have any number of texts of any length.
	for _, text := range summary.Texts(sum) {
		if leaksPrompt(text, "", task, codeWord) {
			return sum, errFailed.because("it repeats the question")
		}
	}
	return sum, nil
}

//go:embed prompts/summary.txt
var taskFile string

// task returns the system message. It holds no text of a proposal. %s is the language's tag.
var task = strings.TrimSuffix(taskFile, "\n")

// prompt returns the prompt for a summary. The material is between lines with a code word that is
// drawn for this call, so that no text can contain it and none can end the data.
func prompt(s summary.Subject, locale string) (p Prompt, codeWord string) {
	const maxAnswer = 4096 // tokens: enough for the longest summary in the scripts with most tokens
	// The word has at least 128 random bits, so no author guesses it.
	codeWord = rand.Text()
	var b strings.Builder
	line := func(name string) { fmt.Fprintf(&b, "\n===== %s %s\n", codeWord, name) }
	line("header")
	b.WriteString(summary.Facts(s))
	for _, section := range summary.Sections(s) {
		line("section " + section.Name)
		b.WriteString(section.Text + "\n")
	}
	line("end")
	user := strings.TrimLeft(b.String(), "\n")
	return Prompt{
		System: fmt.Sprintf(task, locale), User: user, MaxTokens: maxAnswer, JSON: true,
	}, codeWord
}

// decode reads a model's reply: the last JSON object with exactly the members of the schema, each
// once and of the right type. Members that [summary.Complete] sets may be missing. White space in
// texts is collapsed. [summary.Accept] checks lengths, severities and quotes. An error repeats no
// text of the reply.
func decode(reply string) (sum api.Summary, err error) {
	err = errors.New("it holds no JSON object")
	for _, object := range objects(reply) {
		var r struct {
			TLDR          string   `json:"tldr"`
			WhatsChanging []string `json:"whatsChanging"`
			Developers    api.Axis `json:"developers"`
			Users         api.Axis `json:"users"`
			Validators    api.Axis `json:"validators"`
			Foundation    api.Axis `json:"foundation"`
		}
		if strictjson.Decode(object, &r, "stated", "actionEvidence") != nil {
			err = errors.New("its JSON object has not the members of a summary")
			continue
		}
		for _, line := range r.WhatsChanging {
			sum.WhatsChanging = append(sum.WhatsChanging, mip.Collapse(line))
		}
		sum.TLDR = mip.Collapse(r.TLDR)
		for _, x := range []*api.Axis{&r.Developers, &r.Users, &r.Validators, &r.Foundation} {
			x.Impact = mip.Collapse(x.Impact)
		}
		sum.Developers, sum.Users = r.Developers, r.Users
		sum.Validators, sum.Foundation = r.Validators, r.Foundation
		return sum, nil
	}
	return sum, err
}
