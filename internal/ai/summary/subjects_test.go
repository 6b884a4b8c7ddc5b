package summary

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// noon is the time of every summary in the tests.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// proposals loads a folder, ascending by number.
func proposals(t testing.TB, folder, prefix string) []*mip.Proposal {
	t.Helper()
	var o corpus.Options
	o.Prefix, o.Sources = prefix, []filename.Source{{Folder: folder}}
	c, err := corpus.Load(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var out []*mip.Proposal
	for _, p := range c.Proposals {
		doc := markdown.Parse(p.Body)
		out = append(out, &mip.Proposal{Metadata: p.Metadata, RawMarkdown: p.Raw,
			Sections: doc.Sections})
	}
	return out
}

// archived loads the proposals of a txtar archive by number.
func archived(t testing.TB, path string) map[int]*mip.Proposal {
	t.Helper()
	dir := t.TempDir()
	for _, f := range testenv.Archives(t, path)[path].Files {
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
	return out
}

// forked returns a subject with its fork, if any.
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

// switches returns an activation at a time, unset for 0.
func switches(unix int64) mip.Activation {
	if unix == 0 {
		return mip.Activation{}
	}
	return mip.Activation{Timestamp: &unix, Time: new(mip.NewTime(time.Unix(unix, 0)))}
}

func beacon() mip.HardFork {
	return mip.HardFork{Name: "BEACON", Status: "active", MetaMIP: new(8), BundledMIPs: []int{3, 4,
		7},
		Activation: map[string]mip.Activation{"mainnet": switches(1778598000),
			"testnet": switches(1776178800)}}
}

func argand() mip.HardFork {
	return mip.HardFork{Name: "ARGAND", Status: "scheduled", MetaMIP: new(15),
		BundledMIPs: []int{12, 14},
		Activation: map[string]mip.Activation{"mainnet": switches(0),
			"testnet": switches(1800370800)}}
}

// lamp returns a small proposal with everything that a summary needs.
func lamp() *mip.Proposal {
	return &mip.Proposal{
		Metadata: mip.Metadata{Number: 6, ID: mip.ID{Kind: "MIP", Number: 6},
			Title: "Brighter lamps", Standing: mip.Draft.Usual(), Type: new("Standards Track"),
			Category:    new("Core"),
			ContentHash: strings.Repeat("ab", 32), Frontmatter: mip.Frontmatter{}},
		Sections: []mip.Section{
			{ID: "s-abstract", Level: 2, Title: "Abstract",
				Markdown: "## Abstract\n\nEvery lamp burns *twice* as\nbright. Contracts that " +
					"count\n  candles MUST be adapted.\n\n"},
			{ID: "s-security", Level: 2, Title: "Security",
				Markdown: "Security\n--------\n\nUsers can be dazzled by `lamp()`.\n"},
		},
	}
}

// made returns a model's summary of lamp.
func made() api.Summary {
	quote := func(section, text string) []api.Evidence {
		return []api.Evidence{{Section: section,
			Quote: text}}
	}
	sum := api.Summary{
		MIPNumber: 6, TLDR: "Lamps get brighter.",
		WhatsChanging: []string{"Lamps burn twice as bright.", "Contracts have to adapt.",
			"Users may be dazzled."},
		Developers: api.Axis{Impact: "Adapt what counts candles.", Severity: api.High,
			ActionRequired: true, Evidence: quote("s-abstract",
				"Contracts that count candles MUST be adapted.")},
		Users: api.Axis{Impact: "Light can dazzle.", Severity: api.Low,
			Evidence: quote("s-security", "Users can be dazzled by `lamp()`.")},
		Validators: api.Axis{Impact: "Must pay a tax.", Severity: api.High, ActionRequired: true,
			Evidence: quote("s-abstract", "Validators must pay a tax.")},
		Foundation: api.Axis{Impact: "The text says nothing about the foundation.",
			Severity: api.Low, Evidence: []api.Evidence{}},
		Locale: "en", Source: "canned-1", GeneratedAt: mip.NewTime(noon),
		ContentHash: strings.Repeat("ab", 32),
	}
	if err := Accept(&sum, Subject{Proposal: lamp(), Now: noon}); err != nil {
		panic(err)
	}
	return sum
}
