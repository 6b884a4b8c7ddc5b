package ai

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/strictjson"
)

// Bounds of the questions.
const (
	// pieceBytes is the size of one question in bytes of the source. An answer of that size arrives
	// within seconds, and a whole proposal has few pieces.
	pieceBytes = 1500
	mostAsked  = 4 // pieces at a time
	attempts   = 2 // for each passage
)

// Piece is one question of the translation of a text.
type Piece struct {
	// Hash is the hash of the passages' sources. Their places do not matter: equal pieces of two
	// texts have equal translations.
	Hash [32]byte

	view     *translationSource
	passages []*passage
	locale   string
}

// Passages are the translated passages of the piece, in order.
type Passages struct {
	Source string   `json:"source"` // name of the model
	Texts  []string `json:"texts"`
	Made   mip.Time `json:"made"`
}

// PieceCache returns the translations of pieces: cached ones, and new ones by [Piece.Ask]. It is
// called with some pieces at a time. Its error ends the translation.
type PieceCache interface {
	Piece(ctx context.Context, p *Piece) (Passages, error)
}

// Translate returns the title, the description and the sections with the given ids (none: all), in
// the proposal's order, translated from English into the language of a BCP 47 tag.
//
// The model gets passages alone, in pieces of about 1,500 bytes, four at a time. Headings, lists,
// tables and blocks of code and HTML are kept unchanged and put together here. In a passage,
// placeholders replace parts that a model cannot use: targets, addresses, tags, formulas, long
// code. Short code, numbers, names and the key words of RFC 2119 are visible. All of these must
// come back unchanged and as often. A passage that breaks a rule is asked for once more. After that
// the error is an [api.HTTPError] of code ai_failed, or ai_unreadable for an answer without the
// requested JSON. A translation is whole or there is none. The model's own errors are returned,
// wrapped.
//
// The pieces of a text do not depend on the chosen sections: Translate asks for all pieces with a
// passage of them. So all requests for a text cost at most the whole text if the cache keeps its
// pieces.
//
// GeneratedAt is the time of the newest piece. Source is empty if there was nothing to ask.
func Translate(
	ctx context.Context, cache PieceCache, p *mip.Proposal, locale string, ids []string,
) (out api.Translation, err error) {
	defer func() {
		if err != nil {
			out, err = api.Translation{}, fmt.Errorf("translate %s: %w", p.ID, err)
		}
	}()
	if !mip.IsLocale(locale) {
		return out, fmt.Errorf("%s is no language tag", mip.Quote(locale))
	}
	chosen, err := Choose(p.Sections, ids)
	if err != nil {
		return out, err
	}
	v := newTranslationSource(p) // of all sections, not only the chosen ones
	wanted := []*passage{v.title, v.description}
	for _, i := range chosen {
		wanted = append(wanted, v.sections[i].passages...)
	}
	newest, err := v.translate(ctx, cache, locale, wanted)
	if err != nil {
		return out, err
	}
	var body strings.Builder
	for _, i := range chosen {
		section, ok := v.sections[i].with(func(p *passage) string { return p.result })
		if !ok {
			return out, errFailed.because("its passages make other blocks than the proposal's")
		}
		body.WriteString(section)
	}
	out = api.Translation{
		MIPNumber: p.Number, Locale: locale, Title: v.title.result, Markdown: body.String(),
		ContentHash: p.ContentHash, GeneratedAt: newest.Made, Source: newest.Source,
	}
	if p.Description != nil {
		out.Description = &v.description.result
	}
	return out, nil
}

