package main

import "runtime/debug"

// The garbage collector's target in percent of what lives. Headers leave little behind: collecting as often as
// Go does by default would be a tenth of the work of a build that finds nothing changed. What is rendered
// comes and goes; a little more memory saves a part of the work there too, but not where there are so many
// proposals that memory is what a machine runs short of.
const (
	headersGC   = 300
	pagesGC     = 130
	manyPagesGC = 100
	many        = 3000 // proposals
)

// collectRarely lets garbage grow, more so until the returned function is called with the number of
// proposals. Whoever sets GOGC decides.
func collectRarely(env func(string) (string, bool)) (headersRead func(proposals int)) {
	if _, set := env("GOGC"); set {
		return func(int) {}
	}
	debug.SetGCPercent(headersGC)
	return func(proposals int) {
		if proposals > many {
			debug.SetGCPercent(manyPagesGC)
			return
		}
		debug.SetGCPercent(pagesGC)
	}
}
