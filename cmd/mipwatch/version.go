package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Long:    "Print the version of this program, the commit that it was built from and the Go version.",
		Example: "  mipwatch version",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(p.stdout, version())
			return nil
		},
	}
}

// version is read from what the Go command records in every binary.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "mipwatch (unknown version)"
	}
	const shortCommit = 12 // characters
	commit, dirty := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), shortCommit)]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	return fmt.Sprintf("mipwatch %s (commit %s%s, %s)", info.Main.Version, commit, dirty, info.GoVersion)
}
