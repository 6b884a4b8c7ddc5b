package build

import (
	"maps"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
)

// assets adds style sheet and scripts, named by their content.
func (p *planner) assets() error {
	for _, a := range p.pages.Assets() {
		p.add(Artifact{Route: a.Route, Pattern: "/assets/{name}", Type: a.Type, Cache: immutable, Body: fixed(a.Body)})
	}
	return nil
}

// upgrades adds a page for each hard fork, and their overview.
func (p *planner) upgrades() error {
	seen := map[string]bool{}
	for _, f := range p.forks {
		slug := mip.Slug(f.Name)
		if seen[slug] {
			continue
		}
		seen[slug] = true
		p.add(Artifact{
			Route: "/upgrade/" + slug + "/", Pattern: "/upgrade/{name}/", Type: typeHTML, phase: index, key: p.wholeKey,
			Body: func() ([]byte, error) { return p.pages.Upgrade(f, p.all) },
		})
	}
	p.whole("/upgrade/", typeHTML, func() ([]byte, error) { return p.pages.Upgrades(p.all) })
	return nil
}

// listings adds the table of proposals by status, category and type.
func (p *planner) listings() error {
	kinds := []struct {
		kind, pattern string
		value         func(mip.Summary) (value, slug string, ok bool)
	}{
		{"status", "/status/{s}/", func(m mip.Summary) (string, string, bool) { return string(m.Status), m.Status.Slug(), true }},
		{"category", "/category/{c}/", func(m mip.Summary) (string, string, bool) {
			return word(m.Category), mip.Slug(word(m.Category)), m.Category != nil
		}},
		{"type", "/type/{t}/", func(m mip.Summary) (string, string, bool) {
			return word(m.Type), mip.Slug(word(m.Type)), m.Type != nil
		}},
	}
	for _, k := range kinds {
		bySlug := map[string][]int{} // positions
		for i, m := range p.all {
			if _, slug, ok := k.value(m); ok {
				bySlug[slug] = append(bySlug[slug], i)
			}
		}
		for _, slug := range slices.Sorted(maps.Keys(bySlug)) {
			p.add(Artifact{
				Route: "/" + k.kind + "/" + slug + "/", Pattern: k.pattern, Type: typeHTML, phase: index, key: p.wholeKey,
				Body: func() ([]byte, error) {
					l := render.Listing{Kind: k.kind, Slug: slug}
					// C and C++ have one slug: the page is headed by both.
					var values []string
					for _, i := range bySlug[slug] {
						l.Summaries = append(l.Summaries, p.all[i])
						if v, _, _ := k.value(p.all[i]); !slices.Contains(values, v) {
							values = append(values, v)
						}
					}
					slices.Sort(values)
					l.Value = strings.Join(values, ", ")
					for _, v := range values {
						if s := mip.Status(v); k.kind == "status" && (s == "" || s.Known()) {
							l.Value = v // what is explained is the word of the process
						}
					}
					return p.pages.Listing(l)
				},
			})
		}
	}
	return nil
}

// home adds the index and the dashboard.
func (p *planner) home() error {
	p.whole("/", typeHTML, func() ([]byte, error) { return p.pages.Home(p.all) })
	p.whole("/dashboard/", typeHTML, func() ([]byte, error) { return p.pages.Dashboard(p.all) })
	return nil
}

// notFound adds the two answers for what does not exist: for people and, below /api, for programs.
func (p *planner) notFound() error {
	p.add(Artifact{Route: "/404.html", Type: typeHTML, phase: index, Body: p.pages.NotFound})
	p.add(Artifact{File: "api-404.json", Type: typeProblem, phase: index, Body: func() ([]byte, error) { return render.NotFoundProblem(p.info) }})
	return nil
}
