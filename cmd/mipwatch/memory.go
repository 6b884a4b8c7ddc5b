package main

import "runtime/debug"

// The garbage collector's target in percent of what lives. Headers leave little behind: collecting as often as
// Go does by default would be a tenth of the work of a build that finds nothing changed. What is rendered
// comes and goes; a little more memory saves a part of the work there too.
const (
	headersGC = 300
	pagesGC   = 130
)

// collectRarely lets garbage grow, more so until the returned function is called. Whoever sets GOGC decides.
func collectRarely(env func(string) (string, bool)) (headersRead func()) {
	if _, set := env("GOGC"); set {
		return func() {}
	}
	debug.SetGCPercent(headersGC)
	return func() { debug.SetGCPercent(pagesGC) }
}
