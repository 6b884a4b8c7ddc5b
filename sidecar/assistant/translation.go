package assistant

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/index"
)

// translation is a translation with its sections apart.
type translation struct {
	api.Translation
	Sections []mip.Section `json:"sections"` // with the ids of the English ones
}

// Translation is a proposal in another language, which is one of the site's: its title, its description
// and the sections with the given ids (none: all) in the proposal's order. A committed translation wins,
// marked stale when the English has changed since; else the model is asked, unless it was before.
// [Explain] says what an error means to a caller.
func (a *Assistant) Translation(ctx context.Context, k *index.Index, id mip.ID, locale string, sections []string) (api.Translation, error) {
	m, err := listed(k, id)
	if err != nil {
		return api.Translation{}, err
	}
	if k.Source != nil {
		published, err := k.Source.Translation(ctx, id, locale)
		if err == nil {
			return committedTranslation(published, m).cut(sections)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return api.Translation{}, a.noted(id, siteError(err))
		}
	}
	switch {
	case a.Unusable != nil:
		return api.Translation{}, disabled(a.Unusable)
	case a.Model == nil:
		return api.Translation{}, disabled(errNoModel)
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
		return api.Translation{}, ai.NoSection(left[0])
	}
	t.Markdown = markdown.String()
	return t.Translation, nil
}

// translate asks the model, unless it was asked before. Whatever sections are asked for, a piece of the text
// is asked for once.
func (a *Assistant) translate(ctx context.Context, k *index.Index, m mip.Summary, locale string, sections []string) (api.Translation, error) {
	about := key{site: k.Site.BaseURL, id: m.ID, hash: m.ContentHash, locale: locale, maker: a.maker()}
	part, err := a.part(ctx, k, m.ID, sections)
	if err != nil {
		return api.Translation{}, err
	}
	about.part = part
	ctx, cancel := a.patient(ctx)
	defer cancel()
	e, err := a.translations.Get(ctx, about, func(ctx context.Context) (translation, error) {
		p, err := read(ctx, k, m.ID)
		if err != nil {
			return translation{}, a.noted(m.ID, err)
		}
		t, texts, err := ai.Translate(ctx, a.Model, p, locale, sections, a.keep(about, p.ContentHash))
		if err != nil {
			return translation{}, a.noted(m.ID, err)
		}
		if t.Source == "" { // nothing in it had to be asked
			t.Source, t.GeneratedAt = a.Name, mip.NewTime(a.Now())
		}
		t.Markdown = "" // it stands in the sections
		return translation{t, texts}, nil
	})
	if err != nil {
		return api.Translation{}, err
	}
	return e.Value.cut(nil)
}

// part names sections in a key. Ids that the proposal does not have never get into one.
func (a *Assistant) part(ctx context.Context, k *index.Index, id mip.ID, sections []string) (string, error) {
	if len(sections) == 0 {
		return "", nil
	}
	p, err := read(ctx, k, id)
	if err != nil {
		return "", a.noted(id, err)
	}
	positions, err := ai.Choose(p.Sections, sections)
	if err != nil || len(positions) == len(p.Sections) {
		return "", err
	}
	return fmt.Sprint(positions), nil
}

// keep keeps the pieces of the text with that hash.
func (a *Assistant) keep(about key, hash string) ai.Keep {
	return func(ctx context.Context, piece ai.Piece, ask func(context.Context) (ai.Passages, error)) (ai.Passages, error) {
		own := about
		own.hash, own.part, own.texts, own.count = hash, "", piece.Hash, piece.Passages
		e, err := a.pieces.Get(ctx, own, func(ctx context.Context) (ai.Passages, error) {
			return once(ctx, a.Shared, "translation", own, checkPiece, func(ctx context.Context) (ai.Passages, error) {
				p, err := ask(ctx)
				p.Made = mip.NewTime(a.Now())
				return p, err
			})
		})
		return e.Value, err
	}
}

func sizeOfPiece(p ai.Passages) int64 {
	n := len(p.Source)
	for _, text := range p.Texts {
		const header = 16
		n += header + len(text)
	}
	return int64(n)
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
