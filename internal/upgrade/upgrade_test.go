package upgrade_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/internal/upgrade"
	"github.com/mipwatch/mipwatch/render/plain"
)

// TestForms reads each NAME.md of the archive, whose first line is the title and the type, Meta if
// there is none, and compares what it states with NAME.
func TestForms(t *testing.T) {
	const path = "testdata/forms.txtar"
	r := upgrade.NewReader([]string{"EIP", "ERC"}, map[string][]string{
		"scheduled": {"Networking EIPs"}, "considered": {"in der Prüfung", "Accepted"}},
		[]mip.Network{{ID: "amoy", Name: "Amoy"}})
	for _, f := range testenv.Archives(t, path)[path].Files {
		name, ok := strings.CutSuffix(f.Name, ".md")
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			title, body, _ := strings.Cut(string(f.Data), "\n")
			title, kind, _ := strings.Cut(title, " | ")
			m := mip.Metadata{ID: mip.ID{Kind: "EIP", Number: 1}, Title: title,
				Type: new(cmp.Or(kind, "Meta"))}
			var read upgrade.Text
			if upgrade.Candidate(m, body) {
				read = r.Read(upgrade.Source{
					Metadata: m, File: name + ".md", Head: 1, Doc: markdown.Parse(body),
				})
			}
			var b strings.Builder
			for _, u := range read.Upgrades {
				fmt.Fprintln(&b, u.Name)
				for _, p := range u.Proposals {
					fmt.Fprintf(&b, "  %-10s %s line %d\n", p.Stage, p.ID, p.Line)
				}
				for _, a := range u.Schedule {
					fmt.Fprintf(&b, "  %s:", a.Network)
					for _, of := range []struct {
						name string
						n    *int64
					}{{"block", a.Block}, {"epoch", a.Epoch}, {"unix", a.Timestamp}} {
						if of.n != nil {
							fmt.Fprintf(&b, " %s %d", of.name, *of.n)
						}
					}
					if a.Time != nil {
						fmt.Fprintf(&b, " %s", a.Time)
					}
					fmt.Fprintf(&b, " %q line %d\n", a.Text, a.Line)
				}
				for _, r := range u.Releases {
					fmt.Fprintf(&b, "  run %s\n", plain.Release(r))
				}
			}
			for _, p := range read.Problems {
				fmt.Fprintln(&b, p)
			}
			testenv.Golden(t, path, name, []byte(b.String()))
		})
	}
}
