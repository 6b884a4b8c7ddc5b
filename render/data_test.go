package render

import (
	"bytes"
	"testing"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

func TestListIsJSON(t *testing.T) {
	now := mip.NewTime(rendertest.SampleSummaries()[0].Updated.UTC())
	for _, l := range []mip.List{
		{MIPs: []mip.Summary{}},
		{Count: 1, UpdatedAt: &now, MIPs: rendertest.SampleSummaries()[:1]},
		{Count: len(rendertest.SampleSummaries()), UpdatedAt: &now, MIPs: rendertest.SampleSummaries()},
	} {
		want, err := api.JSON(l)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := List(&got, l); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("List of %d: %v\ngot  %s\nwant %s", l.Count, err, &got, want)
		}
	}
}
