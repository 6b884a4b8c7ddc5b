package ai

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// How much is asked for.
const (
	// pieceBytes is how much of the source is asked for at once. An answer of that size arrives within seconds, and a
	// whole proposal is not many pieces.
	pieceBytes = 1500
	mostAsked  = 4 // pieces at a time
	attempts   = 2 // for each passage
)

// Piece names one question for the translation of a text among the others.
type Piece struct {
	Hash     [32]byte // of its passages
	Passages int      // how many it has
}

// Passages are the passages of a piece in another language, in order.
type Passages struct {
	Source string   `json:"source"` // name of the model
	Texts  []string `json:"texts"`
	Made   mip.Time `json:"made"`
}

// Keep returns the passages of a piece: those that were made before, or those that ask makes now. Its error is that of
// the translation.
type Keep func(ctx context.Context, p Piece, ask func(context.Context) (Passages, error)) (Passages, error)

// Translate returns the title, the description and the sections with the given ids (none: all), in the
// proposal's order, translated from English into the language of a BCP 47 tag.
//
// The model gets passages alone, in pieces of about 1,500 bytes, four at a time. Headings, lists, tables and blocks of
// code and HTML are put together here and stay what they were. In a passage, placeholders stand for what a model cannot
// make sense of: targets, addresses, tags, formulas, long code. Short code, numbers, names and the key words of
// RFC 2119 are visible. All of these must come back byte for byte and as often. A passage that breaks a rule is asked
// for once more; after that the error wraps [ErrFailed]. A translation is whole or there is none. The model's own
// errors are returned, wrapped.
//
// The pieces of a text do not depend on the chosen sections: Translate asks for those with a passage of them. So a text
// costs at most what the whole costs when keep returns a piece that it has had before. A nil keep asks for each.
//
// GeneratedAt is that of the newest piece. Source is empty when nothing had to be asked.
//
// The returned sections have the ids and levels of the English ones. Their Markdown values concatenated are the
// translation's. A title is the translated heading as plain text, or the English one where the English heading is
// another text than its title.
func Translate(ctx context.Context, m Model, p *mip.Proposal, locale string, ids []string, keep Keep) (api.Translation, []mip.Section, error) {
	t, sections, err := translate(ctx, m, p, locale, ids, keep)
	if err != nil {
		return api.Translation{}, nil, fmt.Errorf("translate %s: %w", p.ID, err)
	}
	return t, sections, nil
}

// translate is Translate without the id of the proposal in its errors.
//
// The steps are: read the blocks of every section, find the passages (newText), ask for the pieces with a wanted
// passage, put the results in place of the passages (section.with), and read the titles of the result.
func translate(
	ctx context.Context, m Model, p *mip.Proposal, locale string, ids []string, keep Keep,
) (out api.Translation, sections []mip.Section, err error) {
	if !mip.IsLocale(locale) {
		return out, nil, fmt.Errorf("%s is no language tag", quoteName(locale))
	}
	chosen, err := Choose(p.Sections, ids)
	if err != nil {
		return out, nil, err
	}
	t := newText(p) // of all sections, whichever are chosen
	wanted := []*passage{t.title, t.description}
	for _, i := range chosen {
		wanted = append(wanted, t.sections[i].passages...)
	}
	newest, err := t.translate(ctx, m, locale, wanted, keep)
	if err != nil {
		return out, nil, err
	}
	translated := slices.Clone(p.Sections)
	for _, i := range chosen {
		var ok bool
		if translated[i].Markdown, ok = t.sections[i].with(func(p *passage) string { return p.result }); !ok {
			return out, nil, newError(ErrFailed, "its passages make other blocks than the proposal's")
		}
	}
	setTitles(translated, p.Sections)
	for _, i := range chosen {
		sections = append(sections, translated[i])
	}
	out = api.Translation{
		MIPNumber: p.Number, Locale: locale, Title: t.title.result, Markdown: concatenated(sections),
		ContentHash: p.ContentHash, GeneratedAt: newest.Made, Source: newest.Source,
	}
	if p.Description != nil {
		out.Description = &t.description.result
	}
	return out, sections, nil
}

// Choose returns the positions of the sections with the given ids, ascending; no id: all of them. The
// error for an id that no section has wraps [ErrNoSection].
func Choose(all []mip.Section, ids []string) ([]int, error) {
	for _, id := range ids {
		if !slices.ContainsFunc(all, func(s mip.Section) bool { return s.ID == id }) {
			return nil, NoSection(id)
		}
	}
	var out []int
	for i, s := range all {
		if len(ids) == 0 || slices.Contains(ids, s.ID) {
			out = append(out, i)
		}
	}
	return out, nil
}

