package assist

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// ErrNoSection is wrapped by Translate's error for a section id that the proposal does not have. The
// error names it.
var ErrNoSection = errors.New("no such section")

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
//
// The sections that come with it have the ids and levels of the English ones, and their Markdown values
// concatenated are the translation's. Their titles are the headings of the translation as plain text, or
// the English ones where the two cannot be told to match.
func Translate(ctx context.Context, m Model, p *mip.Proposal, locale string, sections []string) (api.Translation, []mip.Section, error) {
	t, translated, err := translate(ctx, m, p, locale, sections)
	if err != nil {
		return api.Translation{}, nil, fmt.Errorf("translate %s: %w", p.ID, err)
	}
	return t, translated, nil
}

func translate(ctx context.Context, m Model, p *mip.Proposal, locale string, ids []string) (api.Translation, []mip.Section, error) {
	fail := func(err error) (api.Translation, []mip.Section, error) { return api.Translation{}, nil, err }
	if !mip.IsLocale(locale) {
		return fail(fmt.Errorf("%s is no language tag", quoteName(locale)))
	}
	chosen, err := choose(p.Sections, ids)
	if err != nil {
		return fail(err)
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
		return fail(err)
	}
	out := api.Translation{MIPNumber: p.Number, Locale: locale, Title: title.result, ContentHash: p.ContentHash, Source: model}
	if description != nil {
		out.Description = &description.result
	}
	var markdown strings.Builder
	sections := make([]mip.Section, len(chosen))
	for i, t := range texts {
		translated, ok := t.assemble()
		if !ok {
			return fail(fmt.Errorf("%w: its passages make other blocks than the proposal's", ErrFailed))
		}
		markdown.WriteString(translated)
		sections[i] = mip.Section{ID: chosen[i].ID, Level: chosen[i].Level, Title: t.title(chosen[i].Title, s.labels), Markdown: translated}
	}
	out.Markdown = markdown.String()
	return out, sections, nil
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

// title is the translated heading as plain text, where the same way of reading it gives the title of the
// English one; else that title.
func (t sectionText) title(english string, labels map[string]bool) string {
	i := slices.IndexFunc(t.segments, func(g *segment) bool { return g != nil })
	if i < 0 {
		return english
	}
	g := t.segments[i]
	for _, read := range []func(string) string{
		func(text string) string { return plain(text, labels) },
		func(text string) string { return strings.ReplaceAll(plain(text, labels), "`", "") },
	} {
		if title := read(g.result); title != "" && read(g.source) == english {
			return title
		}
	}
	return english
}
