package corpus

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDates reads what authors write for a date: a folder has a proposal for each.
func TestDates(t *testing.T) {
	type row struct{ in, want string } // want empty: no date, with a warning
	rows := []row{
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
	}
	for m := time.January; m <= time.December; m++ {
		short := m.String()[:3]
		for _, in := range []string{
			"05 " + short + " 2021", short + " 5, 2021", "5-" + strings.ToUpper(short) + "-21", "5 " + strings.ToLower(short) + " 2021",
			short + ". 5th, 2021", "5 " + m.String() + " 2021", m.String() + " 5, 2021",
		} {
			rows = append(rows, row{in, fmt.Sprintf("2021-%02d-05", m)})
		}
	}
	absent := []string{"", "TBD", "N/A"} // no date, and nothing to say of it
	dir := t.TempDir()
	write := func(n int, in string) {
		writeFile(t, filepath.Join(dir, fmt.Sprintf("MIP-%d.md", n)), fmt.Appendf(nil, "---\nmip: %d\ncreated: %s\ntitle: a\n---\n", n, in))
	}
	for i, row := range rows {
		write(i, row.in)
	}
	for i, in := range absent {
		write(len(rows)+i, in)
	}
	c := load(t, dir)
	warned := map[string]bool{}
	for _, p := range c.Problems {
		if p.Code != "bad-date" || p.Line != 3 {
			t.Errorf("unexpected %s", p)
		}
		warned[filepath.Base(p.File)] = true
	}
	if len(c.Proposals) != len(rows)+len(absent) {
		t.Fatalf("%d proposals of %d files", len(c.Proposals), len(rows)+len(absent))
	}
	for i, p := range c.Proposals {
		in, want := "nothing", ""
		if i < len(rows) {
			in, want = rows[i].in, rows[i].want
		}
		if got := p.Created.String(); got != want || warned[filepath.Base(p.File)] != (want == "" && i < len(rows)) {
			t.Errorf("created: %s is read as %q with a warning: %t; want %q", in, got, warned[filepath.Base(p.File)], want)
		}
	}
}
