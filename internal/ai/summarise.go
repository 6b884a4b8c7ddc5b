package ai

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Summarise has a model write a summary in the language of locale, a BCP 47 tag, and keeps of it what
// the text bears out: a quote that does not stand in its section is dropped, a group without one left
// is said to be missing, and severities are lifted to their floors. The model is asked once. An answer
// that breaks the schema or repeats the question wraps [ErrFailed]; the
// model's own errors come back as they are. There is no half summary.
func Summarise(ctx context.Context, m Model, s Subject, locale string) (api.Summary, error) {
	fail := func(err error) (api.Summary, error) {
		return api.Summary{}, fmt.Errorf("summarise %s: %w", s.Proposal.ID, err)
	}
	if !mip.IsLocale(locale) {
		return fail(fmt.Errorf("%q is no language tag", fit(locale, 40)))
	}
	p, codeWord := prompt(s, locale)
	reply, err := m.Ask(ctx, p)
	if err != nil {
		return fail(err)
	}
	d, err := decode(reply.Text)
	if err != nil {
		return fail(NewError(ErrFailed, err.Error()))
	}
	sum := api.Summary{
		MIPNumber:     s.Proposal.Number,
		TLDR:          d.tldr,
		WhatsChanging: d.changes,
		Developers:    d.axes[developers],
		Users:         d.axes[users],
		Validators:    d.axes[validators],
		Foundation:    d.axes[foundation],
		GeneratedAt:   mip.NewTime(s.Now),
		ContentHash:   s.Proposal.ContentHash,
		Locale:        locale,
		Source:        reply.Model,
	}
	if slices.ContainsFunc(own(sum), func(text string) bool { return leaksPrompt(text, codeWord) }) {
		return fail(NewError(ErrFailed, "it repeats the question"))
	}
	texts := quoteIndexOf(s)
	for a, x := range axes(&sum) {
		x.Evidence = texts.verified(x.Evidence)
		if len(x.Evidence) == 0 {
			*x = api.Axis{Impact: notMentionedBy(s, axis(a), locale), Severity: api.Low, Evidence: x.Evidence}
		}
	}
	raise(&sum, s)
	if err := Check(sum, s); err != nil {
		return fail(NewError(ErrFailed, err.Error()))
	}
	return sum, nil
}

// notMentioned is the sentence of a locale for a group that the text says nothing about. An unknown
// language gets the English one: an honest sentence in the wrong language is better than none.
func notMentioned(locale string) string {
	language, _, _ := strings.Cut(strings.ToLower(locale), "-")
	switch language {
	case "de":
		return "Der Text sagt nicht, was das für diese Gruppe bedeutet."
	case "es":
		return "El texto no dice qué significa esto para este grupo."
	case "fr":
		return "Le texte ne dit pas ce que cela signifie pour ce groupe."
	case "it":
		return "Il testo non dice che cosa significa per questo gruppo."
	case "ja":
		return "本文には、このグループへの影響は書かれていません。"
	case "ko":
		return "본문에는 이 그룹에 미치는 영향이 쓰여 있지 않습니다."
	case "pt":
		return "O texto não diz o que isto significa para este grupo."
	case "ru":
		return "В тексте не сказано, что это значит для этой группы."
	case "tr":
		return "Metin, bunun bu grup için ne anlama geldiğini söylemiyor."
	case "vi":
		return "Văn bản không nói điều này có ý nghĩa gì đối với nhóm này."
	case "zh":
		return "正文没有说明这对该群体意味着什么。"
	}
	return "The text does not say what this means for this group."
}
