package assist

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/api"
)

// ErrNoSection is wrapped by Translate's error for a section id that the proposal does not have. The
// error names it.
var ErrNoSection = errors.New("no such section")

// localeTag is the syntax of language tags, in short (RFC 5646, section 2.1).
var localeTag = regexp.MustCompile(`^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$`)

// Translate has the title, the description and the sections with the given ids (none: all), in the
// proposal's order, translated from English into the language of a BCP 47 tag.
//
// The model is only given sentences, in pieces of about pieceBytes, mostAsked at a time: blocks are
// taken apart and put together here, so that headings, lists, tables and blocks of code and HTML are
// what they were. In the sentences, what a model cannot make sense of (targets, addresses, tags,
// formulas, long code) is replaced by placeholders; what the sense hangs on (short code, numbers, names,
// the key words of RFC 2119) it sees. Both must come back byte for byte and as often. What breaks a
// rule is asked for once more; after that the error wraps [ErrFailed], and so it does when a piece fails,
// since a translation is whole or not at all. The model's own errors are returned as they are, wrapped.
//
// GeneratedAt is left to the caller. Source is empty when nothing had to be asked.
func Translate(ctx context.Context, m Model, p *mip.Proposal, locale string, sections []string) (api.Translation, error) {
	t, err := translate(ctx, m, p, locale, sections)
	if err != nil {
		return api.Translation{}, fmt.Errorf("translate %s: %w", p.ID, err)
	}
	return t, nil
}

func translate(ctx context.Context, m Model, p *mip.Proposal, locale string, ids []string) (api.Translation, error) {
	if !localeTag.MatchString(locale) {
		return api.Translation{}, fmt.Errorf("%s is no language tag", quoteName(locale))
	}
	chosen, err := choose(p.Sections, ids)
	if err != nil {
		return api.Translation{}, err
	}
	s := newSegments(p)
	title := s.add(linePart, p.Title)
	var description *segment
	if p.Description != nil {
		description = s.add(linePart, *p.Description)
	}
	texts := make([]sectionText, len(chosen))
	for i, section := range chosen {
		texts[i] = s.text(section.Markdown)
	}
	s.hide()
	model, err := s.translate(ctx, m, locale)
	if err != nil {
		return api.Translation{}, err
	}
	out := api.Translation{MIPNumber: p.Number, Locale: locale, Title: title.result, ContentHash: p.ContentHash, Source: model}
	if description != nil {
		out.Description = &description.result
	}
	var markdown strings.Builder
	for _, t := range texts {
		translated, ok := t.assemble()
		if !ok {
			return api.Translation{}, fmt.Errorf("%w: its passages make other blocks than the proposal's", ErrFailed)
		}
		markdown.WriteString(translated)
	}
	out.Markdown = markdown.String()
	return out, nil
}

// choose returns the sections with the given ids; none: all.
func choose(all []mip.Section, ids []string) ([]mip.Section, error) {
	if len(ids) == 0 {
		return all, nil
	}
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	var out []mip.Section
	for _, s := range all {
		if wanted[s.ID] {
			out = append(out, s)
			delete(wanted, s.ID)
		}
	}
	for _, id := range ids {
		if wanted[id] {
			return nil, fmt.Errorf("%w: %s", ErrNoSection, quoteName(id))
		}
	}
	return out, nil
}

// quoteName makes what a caller sent fit for a message.
func quoteName(s string) string {
	const most = 80 // characters
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return strconv.Quote(s)
}

// sectionText is a section in parts, with the segments of its passages, nil for the others.
type sectionText struct {
	parts    []part
	segments []*segment
}

func (s *segments) text(markdown string) sectionText {
	t := sectionText{parts: layout(markdown)}
	t.segments = make([]*segment, len(t.parts))
	for i, p := range t.parts {
		if p.kind != fixedPart {
			t.segments[i] = s.add(p.kind, p.text)
		}
	}
	return t
}

// assemble puts the translated passages where they belong. ok is false when they changed the blocks.
func (t sectionText) assemble() (markdown string, ok bool) {
	translated := make([]part, len(t.parts))
	for i, p := range t.parts {
		if g := t.segments[i]; g != nil {
			p.text = g.result
		}
		translated[i] = p
	}
	markdown = join(translated)
	return markdown, sameFixed(t.parts, layout(markdown))
}
