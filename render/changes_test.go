package render

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// change is a change of a proposal by a commit on a day of 2026.
func change(day string, commit string, n int, kind mip.EventKind, from, to string) Change {
	at, err := time.Parse(time.DateOnly, "2026-"+day)
	if err != nil {
		panic(err)
	}
	id := mip.ID{Kind: "MIP", Number: n}
	url := "https://example.org/p" + id.Page()
	return Change{Event: mip.Event{
		Time: mip.NewTime(at), Kind: kind, MIP: id, Title: fmt.Sprint("Title ", n),
		From: mip.Ref(from), To: mip.Ref(to), Commit: commit, URL: &url,
	}, Shown: n != 2}
}

// TestChanges checks that a commit has one line for each proposal, one for many proposals, and that
// each month ends with its text changes.
func TestChanges(t *testing.T) {
	entered := change("05-01", "c3", 1, mip.EventStatus, "Draft", "Last Call")
	entered.Deadline = mip.Date{Year: 2026, Month: 6, Day: 1}
	gone := change("04-02", "c1", 8, mip.EventRemoved, "Draft", "")
	gone.URL, gone.Title = nil, pageHostile("title")
	changes := []Change{
		change("05-02", "c4", 3, mip.EventText, "", ""), change("05-01", "c3", 2, mip.EventStatus,
			"Last Call", "Final"),
		change("05-01", "c3", 1, mip.EventText, "", ""),
		change("05-01", "c3", 1, mip.EventTitle, "A", "B"),
		change("05-01", "c3", 1, mip.EventDeadline, "", "2026-06-01"), entered, gone,
	}
	for n := range 11 {
		changes = append(changes, change("04-01", "c0", n, mip.EventCreated, "", "Draft"))
	}
	changes = append(changes, change("03-01", "b", 9, mip.EventCreated, "", ""))
	// the last first
	for _, tie := range [][2]string{{"requires MIP-1", ""}, {"", "replaces MIP-3"},
		{"", "requires EIP-4 of 2020"}, {"", "requires MIP-3"}} {
		changes = append(changes, change("02-01", "a", 7, mip.EventRelation, tie[0], tie[1]))
	}
	p := newTestPages(t, pageInfo("https://example.org/p"), nil)
	page, err := p.Changes(ChangesPage{Years: []int{2026}, Changes: changes, Complete: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range pageFaults(t, page) {
		t.Error(f)
	}
	var got []string
	for _, e := range pageElements(t, page) {
		switch {
		case e.tag == "h2", e.tag == "summary":
			got = append(got, e.text)
		case e.tag == "li" && strings.Contains(e.attr["class"], "status"):
			got = append(got, e.attr["class"]+": "+e.text)
		case e.tag == "a" && strings.Contains(e.attr["href"], "#v-"):
			got = append(got, e.attr["href"])
		}
	}
	want := []string{
		"May 2026",
		"status: 1 May MIP-2 left Last Call for Final MIP-2 Title 2",
		"deadline status text title: 1 May MIP-1 entered Last Call, comments until 1 June 2026; " +
			"MIP-1 was renamed from “A” to “B” MIP-1 Title 1",
		"/p/mip/1/history/#v-c3",
		"1 text edit", "/p/mip/3/history/#v-c4",
		"April 2026", "/p/mip/8/history/#v-c1",
		"11 proposals were created", "/p/mip/0/history/#v-c0", "/p/mip/1/history/#v-c0",
		"/p/mip/3/history/#v-c0", "/p/mip/4/history/#v-c0",
		"/p/mip/5/history/#v-c0", "/p/mip/6/history/#v-c0", "/p/mip/7/history/#v-c0",
		"/p/mip/8/history/#v-c0", "/p/mip/9/history/#v-c0",
		"/p/mip/10/history/#v-c0",
		"March 2026", "/p/mip/9/history/#v-b", "February 2026", "/p/mip/7/history/#v-a",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the page (-want +got):\n%s", diff)
	}
	_, text := partsOf(t, page)
	if !strings.Contains(text,
		" MIP-7 requires MIP-3, EIP-4 of 2020; MIP-7 replaces MIP-3; MIP-7 no longer "+
			"requires MIP-1 ") {
		t.Errorf("the page has no relations: %s", text)
	}
	if !strings.Contains(text, "MIP-8 was removed MIP-8 "+gone.Title) {
		t.Errorf("the page does not tell of what is gone: %s", text)
	}
}
