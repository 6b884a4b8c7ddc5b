package summary

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// TestFloors compares the floors of kinds, statuses and forks with the golden table.
func TestFloors(t *testing.T) {
	const name = "testdata/floors.txt"
	forks := []struct {
		name string
		fork *mip.HardFork
	}{
		{"no fork", nil},
		{"scheduled", &mip.HardFork{Name: "F", Status: "scheduled"}},
		{"active", &mip.HardFork{Name: "F", Status: "active"}},
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "type\tcategory\tstatus\tfork\tdevelopers\tusers\tvalidators\tfoundation")
	for _, k := range [][2]string{{"Standards Track", "Core"}, {"Standards Track", "Networking"}, {"Standards Track", "Interface"}, {"Standards Track", "MRC"},
		{"Meta", "Process"}, {"Meta", "Hardfork"}, {"Informational", "-"}, {"-", "-"}} {
		for _, status := range []mip.Status{mip.Draft, mip.LastCall, mip.Final, mip.Stagnant, mip.Withdrawn} {
			for _, f := range forks {
				p := &mip.Proposal{Summary: mip.Summary{Number: 1, Status: status, Type: &k[0], Category: &k[1]}}
				var cells []string
				for _, f := range floorsOf(Subject{Proposal: p, Fork: f.fork}) {
					cell := string(f.severity)
					if cell == "" {
						cell = "-"
					}
					if f.action {
						cell += ", act"
					}
					cells = append(cells, cell)
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", k[0], k[1], status, f.name, strings.Join(cells, "\t"))
			}
		}
	}
	w.Flush()
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("floors (-want +got):\n%s", diff)
	}
}

// TestToCome says for which states of a fork somebody still has to act.
func TestToCome(t *testing.T) {
	for status, want := range map[string]bool{"planned": true, "scheduled": true, "active on testnet": true, "active": false} {
		if got := (Subject{Fork: &mip.HardFork{Status: status}}).toCome(); got != want {
			t.Errorf("toCome(%s) = %t, want %t", status, got, want)
		}
	}
	if (Subject{}).toCome() {
		t.Error("without a fork toCome = true")
	}
	// What a build knows of a fork's status is older than the summary.
	fork := &mip.HardFork{Status: "scheduled", Activation: map[string]mip.Activation{"a": switches(noon.Unix() - 9), "b": switches(noon.Unix())}}
	for later, want := range map[time.Duration]bool{-9 * time.Second: true, -time.Second: true, 0: false, time.Hour: false} {
		if got := (Subject{Fork: fork, Now: noon.Add(later)}).toCome(); got != want {
			t.Errorf("toCome %s after the last activation = %t, want %t", later, got, want)
		}
	}
	if fork.Activation["c"] = (mip.Activation{}); !(Subject{Fork: fork, Now: noon}).toCome() {
		t.Error("a network without a time has switched")
	}
}

// TestRaise shows that floors lift and never lower.
func TestRaise(t *testing.T) {
	s := Subject{Proposal: lamp(), Fork: new(argand())}
	sum := api.Summary{
		Developers: api.Axis{Severity: api.High, ActionRequired: true},
		Users:      api.Axis{Severity: api.Medium},
		Validators: api.Axis{Severity: api.Low},
	}
	raise(&sum, s)
	want := [4]floor{{api.High, true}, {api.Medium, false}, {api.High, true}, {api.Medium, true}}
	for a, x := range axes(&sum) {
		if got := (floor{x.Severity, x.ActionRequired}); got != want[a] {
			t.Errorf("raise: %s is %+v, want %+v", axis(a), got, want[a])
		}
	}
}
