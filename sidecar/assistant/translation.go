package assistant

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/assist"
	"github.com/mipwatch/mipwatch/sidecar/knowledge"
)

// translation is a whole translation, or of some sections, that can be cut to fewer.
type translation struct {
	api.Translation
	Sections []mip.Section `json:"sections"` // with the ids of the English ones
}

// Translation is a proposal in another language, which is one of the site's: its title, its description
// and the sections with the given ids (none: all) in the proposal's order. A committed translation wins,
// marked stale when the English has changed since; else the model is asked, unless it was before.
// [Explain] says what an error means to a caller; assist.ErrNoSection is one.
func (a *Assistant) Translation(ctx context.Context, k *knowledge.Knowledge, number int, locale string, sections []string) (api.Translation, error) {
	m, err := listed(k, number)
	if err != nil {
		return api.Translation{}, err
	}
	if k.Source != nil {
		published, err := k.Source.Translation(ctx, number, locale)
		if err == nil {
			return committedTranslation(published, m).cut(sections)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return api.Translation{}, a.noted(number, fmt.Errorf("%w: %w", errSite, err))
		}
	}
	switch {
	case a.Unusable != nil:
		return api.Translation{}, &DisabledError{a.Unusable}
	case a.Model == nil:
		return api.Translation{}, &DisabledError{errNoModel}
	}
	return a.translate(ctx, k, m, locale, sections)
}

// errNoModel is why nothing can be translated.
var errNoModel = errors.New("AI_PROVIDER is not set, and no translation into this language is committed")

func committedTranslation(p *api.PublishedTranslation, m mip.Summary) translation {
	return translation{api.Translation{
		MIPNumber: p.MIPNumber, Locale: p.Locale, Title: p.Title, Description: p.Description,
		ContentHash: p.ContentHash, GeneratedAt: p.GeneratedAt, Source: p.Source, Stale: p.ContentHash != m.ContentHash,
	}, p.Sections}
}

// cut is the translation of the sections with the given ids, none: all that there are.
func (t translation) cut(ids []string) (api.Translation, error) {
	var markdown strings.Builder
	left := slices.Clone(ids)
	for _, s := range t.Sections {
		i := slices.Index(left, s.ID)
		if len(ids) > 0 && i < 0 {
			continue
		}
		left = slices.DeleteFunc(left, func(id string) bool { return id == s.ID })
		markdown.WriteString(s.Markdown)
	}
	if len(left) > 0 {
		return api.Translation{}, fmt.Errorf("%w: %.80q", assist.ErrNoSection, left[0])
	}
	t.Markdown = markdown.String()
	return t.Translation, nil
}

// translate asks the model, unless it was asked before for these sections or for all.
func (a *Assistant) translate(ctx context.Context, k *knowledge.Knowledge, m mip.Summary, locale string, sections []string) (api.Translation, error) {
	sections = slices.Compact(slices.Sorted(slices.Values(sections)))
	whole := key{site: k.Site.BaseURL, number: m.Number, hash: m.ContentHash, locale: locale, maker: a.maker()}
	if len(sections) > 0 {
		if e, ok := a.translations.Peek(whole); ok {
			return e.Value.cut(sections)
		}
	}
	part := whole
	part.part = strings.Join(sections, "\n")
	ask := func(ctx context.Context) (translation, error) {
		p, err := read(ctx, k, m.Number)
		if err != nil {
			return translation{}, a.noted(m.Number, err)
		}
		t, texts, err := assist.Translate(ctx, a.Model, p, locale, sections)
		if err != nil {
			return translation{}, a.noted(m.Number, err)
		}
		t.GeneratedAt = mip.NewTime(a.Now())
		if t.Source == "" { // nothing in it had to be asked
			t.Source = a.Name
		}
		t.Markdown = "" // it stands in the sections
		return translation{t, texts}, nil
	}
	ctx, cancel := a.patient(ctx)
	defer cancel()
	e, err := a.translations.Get(ctx, part, func(ctx context.Context) (translation, error) {
		return once(ctx, a.Shared, "translation", part, checkTranslation, ask)
	})
	if err != nil {
		return api.Translation{}, err
	}
	return e.Value.cut(nil)
}

func sizeOfTranslation(t translation) int64 {
	const rest = 512 // headers of strings and slices, times, hashes
	n := rest + len(t.Title)
	if t.Description != nil {
		n += len(*t.Description)
	}
	for _, s := range t.Sections {
		const header = 64
		n += header + len(s.ID) + len(s.Title) + len(s.Markdown)
	}
	return int64(n)
}
