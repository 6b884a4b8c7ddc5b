package plain

import (
	"cmp"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Event describes an event in one line without a full stop: "MIP-8 entered Last Call, comments
// until 8 December 2026". It includes the proposal's title only if that changed. The process
// decides which statuses are a last call.
func Event(process mip.Process, e mip.Event) string {
	id, from, to := e.MIP.String(), valueOf(e.From), valueOf(e.To)
	switch e.Kind {
	case mip.EventCreated:
		if to == "" || e.ByHeader() { // its status on that day is unknown
			return id + " was created"
		}
		return id + " was created as " + to + until(process, e)
	case mip.EventStatus:
		return id + " " + newStatus(process, from, to) + until(process, e)
	case mip.EventDeadline:
		return "The deadline for comments on " + id + " " + newDeadline(from, to)
	case mip.EventHardfork:
		if e.Stage != nil {
			return id + " " + newStage(*e.Stage, cmp.Or(to, from))
		}
		return id + " " + newFork(from, to)
	case mip.EventRelation:
		if to == "" {
			return id + " no longer " + relation(from)
		}
		return id + " " + relation(to)
	case mip.EventTitle:
		return id + " was renamed from “" + from + "” to “" + to + "”"
	case mip.EventRenumbered:
		return from + " was renumbered as " + to
	case mip.EventRemoved:
		return id + " was removed"
	}
	return "The text of " + id + " changed"
}

// Import describes the creation of a proposal by a header and a commit of that time, which imported
// it on another day: "Created 15 April 2025 (day of its header; imported 21 November 2026)". It is
// empty for any other event.
func Import(e mip.Event, at mip.Time) string {
	if !e.ByHeader() || e.Time.Date() == at.Date() {
		return ""
	}
	return "Created " + day(e.Time.UTC()) + " (day of its header; imported " + day(at.UTC()) + ")"
}

// valueOf is a value of an event for people, or "" for none.
func valueOf(s *string) string { return Text(mip.OneLine(mip.Deref(s))) }

// until is the deadline for comments in a last call.
func until(process mip.Process, e mip.Event) string {
	if e.Deadline.IsZero() || process.Parse(mip.Deref(e.To)).Stage != mip.StageLastCall {
		return ""
	}
	return ", comments until " + day(e.Deadline.Time())
}

// Alike names what events of several proposals in one commit share if one line describes them: the
// kind or, of a move in the lists of a hard fork, also the fork and the new stage.
func Alike(e mip.Event) string {
	if e.Stage == nil {
		return string(e.Kind)
	}
	fork := mip.Slug(cmp.Or(mip.Deref(e.To), mip.Deref(e.From)))
	return string(e.Kind) + "-" + fork + "-" + string(e.Stage.To)
}

// LastCall reports whether an event begins or ends a last call. This implies a deadline for
// comments, or its end.
func LastCall(process mip.Process, e mip.Event) bool {
	in := func(status *string) bool {
		return process.Parse(mip.Deref(status)).Stage == mip.StageLastCall
	}
	return (e.Kind == mip.EventCreated || e.Kind == mip.EventStatus) && (in(e.From) || in(e.To))
}

func newStatus(process mip.Process, from, to string) string {
	switch {
	case from == "":
		return "got the status " + to
	case to == "":
		return "lost the status " + from
	case process.Parse(to).Stage == mip.StageLastCall:
		return "entered " + to
	case process.Parse(from).Stage == mip.StageLastCall:
		return "left " + from + " for " + to
	}
	return "moved from " + from + " to " + to
}

func newDeadline(from, to string) string {
	switch {
	case from == "":
		return "is " + dayOf(to)
	case to == "":
		return "was " + dayOf(from) + " and is gone"
	}
	return "moved from " + dayOf(from) + " to " + dayOf(to)
}

func newFork(from, to string) string {
	switch {
	case from == "":
		return "joined hard fork " + to
	case to == "":
		return "left hard fork " + from
	}
	return "moved from hard fork " + from + " to " + to
}

// newStage returns the end of a sentence about a proposal in the lists of a hard fork.
func newStage(s mip.StageChange, fork string) string {
	from, to := mip.Deref(s.From), string(s.To)
	place := "for "
	if from == mip.Included || s.To == mip.Included {
		place = "in "
	}
	switch {
	case s.To == mip.Unlisted:
		return "left " + fork + ", " + place + "which it was " + string(from)
	case from == mip.Unlisted:
		return "returned to " + fork + " as " + to
	case from == "" && s.To == mip.Considered:
		return "came under consideration " + place + fork
	case from == "":
		return "was " + to + " " + place + fork
	}
	return "moved from " + string(from) + " to " + to + " " + place + fork
}

// newStageOfMany is the predicate of [newStage] for proposals from different stages.
func newStageOfMany(to mip.Inclusion, fork string) string {
	switch to {
	case mip.Unlisted:
		return "left " + fork
	case mip.Included:
		return "were included in " + fork
	}
	return "were " + string(to) + " for " + fork
}

// relation is the end of a sentence about a relation such as "supersededBy MIP-3".
func relation(tie string) string {
	word, other, _ := strings.Cut(tie, " ")
	if word == string(mip.SupersededBy) {
		word = "is superseded by"
	}
	return word + " " + other
}

// dayOf formats YYYY-MM-DD for people.
func dayOf(s string) string {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return s
	}
	return day(t)
}

func day(t time.Time) string { return t.Format("2 January 2006") }

// many are the predicates for events of each kind, after the number of proposals.
var many = map[mip.EventKind]string{
	mip.EventCreated: "proposals were created", mip.EventStatus: "proposals changed their status",
	mip.EventDeadline:   "proposals changed their deadline for comments",
	mip.EventHardfork:   "proposals changed their hard fork",
	mip.EventRelation:   "proposals changed their relations",
	mip.EventTitle:      "proposals changed their title",
	mip.EventRenumbered: "proposals changed their number",
	mip.EventText:       "proposals changed their text", mip.EventRemoved: "proposals were removed",
}

// Many is the number of proposals from which equal changes by one commit share an entry: an import
// would displace everything else, while changes of ten proposals are news for each.
const Many = 10

// Events describes events of several proposals in one commit, like [Event]. All are like e, see
// [Alike]. proposals is their number in words.
func Events(e mip.Event, proposals string) string {
	if e.Imported {
		return proposals + " proposals were imported"
	}
	if e.Stage != nil {
		return proposals + " proposals " + newStageOfMany(e.Stage.To, valueOf(cmp.Or(e.To, e.From)))
	}
	return proposals + " " + many[e.Kind]
}
