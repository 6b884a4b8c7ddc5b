package main

import "runtime/debug"

// headersGC is the garbage collector's target while headers are read. They leave little behind that
// lives: collecting as often as Go does by default would be a tenth of the work of a build that finds
// nothing changed.
const headersGC = 300

// collectRarely lets garbage grow until the returned function is called. Whoever sets GOGC decides.
func collectRarely(env func(string) (string, bool)) (asUsual func()) {
	if _, set := env("GOGC"); set {
		return func() {}
	}
	before := debug.SetGCPercent(headersGC)
	return func() { debug.SetGCPercent(before) }
}
