// Package release is which build of the program runs: its version, the commit that it was built from, and
// the Go version. It does not know what the program does, nor the commit of any site.
package release

import (
	"cmp"
	"runtime/debug"
)

// Set by the linker, for a build that has no git checkout, such as one in a container:
//
//	go build -ldflags "-X github.com/mipwatch/mipwatch/internal/release.version=v1.2.3 -X github.com/mipwatch/mipwatch/internal/release.commit=COMMIT"
//
// Each goes before what the Go command records; empty: what that says. It records nothing in a linked worktree.
var version, commit string

// unknown stands for a member that nothing recorded.
const unknown = "unknown"

// Build is one build of the program. No member is empty.
type Build struct {
	Version string // a release, or what the Go command makes of the commit; (devel) where there is neither
	Commit  string // in full, followed by +changes if the checkout had some; unknown without a checkout
	Go      string // such as go1.26.0
}

// Current is the build that runs.
func Current() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	revision, changes := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	if revision != "" {
		revision += changes
	}
	return Build{
		Version: cmp.Or(version, info.Main.Version, "(devel)"),
		Commit:  cmp.Or(commit, revision, unknown),
		Go:      cmp.Or(info.GoVersion, unknown),
	}
}

// String is the build as --version tells it: v1.2.3 (commit 40 digits, go1.26.0).
func (b Build) String() string { return b.Version + " (commit " + b.Commit + ", " + b.Go + ")" }
