package catalog_test

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

func TestProposal(t *testing.T) {
	for name, source := range map[string]*catalog.Source{"embedded": catalog.FromFS(
		samples(t).snapshot), "web": overWeb(t)} {
		x := load(t, source)
		got, err := x.Proposal(t.Context(), mip.ID{Kind: "MIP", Number: 3})
		if err != nil || got.Number != 3 || got.RawMarkdown == "" || len(got.Sections) == 0 {
			t.Errorf("%s: Proposal(3) = %+v, %v", name, got, err)
		}
		for _, n := range []int{99, 0, -1} {
			got, err := x.Proposal(t.Context(), mip.ID{Kind: "MIP", Number: n})
			e, ok := errors.AsType[*api.HTTPError](err)
			if got != nil || !ok || e.Code != api.NotFound {
				t.Errorf("%s: Proposal(%d) = %v, %v; want not_found", name, n, got, err)
			}
		}
	}
}

// TestProposalBound checks the bound by a file's size only.
func TestProposalBound(t *testing.T) {
	files := sampleFiles(t)
	files["api/v1/mips/3.json"] = &fstest.MapFile{Data: make([]byte, 16<<20+1)}
	got, err := load(t, catalog.FromFS(files)).Proposal(t.Context(), mip.ID{Kind: "MIP", Number: 3})
	if got != nil || err == nil || !strings.Contains(err.Error(), "more than the 16777216 bytes") {
		t.Errorf("Proposal of 16 MiB and a byte = %v, %v; want it refused", got, err)
	}
}

func TestProposalRefuses(t *testing.T) {
	const file = "api/v1/mips/3.json"
	good := sampleFiles(t)
	for name, c := range map[string]struct {
		change func(*mip.Proposal)
		want   string
	}{
		"another number": {func(p *mip.Proposal) {
			p.Number, p.ID.Number = 4, 4
		}, "it holds MIP-4"},
		"another text": {func(p *mip.Proposal) { p.RawMarkdown += " " }, "hash of its text"},
	} {
		files := maps.Clone(good)
		edit(t, files, file, c.change)
		got, err := load(t, catalog.FromFS(files)).Proposal(t.Context(),
			mip.ID{Kind: "MIP", Number: 3})
		e, ok := errors.AsType[*api.HTTPError](err)
		if got != nil || !ok || e.Code != api.UpstreamUnavailable ||
			!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: Proposal(3) = %v, %v; want an error with %q that names the file", name,
				got, err, c.want)
		}
	}
}
