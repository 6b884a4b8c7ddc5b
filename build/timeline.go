package build

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/feed"
	"github.com/mipwatch/mipwatch/render/plain"
)

// bulkNamed bounds the proposals that the item of a commit names.
const bulkNamed = 100

// Lists of entries that are not lists of proposals.
const (
	siteList    = ""         // what happened to proposals
	changesList = "/changes" // the same, with changes of texts
)

// timeline has the entries of all feeds, newest first.
type timeline struct {
	// page is the address for items of several events.
	page    string
	entries []entry
	// of are the positions of the entries of each list: siteList, changesList, the kind and slug of
	// a [plain.Listing], or a proposal's id.
	of map[string][]int
}

// entry is an event as an item.
type entry struct {
	feed.Item
	event mip.Event
	// bulk is the id of the item for all proposals with such an event in the commit, or "" if they
	// are few.
	bulk string
}

// makeTimeline makes the entries of all events. A proposal without an event of its creation gets
// one on the day in its header.
func (p *planner) makeTimeline() (*timeline, error) {
	h, err := p.allEvents()
	if err != nil {
		return nil, err
	}
	events := slices.Concat(h.events, p.createdByHeader(h.events))
	history.NewestFirst(events)
	lastCalls, bulks := p.together(events)
	t := &timeline{page: p.info.BaseURL + "/changes/", of: map[string][]int{}}
	standing := map[mip.ID]string{}
	for _, m := range p.Metadata {
		standing[m.ID] = m.Status.Slug()
	}
	for _, e := range events {
		lists := p.listsOf(e, standing)
		if e.Kind == mip.EventDeadline && lastCalls[e.Commit+e.MIP.String()] {
			continue
		}
		for _, list := range lists {
			t.of[list] = append(t.of[list], len(t.entries))
		}
		x := entry{Item: p.item(e), event: e}
		if key := e.Commit + "-" + plain.Alike(e); len(bulks[key]) > plain.Many && !e.Imported {
			x.bulk = url.PathEscape(key)
		}
		t.entries = append(t.entries, x)
	}
	// Events of one second get different times, so that readers keep their order.
	for i := len(t.entries) - 2; i >= 0; i-- {
		entry, older := &t.entries[i], t.entries[i+1].When
		if entry.When.Equal(older.Truncate(time.Second)) {
			entry.When = older.Add(time.Microsecond)
		}
	}
	return t, nil
}

// createdByHeader returns the creations that are not among the events, which are newest first. Each
// has the id of the event that a deeper clone would give, so that readers do not see it twice. A
// header without a date counts as 1970.
func (p *planner) createdByHeader(events []mip.Event) (out []mip.Event) {
	ids, known, first := map[string]bool{}, map[mip.ID]bool{}, map[mip.ID]mip.ID{}
	for _, e := range events {
		ids[e.ID] = true
		switch e.Kind {
		case mip.EventCreated:
			known[e.MIP] = true
		case mip.EventRenumbered:
			first[e.MIP], _ = mip.ParseID(mip.Deref(e.From))
		}
	}
	for _, m := range p.Metadata {
		id := mip.CreationID(cmp.Or(first[m.ID], m.ID))
		if known[m.ID] || ids[id] {
			continue
		}
		at := time.Unix(0, 0)
		if !m.Created.IsZero() {
			at = m.Created.Time()
		}
		if m.Updated != nil && at.After(m.Updated.UTC()) { // a mistake
			at = m.Updated.UTC()
		}
		out = append(out, mip.Event{
			ID: id, Time: mip.NewTime(at), Kind: mip.EventCreated, MIP: m.ID,
			Title: m.Title, URL: &m.URL,
		})
	}
	return out
}

// together groups the events of one commit. lastCalls has the last calls, by commit and proposal,
// whose entry includes the deadline. bulks has the proposals with events that are alike in one
// commit, by commit and [plain.Alike].
func (p *planner) together(events []mip.Event) (
	lastCalls map[string]bool, bulks map[string]map[mip.ID]bool,
) {
	lastCalls, bulks = map[string]bool{}, map[string]map[mip.ID]bool{}
	for _, e := range events {
		if e.Commit == "" {
			continue
		}
		if plain.LastCall(p.info.Statuses, e) {
			lastCalls[e.Commit+e.MIP.String()] = true
		}
		key := e.Commit + "-" + plain.Alike(e)
		if bulks[key] == nil {
			bulks[key] = map[mip.ID]bool{}
		}
		bulks[key][e.MIP] = true
	}
	return lastCalls, bulks
}

