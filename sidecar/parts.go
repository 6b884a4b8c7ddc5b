package sidecar

import (
	"net/url"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
)

// parts is a choice of the members of [api.MIPWatch]: a bit for each name of [api.WatchParts], in that
// order. So any order of names is one choice, and one kept answer.
type parts uint8

const (
	partMIPs parts = 1 << iota
	partForum
	partNetworks
	partHardForks
	partDiscrepancies

	allParts = partMIPs | partForum | partNetworks | partHardForks | partDiscrepancies

	// onHeads are the parts that the chains' heads are needed for: forks are judged by their time.
	onHeads = partNetworks | partHardForks | partDiscrepancies
	// onForum are those that the forum is needed for: it knows the topics of links without a number.
	onForum = partMIPs | partForum
)

// has reports whether one of some parts is chosen.
func (p parts) has(some parts) bool { return p&some != 0 }

// partsOf reads the one parameter, which may be missing. Others are ignored. A value that cannot be read is
// refused, as whoever wrote it wants less than everything.
func partsOf(query string) (parts, error) {
	chosen := parts(0)
	given := false
	for field := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(field, "=")
		if key, err := url.QueryUnescape(key); err != nil || key != "parts" {
			continue
		}
		if given {
			return 0, wrongParts("is there more than once")
		}
		given = true
		names, err := url.QueryUnescape(value)
		if err != nil {
			return 0, wrongParts("is not escaped as an address has it")
		}
		for name := range strings.SplitSeq(names, ",") {
			at := slices.Index(api.WatchParts(), name)
			switch {
			case name == "":
				return 0, wrongParts("holds an empty name")
			case at < 0:
				return 0, wrongParts("holds a name that is not known")
			case chosen.has(1 << at):
				return 0, wrongParts("names " + name + " more than once")
			}
			chosen |= 1 << at
		}
	}
	if !given {
		return allParts, nil
	}
	return chosen, nil
}

func wrongParts(why string) error {
	return badRequest("parts %s; want it once, with one or more of %s, each once, separated by commas.", why, strings.Join(api.WatchParts(), ", "))
}
