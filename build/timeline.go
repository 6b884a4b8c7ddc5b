package build

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/feed"
	"github.com/mipwatch/mipwatch/render/plain"
)

// bulkNamed is how many proposals are named in an item for all to which one commit did the same.
const bulkNamed = 100

// The lists of entries that are no list of proposals.
const (
	siteList    = ""         // what happened to proposals
	changesList = "/changes" // the same, with changes of texts
)

// timeline is the entries of all feeds, newest first.
type timeline struct {
	// page is where several events of one commit are told.
	page    string
	entries []entry
	// of are their positions by list: one of those above, kind and slug of a [plain.Listing], or a proposal's id.
	of map[string][]int
}

// entry is an event as an item.
type entry struct {
	feed.Item
	mip    mip.ID
	commit string
	// bulk is the id of the item for all proposals to which the commit did the same, empty where they are few.
	bulk string
}

// makeTimeline makes entries of all events. A proposal of whose creation git knows nothing was created on the day that
// its header states; nothing else is guessed.
func (p *planner) makeTimeline() (*timeline, error) {
	h, err := p.told()
	if err != nil {
		return nil, err
	}
	events := slices.Concat(h.events, p.createdByHeader(h.events))
	newestFirst(events)
	told, bulks := p.together(events)
	t := &timeline{page: p.info.BaseURL + "/changes/", of: map[string][]int{}}
	standing := map[mip.ID]string{}
	for _, m := range p.Metadata {
		standing[m.ID] = m.Status.Slug()
	}
	for _, e := range events {
		lists := p.listsOf(e, standing)
		if e.Kind == mip.EventDeadline && told[e.Commit+e.MIP.String()] {
			continue
		}
		for _, list := range lists {
			t.of[list] = append(t.of[list], len(t.entries))
		}
		x := entry{Item: p.item(e), mip: e.MIP, commit: e.Commit}
		if key := e.Commit + "-" + string(e.Kind); len(bulks[key]) > plain.Many {
			x.bulk = key
		}
		t.entries = append(t.entries, x)
	}
	// Events of one second are told apart by their places, the oldest first.
	for i := len(t.entries) - 2; i >= 0; i-- {
		if s, older := &t.entries[i], t.entries[i+1].When; s.When.Equal(older.Truncate(time.Second)) {
			s.When = older.Add(time.Microsecond)
		}
	}
	return t, nil
}

// createdByHeader are the creations that are not among the events, which are newest first. Each has the id that its event
// would have, so that readers who saw it do not meet it again when a clone gets to know more. A header without a date has the
// first moment of computers.
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
			ID: id, Time: mip.NewTime(at), Kind: mip.EventCreated, MIP: m.ID, Title: m.Title, URL: &m.URL,
		})
	}
	return out
}

// together finds what commits did at once: told has the proposals, behind the commit, whose deadline the entry of their last
// call tells, and bulks the proposals to which one commit did the same, by commit and kind.
func (p *planner) together(events []mip.Event) (told map[string]bool, bulks map[string]map[mip.ID]bool) {
	told, bulks = map[string]bool{}, map[string]map[mip.ID]bool{}
	for _, e := range events {
		if e.Commit == "" {
			continue
		}
		if plain.LastCall(p.info.Statuses, e) {
			told[e.Commit+e.MIP.String()] = true
		}
		key := e.Commit + "-" + string(e.Kind)
		if bulks[key] == nil {
			bulks[key] = map[mip.ID]bool{}
		}
		bulks[key][e.MIP] = true
	}
	return told, bulks
}

// listsOf are the lists that an event is on: those of its proposal today and, of its statuses, those that the proposal had
// before and after it. standing has the slug of each proposal's status after the event, and then that before it, the empty
// one where the proposal was not there.
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
	out = append(out, siteList, "kind/"+strings.ToLower(e.MIP.Kind), "status/"+before, "status/"+after)
	if e.Kind == mip.EventHardfork {
		out = append(out, "upgrade/"+mip.Slug(mip.Deref(e.From)), "upgrade/"+mip.Slug(mip.Deref(e.To)))
	}
	if i, ok := mip.Search(p.Metadata, e.MIP); ok {
		for _, list := range p.listed[i] {
			if !strings.HasPrefix(list, "status/") {
				out = append(out, list)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// item is an event in words. It leads to the difference that its commit made, if that is published.
func (p *planner) item(e mip.Event) feed.Item {
	out := feed.Item{
		ID: e.ID, Title: plain.Event(p.info.Statuses, e), URL: p.info.BaseURL + "/changes/", Author: e.Author, Kind: e.Kind, When: e.Time.UTC(),
	}
	if title := plain.Text(mip.OneLine(e.Title)); e.Kind != mip.EventTitle && title != e.MIP.String() {
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
	switch {
	case e.Commit == "":
		text = append(text, plain.Facts(p.info.Site, p.Metadata[at]))
	case published:
		text = append(text, mip.Sentence(plain.Description(p.Metadata[at])), "Commit "+e.Commit+".")
	default:
		text = append(text, "Commit "+e.Commit+".")
	}
	out.Text = strings.Join(slices.DeleteFunc(text, func(s string) bool { return s == "" }), " ")
	return out
}

// items are the newest entries of a list, in one item those of a bulk.
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
			ids = append(ids, s.mip.String())
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

// together is one item for what a commit did to several proposals.
func (t *timeline) together(newest entry, ids []string) feed.Item {
	out := newest.Item
	out.ID, out.URL, out.Title = newest.bulk, t.page, plain.Events(newest.Kind, strconv.Itoa(len(ids)))
	named := strings.Join(ids[:min(len(ids), bulkNamed)], ", ")
	if others := len(ids) - bulkNamed; others > 0 {
		named += fmt.Sprintf(" and %d others", others)
	}
	out.Text = named + ". Commit " + newest.commit + "."
	return out
}
