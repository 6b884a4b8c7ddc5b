package corpus_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/header"
)

// TestTranslationsBeside has translations beside their texts in the form of other repositories:
// without the hash of the original, and with links to their own headings.
func TestTranslationsBeside(t *testing.T) {
	const text = "---\ncip: %d\ntitle: Fees\n---\n\n## Motivation\n\n" +
		"See [there](#rationale).\n\n## Rationale\n\nWords.\n"
	const french = "---\nCIP: 1694\nTitle: Frais\nTranslators:\n" +
		"    - A <a@example.org>\nLanguage: fr\n---\n\n## Raison\n\n" +
		"Voir [là](#déroulement).\n\n## Déroulement\n\nMots.\n"
	dir := t.TempDir()
	write(t, dir, "CIP-0001/README.md", fmt.Sprintf(text, 1), "CIP-0001/README.fr.md", french,
		"CIP-0001/README.de.md", french,
		"CIP-0002/README.md", fmt.Sprintf(text, 2), "CIP-0002/README.pt-br.md",
		"# Taxas\n\n## Motivação\n", "CIP-0002/README.fr.md", "---\ntitle: [\n",
		"CIP-0003/README.md", fmt.Sprintf(text, 3), "CIP-0003/README.fr.md", french,
		"translations/fr/CIP-3.md", french,
		"CIP-0004/README.md", "---\ncip: 4\n", "CIP-0004/README.fr.md", french,
		"CIP-0005/README.fr.md", french, "CIP-0006/README.md", fmt.Sprintf(text, 6),
		"CIP-0006/README.old.md", "Old.\n")
	epoch := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c, err := corpus.Load(t.Context(), corpus.Options{
		Options: header.Options{Prefix: "CIP"},
		Epoch:   &epoch,
		Rules: filename.Rules{Sources: []filename.Source{{Folder: dir,
			Pattern: "CIP-*/README.md"}}, Locales: []string{"fr", "pt-BR"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range c.Proposals {
		for _, x := range p.Translations {
			got = append(got, fmt.Sprintf("%s %s %q stale %t hash %t number %d: %q",
				p.ID, x.Locale, x.Title, x.Stale, x.ContentHash == p.ContentHash, x.MIPNumber,
				x.Sections[0].ID+" "+x.Sections[0].Markdown))
		}
	}
	want := []string{
		`CIP-1 fr "Frais" stale false hash true number 1: "s-motivation \n## Raison\n\nVoir [là](#s-rationale).\n\n"`,
		`CIP-2 pt-BR "Taxas" stale true hash false number 2: "s-taxas # Taxas\n\n"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("translations\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	got = nil
	for _, p := range c.Problems {
		got = append(got, strings.TrimPrefix(p.File, dir+"/")+" "+p.Code)
	}
	slices.Sort(got)
	want = []string{
		"CIP-0001/README.de.md unknown-locale", "CIP-0002/README.fr.md translation-invalid",
		"CIP-0002/README.pt-br.md translation-stale",
		"CIP-0003/README.fr.md duplicate-translation", "CIP-0004/README.md header-unterminated",
		"translations/fr/CIP-3.md duplicate-translation",
	}
	if !slices.Equal(got, want) {
		t.Errorf("problems\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	files := corpus.Inputs([]filename.Source{{Folder: dir, Pattern: "CIP-*/README.md"}})
	if !slices.Contains(files, filepath.Join(dir, "CIP-0002/README.pt-br.md")) {
		t.Errorf("%v lacks a translation, whose change a server has to see", files)
	}
}
