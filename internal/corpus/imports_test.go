package corpus

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// texts is a commit: files by name, with the day of the header's field created, or "" for a header
// without one.
type texts map[string]string

// some returns texts MIP-from.md and up, with the same day in their headers.
func some(from, count int, created string) texts {
	out := texts{}
	for n := range count {
		out[fmt.Sprintf("MIP-%d.md", from+n)] = created
	}
	return out
}

// both are the texts of two commits in one.
func both(a, b texts) texts {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// TestImports makes repositories with a commit on each day from 15 November 2023, at 22:13 UTC. An
// imported text is created on the day of its header, and updated then if nothing else touched it.
func TestImports(t *testing.T) {
	const day, gone = "2021-02-03", "gone"
	alone := func(from, count int) (out []texts) {
		for n := range count {
			out = append(out, some(from+n, 1, day))
		}
		return out
	}
	const (
		imported = "2021-02-03 imported, updated 2021-02-03:"
		later    = "2023-11-15, updated 2023-11-15:"
	)
	for _, tt := range []struct {
		name    string
		commits []texts
		// moves are renames, after the commits.
		moves map[string]string
		// want are the creations: the day, whether it was imported, and the day of the text's last
		// change, each with the numbers.
		want []string
	}{
		{"one import of one text", []texts{some(1, 1, day)}, nil, []string{imported + " 1"}},
		{"one import", []texts{some(1, 3, day)}, nil, []string{imported + " 1 2 3"}},
		{"a text after it", []texts{some(1, 3, day), some(4, 1, day)}, nil,
			[]string{imported + " 1 2 3", later + " 4"}},
		{"two imports", []texts{some(1, 3, day), some(4, 5, "2022-01-02")}, nil,
			[]string{imported + " 1 2 3",
				"2022-01-02 imported, updated 2022-01-02: 4 5 6 7 8"}},
		{"five texts of six", []texts{some(1, 1, day), some(2, 5, day)}, nil,
			[]string{imported + " 1 2 3 4 5 6"}},
		{"four texts of five", []texts{some(1, 1, day), some(2, 4, day)}, nil,
			[]string{imported + " 1", later + " 2 3 4 5"}},
		{"exactly a tenth", []texts{some(7, 54, day), some(1, 6, day)}, nil,
			[]string{later + " 1 2 3 4 5 6", imported + " 7 to 60"}},
		{"a tenth and one more", []texts{some(7, 53, day), some(1, 6, day)}, nil,
			[]string{imported + " 1 to 59"}},
		{"a first commit without texts", []texts{{"README.md": ""}, some(1, 2, day)}, nil,
			[]string{imported + " 1 2"}},
		{"notes, which are no texts", []texts{some(1, 1, day),
			both(some(2, 4, day), texts{"README.md": "", "NOTES.md": ""})}, nil,
			[]string{imported + " 1", later + " 2 3 4 5"}},
		{"texts beside one that goes and may be one of them",
			[]texts{some(1, 2, day), both(some(3, 5, day), texts{"MIP-2.md": gone})}, nil,
			[]string{imported + " 1", "2021-02-03 imported: 2", later + " 3 4 5 6 7"}},
		{"a header without a day", []texts{some(1, 2, "")}, nil,
			[]string{"2023-11-14 imported, updated 2023-11-14: 1 2"}},
		{"days", []texts{{"MIP-1.md": "2023-11-14", "MIP-2.md": "2023-11-15",
			"MIP-3.md": "9999-01-01", "MIP-4.md": "1970-01-01", "MIP-5.md": "1970-01-02",
			"MIP-6.md": "0021-02-03", "MIP-7.md": "TBD"}}, nil, []string{
			"2023-11-14 imported, updated 2023-11-14: 1 2 3 4 6 7",
			"1970-01-02 imported, updated 1970-01-02: 5"}},
		{"a text that changes after it", []texts{some(1, 2, day), {"MIP-2.md": "2021-02-04"}}, nil,
			[]string{imported + " 1", "2021-02-03 imported, updated 2023-11-15: 2"}},
		{"a rename of all", alone(1, 6), map[string]string{"1": "11", "2": "12", "3": "13",
			"4": "14", "5": "15", "6": "16"}, []string{
			"2021-02-03 imported, updated 2023-11-20: 11", "2023-11-15, updated 2023-11-20: 12",
			"2023-11-16, updated 2023-11-20: 13", "2023-11-17, updated 2023-11-20: 14",
			"2023-11-18, updated 2023-11-20: 15", "2023-11-19, updated 2023-11-20: 16"}},
		{"removed texts that come back in bulk", []texts{some(1, 6, day),
			some(2, 5, gone), some(2, 5, day)}, nil, []string{imported + " 1",
			"2021-02-03 imported, updated 2023-11-16: 2 3 4 5 6",
			"2023-11-16, updated 2023-11-16: 2 3 4 5 6"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRepo(t)
			const seconds = 24 * 3600
			at := 0
			for _, files := range tt.commits {
				for name, created := range files {
					path := filepath.Join(r.dir, name)
					text := "# Words\n"
					if strings.HasPrefix(name, "MIP-") {
						text = fmt.Sprintf("---\ntitle: %s\ncreated: %s\n---\n\n%s\n", name,
							created, name)
					}
					if created == gone {
						r.git(0, "rm", "-q", name)
					} else {
						writeFile(t, path, []byte(text))
					}
				}
				r.commit(at)
				at += seconds
			}
			for from, to := range tt.moves {
				r.git(0, "mv", "MIP-"+from+".md", "MIP-"+to+".md")
			}
			if tt.moves != nil {
				r.commit(at)
			}
			c := r.load(r.dir, ".")
			updated := map[mip.ID]string{}
			for _, p := range c.Proposals {
				updated[p.ID] = ", updated " + p.Updated.Date().String()
			}
			all, _ := events(t, c)
			slices.SortStableFunc(all, func(a, b mip.Event) int { return a.MIP.Compare(b.MIP) })
			numbers, lines := map[string][]string{}, []string{}
			for _, e := range all {
				line := e.Time.Date().String()
				if e.Imported {
					line += " imported"
				}
				if line += updated[e.MIP] + ":"; e.Kind == mip.EventCreated {
					if numbers[line] == nil {
						lines = append(lines, line)
					}
					numbers[line] = append(numbers[line], fmt.Sprint(e.MIP.Number))
				}
			}
			var got []string
			for _, line := range lines {
				n := numbers[line]
				if len(n) > 10 {
					n = []string{n[0], "to", n[len(n)-1]}
				}
				got = append(got, line+" "+strings.Join(n, " "))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("creations (-want +got):\n%s", diff)
			}
		})
	}
}

// TestImportsOfClones checks that a shallow clone has the same imports after its first commit, of
// which it knows nothing, and that the merge of a branch is the time that a day must not be after.
func TestImportsOfClones(t *testing.T) {
	r := newRepo(t)
	put := func(from, to int, created string) {
		for n := from; n <= to; n++ {
			writeFile(t, filepath.Join(r.dir, fmt.Sprintf("MIP-%d.md", n)),
				fmt.Appendf(nil, "---\ntitle: T\ncreated: %s\n---\n\n%d\n", created, n))
		}
	}
	put(1, 2, "2021-02-03")
	r.commit(0)
	put(3, 7, "2021-02-03")
	r.commit(10)
	r.git(0, "switch", "-q", "-c", "side")
	put(8, 12, "2023-11-15")
	r.commit(20)
	r.git(0, "switch", "-q", "main")
	put(13, 13, "2021-02-03")
	r.commit(30)
	r.git(86400, "merge", "-q", "--no-edit", "side")
	created := func(dir string) (out []string) {
		all, _ := events(t, r.load(dir, "."))
		for _, e := range all {
			out = append(out, fmt.Sprint(e.MIP.Number, " ", e.Time, " ", e.Imported))
		}
		return out
	}
	whole := created(r.dir)
	if len(whole) != 13 || !slices.Contains(whole, "8 2023-11-15T00:00:00Z true") ||
		!slices.Contains(whole, "13 2023-11-14T22:13:50Z false") {
		t.Errorf("creations %q", whole)
	}
	for depth, want := range map[string][]string{"3": whole[7:], "4": whole[2:]} {
		clone := filepath.Join(t.TempDir(), "clone")
		r.git(0, "clone", "-q", "--depth", depth, "file://"+filepath.ToSlash(r.dir), clone)
		if diff := cmp.Diff(want, created(clone)); diff != "" {
			t.Errorf("depth %s: creations (-want +got):\n%s", depth, diff)
		}
	}
}
