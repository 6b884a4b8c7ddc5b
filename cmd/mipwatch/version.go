package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/internal/release"
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

// version is the line that --version prints.
func version() string { return "mipwatch " + release.Current().String() }
