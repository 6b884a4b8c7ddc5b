package ai

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

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
// Which pieces a text has does not depend on the sections that are chosen: Translate asks for those that
// hold a passage of them. So a text costs at most what the whole costs when keep gives a piece again that
// it has had before. A nil keep asks for each.
//
// GeneratedAt is that of the newest piece. Source is empty when nothing had to be asked.
//
// The sections that come with it have the ids and levels of the English ones, and their Markdown values
// concatenated are the translation's. Their titles are the headings of the translation as plain text, or
// the English ones where the two cannot be told to match.
func Translate(ctx context.Context, m Model, p *mip.Proposal, locale string, sections []string, keep Keep) (api.Translation, []mip.Section, error) {
	t, translated, err := translate(ctx, m, p, locale, sections, keep)
	if err != nil {
		return api.Translation{}, nil, fmt.Errorf("translate %s: %w", p.ID, err)
	}
	return t, translated, nil
}

func translate(ctx context.Context, m Model, p *mip.Proposal, locale string, ids []string, keep Keep) (api.Translation, []mip.Section, error) {
	fail := func(err error) (api.Translation, []mip.Section, error) { return api.Translation{}, nil, err }
	if !mip.IsLocale(locale) {
		return fail(fmt.Errorf("%s is no language tag", quoteName(locale)))
	}
	chosen, err := Choose(p.Sections, ids)
	if err != nil {
		return fail(err)
	}
	s := newSegments(p)
	wanted := map[*segment]bool{s.title: true}
	if s.description != nil {
		wanted[s.description] = true
	}
	for _, i := range chosen {
		for _, g := range s.sections[i].segments {
			wanted[g] = true
		}
	}
	newest, err := s.translate(ctx, m, locale, wanted, keep)
	if err != nil {
		return fail(err)
	}
	out := api.Translation{MIPNumber: p.Number, Locale: locale, Title: s.title.result, ContentHash: p.ContentHash, GeneratedAt: newest.Made, Source: newest.Source}
	if s.description != nil {
		out.Description = &s.description.result
	}
	var markdown strings.Builder
	sections := make([]mip.Section, len(chosen))
	for n, i := range chosen {
		english, t := p.Sections[i], s.sections[i]
		translated, ok := t.with(func(g *segment) string { return g.result })
		if !ok {
			return fail(errBlocks)
		}
		markdown.WriteString(translated)
		sections[n] = mip.Section{ID: english.ID, Level: english.Level, Title: t.title(english.Title, s.labels), Markdown: translated}
	}
	out.Markdown = markdown.String()
	return out, sections, nil
}

// errBlocks is why a translation whose passages all keep the rules is none.
var errBlocks = NewError(ErrFailed, "its passages make other blocks than the proposal's")

// Choose returns the positions of the sections with the given ids, ascending; no id: all of them. The
// error for an id that no section has wraps [ErrNoSection].
func Choose(all []mip.Section, ids []string) ([]int, error) {
	var out []int
	left := slices.Clone(ids)
	for i, s := range all {
		if len(ids) == 0 || slices.Contains(left, s.ID) {
			out = append(out, i)
			left = slices.DeleteFunc(left, func(id string) bool { return id == s.ID })
		}
	}
	if len(left) > 0 {
		return nil, NoSection(left[0])
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

// sectionText is a section with the segments of its passages.
type sectionText struct {
	markdown string
	tree     blockTree
	segments []*segment
}

// with is the section with the given texts for its passages. ok is false when they make other blocks.
func (t sectionText) with(text func(*segment) string) (markdown string, ok bool) {
	texts := make([]string, len(t.segments))
	for i, g := range t.segments {
		texts[i] = text(g)
	}
	markdown = t.tree.replace(t.markdown, texts)
	return markdown, t.tree.keeps(markdown, texts)
}

// title is the translated heading as plain text, where the same way of reading it gives the title of the
// English one; else that title.
func (t sectionText) title(english string, labels map[string]bool) string {
	if len(t.segments) == 0 {
		return english
	}
	g := t.segments[0]
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
