package build

import (
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/search"
	"github.com/mipwatch/mipwatch/render/plain"
)

// searchable is a text as it is searched and shown.
type searchable struct {
	of    *mip.Metadata
	entry search.Entry
	// indexed has the terms of the text, and parts are those of the text as they are published.
	indexed search.Indexed
	parts   [][]byte
}

// search adds the index of all words: a list of proposals, and parts that are named by their content, so that a browser keeps
// those that do not change. The texts are parsed for it at once, and their sections kept for other documents.
func (p *planner) search(ctx context.Context) error {
	p.searchParts = map[string][sha256.Size]byte{}
	all := make([]searchable, len(p.Proposals))
	if err := p.readTexts(ctx, all); err != nil {
		return err
	}
	m := search.Manifest{
		Version: search.Version, Kinds: []string{}, Proposals: []string{}, Statuses: []string{}, Status: []int{}, Parts: []int{}, Titles: []search.Part{},
	}
	for _, k := range p.info.Kinds {
		m.Kinds = append(m.Kinds, k.Prefix)
	}
	if err := p.addTitles(&m, all); err != nil {
		return err
	}
	shards, err := p.addShards(ctx, all)
	if err != nil {
		return err
	}
	m.Shards = shards
	p.addIndex("/api/v1/search", func() ([]byte, error) { return api.JSON(m) })
	return nil
}

// readTexts reads all texts on all processors: their terms, and their parts as they are published.
func (p *planner) readTexts(ctx context.Context, all []searchable) error {
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i := range all {
		workers.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			sections, texts := p.sections(p.Proposals[i])
			p.parsed.get(p.Proposals[i].File, func() []mip.Section { return sections })
			s := newSearchable(&p.Metadata[i], sections, texts)
			for _, part := range s.indexed.Parts {
				body, err := api.JSON(part)
				if err != nil {
					return err
				}
				s.parts = append(s.parts, body)
			}
			s.indexed.Parts = nil
			all[i] = s
			return nil
		})
	}
	return workers.Wait()
}

// addShards adds the shards of texts.
func (p *planner) addShards(ctx context.Context, of []searchable) ([]search.Part, error) {
	indexed := make([]search.Indexed, len(of))
	for i := range of {
		indexed[i] = of[i].indexed
	}
	shards, err := search.Shards(ctx, indexed)
	if err != nil {
		return nil, err
	}
	out := []search.Part{}
	for _, s := range shards {
		body, err := api.JSON(s)
		if err != nil {
			return nil, err
		}
		out = append(out, search.Part{From: s.First(), URL: p.addSearchPart(body)})
	}
	return out, nil
}

// addTitles adds what is shown of texts, and their places, behind those that an index has.
func (p *planner) addTitles(m *search.Manifest, of []searchable) error {
	for block := range slices.Chunk(of, search.BlockOf) {
		b := search.Block{Version: search.Version, Proposals: []search.Entry{}}
		from := strconv.Itoa(len(m.Proposals))
		for _, s := range block {
			for _, body := range s.parts {
				s.entry.Texts = append(s.entry.Texts, p.addSearchPart(body))
			}
			b.Proposals = append(b.Proposals, s.entry)
			m.Add(s.of.ID.Key(p.info.Prefix), string(s.of.Stage), s.of.Status.Slug(), len(s.parts))
		}
		body, err := api.JSON(b)
		if err != nil {
			return err
		}
		m.Titles = append(m.Titles, search.Part{From: from, URL: p.addSearchPart(body)})
	}
	return nil
}

// searchPart is how the routes of the parts of the index begin.
const searchPart = "/assets/search."

// addSearchPart adds a part of the index, and says where it is.
func (p *planner) addSearchPart(body []byte) (url string) {
	sum := sha256.Sum256(body)
	// Each search reads the list of names, which are short: of many thousand parts two may begin alike.
	for n := 4; ; n++ {
		route := fmt.Sprintf(searchPart+"%x.json", sum[:n])
		switch have, ok := p.searchParts[route]; {
		case !ok:
			p.searchParts[route] = sum
			p.add(Artifact{Route: route, Pattern: assetRoute, Cache: immutable, Body: fixed(body)})
		case have != sum:
			continue
		}
		return p.options.Site.URL(route) // proposals with the same text share it
	}
}

// newSearchable returns a text with these sections and their texts as it is searched and shown.
func newSearchable(m *mip.Metadata, sections []mip.Section, texts []string) searchable {
	text := search.Proposal{Title: plain.Text(m.Title), Description: mip.OneLine(plain.Text(mip.Deref(m.Description)))}
	facets := [][2]string{{"kind", m.ID.Kind}, {"upgrade", mip.Deref(m.Hardfork)}}
	for _, f := range mip.Words() {
		facets = append(facets, [2]string{f.Key(), f.Text(m)})
	}
	for _, a := range m.Authors {
		name, login := mip.Deref(a.Name), mip.Deref(a.GitHub)
		text.Authors += " " + name + " " + login
		for _, name := range append(strings.Fields(name), name, login) {
			facets = append(facets, [2]string{"author", name})
		}
	}
	for _, f := range facets {
		// A value without a letter or a digit is none.
		if facet := search.Facet(f[0], f[1]); !strings.HasSuffix(facet, ":") {
			text.Facets = append(text.Facets, facet)
		}
	}
	entry := search.Entry{
		ID: m.ID.String(), Title: text.Title, URL: m.URL, Status: string(m.Status), Mark: "s-" + plain.Mark(m.Standing),
		Category: m.Category, Hardfork: m.Hardfork, Activations: m.Activations, Created: m.Created, Updated: m.Updated, ForumTopicID: m.ForumTopicID,
		Ended: append([]string{}, plain.Ended(*m)...), Lists: []string{"status/" + m.Status.Slug()}, Texts: []string{},
	}
	if m.Hardfork != nil {
		entry.Lists = append(entry.Lists, "upgrade/"+mip.Slug(*m.Hardfork))
	}
	if until := m.CommentsUntil(); until != nil {
		entry.Until = mip.Ref(until.String())
	}
	for i, of := range sections {
		text.Sections = append(text.Sections, search.Section{ID: of.ID, Title: of.Title, Text: texts[i]})
	}
	return searchable{of: m, entry: entry, indexed: text.Index()}
}
