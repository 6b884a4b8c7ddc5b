package search_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/search"
	"github.com/mipwatch/mipwatch/internal/test/corpora"
)

// question is a query by a reader who was looking for a section of a text and did not know this
// package. Held questions were not used for tuning.
type question struct {
	Corpus, Question, Section string
	Proposal                  int
	Held                      bool
}

// TestKnownItems measures how often the sought text among all of three repositories comes first,
// among the first five, at the right section, and with a typing error in one word.
func TestKnownItems(t *testing.T) {
	data, err := os.ReadFile("testdata/questions.json")
	if err != nil {
		t.Fatal(err)
	}
	var questions []question
	if err := json.Unmarshal(data, &questions); err != nil {
		t.Fatal(err)
	}
	type count struct{ first, five, section, slipped, all float64 }
	counts := map[bool]*count{true: {}, false: {}}
	for name, prefix := range map[string]string{"eips": "EIP", "simd": "SIMD",
		"monad-mips": "MIP"} {
		m, x := indexOf(t, corpora.Need(t, name), prefix)
		own, titles := 0, 0
		for i, title := range x.titles {
			if len(strings.Fields(title)) < 2 {
				continue
			}
			a, err := search.Search(m, x, search.Parse(title+" ", "none"), 5)
			if err != nil {
				t.Fatal(err)
			}
			titles++
			if a.Found[0].Proposal == i || x.titles[a.Found[0].Proposal] == title {
				own++
			}
		}
		t.Logf("%s: %d of %d titles find their own proposal first", name, own, titles)
		if own < titles*97/100 {
			t.Errorf("%s: %d of %d titles find their own proposal first, want 97 %%", name, own,
				titles)
		}
		for i, q := range questions {
			if q.Corpus != name {
				continue
			}
			rank := func(text string) (at int, section string) {
				a, err := search.Search(m, x, search.Parse(text+" ", m.Kinds...), 5)
				if err != nil {
					t.Fatal(err)
				}
				for at, f := range a.Found {
					if m.Proposals[f.Proposal] == fmt.Sprint(q.Proposal) {
						return at,
							strings.ReplaceAll(x.texts[f.Proposal][f.Part].Best(a.Terms).Title(),
								"`", "")
					}
				}
				return len(m.Proposals), ""
			}
			n := counts[q.Held]
			at, section := rank(q.Question)
			if section == strings.ReplaceAll(q.Section, "`", "") {
				n.section++
			}
			if n.all++; at == 0 {
				n.first++
			}
			if at < 5 {
				n.five++
			} else {
				t.Logf("%s %d is number %d for %q", name, q.Proposal, at+1, q.Question)
			}
			if at, _ := rank(slip(q.Question, i)); at == 0 {
				n.slipped++
			}
		}
	}
	for held, n := range counts {
		t.Logf("held back %t: first %.2f, among five %.2f, section %.2f, first in spite of a "+
			"slip %.2f, of %.0f",
			held, n.first/n.all, n.five/n.all, n.section/n.all, n.slipped/n.all, n.all)
		if n.first < 0.88*n.all || n.five < 0.97*n.all || n.section < 0.70*n.all ||
			n.slipped < 0.80*n.all {
			t.Errorf(
				"held back %t: %+v; want 0.88 of them first, 0.97 among five, 0.70 at the "+
					"section, and 0.80 first in spite of a slip",
				held, *n)
		}
	}
}

// shards is an index without texts, which only phrases need.
type shards struct {
	search.Files

	of     map[string]*search.Table
	texts  [][]search.Texts // by proposal
	titles []string
}

func (s shards) Table(url string) (*search.Table, error) { return s.of[url], nil }

// indexOf builds the index of a folder's proposals.
func indexOf(t *testing.T, dir, prefix string) (*search.Manifest, shards) {
	t.Helper()
	c, err := corpus.Load(t.Context(),
		corpus.Options{Options: header.Options{Prefix: prefix},
			Rules: filename.Rules{Sources: []filename.Source{{Folder: dir}}}})
	if err != nil {
		t.Fatal(err)
	}
	m := &search.Manifest{Version: search.Version, Kinds: []string{prefix}}
	var all []search.Indexed
	var texts [][]search.Texts
	var titles []string
	for _, p := range c.Proposals {
		of := search.Proposal{Title: p.Title, Description: mip.Deref(p.Description)}
		doc := markdown.Parse(p.Body)
		for i, text := range doc.Texts() {
			of.Sections = append(of.Sections,
				search.Section{ID: doc.Sections[i].ID, Title: doc.Sections[i].Title, Text: text})
		}
		indexed := of.Index()
		parts := indexed.Parts
		all, texts, titles = append(all, indexed), append(texts, parts), append(titles, p.Title)
		m.Add(fmt.Sprint(p.Number), string(p.Stage), p.Status.Slug(), len(parts))
	}
	files := map[string]*search.Table{}
	cut, err := search.Shards(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range cut {
		m.Shards = append(m.Shards, search.Part{From: s.First(), URL: fmt.Sprint(i)})
		files[fmt.Sprint(i)] = search.NewTable(&s, m.Parts)
	}
	return m, shards{of: files, texts: texts, titles: titles}
}

// slip misspells one longer word of a question: a letter is missing, swapped with its neighbor,
// replaced or added.
func slip(text string, n int) string {
	words := strings.Fields(text)
	for k := range words {
		i := (k + n) % len(words)
		w := []byte(words[i])
		if len(w) < 5 || strings.Trim(strings.ToLower(words[i]),
			"abcdefghijklmnopqrstuvwxyz") != "" {
			continue
		}
		switch at := 1 + n*7%(len(w)-2); n % 4 {
		case 0:
			w = append(w[:at], w[at+1:]...)
		case 1:
			w[at], w[at+1] = w[at+1], w[at]
		case 2:
			w[at] = 'x'
		default:
			w = append(w[:at], append([]byte{'q'}, w[at:]...)...)
		}
		words[i] = string(w)
		break
	}
	return strings.Join(words, " ")
}
