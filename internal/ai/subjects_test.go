package ai

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// noon is when every summary of a test is made.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// canned is a model that gives one answer and keeps what it was asked.
type canned struct {
	text  string
	err   error
	asked []Prompt
}

func (c *canned) Ask(_ context.Context, p Prompt) (Reply, error) {
	c.asked = append(c.asked, p)
	return Reply{Text: c.text, Model: "canned-1"}, c.err
}

// proposals loads a folder, ascending by number.
func proposals(t testing.TB, folder, prefix string) []*mip.Proposal {
	t.Helper()
	c, err := corpus.Load(t.Context(), corpus.Options{Prefix: prefix, Folders: []string{folder}})
	if err != nil {
		t.Fatal(err)
	}
	var out []*mip.Proposal
	for _, p := range c.Proposals {
		doc := c.Read(p)
		out = append(out, &mip.Proposal{Summary: p.Summary, RawMarkdown: p.Raw, Sections: doc.Sections})
	}
	return out
}

// archive loads the proposals of a txtar archive by number, and returns its other files by name.
func archive(t testing.TB, name string) (map[int]*mip.Proposal, *txtar.Archive) {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range a.Files {
		if filepath.Ext(f.Name) == ".md" {
			if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	out := map[int]*mip.Proposal{}
	for _, p := range proposals(t, dir, "MIP") {
		out[p.Number] = p
	}
	return out, a
}

// forked returns a subject with the fork that it has to do with, if any.
func forked(p *mip.Proposal, all map[int]*mip.Proposal, forks ...mip.HardFork) Subject {
	s := Subject{Proposal: p, Now: noon}
	for _, f := range forks {
		meta := f.MetaMIP != nil && *f.MetaMIP == p.Number
		if !meta && !slices.Contains(f.BundledMIPs, p.Number) {
			continue
		}
		s.Fork = &f
		for _, n := range f.BundledMIPs {
			if b := all[n]; meta && b != nil {
				s.Bundled = append(s.Bundled, b)
			}
		}
	}
	return s
}

func byNumber(in []*mip.Proposal) map[int]*mip.Proposal {
	out := map[int]*mip.Proposal{}
	for _, p := range in {
		out[p.Number] = p
	}
	return out
}

// switches is an activation at a time; 0 means none is set.
func switches(unix int64) mip.Activation {
	if unix == 0 {
		return mip.Activation{}
	}
	return mip.Activation{Timestamp: &unix, Time: new(mip.NewTime(time.Unix(unix, 0)))}
}

func beacon() mip.HardFork {
	return mip.HardFork{Name: "BEACON", Status: "active", MetaMIP: new(8), BundledMIPs: []int{3, 4, 7},
		Activation: map[string]mip.Activation{"mainnet": switches(1778598000), "testnet": switches(1776178800)}}
}

func argand() mip.HardFork {
	return mip.HardFork{Name: "ARGAND", Status: "scheduled", MetaMIP: new(15), BundledMIPs: []int{12, 14},
		Activation: map[string]mip.Activation{"mainnet": switches(0), "testnet": switches(1800370800)}}
}

func monadNine() mip.HardFork {
	return mip.HardFork{Name: "MONAD_NINE", Status: "active", MetaMIP: new(6), BundledMIPs: []int{3, 4, 5},
		Activation: map[string]mip.Activation{"mainnet": switches(1773930600), "testnet": switches(1773153000)}}
}
