package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// ChangesPage is what /changes/ shows of the newest changes or, of a Year, /changes/{year}/ of all changes in it.
type ChangesPage struct {
	Year     int      // 0: the newest
	Years    []int    // those that have a page
	Changes  []Change // of all years, newest first
	Complete bool     // git knows all that happened
	Left     int      // changes of proposals with too many of them in a year, which are in no list
}

// Change is an event, and whether the page of the proposal's versions shows its commit.
type Change struct {
	mip.Event
	Shown bool
}

// occasion is what one commit did to one proposal, in the order in which it is told.
type occasion []Change

// Kinds are those of its changes, sorted.
func (o occasion) Kinds() (out []string) {
	for _, c := range o {
		out = append(out, string(c.Kind))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// entry is one occasion, or many that are one line until a reader opens it: of that commit and that kind or, of texts, of a
// month.
type entry struct {
	ID        string
	Many      string // in words; empty: there is one occasion
	Occasions []occasion
}

// Kinds are those of its occasions, sorted.
func (e entry) Kinds() (out []string) {
	for _, o := range e.Occasions {
		out = append(out, o.Kinds()...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// month is the entries of a month, the newest first, and behind them those that changed nothing but texts.
type month struct {
	Day     mip.Time // one of it
	Entries []entry
}

const (
	// newestOccasions is how many the page of the newest has at least: it ends with a month.
	newestOccasions = 50
	// mostOpened is how many of one entry that page holds. For more it leads to the page of the year.
	mostOpened = 100
	// manyLines is how many occasions make a page long.
	manyLines = 500
)

// occasions puts together what a commit did to a proposal. They are in the order of changes.
func occasions(changes []Change) (out []occasion) {
	type key struct {
		id     mip.ID
		commit string
	}
	at := map[key]int{}
	for _, c := range changes {
		k := key{c.MIP, c.Commit}
		if _, ok := at[k]; !ok {
			at[k], out = len(out), append(out, nil)
		}
		// The newest come first, and of one commit what is told last.
		out[at[k]] = append(occasion{c}, out[at[k]]...)
	}
	return out
}

// changesView is the page with what can be chosen on it.
type changesView struct {
	ChangesPage
	Title  string
	Months []month
	Kinds  []choice
	Oldest string // year of the last month
	Opened int    // of how many at most one entry holds each
	Long   bool   // there is much more than what a window shows
}

// kindLabels name the kinds of events where one is chosen, in the order of the choice.
var kindLabels = []choice{
	{Slug: string(mip.EventStatus), Label: "Status"}, {Slug: string(mip.EventCreated), Label: "Created"},
	{Slug: string(mip.EventDeadline), Label: "Deadline"}, {Slug: string(mip.EventHardfork), Label: "Hard fork"},
	{Slug: string(mip.EventRelation), Label: "Relations"}, {Slug: string(mip.EventTitle), Label: "Title"},
	{Slug: string(mip.EventRenumbered), Label: "Number"}, {Slug: string(mip.EventRemoved), Label: "Removed"},
	{Slug: string(mip.EventText), Label: "Text"},
}

// Changes renders what happened to proposals: the newest of it, or all of a year.
func (p *Pages) Changes(c ChangesPage) ([]byte, error) {
	v := changesView{ChangesPage: c, Title: "Changes"}
	v.Opened = mostOpened
	h := head{Route: "/changes/", Script: changesScript}
	changes, wanted := c.Changes, newestOccasions
	if c.Year != 0 {
		v.Title = fmt.Sprintf("Changes in %d", c.Year)
		h.Route = fmt.Sprintf("/changes/%d/", c.Year)
		changes = slices.DeleteFunc(slices.Clone(changes), func(x Change) bool { return x.Time.UTC().Year() != c.Year })
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
	// A choice holds on the pages of all years.
	for _, k := range kindLabels {
		if slices.ContainsFunc(c.Changes, func(x Change) bool { return string(x.Kind) == k.Slug }) {
			k.Count = here[k.Slug]
			v.Kinds = append(v.Kinds, k)
		}
	}
	h.Title, h.Description = v.Title, v.Title+" of the proposals of "+p.info.Title+", as the commits of their texts tell them."
	return p.page("changes", h, v)
}

// months are the months of what happened, the newest first, until they have as many occasions as wanted.
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

// entries divides the occasions of a month.
func entries(all []occasion) (out []entry) {
	texts := entry{ID: "texts-" + date("2006-01", all[0][0].Time)}
	type key struct {
		kind   mip.EventKind
		commit string
	}
	of := func(o occasion) key { return key{o[0].Kind, o[0].Commit} }
	count, at := map[key]int{}, map[key]int{}
	for _, o := range all {
		count[of(o)]++
	}
	for _, o := range all {
		k := of(o)
		i, ok := at[k]
		switch {
		case k.kind == mip.EventText:
			texts.Occasions = append(texts.Occasions, o)
		case count[k] <= plain.Many:
			out = append(out, entry{Occasions: []occasion{o}})
		case ok:
			out[i].Occasions = append(out[i].Occasions, o)
		default:
			at[k] = len(out)
			out = append(out, entry{
				ID: string(k.kind) + "-" + short(k.commit), Many: plain.Events(k.kind, thousands(count[k])), Occasions: []occasion{o},
			})
		}
	}
	if n := len(texts.Occasions); n > 0 {
		texts.Many = "Changes of texts alone: " + thousands(n)
		out = append(out, texts)
	}
	return out
}

// latest are the newest entries, but for those of texts alone.
func latest(changes []Change) (out []entry) {
	changes = slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return c.Kind == mip.EventText })
	for _, m := range months(changes, len(changes)) {
		out = append(out, m.Entries...)
	}
	return out
}

// happened tells of an occasion. A new text goes without saying where more happened, and so does a deadline where a
// last call began or ended. Ties of one kind are one sentence.
func (p *Pages) happened(o occasion) string {
	var out []string
	last := "" // how the sentence before begins, when it is of a tie
	called := slices.ContainsFunc(o, func(c Change) bool { return plain.LastCall(p.info.Statuses, c.Event) })
	for _, c := range o {
		if c.Kind == mip.EventText && len(o) > 1 || c.Kind == mip.EventDeadline && called {
			continue
		}
		said, begins := plain.Event(p.info.Statuses, c.Event), ""
		if c.Kind == mip.EventRelation {
			c.From, c.To = tieWord(c.From), tieWord(c.To)
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

// tieWord is the word of a tie, such as requires of "requires MIP-3".
func tieWord(tie *string) *string {
	if tie == nil {
		return nil
	}
	word, _, _ := strings.Cut(*tie, " ")
	return &word
}
