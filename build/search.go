package build

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/search"
	"github.com/mipwatch/mipwatch/render/plain"
)

// search adds the index of all words: a list of proposals, and parts that are named by their content, so that a browser keeps
// those that do not change. The texts are parsed for it at once, and their sections kept for other documents.
func (p *planner) search() error {
	p.parsed, p.searchParts = make([][]mip.Section, len(p.Proposals)), map[string]bool{}
	all := make([]search.Proposal, len(p.Proposals))
	texts := make([][]searchText, len(p.Proposals))
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i := range p.Proposals {
		workers.Go(func() (err error) {
			p.parsed[i] = p.sections(p.Proposals[i])
			all[i] = p.searched(i)
			texts[i], err = searchTexts(&all[i])
			return err
		})
	}
	if err := workers.Wait(); err != nil {
		return err
	}
	m := search.Manifest{Version: search.Version, Shards: []search.Part{}, Titles: []search.Part{}}
	for _, k := range p.info.Kinds {
		m.Kinds = append(m.Kinds, k.Prefix)
	}
	var stages strings.Builder
	m.Proposals = make([]string, len(p.Metadata))
	for i, of := range p.Metadata {
		m.Proposals[i] = of.ID.Key(p.info.Prefix)
		stages.WriteByte(search.StageLetter(string(of.Stage)))
	}
	m.Stages = stages.String()
	for _, s := range search.Shards(all) {
		first, _, _ := strings.Cut(s.Terms, " ")
		body, err := api.JSON(s)
		if err != nil {
			return err
		}
		m.Shards = append(m.Shards, p.addSearchPart(first, body))
	}
	for from := 0; from < len(p.Metadata); from += search.BlockOf {
		body, err := api.JSON(p.titles(from, texts[from:min(from+search.BlockOf, len(texts))]))
		if err != nil {
			return err
		}
		m.Titles = append(m.Titles, p.addSearchPart(strconv.Itoa(from), body))
	}
	p.addIndex("/api/v1/search", func() ([]byte, error) { return api.JSON(m) })
	return nil
}

// searchPart is how the routes of the parts of the index begin.
const searchPart = "/assets/search."

// addSearchPart adds a part of the index, which begins with something.
func (p *planner) addSearchPart(from string, body []byte) search.Part {
	route := fmt.Sprintf(searchPart+"%.4x.json", sha256.Sum256(body))
	// Proposals with the same text share it.
	if !p.searchParts[route] {
		p.searchParts[route] = true
		p.add(Artifact{Route: route, Pattern: assetRoute, Cache: immutable, Body: fixed(body)})
	}
	return search.Part{From: from, URL: p.options.Site.URL(route)}
}

// searchText is a part of the index with texts, and its first section.
type searchText struct {
	from string
	body []byte
}

// searchTexts are the parts with the texts of a proposal.
func searchTexts(p *search.Proposal) (out []searchText, err error) {
	from, parts := search.Cut(p)
	for i, part := range parts {
		body, err := api.JSON(part)
		if err != nil {
			return nil, err
		}
		out = append(out, searchText{strconv.Itoa(from[i]), body})
	}
	return out, nil
}

// searched is what is searched of the i-th proposal.
func (p *planner) searched(i int) search.Proposal {
	m := &p.Metadata[i]
	out := search.Proposal{Title: m.Title, Description: mip.Deref(m.Description)}
	facets := [][2]string{
		{"kind", m.ID.Kind}, {"status", string(m.Status)}, {"type", mip.Deref(m.Type)}, {"category", mip.Deref(m.Category)}, {"upgrade", mip.Deref(m.Hardfork)},
	}
	for _, a := range m.Authors {
		name, login := mip.Deref(a.Name), mip.Deref(a.GitHub)
		out.Authors += " " + name + " " + login
		for _, name := range append(strings.Fields(name), name, login) {
			facets = append(facets, [2]string{"author", name})
		}
	}
	for _, f := range facets {
		if f[1] != "" {
			out.Facets = append(out.Facets, search.Facet(f[0], f[1]))
		}
	}
	for _, s := range p.parsed[i] {
		out.Sections = append(out.Sections, search.Section{Title: s.Title, Markdown: s.Markdown})
	}
	return out
}

// titles are what is shown of the proposals from one on, which have these texts.
func (p *planner) titles(from int, texts [][]searchText) search.Block {
	b := search.Block{Version: search.Version, Proposals: []search.Entry{}}
	for i, parts := range texts {
		m := &p.Metadata[from+i]
		e := search.Entry{
			ID: m.ID.String(), Title: plain.Text(m.Title), Status: string(m.Status), Mark: "s-" + plain.Mark(m.Standing), URL: m.URL,
			Sections: [][2]string{}, Texts: []search.Part{},
		}
		if until := m.CommentsUntil(); until != nil {
			e.Until = mip.Ref(until.String())
		}
		for _, s := range p.parsed[from+i] {
			e.Sections = append(e.Sections, [2]string{s.ID, s.Title})
		}
		for _, t := range parts {
			e.Texts = append(e.Texts, p.addSearchPart(t.from, t.body))
		}
		b.Proposals = append(b.Proposals, e)
	}
	return b
}
