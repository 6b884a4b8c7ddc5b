package main

import (
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// future says on the terminal that the newest commit is dated later than this machine's clock. It is no problem among
// those that are published: the same input must give the same bytes at any time.
func (p *progress) future(commit string, committed *mip.Time) {
	if committed != nil && committed.UTC().After(time.Now()) {
		p.say("commit %.*s is dated %s, later than this machine's clock; what it changed stands first until then", shortCommit, commit, committed)
	}
}
