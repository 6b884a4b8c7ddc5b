package upgrade_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/internal/upgrade"
	"github.com/mipwatch/mipwatch/render/plain"
)

const path = "testdata/forms.txtar"

// reader returns the reader of the archive.
func reader() *upgrade.Reader {
	return upgrade.NewReader([]string{"EIP", "ERC"}, map[string][]string{
		"scheduled": {"Networking EIPs"}, "considered": {"in der Prüfung", "Accepted"}},
		[]mip.Network{{ID: "amoy", Name: "Amoy"}})
}

// TestForms reads each NAME.md of the archive, whose first line is the title and the type, Meta if
// there is none, and compares what it states with NAME.
func TestForms(t *testing.T) {
	r := reader()
	for _, f := range testenv.Archives(t, path)[path].Files {
		name, ok := strings.CutSuffix(f.Name, ".md")
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			title, body, _ := strings.Cut(string(f.Data), "\n")
			title, kind, _ := strings.Cut(title, " | ")
			m := mip.Metadata{ID: mip.ID{Kind: "EIP", Number: 9999}, Title: title,
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

// FuzzRead checks that a text has each proposal at one known stage, or at none, and that all lines
// are in the text.
func FuzzRead(f *testing.F) {
	for _, form := range testenv.Archives(f, path)[path].Files {
		f.Add("Hardfork Meta: A to B", string(form.Data))
	}
	r := reader()
	f.Fuzz(func(t *testing.T, title, body string) {
		trial, refused := markdown.Check(body)
		if trial != (markdown.Trial{}) || refused != nil || strings.Contains(body, "\r") {
			t.Skip("not published as it is")
		}
		meta, lines := mip.ID{Kind: "EIP", Number: 9999}, strings.Count(body, "\n")+1
		for _, kind := range []string{"Meta", "Core"} {
			read := r.Read(upgrade.Source{
				Metadata: mip.Metadata{ID: meta, Title: title, Type: &kind},
				Doc:      markdown.Parse(body),
			})
			for _, u := range read.Upgrades {
				known := map[mip.ID]bool{meta: true}
				for _, p := range u.Proposals {
					if known[p.ID] || !slices.Contains(mip.Inclusions(), p.Stage) ||
						p.Line < 1 || p.Line > lines {
						t.Errorf("%s: %+v", kind, p)
					}
					known[p.ID] = true
				}
				for _, id := range u.Unread {
					if known[id] {
						t.Errorf("%s: %s has a stage and none", kind, id)
					}
				}
				for _, a := range u.Schedule {
					if a.Network == "" || a.Line < 1 || a.Line > lines {
						t.Errorf("%s: %+v", kind, a)
					}
				}
			}
			for _, p := range read.Problems {
				if p.Line < 0 || p.Line > lines {
					t.Errorf("%s: %s", kind, p)
				}
			}
		}
	})
}
