package index_test

import (
	"errors"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/index"
)

func TestProposal(t *testing.T) {
	files := sampleFiles(t)
	p, _ := sample(t)
	for name, source := range map[string]*index.Source{
		"embedded": index.FromFS(files),
		"web":      open(t, "https://mips.example.org", client(published(t, p))),
	} {
		got, err := source.Proposal(t.Context(), mip.ID{Kind: "MIP", Number: 3})
		if err != nil || got.Number != 3 || got.RawMarkdown == "" || len(got.Sections) == 0 {
			t.Errorf("%s: Proposal(3) = %+v, %v", name, got, err)
		}
		for _, n := range []int{99, 0, -1} {
			if got, err := source.Proposal(t.Context(), mip.ID{Kind: "MIP", Number: n}); got != nil || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: Proposal(%d) = %v, %v; want fs.ErrNotExist", name, n, got, err)
			}
		}
	}
}

// TestProposalBound looks at a file's size only.
func TestProposalBound(t *testing.T) {
	files := fstest.MapFS{"api/v1/mips/3.json": {Data: make([]byte, 16<<20+1)}}
	if got, err := index.FromFS(files).Proposal(t.Context(), mip.ID{Kind: "MIP", Number: 3}); got != nil || err == nil || !strings.Contains(err.Error(), "16777217 bytes are more") {
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
		"another number": {func(p *mip.Proposal) { p.Number, p.ID.Number = 4, 4 }, "it holds MIP-4"},
		"another text":   {func(p *mip.Proposal) { p.RawMarkdown += " " }, "hash of its text"},
		"no sections":    {func(p *mip.Proposal) { p.Sections = nil }, "it holds MIP-3"},
	} {
		files := maps.Clone(good)
		edit(t, files, file, c.change)
		got, err := index.FromFS(files).Proposal(t.Context(), mip.ID{Kind: "MIP", Number: 3})
		if got != nil || err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: Proposal(3) = %v, %v; want an error with %q that names the file", name, got, err, c.want)
		}
	}
}