// listsOf returns the lists of an event: the present lists of its proposal, but the lists of the
// statuses before and after the event. standing has the slug of each proposal's status after the
// event; it is set to the status before the event, which is "" before the creation.
func (p *planner) listsOf(e mip.Event, standing map[mip.ID]string) []string {
	slug := func(status *string) string { return mip.Status(mip.Deref(status)).Slug() }
	before, after := standing[e.MIP], standing[e.MIP]
	switch e.Kind {
	case mip.EventCreated:
		before = ""
		if e.Commit != "" {
			after = slug(e.To)
		}
	case mip.EventStatus:
		before, after = slug(e.From), slug(e.To)
	case mip.EventRemoved:
		before, after = slug(e.From), ""
	}
	standing[e.MIP] = before
	out := []string{changesList, e.MIP.String()}
	if e.Kind == mip.EventText {
		return out
	}
	kind := "kind/" + strings.ToLower(e.MIP.Kind)
	out = append(out, siteList, kind, "status/"+before, "status/"+after)
	if e.Kind == mip.EventHardfork {
		from, to := mip.Slug(mip.Deref(e.From)), mip.Slug(mip.Deref(e.To))
		out = append(out, "upgrade/"+from, "upgrade/"+to)
	}
	if i, ok := mip.Search(p.Metadata, e.MIP); ok {
		for _, list := range p.listed[i] {
			field, _, _ := strings.Cut(list, "/")
			if field != "status" && (field != "upgrade" || ofUpgrade[e.Kind]) {
				out = append(out, list)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ofUpgrade has the kinds of a proposal's events that are news of its hard fork, beside its moves.
var ofUpgrade = map[mip.EventKind]bool{mip.EventCreated: true, mip.EventStatus: true,
	mip.EventDeadline: true, mip.EventRenumbered: true, mip.EventRemoved: true}

// item returns an event in words. It links to the difference of its commit, if that is published.
func (p *planner) item(e mip.Event) feed.Item {
	out := feed.Item{
		ID: e.ID, Title: plain.Event(p.info.Statuses, e), URL: p.info.BaseURL + "/changes/",
		Author: e.Author, Kind: e.Kind, When: e.Time.UTC(),
	}
	title := plain.Text(mip.OneLine(e.Title))
	if e.Kind != mip.EventTitle && title != e.MIP.String() {
		out.Title += ": " + title
	}
	var text []string
	at, published := mip.Search(p.Metadata, e.MIP)
	if published {
		out.URL = *e.URL
		for _, v := range p.versionsKnown(at) {
			if v.Hash == e.Commit {
				out.URL += "history/#v-" + v.Hash
				text = append(text, mip.Sentence(mip.OneLine(v.Subject)))
			}
		}
	}
	commit := "Commit " + e.Commit + "."
	if e.Imported {
		commit = "Imported by commit " + e.Commit + "."
	}
	switch {
	case e.Commit == "":
		text = append(text, plain.Facts(p.info.Site, p.Metadata[at]))
	case published:
		text = append(text, mip.Sentence(plain.Description(p.Metadata[at])), commit)
	default:
		text = append(text, commit)
	}
	out.Text = strings.Join(slices.DeleteFunc(text, func(s string) bool { return s == "" }), " ")
	return out
}

// items returns the newest items of a list. The entries of a bulk are one item.
func (t *timeline) items(list string) []feed.Item {
	var groups [][]entry
	at := map[string]int{}
	for _, i := range t.of[list] {
		s := t.entries[i]
		if k, met := at[s.bulk]; met && s.bulk != "" {
			groups[k] = append(groups[k], s)
		} else if len(groups) < feed.Limit {
			at[s.bulk] = len(groups)
			groups = append(groups, []entry{s})
		}
	}
	var out []feed.Item
	for _, group := range groups {
		var ids []string
		for _, s := range group {
			ids = append(ids, s.event.MIP.String())
		}
		if ids = slices.Compact(ids); len(ids) > 1 {
			out = append(out, t.together(group[0], ids))
			continue
		}
		for _, s := range group {
			out = append(out, s.Item)
		}
	}
	return out[:min(len(out), feed.Limit)]
}

// together returns one item for the events of several proposals in one commit.
func (t *timeline) together(newest entry, ids []string) feed.Item {
	out := newest.Item
	out.ID, out.URL = newest.bulk, t.page
	out.Title = plain.Events(newest.event, strconv.Itoa(len(ids)))
	named := strings.Join(ids[:min(len(ids), bulkNamed)], ", ")
	if others := len(ids) - bulkNamed; others > 0 {
		named += fmt.Sprintf(" and %d others", others)
	}
	out.Text = named + ". Commit " + newest.event.Commit + "."
	return out
}
