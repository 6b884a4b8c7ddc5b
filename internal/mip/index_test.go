package mip

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestActiveFirst(t *testing.T) {
	at := func(day int) *Time { return new(NewTime(time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC))) }
	want := []struct {
		number int
		Metadata
	}{
		{1, Metadata{Standing: Draft.Usual(), Updated: at(9)}},
		{3, Metadata{Standing: Review.Usual(), Updated: at(8)}},
		{2, Metadata{Standing: LastCall.Usual(), Updated: at(8)}}, // the greater number is newer
		{4, Metadata{Standing: Draft.Usual()}},
		{11, Metadata{Standing: Living.Usual(), Updated: at(7)}},
		{12, Metadata{Updated: at(6)}}, // no status
		// a word of another process
		{13, Metadata{Standing: Standing{Status: "Activated"}, Updated: at(5)}},
		{10, Metadata{Standing: Final.Usual(), Updated: at(4)}},
		{25, Metadata{Standing: Standing{Status: "Moved"}, Updated: at(28)}},
		{24, Metadata{Standing: Draft.Usual(), Updated: at(27), SupersededBy: []int{1}}},
		{23, Metadata{Standing: Standing{Status: "REJECTED"}, Updated: at(26)}},
		{22, Metadata{Standing: Stagnant.Usual(), Updated: at(25)}},
		{21, Metadata{Standing: Withdrawn.Usual(), Updated: at(24)}},
		{20, Metadata{Standing: Withdrawn.Usual()}},
	}
	var all []Metadata
	for i, w := range want {
		w.Metadata.ID = ID{"MIP", w.number}
		want[i] = w
		all = append(all, w.Metadata)
	}
	slices.SortFunc(all, func(a, b Metadata) int { return a.ID.Compare(b.ID) })
	before := slices.Clone(all)
	for range 2 { // regardless of the order before
		for i, m := range ActiveFirst(all) {
			if m.ID != want[i].Metadata.ID {
				t.Errorf("%d: %s, want %s", i, m.ID, want[i].Metadata.ID)
			}
		}
		slices.Reverse(all)
	}
	if diff := cmp.Diff(before, all, cmp.AllowUnexported(Time{})); diff != "" {
		t.Errorf("the argument has changed: %s", diff)
	}
}

func TestNewEntry(t *testing.T) {
	authors := []Author{{Name: new("Ada Lovelace"), GitHub: new("ada")}, {GitHub: new("bob")},
		{Name: new("Cyd"), Email: new("c@example.org")}, {Email: new("d@example.org")}}
	e := NewEntry(Metadata{Authors: authors}, nil, nil)
	want := []string{"Ada Lovelace (@ada)", "@bob", "Cyd", "d@example.org"}
	if !slices.Equal(e.Authors, want) || e.Lists == nil || e.Ended == nil {
		t.Errorf("authors %q, want %q; lists %v, ended %v", e.Authors, want, e.Lists, e.Ended)
	}
	if e := NewEntry(Metadata{}, nil, nil); e.Authors == nil {
		t.Error("no authors are null")
	}
}
