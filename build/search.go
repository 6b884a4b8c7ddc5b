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

// searchable is a proposal as the search index has it.
type searchable struct {
	// from is a hash of what it is made of, if there is a cache.
	from     [sha256.Size]byte
	sections []mip.Section
	// indexed has the terms. parts are published; indexed lacks them.
	indexed search.Indexed
	parts   [][]byte
}

// search adds the search index: a manifest, and parts that are named by a hash of their content, so
// that browsers keep unchanged ones. It parses all texts at once, and keeps their sections for
// other documents.
func (p *planner) search(ctx context.Context) error {
	p.searchParts = map[string][sha256.Size]byte{}
	all, err := p.searchables(ctx)
	if err != nil {
		return err
	}
	m := search.Manifest{
		Version: search.Version, Kinds: []string{}, Proposals: []string{}, Statuses: []string{},
		Status: []int{}, Parts: []int{}, Titles: []search.Part{},
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

// searchables returns all proposals as the search index has them. It uses all processors.
func (p *planner) searchables(ctx context.Context) ([]searchable, error) {
	all := make([]searchable, len(p.Proposals))
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i := range all {
		workers.Go(func() (err error) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			all[i], err = p.searchable(i)
			return err
		})
	}
	return all, workers.Wait()
}

// searchable returns the i-th proposal as the search index has it, unless it is cached.
func (p *planner) searchable(i int) (searchable, error) {
	m, c, cache := &p.Metadata[i], p.Proposals[i], p.options.Cache
	var s searchable
	if cache != nil {
		from, err := api.JSON(m) // with the hash of the text
		if err != nil {
			return s, err
		}
		s.from = sha256.Sum256(from)
		before, _ := cache.searched.Load(c.File)
		if before, ok := before.(searchable); ok && before.from == s.from {
			p.parsed.get(c.File, func() []mip.Section { return before.sections })
			return before, nil
		}
	}
	sections, texts := p.sections(c)
	s.sections = p.parsed.get(c.File, func() []mip.Section { return sections })
	s.indexed = searched(m, sections, texts).Index()
	for _, part := range s.indexed.Parts {
		body, err := api.JSON(part)
		if err != nil {
			return s, err
		}
		s.parts = append(s.parts, body)
	}
	s.indexed.Parts = nil
	if cache != nil {
		cache.searched.Store(c.File, s)
	}
	return s, nil
}

// addShards adds the shards of an index.
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

// addTitles adds the parts with texts, and then the blocks of entries, which name them.
func (p *planner) addTitles(m *search.Manifest, of []searchable) error {
	for block := range slices.Chunk(of, search.BlockOf) {
		b := search.Block{Version: search.Version, Proposals: []search.Entry{}}
		from := len(m.Proposals)
		for i, s := range block {
			metadata := &p.Metadata[from+i]
			entry := newEntry(metadata)
			for _, body := range s.parts {
				entry.Texts = append(entry.Texts, p.addSearchPart(body))
			}
			b.Proposals = append(b.Proposals, entry)
			m.Add(metadata.ID.Key(p.info.Prefix), string(metadata.Stage), metadata.Status.Slug(),
				len(s.parts))
		}
		body, err := api.JSON(b)
		if err != nil {
			return err
		}
		m.Titles = append(m.Titles, search.Part{From: strconv.Itoa(from), URL: p.addSearchPart(body)})
	}
	return nil
}

// searchPart is how the routes of the parts of the index begin.
const searchPart = "/assets/search."

// addSearchPart adds a part of the index, and says where it is.
func (p *planner) addSearchPart(body []byte) (url string) {
	sum := sha256.Sum256(body)
	// Each search reads the list of names, so they are short: of many thousand parts two may begin
	// alike.
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

// searched returns what is searched of a proposal with these sections and their texts.
func searched(m *mip.Metadata, sections []mip.Section, texts []string) *search.Proposal {
	text := &search.Proposal{
		Title:       plain.Text(m.Title),
		Description: mip.OneLine(plain.Text(mip.Deref(m.Description))),
	}
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
	for i, of := range sections {
		text.Sections = append(text.Sections, search.Section{ID: of.ID, Title: of.Title, Text: texts[i]})
	}
	return text
}

// newEntry returns what results show of a proposal, without the addresses of its texts.
func newEntry(m *mip.Metadata) search.Entry {
	entry := search.Entry{
		ID: m.ID.String(), Title: plain.Text(m.Title), URL: m.URL, Status: string(m.Status),
		Mark: "s-" + plain.Mark(m.Standing), Category: m.Category, Hardfork: m.Hardfork,
		Activations: m.Activations, Created: m.Created, Updated: m.Updated,
		ForumTopicID: m.ForumTopicID, Ended: append([]string{}, plain.Ended(*m)...),
		Lists: []string{"status/" + m.Status.Slug()}, Texts: []string{},
	}
	if m.Hardfork != nil {
		entry.Lists = append(entry.Lists, "upgrade/"+mip.Slug(*m.Hardfork))
	}
	if until := m.CommentsUntil(); until != nil {
		entry.Until = mip.Ref(until.String())
	}
	return entry
}
