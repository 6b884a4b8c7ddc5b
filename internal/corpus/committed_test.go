package corpus_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

const english = "---\nmip: 1\ntitle: A fee that is burnt\nstatus: Draft\n" +
	"type: Standards Track\ncategory: Core\ncreated: 2026-01-02\n---\n\n## Abstract\n\n" +
	"Every block burns the fees of its transactions.\n\n### Detail\n\n" +
	"Wallets must show the fee.\n\n## Copyright\n\nNone.\n"

// write writes files into a folder. files alternates names and texts.
func write(t testing.TB, dir string, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// siteOf loads a folder of proposals for a site with ja and tr.
func siteOf(t testing.TB, dir string, epoch *time.Time) *build.Content {
	t.Helper()
	s := &site.Site{Prefix: "MIP", Locales: []string{"ja", "tr"}}
	c, err := build.Load(t.Context(), build.Options{Site: buildtest.In(s, dir), Epoch: epoch})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func load(t testing.TB, dir string) *build.Content {
	t.Helper()
	return siteOf(t, dir, new(time.Unix(1_700_000_000, 0)))
}

// extracted is a valid summary of a proposal in a folder, in the committed form.
func extracted(t testing.TB, dir string, change func(map[string]any)) string {
	t.Helper()
	s := siteOf(t, dir, nil).Subject(0)
	s.Now = time.Unix(1_700_000_000, 0)
	b, err := json.Marshal(summary.Extract(s))
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(m)
	}
	b, err = json.MarshalIndent(m, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func translated(hash, body string) string {
	return "---\ntitle: Yakılan ücret\ntranslation-of: " + hash + "\n---\n" + body
}

// lines returns problems without their folder.
func lines(s *build.Content, dir string) []string {
	out := []string{}
	for _, p := range s.Problems {
		out = append(out,
			string(p.Level)+" "+strings.TrimPrefix(p.String(), filepath.ToSlash(dir)+"/"))
	}
	return out
}

func TestSummary(t *testing.T) {
	set := func(key string, value any) func(map[string]any) {
		return func(m map[string]any) { m[key] = value }
	}
	dir := t.TempDir()
	write(t, dir, "MIP-1.md", english)
	good := extracted(t, dir, nil)
	axis := func(change func(map[string]any)) func(map[string]any) {
		return func(m map[string]any) { change(m["users"].(map[string]any)) }
	}
	for _, tt := range []struct {
		name, text string
		want       string // "" for no problem, else a part of the only one
		published  bool
	}{
		{"sound", good, "", true},
		{"without what a build works out",
			extracted(t, dir, func(m map[string]any) { delete(m, "stale"); delete(m, "fallback") }),
			"", true},
		{"stale as written", extracted(t, dir, set("stale", true)), "", true},
		{"of an older text", extracted(t, dir, set("contentHash", strings.Repeat("0", 64))),
			"summary-stale: it is of an older text and is published", true},
		{"empty", "", ":1: summary-invalid: it is not JSON: unexpected EOF", false},
		{"cut off", good[:len(good)-20], "summary-invalid: it is not JSON", false},
		{"a list", "[]", ":1: summary-invalid: the file must be an object", false},
		{"null", "null", "the file is null", false},
		{"followed by another", good + "\n{}", "something follows the object", false},
		{"byte order mark", "\uFEFF" + good, "it is not JSON", false},
		{"not UTF-8", strings.Replace(good, "tldr", "tl\xffdr", 1), "it is not UTF-8", false},
		{"unknown member", strings.Replace(good, "{", "{\n\"author\": 1,", 1),
			":2: summary-invalid: \"author\" is no member", false},
		{"other case", strings.Replace(good, `"tldr"`, `"TLDR"`, 1), `"TLDR" is no member`, false},
		{"unknown member of an axis",
			extracted(t, dir, axis(func(m map[string]any) { m["mood"] = "good" })),
			`"users.mood" is no member`, false},
		{"member twice", strings.Replace(good, "{", "{\n\"locale\": \"en\",", 1),
			`"locale" stands twice`, false},
		{"member missing", extracted(t, dir, func(m map[string]any) { delete(m, "tldr") }),
			":1: summary-invalid: tldr is missing", false},
		{"member of an axis missing",
			extracted(t, dir, axis(func(m map[string]any) { delete(m, "impact") })),
			"users.impact is missing", false},
		{"text as number", extracted(t, dir, set("tldr", 7)), "tldr must be a string", false},
		{"number as text", extracted(t, dir, set("mipNumber", "1")),
			"mipNumber must be a whole number", false},
		{"fraction", extracted(t, dir, set("mipNumber", 1.5)),
			"mipNumber must be a whole number", false},
		{"list as null", extracted(t, dir, set("whatsChanging", nil)),
			"whatsChanging is null", false},
		{"list of lists", extracted(t, dir, set("whatsChanging", []any{[]any{}})),
			"whatsChanging.0 must be a string", false},
		{"time", extracted(t, dir, set("generatedAt", "yesterday")),
			"generatedAt must be a time such as", false},
		{"axis as null", extracted(t, dir, set("users", nil)), "users is null", false},
		{"flag as text",
			extracted(t, dir, axis(func(m map[string]any) { m["actionRequired"] = "no" })),
			"users.actionRequired must be true or false", false},
		{"deep", `{"tldr":` + strings.Repeat("[", 1_000) + strings.Repeat("]", 1_000) + "}",
			"tldr must be a string", false},
		{"deeper", `{"tldr":` + strings.Repeat("[", 20_000),
			":1: summary-invalid: it is not JSON: exceeded max depth", false},
		{"of another proposal", extracted(t, dir, set("mipNumber", 2)),
			"mipNumber is not that of the file's name", false},
		{"in another language", extracted(t, dir, set("locale", "ja")), "locale is not en", false},
		{"no hash", extracted(t, dir, set("contentHash", "abc")), "contentHash is not 64", false},
		{"long name", extracted(t, dir, set("source", strings.Repeat("m", 101))),
			"source is longer", false},
		{"a stand-in",
			extracted(t, dir,
				set("fallback",
					map[string]any{"code": "ai_failed", "detail": "", "retryAfter": 3})),
			"fallback is not null", false},
		{"too large to read", good + strings.Repeat(" ", 1<<20), "too-large", false},
		{"quote that stands nowhere", extracted(t, dir, axis(func(m map[string]any) {
			m["evidence"] = []any{map[string]any{"section": "s-abstract",
				"quote": "Every block mints coins."}}
		})), "summary-refused: it is not supported by the text (users: evidence 0 does not stand " +
			"in its section) and is not published; make it again with mipwatch build --summaries",
			false},
		{"severity below its floor",
			extracted(t, dir, func(m map[string]any) {
				m["developers"].(map[string]any)["severity"] = "low"
			}), "severity low is below the floor medium", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			write(t, dir, "summaries/MIP-1.json", tt.text)
			s := load(t, dir)
			got := lines(s, dir)
			if tt.want == "" && len(got) > 0 ||
				tt.want != "" &&
					(len(got) != 1 || !strings.HasPrefix(got[0], "warning summaries/MIP-1.json") ||
						!strings.Contains(got[0], tt.want)) {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
			sum := s.Committed[0]
			if (sum != nil) != tt.published ||
				sum != nil && sum.Stale != strings.Contains(tt.want, "summary-stale") {
				t.Errorf("published %+v, want published %v", sum, tt.published)
			}
			// An invalid summary is made again.
			if again := len(s.Outdated("")) > 0; again != (tt.want != "") {
				t.Errorf("made again: %t", again)
			}
		})
	}
}

func TestTranslation(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "MIP-1.md", english)
	ps := siteOf(t, dir, nil)
	hash, old := ps.Metadata[0].ContentHash, strings.Repeat("0", 64)
	all := []string{"s-abstract", "s-detail", "s-copyright"}
	const body = "\n## Özet\n\nHer blok ücreti yakar.\n\n### Ayrıntı\n\n" +
		"Cüzdanlar gösterir.\n\n## Telif\n\nYok.\n"
	for _, tt := range []struct {
		name, text, want string
		ids              []string // nil: not published
	}{
		{"current", translated(hash, body), "", all},
		{"CRLF", strings.ReplaceAll(translated(hash, body), "\n", "\r\n"), "", all},
		{"heading in a fence",
			translated(hash, strings.Replace(body, "Yok.", "```\n## Yok\n```", 1)), "", all},
		{"other level", translated(hash, strings.Replace(body, "###", "##", 1)),
			`:10: translation-sections: the section "Ayrıntı" has level 2 where "Detail" of the English text has level 3`, nil},
		{"one more", translated(hash, body+"\n## Ek\n"),
			"MIP-1.md: translation-sections: it has 4 sections and the English text 3", nil},
		{"one less", translated(hash, strings.Split(body, "## Telif")[0]),
			"translation-sections: it has 2 sections and the English text 3", nil},
		{"no text", translated(hash, ""), "it has 0 sections and the English text 3", nil},
		{"text before the first heading", translated(hash, "\nÖnce.\n"+body),
			`:5: translation-sections: the section "" has level 0`, nil},
		{"stale", translated(old, body),
			"translation-stale: it is of an older text and published as stale", all},
		{"stale with other headings", translated(old, body+"\n## Abstract\n"), "translation-stale",
			[]string{"s-özet", "s-ayrıntı", "s-telif", "s-abstract"}},
		{"no header", "# Özet\n", ":1: translation-invalid: the file does not begin with", nil},
		{"no hash", translated("", body),
			":3: translation-invalid: translation-of is no contentHash", nil},
		{"short hash", translated("0a", body),
			":3: translation-invalid: translation-of is no contentHash: 64 hexadecimal digits in " +
				"lower case", nil},
		{"no key of a hash", "---\ntitle: A\n---\n" + body,
			":3: translation-invalid: the header has no translation-of", nil},
		{"no title", "---\ntranslation-of: " + hash + "\n---\n" + body,
			":3: translation-invalid: the header has no title", nil},
		{"header without an end", "---\ntitle: A\n",
			":1: translation-invalid: the header is not closed", nil},
		{"title twice", "---\ntitle: A\ntitle: B\n---\n" + body,
			`:3: translation-invalid: "title" is stated a second time (first on line 2)`, nil},
		{"title over two lines",
			"---\ntitle: Yakılan\n  ücret\ntranslation-of: " + hash + "\n---\n" + body, "", all},
		{"title as a block",
			"---\ntitle: |\n  Yakılan ücret\ntranslation-of: " + hash + "\n---\n" + body, "", all},
		{"title in quotes",
			"---\ntitle: \"Yakılan ücret\"\ntranslation-of: '" + hash + "'\n---\n" + body, "", all},
		{"byte order mark", "\uFEFF" + translated(hash, body), "", all},
		{"lists and comments of others",
			strings.Replace(translated(hash, body), "---\n", "---\n# c\nrequires:\n  - 3\n- 4\n\n",
				1), "", all},
		{"direction", "---\ntitle: A\u202e\n---\n" + body,
			`:2: translation-invalid: the title "A\u202e" holds a character that changes the direction of text`, nil},
		{"not UTF-8", "---\ntitle: \xff\n",
			":2: translation-invalid: byte 0xFF is not valid UTF-8", nil},
		{"control character", translated(hash, "\n\x1b[2J\n"),
			":6: translation-invalid: the control character U+001B", nil},
		{"too deep", translated(hash, "\n"+strings.Repeat("> ", 100)+"x\n"),
			":6: translation-invalid: quotes, lists or emphasis are nested", nil},
		{"table bomb",
			translated(hash,
				"\n|"+strings.Repeat("a|", 3000)+"\n|"+strings.Repeat("-|",
					3000)+"\n"+strings.Repeat("|\n", 3000)), "translation-invalid: ", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			write(t, dir, "translations/tr/MIP-1.md", tt.text)
			s := load(t, dir)
			got := lines(s, dir)
			if tt.want == "" && len(got) > 0 ||
				tt.want != "" &&
					(len(got) != 1 ||
						!strings.HasPrefix(got[0], "warning translations/tr/MIP-1.md") ||
						!strings.Contains(got[0], tt.want)) {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
			if len(s.Proposals[0].Translations) != len(tt.ids[:min(len(tt.ids), 1)]) {
				t.Fatalf("translations %+v, want ids %q", s.Proposals[0].Translations, tt.ids)
			}
			for _, x := range s.Proposals[0].Translations {
				if want := strings.Count(tt.text, "\n") + 1; x.Lines != want {
					t.Errorf("%d lines, want %d", x.Lines, want)
				}
				read(t, s, x, tt.ids, body)
			}
		})
	}
}

// read checks a published translation.
func read(
	t *testing.T, s *build.Content, x corpus.CommittedTranslation, wantIDs []string, body string,
) {
	t.Helper()
	p := s.Proposals[0]
	got := x.PublishedTranslation
	var ids []string
	var text strings.Builder
	for _, section := range got.Sections {
		ids = append(ids, section.ID)
		text.WriteString(section.Markdown)
	}
	if d := cmp.Diff(wantIDs, ids); d != "" {
		t.Errorf("ids (-want +got):\n%s", d)
	}
	if got.Stale == (got.ContentHash == p.ContentHash) || got.Locale != "tr" ||
		got.MIPNumber != 1 || got.Source != "file" || got.Title != "Yakılan ücret" {
		t.Errorf("translation %+v", got)
	}
	if !strings.HasPrefix(text.String(), body[:20]) || strings.Contains(text.String(), "\r") {
		t.Errorf("sections concatenate to %q", text.String())
	}
}

// A translation is published as Load read it, even if the file has changed since.
func TestEditedAfterLoad(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "MIP-1.md", english)
	write(t, dir, "translations/ja/MIP-1.md", translated(strings.Repeat("0", 64), "\nText.\n"))
	s := load(t, dir)
	write(t, dir, "translations/ja/MIP-1.md", translated(strings.Repeat("1", 64), "\nOther.\n"))
	got := s.Proposals[0].Translations[0]
	if got.ContentHash != strings.Repeat("0", 64) ||
		!strings.Contains(got.Sections[0].Markdown, "Text.") {
		t.Errorf("Text() = %+v, want that of Load", got)
	}
}

// Missing folders are no problem.
func TestNothingBeside(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "MIP-1.md", english)
	s := load(t, dir)
	if len(s.Problems) != 0 || len(s.CommittedFiles) != 0 || s.Committed[0] != nil ||
		s.Proposals[0].Translations != nil {
		t.Errorf("%+v", s)
	}
	write(t, dir, "summaries/.gitkeep", "", "translations/.gitkeep", "")
	if s := load(t, dir); len(s.Problems) != 0 {
		t.Errorf("empty folders: %v", s.Problems)
	}
}

