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
	p.parsed = make([][]mip.Section, len(p.Proposals))
	all := make([]search.Proposal, len(p.Proposals))
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i := range p.Proposals {
		workers.Go(func() error {
			p.parsed[i] = p.sections(p.Proposals[i])
			all[i] = p.searched(i)
			return nil
		})
	}
	_ = workers.Wait() // no worker returns an error
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
		url, err := p.addSearchPart(s)
		if err != nil {
			return err
		}
		m.Shards = append(m.Shards, search.Part{From: first, URL: url})
	}
	for from := 0; from < len(p.Metadata); from += search.BlockOf {
		url, err := p.addSearchPart(p.titles(from, min(from+search.BlockOf, len(p.Metadata))))
		if err != nil {
			return err
		}
		m.Titles = append(m.Titles, search.Part{From: strconv.Itoa(from), URL: url})
	}
	p.addIndex("/api/v1/search", func() ([]byte, error) { return api.JSON(m) })
	return nil
}

// searchPart is how the routes of the parts of the index begin.
const searchPart = "/assets/search."

// addSearchPart adds a part of the index and returns its address.
func (p *planner) addSearchPart(part any) (address string, err error) {
	body, err := api.JSON(part)
	if err != nil {
		return "", err
	}
	route := fmt.Sprintf(searchPart+"%.4x.json", sha256.Sum256(body))
	p.add(Artifact{Route: route, Pattern: assetRoute, Cache: immutable, Body: fixed(body)})
	return p.options.Site.URL(route), nil
}

// searched is what is searched of the i-th proposal.
func (p *planner) searched(i int) search.Proposal {
	m := &p.Metadata[i]
	out := search.Proposal{Title: m.Title, Facets: []string{search.Facet("kind", m.ID.Kind), search.Facet("status", string(m.Status))}}
	if m.Description != nil {
		out.Description = *m.Description
	}
	for _, a := range m.Authors {
		name, login := mip.Deref(a.Name), mip.Deref(a.GitHub)
		out.Authors += " " + name + " " + login
		for _, name := range append(strings.Fields(name), name, login) {
			out.Facets = append(out.Facets, search.Facet("author", name))
		}
	}
	for name, value := range map[string]*string{"type": m.Type, "category": m.Category, "upgrade": m.Hardfork} {
		if value != nil {
			out.Facets = append(out.Facets, search.Facet(name, *value))
		}
	}
	for _, s := range p.parsed[i] {
		out.Sections = append(out.Sections, search.Section{Title: s.Title, Markdown: s.Markdown})
	}
	return out
}

// titles are what is shown of the proposals of a range.
func (p *planner) titles(from, to int) search.Block {
	b := search.Block{Version: search.Version, Proposals: []search.Entry{}}
	for i := from; i < to; i++ {
		m := &p.Metadata[i]
		e := search.Entry{
			ID: m.ID.String(), Title: plain.Text(m.Title), Status: string(m.Status), Mark: "s-" + plain.Mark(m.Standing), URL: m.URL,
			Sections: [][2]string{},
		}
		for _, s := range p.parsed[i] {
			e.Sections = append(e.Sections, [2]string{s.ID, s.Title})
		}
		b.Proposals = append(b.Proposals, e)
	}
	return b
}
