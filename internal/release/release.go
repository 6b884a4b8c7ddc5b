// Package release identifies the running build: its version, the commit that it was built from, and
// the Go version. It does not know what the program does, nor the commit of any site.
package release

import (
	"cmp"
	"runtime/debug"
)

// Set by the linker, for a build without a git checkout, such as in a container:
//
//	go build -ldflags "-X github.com/mipwatch/mipwatch/internal/release.version=v1.2.3 -X
//	github.com/mipwatch/mipwatch/internal/release.commit=COMMIT"
//
// Each overrides the value that the go command records, unless it is empty. The go command records
// nothing in a linked worktree.
var version, commit string

// unknown is the value of a member that nothing recorded.
const unknown = "unknown"

// Build is one build of the program. No member is empty.
type Build struct {
	// a release, or the go command's pseudo-version of the commit; (devel) without either
	Version string
	// in full, followed by +changes if the checkout was modified; unknown without a checkout
	Commit string
	Go     string // such as go1.26.0
}

// Current is the running build.
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

// String is the build in the form of --version: v1.2.3 (commit 40 digits, go1.26.0).
func (b Build) String() string { return b.Version + " (commit " + b.Commit + ", " + b.Go + ")" }
