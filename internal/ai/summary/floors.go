package summary

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// floor is the least that a summary may say about one group.
type floor struct {
	severity api.Severity // empty: no floor
	action   bool         // they have to do something, whatever the text says
}

// floorRow is one row of the table: when all of its conditions hold, its floors do.
type floorRow struct {
	name   string
	holds  func(s Subject, k kind) bool
	floors [4]floor // by axis
}

// floorTable is the one place where a severity is decided that neither the text nor a model may play
// down. Every row that holds is applied, and the highest floor of an axis counts. A proposal that is
// withdrawn or stagnant has no floors unless a fork bundles it: nothing of it comes.
//
//	row            developers  users   validators         foundation
//	core           medium      low     medium             low
//	core, decided  medium      low     high               low
//	networking     low         low     medium             low
//	interface      medium      low     low                low
//	convention     medium      low     low                low
//	process        low         low     low                medium
//	hard fork      medium      low     high               medium
//	bundled        low         low     high               medium
//	fork to come   low         low     high, has to act   medium, has to act
//
// Decided means Last Call or Final. A fork is to come as long as a network is left that has not
// switched: a node that is not updated by then leaves the chain, and somebody has to prepare the date.
func floorTable() []floorRow {
	low, medium, high := floor{severity: api.Low}, floor{severity: api.Medium}, floor{severity: api.High}
	is := func(want kind) func(Subject, kind) bool { return func(_ Subject, k kind) bool { return k == want } }
	return []floorRow{
		{"core", is(core), [4]floor{medium, low, medium, low}},
		{"core, decided", func(s Subject, k kind) bool { return k == core && decided(s.Proposal) }, [4]floor{medium, low, high, low}},
		{"networking", is(networking), [4]floor{low, low, medium, low}},
		{"interface", is(interfaces), [4]floor{medium, low, low, low}},
		{"convention", is(convention), [4]floor{medium, low, low, low}},
		{"process", is(process), [4]floor{low, low, low, medium}},
		{"hard fork", is(hardfork), [4]floor{medium, low, high, medium}},
		{"bundled", func(s Subject, _ kind) bool { return s.Fork != nil }, [4]floor{low, low, high, medium}},
		{"fork to come", func(s Subject, _ kind) bool { return toCome(s.Fork) }, [4]floor{low, low, {api.High, true}, {api.Medium, true}}},
	}
}

// decided reports whether a proposal is about to come or has come.
func decided(p *mip.Proposal) bool { return p.Status == mip.LastCall || p.Status == mip.Final }

// toCome reports whether a network is left that has not switched. The fork's own status says so, which
// the caller has from the network's time.
func toCome(f *mip.HardFork) bool { return f != nil && f.Status != "active" }

// floorsOf returns the floors of every axis: of all rows that hold, the highest of each.
func floorsOf(s Subject) [4]floor {
	var out [4]floor
	if abandoned(s) {
		return out
	}
	k := kindOf(s)
	for _, row := range floorTable() {
		if !row.holds(s, k) {
			continue
		}
		for a, f := range row.floors {
			if rank(f.severity) > rank(out[a].severity) {
				out[a].severity = f.severity
			}
			out[a].action = out[a].action || f.action
		}
	}
	return out
}

// raise lifts every axis to its floor. What is above it stays.
func raise(sum *api.Summary, s Subject) {
	for a, f := range floorsOf(s) {
		x := axes(sum)[a]
		if rank(x.Severity) < rank(f.severity) {
			x.Severity = f.severity
		}
		x.ActionRequired = x.ActionRequired || f.action
	}
}

// rank orders severities, mildest first; 0 is none.
func rank(s api.Severity) int {
	return 1 + slices.Index([]api.Severity{api.Low, api.Medium, api.High}, s)
}

// axes returns the axes of a summary in the order of their constants.
func axes(sum *api.Summary) [4]*api.Axis {
	return [...]*api.Axis{developers: &sum.Developers, users: &sum.Users, validators: &sum.Validators, foundation: &sum.Foundation}
}
