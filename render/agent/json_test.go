package agent

import (
	"math"
	"testing"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

func TestJSON(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   any
		want string
	}{
		{"no HTML escapes", map[string]string{"a": "<b>&</b>"}, `{"a":"<b>&</b>"}` + "\n"},
		{"other scripts as they are", "é 👩‍👧 𝕄", "\"é 👩‍👧 𝕄\"\n"},
		{"order of fields", mip.Section{ID: "s-a", Level: 2, Title: "A", Markdown: "## A\n"},
			`{"id":"s-a","level":2,"title":"A","markdown":"## A\n"}` + "\n"},
		{"zero status and date", struct {
			S mip.Status `json:"s"`
			D mip.Date   `json:"d"`
		}{}, `{"s":null,"d":null}` + "\n"},
		{"order of an object", Ordered[any]{{"z", 1}, {"a", Ordered[any]{}}, {"<", []string{"&"}}},
			`{"z":1,"a":{},"<":["&"]}` + "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := api.JSON(tt.in)
			if err != nil || string(got) != tt.want {
				t.Errorf("JSON(%#v) = %q, %v; want %q", tt.in, got, err, tt.want)
			}
		})
	}
}

func TestJSONError(t *testing.T) {
	if got, err := api.JSON(math.NaN()); err == nil {
		t.Errorf("JSON(NaN) = %q, want an error", got)
	}
	if got, err := api.JSON(Ordered[any]{{"a", func() {}}}); err == nil {
		t.Errorf("JSON(object with a function) = %q, want an error", got)
	}
}

func BenchmarkJSON(b *testing.B) {
	p := rendertest.SampleProposal()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := api.JSON(p); err != nil {
			b.Fatal(err)
		}
	}
}