// Choose returns the positions of the sections with the given ids, ascending. Without ids it
// returns all. The error for an unknown id is an [api.HTTPError] of code bad_request.
func Choose(all []mip.Section, ids []string) ([]int, error) {
	for _, id := range ids {
		if !slices.ContainsFunc(all, func(s mip.Section) bool { return s.ID == id }) {
			return nil, &api.HTTPError{
				Code: api.BadRequest,
				Detail: "sections names an id that the proposal does not have; " +
					"its ids are in /api/v1/mips/{n}.",
				Err: fmt.Errorf("no such section: %s", mip.Quote(id)),
			}
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

// pieces packs the passages in order. A passage that is larger than a piece is one by itself: a
// model needs whole sentences.
func (v *translationSource) pieces() [][]*passage {
	var out [][]*passage
	size := 0
	for i, p := range v.all {
		if i == 0 || size+len(p.source) > pieceBytes {
			out = append(out, nil)
			size = 0
		}
		out[len(out)-1] = append(out[len(out)-1], p)
		size += len(p.source)
	}
	return out
}

// translate sets the results of the pieces with wanted passages. It returns the newest of them,
// without its texts. The first failure cancels the other calls. It returns when all calls have
// ended.
func (v *translationSource) translate(
	ctx context.Context, cache PieceCache, locale string, wanted []*passage,
) (newest Passages, err error) {
	isWanted := map[*passage]bool{}
	for _, p := range wanted {
		isWanted[p] = true
	}
	pieces := slices.DeleteFunc(v.pieces(), func(piece []*passage) bool {
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
			made[i], err = cache.Piece(ctx, v.newPiece(locale, piece))
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

// newPiece returns the piece of some passages.
func (v *translationSource) newPiece(locale string, passages []*passage) *Piece {
	hash := sha256.New()
	for _, p := range passages {
		fmt.Fprintf(hash, "%q\n", p.source)
	}
	return &Piece{Hash: [32]byte(hash.Sum(nil)), view: v, passages: passages, locale: locale}
}

// Fits reports whether a translation is whole and made by a model. It does not compare the passages
// with the text again.
func (p *Piece) Fits(made Passages, model string) bool {
	return made.Source == model && len(made.Texts) == len(p.passages) &&
		!slices.Contains(made.Texts, "")
}

// Ask asks a model for the passages, and once more for passages whose translation breaks a rule.
func (p *Piece) Ask(ctx context.Context, m Model) (Passages, error) {
	asked, results := p.passages, map[*passage]string{}
	var faults []fault
	for range attempts {
		prompt, codeWord := p.view.prompt(asked, p.locale, faults)
		reply, err := m.Ask(ctx, prompt)
		if err != nil {
			return Passages{}, err
		}
		answers := readAnswers(reply.Text, len(asked))
		var again []*passage
		faults = nil
		for i, passage := range asked {
			result, f := "", formFault
			if answers != nil {
				result, f = p.view.check(passage, answers[i], codeWord)
			}
			if f != noFault {
				again, faults = append(again, passage), append(faults, f)
			}
			results[passage] = result
		}
		if asked = again; len(asked) > 0 {
			continue
		}
		out := Passages{Source: reply.Model, Made: mip.NewTime(time.Now())}
		for _, passage := range p.passages {
			out.Texts = append(out.Texts, results[passage])
		}
		return out, nil
	}
	kind := errFailed
	if faults[0] == formFault {
		kind = errUnreadable
	}
	return Passages{}, kind.because("the translation of a passage " + string(faults[0]))
}

//go:embed prompts/translation.txt
var translationTaskFile string

// translationTask is the system message. %s is the language's tag.
var translationTask = strings.TrimSuffix(translationTaskFile, "\n")

// prompt returns the prompt for the translation of passages. faults are the faults of the last
// answer, nil the first time. The code word around the data is drawn for this call, and no answer
// may hold it.
func (v *translationSource) prompt(
	asked []*passage, locale string, faults []fault,
) (p Prompt, codeWord string) {
	var lines []string
	for i, p := range asked {
		text, _ := api.JSON(p.asked) // strings have JSON
		lines = append(lines, fmt.Sprintf("\"%d\": %s", i+1, bytes.TrimSpace(text)))
	}
	data := "{\n" + strings.Join(lines, ",\n") + "\n}"
	codeWord = rand.Text()
	var user strings.Builder
	fmt.Fprintf(&user, "%s BEGIN\n%s\n%s END\n", codeWord, data, codeWord)
	if faults != nil {
		user.WriteString("\nYour last answer for these passages was not accepted:\n")
	}
	for i, f := range faults {
		fmt.Fprintf(&user, "- %d: it %s\n", i+1, f)
	}
	const room = 256 // tokens, for the JSON around the texts
	return Prompt{
		System: fmt.Sprintf(translationTask, locale),
		User:   user.String(),
		// One token for each byte of English is enough for every script.
		MaxTokens: len(data) + room,
		JSON:      true,
	}, codeWord
}

// readAnswers reads the last JSON object in a reply whose keys are exactly "1" to n, each once, and
// whose values are strings. It is nil for a reply without one.
func readAnswers(reply string, n int) []string {
	for _, object := range objects(reply) {
		found, err := strictjson.Object(object)
		if len(found) != n {
			continue
		}
		out := make([]string, n)
		for i := 0; i < n && err == nil; i++ {
			out[i], err = strictjson.String(found[strconv.Itoa(i+1)])
		}
		if err == nil {
			return out
		}
	}
	return nil
}
