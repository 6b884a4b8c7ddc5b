package build

import (
	"slices"
	"strconv"
	"sync"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/forks"
	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxEvents bounds the list of the newest events. maxOfOne bounds the events of one proposal in a
// year, so that a text whose status changes ten thousand times does not fill the lists.
const maxEvents, maxOfOne = 500, 200

// eventList has the events of a site, newest first. complete is true if git has all of them.
type eventList struct {
	events   []mip.Event
	complete bool
	// byMIP are the events of each proposal, in the same order.
	byMIP map[mip.ID][]mip.Event
	// left counts the omitted events, by year.
	left map[int]int
}

// truncated counts the omitted events of a year, or of all years if year is 0.
func (h eventList) truncated(year int) (n int) {
	for of, left := range h.left {
		if year == 0 || year == of {
			n += left
		}
	}
	return n
}

// events adds the lists of events: the newest ones, and each year with a commit of a text or of the
// site's file, or in which an imported text was created.
func (p *planner) events() {
	past := p.Past()
	// An error is left to the bodies, which read the same. A plan without bodies leaves no process.
	years, _ := past.Years(&p.versions)
	p.versions.Close()
	years = append(slices.Clone(years), p.Log.Config.Years()...)
	slices.Sort(years)
	p.years = append([]int{}, slices.Compact(years)...)
	p.allEvents = sync.OnceValues(func() (eventList, error) { return p.readEvents(past) })
	p.timeline = sync.OnceValues(p.makeTimeline)
	list := func(year int, choose func([]mip.Event) []mip.Event) func() ([]byte, error) {
		return func() ([]byte, error) {
			h, err := p.allEvents()
			if err != nil {
				return nil, err
			}
			out := append([]mip.Event{}, choose(h.events)...)
			return api.JSON(mip.Events{
				Count: len(out), Complete: h.complete, Truncated: h.truncated(year),
				Years: p.years, Events: out,
			})
		}
	}
	p.addIndex(eventsRoute, list(0, func(all []mip.Event) []mip.Event {
		return all[:min(len(all), maxEvents)]
	}))
	for _, year := range p.years {
		route := routeOf(p.info.Prefix, yearRoute, mip.ID{}, "{year}", strconv.Itoa(year))
		other := func(e mip.Event) bool { return e.Time.UTC().Year() != year }
		body := list(year, func(all []mip.Event) []mip.Event {
			return slices.DeleteFunc(slices.Clone(all), other)
		})
		p.add(Artifact{Route: route, Pattern: yearRoute, index: true, Body: body})
	}
}

// forkHistory reads the history of the texts of upgrades.
func (p *planner) forkHistory() (forks.Past, error) {
	var texts []forks.Text
	for _, t := range p.upgradeTexts {
		i, _ := mip.Search(p.Metadata, t.Meta)
		past := p.TextPast(p.Proposals[i])
		texts = append(texts, forks.Text{Text: t, Metadata: p.Metadata[i], File: past})
	}
	return p.cache().forks.Read(&p.versions, p.options.Site, texts, p.Forks)
}

// addForks appends an artifact that is made of all hard forks and their past.
func (p *planner) addForks(route, pattern string, body func(forks.Past) ([]byte, error)) {
	p.add(Artifact{Route: route, Pattern: pattern, index: true, Body: func() ([]byte, error) {
		past, err := p.forkPast()
		if err != nil {
			return nil, err
		}
		return body(past)
	}})
}

// readEvents returns all events, with the present titles and addresses of their proposals.
func (p *planner) readEvents(past *history.Past) (h eventList, err error) {
	if h.events, h.complete, err = past.Events(&p.versions); err != nil {
		return h, err
	}
	bundled, err := forks.Bundled(&p.versions, p.Log.Config)
	if err != nil {
		return h, err
	}
	listed, err := p.forkPast()
	if err != nil {
		return h, err
	}
	h.events = slices.Concat(h.events, bundled)
	for _, e := range listed.Events {
		if p.options.Site.Publishes(e.MIP.Kind) {
			h.events = append(h.events, e)
		}
	}
	slices.Reverse(h.events)
	history.NewestFirst(h.events)
	h.bound()
	for i := range h.events {
		e := &h.events[i]
		if m, ok := mip.Find(p.Metadata, e.MIP); ok {
			e.Title, e.URL = m.Title, &m.URL
		}
	}
	h.byMIP = map[mip.ID][]mip.Event{}
	for _, e := range h.events {
		h.byMIP[e.MIP] = append(h.byMIP[e.MIP], e)
	}
	return h, nil
}

// bound leaves out the oldest events of proposals that have too many of them in a year.
func (h *eventList) bound() {
	type of struct {
		id   mip.ID
		year int
	}
	seen := map[of]int{}
	h.left = map[int]int{}
	h.events = slices.DeleteFunc(h.events, func(e mip.Event) bool {
		key := of{e.MIP, e.Time.UTC().Year()}
		if seen[key]++; seen[key] <= maxOfOne {
			return false
		}
		h.left[key.year]++
		return true
	})
}