// The time of a translation is the time of its own newest commit. A commit that adds a proposal
// together with its translation counts as the proposal's creation.
func TestTimesFromGit(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "proposals")
	git := func(day string, args ...string) {
		t.Helper()
		testenv.Git(t, top, day+"T12:00:00Z", args...)
	}
	git("2026-01-01", "init", "-q")
	write(t, dir, "MIP-1.md", strings.Replace(english, "created: 2026-01-02\n", "", 1),
		"translations/ja/MIP-1.md", translated(strings.Repeat("0", 64), "\nText.\n"))
	git("2026-01-01", "add", ".")
	git("2026-01-03", "commit", "-qm", "both")
	write(t, dir, "translations/ja/MIP-1.md", translated(strings.Repeat("0", 64), "\nMore text.\n"))
	git("2026-01-01", "add", ".")
	git("2026-01-05", "commit", "-qm", "translation")
	write(t, dir, "translations/tr/MIP-1.md", translated(strings.Repeat("0", 64), "\nText.\n"))
	s := siteOf(t, dir, nil)
	p := s.Proposals[0]
	if got := p.Created.String() + " " +
		p.Updated.String(); got != "2026-01-03 2026-01-03T12:00:00Z" {
		t.Errorf("the proposal was created and changed at %s", got)
	}
	var got []string
	for _, x := range s.Proposals[0].Translations {
		got = append(got, x.Locale+" "+x.GeneratedAt.String())
	}
	want := []string{"ja 2026-01-05T12:00:00Z", "tr 2026-01-03T12:00:00Z"}
	if !slices.Equal(got, want) {
		t.Errorf("times %q, want %q: the second is not committed yet", got, want)
	}
}
