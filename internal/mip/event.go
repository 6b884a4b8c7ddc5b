package mip

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Events is the body of GET /api/v1/events and of GET /api/v1/events/{year}.
type Events struct {
	Count    int     `json:"count" doc:"How many events the list holds."`
	Complete bool    `json:"complete" doc:"False where git does not know all: a shallow or partial clone, texts that were synced without it, or no repository."`
	Years    []int   `json:"years" doc:"The years that have an address of their own, ascending."`
	Events   []Event `json:"events" doc:"Newest first, by the committers' clocks."`
}

// Event is something that happened to a proposal, as a commit of its repository tells it.
type Event struct {
	ID     string    `json:"id" doc:"Stable: made of proposal, kind, value and commit."`
	Time   Time      `json:"time" doc:"When it was committed."`
	Kind   EventKind `json:"kind" doc:"created, status, deadline, relation, title, renumbered, text or removed; there may be more."`
	MIP    ID        `json:"mip" doc:"The proposal under its last number, such as MIP-7."`
	Title  string    `json:"title" doc:"Its present title, or the last one."`
	From   *string   `json:"from" doc:"What it was before; null for nothing, and of created and text."`
	To     *string   `json:"to" doc:"What it became; of created the first status; null for nothing, and of removed and text."`
	Commit string    `json:"commit" doc:"The commit's hash."`
	Author string    `json:"author" doc:"The name of its author as git has it; may be empty."`
	URL    *string   `json:"url" doc:"The page for people, null for a proposal that is not published."`
}

// EventKind says what happened.
type EventKind string

// The kinds of events.
const (
	EventCreated    EventKind = "created"
	EventStatus     EventKind = "status"
	EventDeadline   EventKind = "deadline"
	EventRelation   EventKind = "relation"
	EventTitle      EventKind = "title"
	EventRenumbered EventKind = "renumbered"
	EventText       EventKind = "text"
	EventRemoved    EventKind = "removed"
)

// EventID is the id of an event. The proposal has the number that it had then, so that a later one changes no id. The value
// is what it became or, where that is nothing, what it was.
func EventID(of ID, kind EventKind, from, to *string, commit string) string {
	value := Deref(from)
	if to != nil {
		value = *to
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{of.String(), string(kind), value, commit}, "\x00")))
	return strings.ToLower(of.String()) + "-" + string(kind) + "-" + hex.EncodeToString(sum[:8])
}
