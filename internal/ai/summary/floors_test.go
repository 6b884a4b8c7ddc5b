package summary

import (
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// TestFloors compares the severities of proposals without a text, by kind, status and fork, with
// the golden table.
func TestFloors(t *testing.T) {
	forks := []struct {
		name string
		fork *mip.HardFork
	}{
		{"no fork", nil},
		{"a fork", &mip.HardFork{Name: "F"}},
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "type\tcategory\tstatus\tfork\tdevelopers\tusers\tvalidators\tfoundation")
	for _, k := range [][2]string{{"Standards Track", "Core"}, {"Standards Track", "Networking"},
		{"Standards Track", "Interface"}, {"Standards Track", "MRC"},
		{"Meta", "Process"}, {"Meta", "Hardfork"}, {"Informational", "-"}, {"-", "-"}} {
		for _, status := range []mip.Status{mip.Draft, mip.LastCall, mip.Final, mip.Stagnant,
			mip.Withdrawn} {
			for _, f := range forks {
				p := &mip.Proposal{Metadata: mip.Metadata{Number: 1, Standing: status.Usual(),
					Type: &k[0], Category: &k[1]}}
				sum := Extract(Subject{Proposal: p, Fork: f.fork})
				var cells []string
				for _, x := range axes(&sum) {
					cells = append(cells, string(x.Severity))
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", k[0], k[1], status, f.name,
					strings.Join(cells, "\t"))
			}
		}
	}
	w.Flush()
	testenv.Golden(t, "testdata/floors.txtar", "want", []byte(b.String()))
}
