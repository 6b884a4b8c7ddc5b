package render

import (
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
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
		line, pace string
	}{
		{"none", nil, "", ""},
		{"too few", heads(0, 0, 10, 4, 20, 8, 30, 12, 40, 16), "", ""},
		{"even", heads(0, 0, 10, 4, 20, 8, 30, 12, 40, 16, 50, 20), "M0.0 20.0L300.0 20.0", "Block time, last 1 min: 400 ms"},
		{"slower", heads(0, 0, 10, 4, 20, 8, 30, 12, 40, 16, 50, 24), "M0.0 36.0L300.0 4.0", "Block time, last 1 min: 400 to 500 ms"},
		{"a file that lies", heads(9, 0, 8, 4, 7, 8, 6, 12, 5, 16, 4, 20), "", ""},
	} {
		s := sparkOf(tt.heads)
		if s.Line != tt.line || s.Pace != tt.pace || !strings.HasPrefix(s.Area, s.Line) || (s.Area == "") != (s.Line == "") {
			t.Errorf("%s: line %q, area %q, %q; want %q, %q", tt.name, s.Line, s.Area, s.Pace, tt.line, tt.pace)
		}
	}
}
