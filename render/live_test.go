package render

import (
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/snapshot"
)

func TestSpark(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	heads := func(heightsAndSeconds ...int) (out []api.Head) {
		for i := 0; i < len(heightsAndSeconds); i += 2 {
			out = append(out, api.Head{BlockHeight: uint64(heightsAndSeconds[i]), BlockTime: mip.NewTime(start.Add(time.Duration(heightsAndSeconds[i+1]) * time.Second))})
		}
		return out
	}
	for _, tt := range []struct {
		name       string
		heads      []api.Head
		declared   float64
		line, pace string
	}{
		{"none", nil, 0.4, "", ""},
		{"too few", heads(0, 0, 10, 4, 20, 8, 30, 12, 40, 16), 0.4, "", ""},
		{"even", heads(0, 0, 10, 4, 20, 8, 30, 12, 40, 16, 50, 20), 0.4, "M0.0 20.0L300.0 20.0", "Block time, last 1 min: 400 ms"},
		{"slower", heads(0, 0, 10, 4, 20, 8, 30, 12, 40, 16, 50, 24), 0.4, "M0.0 20.0L300.0 15.0", "Block time, last 1 min: 400 to 500 ms"},
		{"slower than declared", heads(0, 0, 10, 4, 20, 8, 30, 12, 40, 16, 50, 20), 0.2, "M0.0 0.0L300.0 0.0", "Block time, last 1 min: 400 ms"},
		{"beyond the drawing", heads(0, 0, 10, 4, 20, 8, 30, 12, 40, 16, 50, 24), 0.1, "M0.0 0.0L300.0 0.0", "Block time, last 1 min: 400 to 500 ms"},
		{"half a millisecond", heads(0, 0, 998, 499, 1996, 998, 2994, 1497, 3992, 1996, 4992, 2495), 0.5, "M0.0 20.0L300.0 20.0", "Block time, last 42 min: 500 ms"},
		{"none declared", heads(0, 0, 10, 4, 20, 8, 30, 12, 40, 16, 50, 20), 0, "M0.0 20.0L300.0 20.0", "Block time, last 1 min: 400 ms"},
		{"a file that lies", heads(9, 0, 8, 4, 7, 8, 6, 12, 5, 16, 4, 20), 0.4, "", ""},
	} {
		info := pageInfo("https://example.org")
		info.Networks = []mip.Network{{ID: "mainnet", Name: "Mainnet", ChainID: 1, BlockTime: tt.declared}}
		now, height := mip.NewTime(start), uint64(50)
		p, err := NewPages(info, nil, &snapshot.Snapshot{Networks: []snapshot.Network{{ID: "mainnet", NetworkStatus: api.NetworkStatus{
			Status: api.NetworkOK, BlockHeight: &height, FetchedAt: &now, Recent: tt.heads,
		}}}}, "")
		if err != nil {
			t.Fatal(err)
		}
		page, err := p.Dashboard(DashboardPage{})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string // under the line, then the line
		pace := ""
		for _, e := range pageElements(t, page) {
			switch {
			case e.tag == "path":
				lines = append(lines, e.attr["d"])
			case e.attr["data-f"] == "pace":
				pace = e.text
			}
		}
		if len(lines) != 2 || lines[1] != tt.line || pace != tt.pace || !strings.HasPrefix(lines[0], lines[1]) || (lines[0] == "") != (lines[1] == "") {
			t.Errorf("%s: area and line %q, %q; want %q, %q", tt.name, lines, pace, tt.line, tt.pace)
		}
	}
}
