package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// ChangesPage is the content of /changes/ with the newest changes or, for a Year, of
// /changes/{year}/ with all changes in it.
type ChangesPage struct {
	Year     int      // 0: the newest
	Years    []int    // the years with a page
	Changes  []Change // of all years, newest first
	Complete bool     // git has the whole history
	Left     int      // omitted changes of proposals with too many changes in a year
}

// Change is an event. Shown is true if the page of the proposal's versions shows its commit.
type Change struct {
	mip.Event
	Shown bool
}

// occasion has the changes of one commit to one proposal at one time, in reading order.
type occasion []Change

// Kinds are the kinds of its changes, sorted.
func (o occasion) Kinds() (out []string) {
	for _, c := range o {
		out = append(out, string(c.Kind))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// entry is one occasion, or a line that a reader can open over several: all of one commit and kind,
// or the text changes of a month.
type entry struct {
	ID        string
	Many      string // in words; empty for a single occasion
	Occasions []occasion
}

// Kinds are the kinds of its occasions, sorted.
func (e entry) Kinds() (out []string) {
	for _, o := range e.Occasions {
		out = append(out, o.Kinds()...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// month has the entries of a month, newest first, followed by those that changed only texts.
type month struct {
	Day     mip.Time // one of its days
	Entries []entry
}

const (
	// newestOccasions is the minimum number of occasions on the page of the newest. The page ends
	// with a whole month.
	newestOccasions = 50
	// mostOpened bounds the occasions of one entry on that page, which otherwise links to the page
	// of the year.
	mostOpened = 100
	// manyLines is the number of occasions from which a page is long.
	manyLines = 500
)

// occasions groups changes by commit and proposal, in the order of changes.
func occasions(changes []Change) (out []occasion) {
	type key struct {
		id           mip.ID
		commit, time string // an import has the day of a header
	}
	at := map[key]int{}
	for _, c := range changes {
		k := key{c.MIP, c.Commit, c.Time.String()}
		if _, ok := at[k]; !ok {
			at[k], out = len(out), append(out, nil)
		}
		// The newest come first. Within a commit the last change comes first.
		out[at[k]] = append(occasion{c}, out[at[k]]...)
	}
	return out
}

// changesView is the page with its choices.
type changesView struct {
	ChangesPage
	Title  string
	Months []month
	Kinds  []choice
	Oldest string // year of the last month
	Opened int    // maximum occasions of an entry here
	Long   bool   // much longer than a window
}

// kindLabels name the kinds of events in the choice, in order.
var kindLabels = []choice{
	{Slug: string(mip.EventStatus), Label: "Status"},
	{Slug: string(mip.EventCreated), Label: "Created"},
	{Slug: string(mip.EventDeadline), Label: "Deadline"},
	{Slug: string(mip.EventHardfork), Label: "Hard fork"},
	{Slug: string(mip.EventRelation), Label: "Relations"},
	{Slug: string(mip.EventTitle), Label: "Title"},
	{Slug: string(mip.EventRenumbered), Label: "Number"},
	{Slug: string(mip.EventRemoved), Label: "Removed"},
	{Slug: string(mip.EventText), Label: "Text"},
}

// Changes renders the newest changes of proposals, or all changes of a year.
func (p *Pages) Changes(c ChangesPage) ([]byte, error) {
	v := changesView{ChangesPage: c, Title: "Changes"}
	v.Opened = mostOpened
	h := head{Route: "/changes/", Script: changesScript}
	changes, wanted := c.Changes, newestOccasions
	if c.Year != 0 {
		v.Title = fmt.Sprintf("Changes in %d", c.Year)
		h.Route = fmt.Sprintf("/changes/%d/", c.Year)
		changes = slices.DeleteFunc(slices.Clone(changes), func(x Change) bool {
			return x.Time.UTC().Year() != c.Year
		})
		wanted, v.Opened = len(changes), len(changes)
	}
	v.Months = months(changes, wanted)
	here, lines := map[string]int{}, 0
	for _, m := range v.Months {
		v.Oldest = date("2006", m.Day)
		for _, e := range m.Entries {
			lines += len(e.Occasions)
			for _, o := range e.Occasions {
				for _, kind := range o.Kinds() {
					here[kind]++
				}
			}
		}
	}
	v.Long = lines > manyLines
	// A choice applies on the pages of all years.
	for _, k := range kindLabels {
		if slices.ContainsFunc(c.Changes, func(x Change) bool { return string(x.Kind) == k.Slug }) {
			k.Count = here[k.Slug]
			v.Kinds = append(v.Kinds, k)
		}
	}
	h.Title, h.Description = v.Title,
		v.Title+" of the proposals of "+p.info.Title+", from the commits of their texts."
	return p.page("changes", h, v)
}

// months groups changes by month, newest first, until there are as many occasions as wanted.
func months(changes []Change, wanted int) (out []month) {
	all := occasions(changes)
	for len(all) > 0 && wanted > 0 {
		day := all[0][0].Time
		same := func(o occasion) bool { return date("2006-01", o[0].Time) == date("2006-01", day) }
		end := slices.IndexFunc(all, func(o occasion) bool { return !same(o) })
		if end < 0 {
			end = len(all)
		}
		out = append(out, month{day, entries(all[:end])})
		wanted -= end
		all = all[end:]
	}
	return out
}

// entries groups the occasions of a month.
func entries(all []occasion) (out []entry) {
	texts := entry{ID: "texts-" + date("2006-01", all[0][0].Time)}
	of := func(o occasion) string { return plain.Alike(o[0].Event) + "-" + o[0].Commit }
	count, at := map[string]int{}, map[string]int{}
	for _, o := range all {
		count[of(o)]++
	}
	for _, o := range all {
		k := of(o)
		i, ok := at[k]
		switch {
		case o[0].Kind == mip.EventText:
			texts.Occasions = append(texts.Occasions, o)
		case count[k] <= plain.Many || o[0].ByHeader():
			out = append(out, entry{Occasions: []occasion{o}})
		case ok:
			out[i].Occasions = append(out[i].Occasions, o)
		default:
			at[k] = len(out)
			out = append(out, entry{
				ID:   plain.Alike(o[0].Event) + "-" + short(o[0].Commit),
				Many: plain.Events(o[0].Event, plain.Thousands(count[k])), Occasions: []occasion{o},
			})
		}
	}
	if n := len(texts.Occasions); n > 0 {
		texts.Many = plain.Thousands(n) + " text edits"
		if n == 1 {
			texts.Many = "1 text edit"
		}
		out = append(out, texts)
	}
	return out
}

// latest returns the newest entries, without those that changed only texts.
func latest(changes []Change) (out []entry) {
	changes = slices.DeleteFunc(slices.Clone(changes), func(c Change) bool {
		return c.Kind == mip.EventText
	})
	for _, m := range months(changes, len(changes)) {
		out = append(out, m.Entries...)
	}
	return out
}

// happened describes an occasion. It omits a new text if there are other changes, and a deadline if
// a last call began or ended. Relations of one kind share a sentence.
func (p *Pages) happened(o occasion) string {
	var out []string
	last := "" // the beginning of the previous sentence, if it is about a relation
	called := slices.ContainsFunc(o, func(c Change) bool {
		return plain.LastCall(p.info.Statuses, c.Event)
	})
	for _, c := range o {
		if c.Kind == mip.EventText && len(o) > 1 || c.Kind == mip.EventDeadline && called {
			continue
		}
		said, begins := plain.Event(p.info.Statuses, c.Event), ""
		if c.Kind == mip.EventRelation {
			c.From, c.To = relationWord(c.From), relationWord(c.To)
			begins = plain.Event(p.info.Statuses, c.Event)
		}
		if begins != "" && begins == last {
			out[len(out)-1] += ", " + strings.TrimPrefix(said, begins)
		} else {
			out = append(out, said)
		}
		last = begins
	}
	return strings.Join(out, "; ")
}

// relationWord is the word of a relation, such as requires of "requires MIP-3".
func relationWord(relation *string) *string {
	if relation == nil {
		return nil
	}
	word, _, _ := strings.Cut(*relation, " ")
	return &word
}
