// Package calendar writes the ends of calls for comments, the activations of hard forks and the
// days of their releases as iCalendar (RFC 5545). It knows neither which calendars a site has nor
// where they are published.
package calendar

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	ical "github.com/arran4/golang-ical"

	days "github.com/mipwatch/mipwatch/internal/day"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// Type is the media type, without parameters.
const Type = "text/calendar"

// Calendar is the title and description of a calendar, in plain text, and its contents.
type Calendar struct {
	Title, Description string
	// All are proposals. The calendar has those in a last call with a deadline.
	All   []mip.Metadata
	Forks []mip.HardFork
}

// Write writes a calendar. A last call is on the whole day of its deadline, and an activation at
// its time, on networks of the site and of texts. A fork that a network has from its first block is
// left out. Releases are on the day or at the moment by which they are required. DTSTAMP, which the
// format requires, is the time of the newest known change, not the current time.
func Write(info mip.Site, c Calendar) []byte {
	w := writer{ical.NewCalendar(), info, ""}
	if at, err := url.Parse(info.BaseURL); err == nil {
		w.host = at.Hostname()
	}
	w.SetProductId("-//mipwatch//mipwatch//EN")
	w.SetName(c.Title)
	w.SetDescription(c.Description)
	for _, m := range c.All {
		if m.Stage == mip.StageLastCall && !m.LastCallDeadline.IsZero() {
			w.call(m)
		}
	}
	for _, f := range c.Forks {
		for _, id := range f.SortedNetworks(info.Networks) {
			if a := f.Activation[id]; a.Timestamp != nil && *a.Timestamp > 0 {
				w.activation(f, id, a.Time.UTC())
			}
		}
		for _, a := range f.Schedule {
			if a.ID == nil && a.Timestamp != nil && *a.Timestamp > 0 {
				w.activation(f, a.Network, a.Time.UTC())
			}
		}
		w.releases(f)
	}
	return []byte(w.Serialize(ical.WithNewLineWindows))
}

// writer is an unfinished calendar.
type writer struct {
	*ical.Calendar
	info mip.Site
	host string
}

// event adds an event with a unique id that does not change when its time does.
func (w *writer) event(id, title, text, address string, stamp *mip.Time) *ical.VEvent {
	e := w.AddEvent(id + "@" + w.host)
	at := time.Unix(0, 0)
	if stamp != nil {
		at = stamp.UTC()
	}
	e.SetDtStampTime(at)
	e.SetSummary(title)
	if text != "" {
		e.SetDescription(text)
	}
	e.SetURL(address)
	e.SetTimeTransparency(ical.TransparencyTransparent) // the event blocks no time
	return e
}

// call adds the last day for comments on a proposal.
func (w *writer) call(m mip.Metadata) {
	id, title := strings.ToLower(m.ID.String())+"-last-call",
		"Last day for comments on "+plain.ProposalTitle(m)
	e := w.event(id, title, plain.Text(plain.Description(m)), m.URL, m.Updated)
	onDay(e, m.LastCallDeadline.Time())
}

// onDay sets the whole day of an event.
func onDay(e *ical.VEvent, day time.Time) {
	e.SetAllDayStartAt(day)
	e.SetAllDayEndAt(day.AddDate(0, 0, 1))
}

// activation adds the activation of a hard fork on a network.
func (w *writer) activation(f mip.HardFork, id string, at time.Time) {
	network := id
	for _, n := range w.info.Networks {
		if n.ID == id {
			network = n.Name
		}
	}
	var lines []string
	if len(f.BundledMIPs) > 0 {
		lines = append(lines, "Activates "+plain.IDs(w.info.Main(0), f.BundledMIPs)+".")
	}
	for _, r := range f.Releases {
		if len(r.Networks) == 0 || slices.Contains(r.Networks, id) {
			lines = append(lines, "Run "+plain.Release(r)+".")
		}
	}
	name := mip.OneLine(f.Name)
	e := w.event("upgrade-"+name+"-"+id, name+" activates on "+mip.OneLine(network),
		strings.Join(lines, "\n"),
		w.page(f), f.StatusAsOf)
	e.SetStartAt(at)
}

// page is the address of a hard fork's page.
func (w *writer) page(f mip.HardFork) string {
	return plain.Address(w.info, "/upgrade/"+mip.Slug(f.Name)+"/")
}

// releases adds the times by which releases for a hard fork are required, each with all of its
// releases. The unique id counts the releases of one client, since the time of each may change.
func (w *writer) releases(f mip.HardFork) {
	of, ids, count := map[string][]mip.Release{}, map[string]string{}, map[string]int{}
	var dues []string
	for _, r := range f.Releases {
		client := mip.Slug(r.Client)
		count[client]++
		if r.RequiredBy == nil {
			continue
		}
		due := *r.RequiredBy
		if of[due] == nil {
			dues = append(dues, due)
			ids[due] = fmt.Sprintf("release-%s-%s-%d", mip.OneLine(f.Name), client, count[client])
		}
		of[due] = append(of[due], r)
	}
	for _, due := range dues {
		title, text := required(f, of[due])
		e := w.event(ids[due], title, text, w.page(f)+"#run", f.StatusAsOf)
		if at, hour, _ := days.Due(due); hour {
			e.SetStartAt(at)
		} else {
			onDay(e, at)
		}
	}
}

// required returns the title and the text of an event for releases that a hard fork requires by one
// time. The title names the networks if they are the same for all.
func required(f mip.HardFork, of []mip.Release) (title, text string) {
	var names, lines []string
	same := true
	for _, r := range of {
		names = append(names, r.Client+" "+r.Version)
		lines = append(lines, "Run "+plain.Release(r)+".")
		same = same && slices.Equal(r.Networks, of[0].Networks)
	}
	title = f.Name + " requires " + strings.Join(names, ", ") + " or later"
	if same && len(of[0].Networks) > 0 {
		title += " on " + strings.Join(of[0].Networks, ", ")
	}
	return mip.OneLine(title), strings.Join(lines, "\n")
}
