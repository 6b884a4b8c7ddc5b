package sidecar

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// errNoModel is the reason why nothing can be translated.
var errNoModel = errors.New(
	"AI_PROVIDER is not set, and no translation into this language is committed")

// aiTranslate answers POST /api/ai-translate: the title, the description and the chosen sections,
// in the proposal's order. English is the text itself. A committed translation comes first, marked
// stale if the English has changed since. Otherwise the model is asked, unless its answer is
// cached.
func (s *Sidecar) aiTranslate(w http.ResponseWriter, r *http.Request) (*response, error) {
	q, err := s.readQuestion(w, r, "")
	if err != nil {
		return nil, err
	}
	if q.sections, err = q.readSections(); err != nil {
		return nil, err
	}
	m, err := q.catalog.Find(q.id)
	if err != nil {
		return nil, err
	}
	if q.locale == api.English {
		t, err := s.original(r.Context(), q)
		if err != nil {
			return nil, err
		}
		return s.newResponse(t, time.Time{}, 0)
	}
	// Find returns the entry of the list. The text is read only if the model needs it.
	committed, err := q.catalog.Translation(r.Context(), m, q.locale)
	var t api.Translation
	switch {
	case err != nil:
		return nil, s.logged(q.id, err)
	case committed != nil:
		t, err = cut(committed, q.sections)
		t.Stale = committed.ContentHash != m.ContentHash
	case s.AI.Unusable != nil:
		return nil, aiDisabled(s.AI.Unusable)
	case s.AI.Model == nil:
		return nil, aiDisabled(errNoModel)
	default:
		t, err = s.modelTranslation(r.Context(), q, m)
	}
	if err != nil {
		return nil, err
	}
	return s.newResponse(t, time.Time{}, 0)
}

// original returns the chosen sections of the English text, without a model.
func (s *Sidecar) original(ctx context.Context, q question) (api.Translation, error) {
	p, err := q.catalog.Proposal(ctx, q.id)
	if err != nil {
		return api.Translation{}, s.logged(q.id, err)
	}
	t := &api.PublishedTranslation{
		MIPNumber: p.Number, Locale: api.English, Title: p.Title, Description: p.Description,
		Sections: p.Sections, ContentHash: p.ContentHash, Source: api.Original,
	}
	if p.Updated != nil {
		t.GeneratedAt = *p.Updated
	}
	return cut(t, q.sections)
}

// cut returns the chosen sections of a whole translation, whose sections have the ids of the
// English ones. The caller sets Stale.
func cut(p *api.PublishedTranslation, sections []string) (api.Translation, error) {
	// An empty list chooses all sections. After an error none is chosen.
	chosen, err := ai.Choose(p.Sections, sections)
	var markdown strings.Builder
	for _, i := range chosen {
		markdown.WriteString(p.Sections[i].Markdown)
	}
	return api.Translation{
		MIPNumber: p.MIPNumber, Locale: p.Locale, Title: p.Title, Description: p.Description,
		Markdown: markdown.String(), GeneratedAt: p.GeneratedAt, Source: p.Source,
		ContentHash: p.ContentHash,
	}, err
}

// modelTranslation asks the model unless the answer is cached. It asks once for each piece of the
// text, whichever sections a request chooses.
func (s *Sidecar) modelTranslation(
	ctx context.Context, q question, m mip.Metadata,
) (api.Translation, error) {
	p, err := q.catalog.Proposal(ctx, m.ID)
	if err != nil {
		return api.Translation{}, s.logged(m.ID, err)
	}
	chosen, err := ai.Choose(p.Sections, q.sections)
	if err != nil {
		return api.Translation{}, err
	}
	a := s.newModelRequest(q, m, "translation")
	a.key.hash = p.ContentHash
	// Positions, so that no text of a caller gets into a key.
	if len(chosen) < len(p.Sections) {
		a.key.sections = fmt.Sprint(chosen)
	}
	return getAnswer(ctx, a, s.translations, func(ctx context.Context) (api.Translation, error) {
		t, err := ai.Translate(ctx, a, p, q.locale, q.sections)
		if err == nil && t.Source == "" { // no passage needed the model
			t.Source, t.GeneratedAt = s.AI.Name, mip.NewTime(s.Now())
		}
		return t, s.logged(m.ID, err)
	})
}

// Piece implements [ai.PieceCache]. The key of a piece does not depend on the chosen sections.
func (a modelRequest) Piece(ctx context.Context, p *ai.Piece) (ai.Passages, error) {
	a.key.sections, a.key.texts = "", p.Hash
	e, err := a.pieces.Get(ctx, a.key, func(ctx context.Context) (ai.Passages, error) {
		return askModel(ctx, a, p)
	})
	return e.Value, a.withRemaining(err, e.Next)
}
