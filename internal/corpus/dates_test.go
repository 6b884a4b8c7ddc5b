package corpus

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// created reads a value of line 3.
func created(v any, r *report) mip.Date {
	found := &field{key: "created", line: 3, v: v}
	f := &fields{byName: map[string]*field{"created": found}, r: r}
	return f.date("created")
}

// TestMonths reads every month, whole and abbreviated, in the forms that real headers have.
func TestMonths(t *testing.T) {
	for m := time.January; m <= time.December; m++ {
		want := fmt.Sprintf("2021-%02d-05", m)
		short := m.String()[:3]
		for _, in := range []string{
			"05 " + short + " 2021", short + " 5, 2021", "5-" + strings.ToUpper(short) + "-21", "5 " + strings.ToLower(short) + " 2021",
			short + ". 5th, 2021", "5 " + m.String() + " 2021", m.String() + " 5, 2021",
		} {
			if got := created(in, &report{}).String(); got != want {
				t.Errorf("date(%q) = %q, want %q", in, got, want)
			}
		}
	}
}

func TestParseDate(t *testing.T) {
	for _, tt := range []struct{ in, want string }{ // want empty: no date, with a warning
		{"2024-02-03", "2024-02-03"},
		{"2024-02-03T23:30:00Z", "2024-02-03"},
		{"2024-02-03T23:30:00-05:00", "2024-02-04"},
		{"2024-02-03 10:00 UTC", "2024-02-03"},
		{"2024-02-03 10:00:00 +0200", "2024-02-03"},
		{"2024-02-03 10:00 somewhere", "2024-02-03"},
		{"2021/1/5", "2021-01-05"},
		{"2016-9-3", "2016-09-03"},
		{"29-Mar-2019", "2019-03-29"},
		{"05-AUG-16", "2016-08-05"},
		{"9 feb 2022", "2022-02-09"},
		{"1st September 2022", "2022-09-01"},
		{"June 9, 2023", "2023-06-09"},
		{"Sept 9 2023", "2023-09-09"},
		{"2019-01-01, 2020-02-02", "2020-02-02"},
		{"2019-01-01, 2020-02-02,", "2020-02-02"},
		{"13/01/2023", "2023-01-13"},
		{"01/13/2023", "2023-01-13"},
		{"05/05/2023", "2023-05-05"},
		{"12/01/2023", ""},
		{"2023-02-29", ""},
		{"2023-13-01", ""},
		{"31 June 2023", ""},
		{"YYYY-MM-DD", ""},
		{"<date created on>", ""},
		{"soon", ""},
		{"0000-01-01", ""},
		{"99999-01-01", ""},
	} {
		r := &report{}
		got := created(tt.in, r).String()
		if got != tt.want {
			t.Errorf("date(%q) = %q, want %q", tt.in, got, tt.want)
		}
		if warned := len(r.problems) == 1 && r.problems[0].Code == "bad-date" && r.problems[0].Line == 3; warned != (tt.want == "") {
			t.Errorf("date(%q): problems %v", tt.in, r.problems)
		}
	}
	for _, in := range []any{nil, "TBD", "N/A"} {
		r := &report{}
		if d := created(in, r); !d.IsZero() || len(r.problems) > 0 {
			t.Errorf("date(%v) = %v, problems %v, want none of both", in, d, r.problems)
		}
	}
}
