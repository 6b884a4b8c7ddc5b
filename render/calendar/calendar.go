// Package calendar writes the ends of calls for comments and the activations of hard forks as
// iCalendar (RFC 5545). It knows neither which calendars a site has nor where they are published.
package calendar

import (
	"net/url"
	"slices"
	"strings"
	"time"

	ical "github.com/arran4/golang-ical"

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
// left out. DTSTAMP, which the format requires, is the time of the newest known change, not the
// current time.
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
	day := m.LastCallDeadline.Time()
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
		plain.Address(w.info, "/upgrade/"+mip.Slug(f.Name)+"/"), f.StatusAsOf)
	e.SetStartAt(at)
}
