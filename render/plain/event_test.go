package plain

import (
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

func TestEvent(t *testing.T) {
	process := mip.Process{{Name: "Idea", Stage: mip.StageDraft},
		{Name: "Feedback", Stage: mip.StageLastCall}, {Name: "Done", Stage: mip.StageFinal}}
	december := mip.Date{Year: 2026, Month: time.December, Day: 8}
	for _, tt := range []struct {
		process  mip.Process
		kind     mip.EventKind
		from, to string
		stage    string // FROM > TO
		deadline mip.Date
		want     string
	}{
		{kind: mip.EventCreated, want: "MIP-8 was created"},
		{kind: mip.EventCreated, to: "Draft", want: "MIP-8 was created as Draft"},
		{kind: mip.EventCreated, to: "Last Call", deadline: december,
			want: "MIP-8 was created as Last Call, comments until 8 December 2026"},
		{kind: mip.EventStatus, to: "Draft", want: "MIP-8 got the status Draft"},
		{kind: mip.EventStatus, from: "Draft", want: "MIP-8 lost the status Draft"},
		{kind: mip.EventStatus, from: "Draft", to: "Review", deadline: december,
			want: "MIP-8 moved from Draft to Review"},
		{kind: mip.EventStatus, from: "Draft", to: "Last Call", want: "MIP-8 entered Last Call"},
		{kind: mip.EventStatus, from: "Draft", to: "Last Call", deadline: december,
			want: "MIP-8 entered Last Call, comments until 8 December 2026"},
		{kind: mip.EventStatus, from: "Last Call", to: "Review",
			want: "MIP-8 left Last Call for Review"},
		{process: process, kind: mip.EventStatus, from: "Idea", to: "Feedback", deadline: december,
			want: "MIP-8 entered Feedback, comments until 8 December 2026"},
		{process: process, kind: mip.EventStatus, from: "Feedback", to: "Done",
			want: "MIP-8 left Feedback for Done"},
		{process: process, kind: mip.EventStatus, from: "Done", to: "Last Call",
			want: "MIP-8 moved from Done to Last Call"},
		{kind: mip.EventDeadline, to: "2026-12-08",
			want: "The deadline for comments on MIP-8 is 8 December 2026"},
		{kind: mip.EventDeadline, from: "2026-12-01", to: "2026-12-08",
			want: "The deadline for comments on MIP-8 moved from 1 December 2026 to 8 " +
				"December 2026"},
		{kind: mip.EventDeadline, from: "2026-12-08",
			want: "The deadline for comments on MIP-8 was 8 December 2026 and is gone"},
		{kind: mip.EventHardfork, to: "NINE", want: "MIP-8 joined hard fork NINE"},
		{kind: mip.EventHardfork, from: "NINE", want: "MIP-8 left hard fork NINE"},
		{kind: mip.EventHardfork, from: "NINE", to: "TEN",
			want: "MIP-8 moved from hard fork NINE to TEN"},
		{kind: mip.EventHardfork, to: "NINE", stage: "> proposed",
			want: "MIP-8 was proposed for NINE"},
		{kind: mip.EventHardfork, to: "NINE", stage: "> considered",
			want: "MIP-8 came under consideration for NINE"},
		{kind: mip.EventHardfork, to: "NINE", stage: "> included",
			want: "MIP-8 was included in NINE"},
		{kind: mip.EventHardfork, from: "NINE", to: "NINE", stage: "considered > scheduled",
			want: "MIP-8 moved from considered to scheduled for NINE"},
		{kind: mip.EventHardfork, from: "NINE", to: "NINE", stage: "scheduled > included",
			want: "MIP-8 moved from scheduled to included in NINE"},
		{kind: mip.EventHardfork, from: "NINE", stage: "proposed > withdrawn",
			want: "MIP-8 left NINE, for which it was proposed"},
		{kind: mip.EventHardfork, from: "NINE", stage: "included > withdrawn",
			want: "MIP-8 left NINE, in which it was included"},
		{kind: mip.EventHardfork, to: "NINE", stage: "withdrawn > declined",
			want: "MIP-8 returned to NINE as declined"},
		{kind: mip.EventRelation, to: "requires MIP-3", want: "MIP-8 requires MIP-3"},
		{kind: mip.EventRelation, from: "replaces MIP-3", want: "MIP-8 no longer replaces MIP-3"},
		{kind: mip.EventRelation, from: "supersededBy MIP-9",
			want: "MIP-8 no longer is superseded by MIP-9"},
		{kind: mip.EventTitle, from: "The `CLZ`\nopcode", to: "CLZ",
			want: "MIP-8 was renamed from “The CLZ opcode” to “CLZ”"},
		{kind: mip.EventRenumbered, from: "MIP-7", to: "MIP-8",
			want: "MIP-7 was renumbered as MIP-8"},
		{kind: mip.EventText, want: "The text of MIP-8 changed"},
		{kind: mip.EventRemoved, from: "Draft", want: "MIP-8 was removed"},
	} {
		e := mip.Event{MIP: mip.ID{Kind: "MIP", Number: 8}, Kind: tt.kind, From: mip.Ref(tt.from),
			To: mip.Ref(tt.to), Deadline: tt.deadline}
		if from, to, ok := strings.Cut(tt.stage, "> "); ok {
			e.Stage = &mip.StageChange{To: mip.Inclusion(to)}
			if from = strings.TrimSpace(from); from != "" {
				e.Stage.From = new(mip.Inclusion(from))
			}
		}
		if got := Event(tt.process, e); got != tt.want {
			t.Errorf("%s %q > %q: %q, want %q", tt.kind, tt.from, tt.to, got, tt.want)
		}
	}
}

// Each kind that one commit can have many times has words for many.
func TestEvents(t *testing.T) {
	for _, kind := range []mip.EventKind{
		mip.EventCreated, mip.EventStatus, mip.EventDeadline, mip.EventHardfork,
		mip.EventRelation, mip.EventTitle, mip.EventRenumbered, mip.EventText,
		mip.EventRemoved,
	} {
		if got := Events(mip.Event{Kind: kind}, "12"); len(got) < len("12 proposals w") {
			t.Errorf("%s: %q", kind, got)
		}
	}
}
