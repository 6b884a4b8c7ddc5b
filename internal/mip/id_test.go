package mip

import (
	"encoding/json"
	"testing"
)

func TestID(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want ID
		ok   bool
	}{
		{"MIP-7", ID{"MIP", 7}, true}, {"mrc-0", ID{"mrc", 0}, true},
		{"EIP-999999999", ID{"EIP", 999999999}, true},
		{"EIP-1000000000", ID{}, false}, {"MIP-07", ID{}, false}, {"MIP-+7", ID{}, false},
		{"MIP--7", ID{}, false}, {"MIP-", ID{}, false},
		{"-7", ID{}, false}, {"7", ID{}, false}, {"MIP", ID{}, false}, {"MIP-7 ", ID{}, false},
		{"", ID{}, false},
	} {
		got, err := ParseID(tt.in)
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("ParseID(%q) = %v, %v, want %v, ok %v", tt.in, got, err, tt.want, tt.ok)
		}
		if !tt.ok {
			continue
		}
		var back ID
		text, err := json.Marshal(got)
		if err != nil || string(text) != `"`+tt.in+`"` || json.Unmarshal(text, &back) != nil ||
			back != got {
			t.Errorf("%q becomes %s and back %v, %v", tt.in, text, back, err)
		}
	}
	if got, want := (ID{"EIP", 1559}).Page(), "/eip/1559/"; got != want {
		t.Errorf("Page = %q, want %q", got, want)
	}
}

func TestFind(t *testing.T) {
	all := []Metadata{{ID: ID{"MIP", 2}}, {ID: ID{"MIP", 10}}, {ID: ID{"MRC", 1}}}
	for _, m := range all {
		if got, ok := Find(all, m.ID); !ok || got.ID != m.ID {
			t.Errorf("Find(%s) = %s, %v", m.ID, got.ID, ok)
		}
	}
	for _, id := range []ID{{"MIP", 1}, {"MRC", 2}, {"EIP", 10}, {}} {
		if got, ok := Find(all, id); ok {
			t.Errorf("Find(%s) = %s, want none", id, got.ID)
		}
	}
}
