package mip

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Events is the body of GET /api/v1/events and of GET /api/v1/events/{year}.
type Events struct {
	Count     int     `json:"count" doc:"How many events the list holds."`
	Complete  bool    `json:"complete" doc:"False where git does not know all: a shallow or partial clone, texts that were synced without it, or no repository."`
	Truncated int     `json:"truncated" doc:"How many events are left out, of all years in the list of the newest: of one proposal a year has the newest 200."`
	Years     []int   `json:"years" doc:"The years that have an address of their own, ascending."`
	Events    []Event `json:"events" doc:"Newest first, by time."`
}

// Event is a change of a proposal by a commit of its repository.
type Event struct {
	ID    string    `json:"id" doc:"Stable: made of proposal, kind, value and commit; of the first time that a number is created, of the number alone."`
	Time  Time      `json:"time" doc:"When the published branch got it: the time of the commit, or of the merge that brought it. Of an imported one see imported."`
	Kind  EventKind `json:"kind" doc:"created, status, deadline, hardfork, relation, title, renumbered, text or removed; there may be more."`
	MIP   ID        `json:"mip" doc:"The proposal under its last number, such as MIP-7."`
	Title string    `json:"title" doc:"Its present title, or the last one."`
	From  *string   `json:"from" doc:"What it was before; null for nothing, and of created and text. Of hardfork the fork."`
	To    *string   `json:"to" doc:"What it became; of created the first status; null for nothing, and of removed and text."`
	// Stage is nil if the event is not from the text of a hard fork.
	Stage    *StageChange `json:"stage" doc:"Of hardfork by the text of a meta proposal: the stages in the fork that from or to names; null for all others, and where site.yaml changed."`
	Deadline Date         `json:"deadline" doc:"Of created and status the last day for comments, as the header had it then; else null."`
	Commit   string       `json:"commit" doc:"The commit's hash."`
	Imported bool         `json:"imported" doc:"True of created if the commit brought the text with many others, or was the first with texts: time is then midnight UTC of the creation date in the header, if that has a possible one."`
	Author   string       `json:"author" doc:"The name of its author as git has it; may be empty."`
	URL      *string      `json:"url" doc:"The page for people, null for a proposal that is not published."`
}

// ByHeader reports whether the time is the day of a header, since an import made the event.
func (e Event) ByHeader() bool { return e.Imported && e.Time.UTC().Equal(e.Time.Date().Time()) }

// EventKind is the kind of an event.
type EventKind string

// Kinds of events.
const (
	EventCreated    EventKind = "created"
	EventStatus     EventKind = "status"
	EventDeadline   EventKind = "deadline"
	EventHardfork   EventKind = "hardfork"
	EventRelation   EventKind = "relation"
	EventTitle      EventKind = "title"
	EventRenumbered EventKind = "renumbered"
	EventText       EventKind = "text"
	EventRemoved    EventKind = "removed"
)

// History is the body of GET /api/v1/mips/{n}/history.
type History struct {
	ID       ID        `json:"id" doc:"Prefix and number, such as MIP-7."`
	Before   string    `json:"before" doc:"What precedes the oldest version: nothing, more versions than are listed, or unknown in a shallow clone."`
	Versions []Version `json:"versions" doc:"The newest 50 versions of the file under its present name, newest first."`
}

// Version is a commit's change to a proposal's file. Added, Removed and Diff are null in the first
// version, and if the text before or after is unknown.
type Version struct {
	Commit    string        `json:"commit" doc:"The commit's hash."`
	Time      Time          `json:"time" doc:"When it was committed."`
	Subject   string        `json:"subject" doc:"The first line of the commit's message; may be empty."`
	Author    string        `json:"author" doc:"The name of its author as git has it; may be empty."`
	Changes   []FieldChange `json:"changes" doc:"Fields of the header with a new meaning, each with its value and the one before."`
	Added     *int          `json:"added" doc:"How many lines came."`
	Removed   *int          `json:"removed" doc:"How many lines went."`
	Diff      *string       `json:"diff" doc:"Unified, without the names of files, at most 64 KiB."`
	Truncated bool          `json:"truncated" doc:"The difference is longer than diff."`
}

// FieldChange is a changed value of a header field.
type FieldChange struct {
	Field string  `json:"field" doc:"As a proposal has it, such as status or authors, or the header's own key."`
	From  *string `json:"from" doc:"The value before as text, lists with commas; null for none."`
	To    *string `json:"to" doc:"The value now; null for none."`
}

// CreationID returns the id of the event that creates a proposal's number for the first time. It
// does not depend on the commit, which may be unknown.
func CreationID(of ID) string { return strings.ToLower(of.String()) + "-" + string(EventCreated) }

// EventID returns the id of any other event. of is the proposal's number at that time, so that a
// later number changes no id. The value in the id is the new one or, if that is nil, the old one.
func EventID(of ID, kind EventKind, from, to *string, commit string) string {
	value := Deref(from)
	if to != nil {
		value = *to
	}
	parts := []string{of.String(), string(kind), value, commit}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return strings.ToLower(of.String()) + "-" + string(kind) + "-" + hex.EncodeToString(sum[:8])
}
