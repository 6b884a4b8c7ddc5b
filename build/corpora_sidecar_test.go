package build_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/openapitest"
	"github.com/mipwatch/mipwatch/render/agent"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// checkDescribed requests every document of the API and checks the answer against /openapi.json.
func checkDescribed(t *testing.T, b built) {
	described, err := openapitest.Read(b.files["openapi.json"])
	if err != nil {
		t.Fatal(err)
	}
	h := b.plan.Publish()
	for _, r := range agent.StaticRoutes(mip.Site{Prefix: b.prefix, Host: b.host}) {
		if !bytes.Contains(b.files["api/index.html"], []byte("<code>"+r.Pattern+"</code>")) {
			t.Errorf("/api/ does not show %s", r.Pattern)
		}
	}
	for _, a := range b.plan.Artifacts {
		if !strings.HasPrefix(a.Route, "/api/v1/") {
			continue
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", a.Route, nil))
		err := described.Check("GET", a.Pattern, w.Code, w.Header(), w.Body.Bytes())
		if err != nil || w.Code != 200 {
			t.Errorf("%s: %d, %v", a.Route, w.Code, err)
		}
	}
}

// checkSidecar reads the site as the sidecar does, and checks its answers for each proposal.
func checkSidecar(t *testing.T, b built) {
	dir := filepath.Join(t.TempDir(), "snapshot")
	if _, err := build.Snapshot(t.Context(), b.plan, dir); err != nil {
		t.Fatal(err)
	}
	source, err := catalog.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := source.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	documents := map[string]any{
		"api/v1/site.json": x.Site, "api/v1/mips.json": x.List,
		"api/v1/hardforks.json": mip.HardForks{HardForks: x.HardForks},
		"sidecar.json":          mip.SidecarConfig{Networks: x.Endpoints},
	}
	for i, m := range x.List.MIPs {
		one, err := x.Proposal(t.Context(), m.ID)
		if err != nil {
			t.Fatal(err)
		}
		d := cmp.Diff(m, one.Metadata, cmp.Comparer(func(a, b mip.Time) bool { return a == b }))
		if d != "" {
			t.Errorf("%s by itself (-list +single):\n%s", m.ID, d)
		}
		documents[strings.TrimPrefix(m.APIURL, b.base+"/")+".json"] = one
		checkSummary(t, x, m)
		checkRepeated(t, one)
		// Every eighth of many proposals is enough, and all long texts.
		if len(x.List.MIPs) < 200 || i%8 == 0 || len(one.RawMarkdown) > 50_000 {
			checkTranslated(t, one)
		}
	}
	for name, value := range documents {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := api.JSON(value); err != nil || string(got) != string(want) {
			t.Errorf("%s encodes to other bytes (%v):\n got %.300s\nwant %.300s", name,
				err, got, want)
		}
	}
}

// checkSummary checks that the summary by rules is valid, is prose, and is the same twice.
func checkSummary(t *testing.T, x *catalog.Catalog, m mip.Metadata) {
	t.Helper()
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	s, err := x.Subject(m, now).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sum := summary.Extract(s)
	if err := summary.Check(sum, s); err != nil {
		t.Errorf("the summary of %s breaks the rules: %v", m.ID, err)
	}
	if m.Number%8 == 0 {
		diff := cmp.Diff(sum, summary.Extract(s),
			cmp.Comparer(func(a, b mip.Time) bool { return a.UTC().Equal(b.UTC()) }))
		if diff != "" {
			t.Errorf("the summary of %s a second time (-first +second):\n%s", m.ID, diff)
		}
	}
	if sum.Source != api.Extractive || sum.Locale != "en" || sum.ContentHash != m.ContentHash ||
		sum.Stale || !sum.GeneratedAt.UTC().Equal(now) {
		t.Errorf("the summary of %s: source %q, locale %q, hash %q, stale %t, at %s", m.ID,
			sum.Source, sum.Locale, sum.ContentHash, sum.Stale, sum.GeneratedAt)
	}
	known := []string{summary.Facts(s)}
	for _, p := range append([]*mip.Proposal{s.Proposal}, s.Bundled...) {
		known = append(known, p.ID.String(), p.Title, fmt.Sprint(p.Frontmatter), p.RawMarkdown)
	}
	from := prose.NewSource(known...)
	for _, text := range summary.Texts(sum) {
		// A summary may end with the number of items that it leaves out.
		if !from.Holds(text) && !strings.Contains(text, " more") {
			t.Errorf("the summary of %s names what its text does not: %s", m.ID, text)
		}
		last := text[len(text)-1]
		if !strings.ContainsRune(".!?…)\"'`", rune(last)) && last < 0x80 {
			t.Errorf("the summary of %s: %q does not end", m.ID, text)
		}
		if strings.HasPrefix(text, "#") || strings.Contains(text, "```") ||
			strings.Contains(text, "| ") && strings.Contains(text, " |") &&
				!strings.Contains(text, "||") {
			t.Errorf("the summary of %s: %q is no prose", m.ID, text)
		}
	}
}

// translator is a model that translates each passage by a function.
type translator func(string) string

func (f translator) Ask(_ context.Context, p ai.Prompt) (ai.Reply, error) {
	_, passages, _ := strings.Cut(p.User, " BEGIN\n")
	texts := map[string]string{}
	if err := json.NewDecoder(strings.NewReader(passages)).Decode(&texts); err != nil {
		return ai.Reply{}, err
	}
	for key, text := range texts {
		texts[key] = f(text)
	}
	answer, err := json.Marshal(texts)
	return ai.Reply{Text: string(answer), Model: "fake-1"}, err
}

// uncached is an [ai.PieceCache] that keeps nothing.
type uncached struct{ ai.Model }

func (u uncached) Piece(ctx context.Context, p *ai.Piece) (ai.Passages, error) {
	return p.Ask(ctx, u.Model)
}

// translated returns the translation of a whole proposal.
func translated(t *testing.T, m ai.Model, p *mip.Proposal) (api.Translation, bool) {
	t.Helper()
	got, err := ai.Translate(t.Context(), uncached{m}, p, "ru", nil)
	if err != nil {
		t.Errorf("%s: %v", p.ID, err)
	}
	return got, err == nil
}

func bodyOf(p *mip.Proposal) string {
	var body strings.Builder
	for _, s := range p.Sections {
		body.WriteString(s.Markdown)
	}
	return body.String()
}

// checkRepeated checks that a model which repeats its input returns the proposal byte for byte.
func checkRepeated(t *testing.T, p *mip.Proposal) {
	t.Helper()
	got, ok := translated(t, translator(func(text string) string { return text }), p)
	want := []any{p.Title, p.Description, bodyOf(p)}
	if diff := cmp.Diff(want, []any{got.Title, got.Description, got.Markdown}); ok && diff != "" {
		t.Errorf("%s: what a model repeats is not the proposal (-source +got):\n%s", p.ID, diff)
	}
}

// checkTranslated checks that a model which changes words changes nothing else.
func checkTranslated(t *testing.T, p *mip.Proposal) {
	t.Helper()
	if got, ok := translated(t, translator(otherWords), p); ok {
		if diff := cmp.Diff(structure(bodyOf(p)), structure(got.Markdown)); diff != "" {
			t.Errorf("structure of %s (-source +translation):\n%s", p.ID, diff)
		}
	}
}

// plainWord matches a word between blanks that is no name, number or code.
var plainWord = regexp.MustCompile(`(^|[ \n])([a-z]+)($|[ \n])`)

// otherWords writes words in other letters, except in code. It returns a text unchanged if it has
// code in more than one backtick, or a host with dots written as words.
func otherWords(text string) string {
	if strings.Contains(text, "``") || strings.Contains(text, "(dot)") ||
		strings.Count(text, "`")%2 != 0 {
		return text
	}
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = plainWord.ReplaceAllStringFunc(parts[i], func(word string) string {
			return strings.Map(func(c rune) rune {
				if 'a' <= c && c <= 'z' {
					return c + 'а' - 'a'
				}
				return c
			}, word)
		})
	}
	return strings.Join(parts, "`")
}

// structure returns the parts of a text besides language: blocks, code, addresses and digits.
func structure(text string) (out []string) {
	doc := markdown.Parse(text)
	ast.Walk(doc.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			out = append(out, fmt.Sprint("heading ", n.Level))
		case *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock:
			out = append(out, n.Kind().String()+" "+string(n.Lines().Value(doc.Body)))
		case *ast.Link:
			out = append(out, "link "+string(n.Destination))
		case *ast.Image:
			out = append(out, "image "+string(n.Destination))
		default:
			if n.Type() == ast.TypeBlock {
				out = append(out, n.Kind().String())
			}
		}
		return ast.WalkContinue, nil
	})
	return append(out, regexp.MustCompile(`[0-9]+`).FindAllString(text, -1)...)
}