// setTitles reads the titles of translated sections where reading gives the English titles of the English ones.
func setTitles(translated, english []mip.Section) {
	got := markdown.Parse(concatenated(translated)).Sections
	read := markdown.Parse(concatenated(english)).Sections
	for i := range english {
		if len(got) == len(english) && len(read) == len(english) && read[i].Title == english[i].Title {
			translated[i].Title = got[i].Title
		}
	}
}

// concatenated is the Markdown of sections in a row. For all sections of a proposal that is its body.
func concatenated(sections []mip.Section) string {
	var b strings.Builder
	for _, s := range sections {
		b.WriteString(s.Markdown)
	}
	return b.String()
}

// pieces packs the passages in order. A passage that is larger than a piece is one by itself: it is not cut, since a
// model needs whole sentences.
func (t *text) pieces() [][]*passage {
	var out [][]*passage
	size := 0
	for i, p := range t.all {
		if i == 0 || size+len(p.source) > pieceBytes {
			out = append(out, nil)
			size = 0
		}
		out[len(out)-1] = append(out[len(out)-1], p)
		size += len(p.source)
	}
	return out
}

// translate sets the results of the pieces that hold wanted passages. It returns the newest of them, without its
// texts. The first failure ends the calls that are under way; it returns when all have ended.
func (t *text) translate(ctx context.Context, m Model, locale string, wanted []*passage, keep Keep) (newest Passages, err error) {
	isWanted := map[*passage]bool{}
	for _, p := range wanted {
		isWanted[p] = true
	}
	pieces := slices.DeleteFunc(t.pieces(), func(piece []*passage) bool {
		return !slices.ContainsFunc(piece, func(p *passage) bool { return isWanted[p] })
	})
	made := make([]Passages, len(pieces))
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(mostAsked)
	for i, piece := range pieces {
		workers.Go(func() (err error) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			ask := func(ctx context.Context) (Passages, error) { return t.ask(ctx, m, locale, piece) }
			if keep == nil {
				made[i], err = ask(ctx)
				return err
			}
			made[i], err = keep(ctx, nameOf(piece), ask)
			return err
		})
	}
	if err := workers.Wait(); err != nil {
		return Passages{}, err
	}
	for i, p := range made {
		for j, passage := range pieces[i] {
			passage.result = p.Texts[j]
		}
		if newest.Source == "" || p.Made.UTC().After(newest.Made.UTC()) {
			newest = Passages{Source: p.Source, Made: p.Made}
		}
	}
	return newest, nil
}

// nameOf names a piece by the sources of its passages. Their places do not matter: equal pieces of two texts have equal
// translations.
func nameOf(piece []*passage) Piece {
	hash := sha256.New()
	for _, p := range piece {
		fmt.Fprintf(hash, "%q\n", p.source)
	}
	return Piece{Hash: [32]byte(hash.Sum(nil)), Passages: len(piece)}
}

// ask asks for passages, and once more for those whose translation breaks a rule.
func (t *text) ask(ctx context.Context, m Model, locale string, piece []*passage) (Passages, error) {
	results := map[*passage]string{} // of both attempts
	asked := piece
	var faults []fault
	for range attempts {
		prompt, codeWord := t.prompt(asked, locale, faults)
		reply, err := m.Ask(ctx, prompt)
		if err != nil {
			return Passages{}, err
		}
		if asked, faults = t.accept(asked, reply.Text, codeWord, results); len(asked) > 0 {
			continue
		}
		out := Passages{Source: reply.Model}
		for _, p := range piece {
			out.Texts = append(out.Texts, results[p])
		}
		return out, nil
	}
	return Passages{}, newError(ErrFailed, "the translation of a passage "+string(faults[0]))
}

// accept adds the translations that keep the rules to results, and returns the other passages with their faults.
func (t *text) accept(asked []*passage, reply, codeWord string, results map[*passage]string) (again []*passage, faults []fault) {
	const (
		pieceAdded  = 400 // bytes of a piece beyond mostGrowth times its source
		replyGrowth = 3   // a reply to the text in it: JSON can write a letter of three bytes in six
	)
	most := pieceAdded
	for _, p := range asked {
		most += mostGrowth * len(p.source)
	}
	if len(reply) > replyGrowth*most {
		return asked, slices.Repeat([]fault{lengthFault}, len(asked))
	}
	answers, err := readAnswers(reply, len(asked))
	if err != nil || strings.Contains(reply, codeWord) {
		return asked, slices.Repeat([]fault{formFault}, len(asked))
	}
	size := 0
	for i, p := range asked {
		result, f := t.check(p, answers[i])
		if f != noFault {
			again, faults = append(again, p), append(faults, f)
			continue
		}
		results[p] = result
		size += len(result)
	}
	if size > most {
		return asked, slices.Repeat([]fault{lengthFault}, len(asked))
	}
	return again, faults
}
