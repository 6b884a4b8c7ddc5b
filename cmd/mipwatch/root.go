package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/internal/release"
)

func newRoot(p *program) *cobra.Command {
	root := &cobra.Command{
		Use:   "mipwatch",
		Short: "Publish improvement proposals for people, programs and AI agents",
		Long: `mipwatch turns folders of improvement proposals (Markdown files with a header)
into a static site: pages, a JSON API, feeds, and texts for AI agents.
` + exitHelp,
		Example: `  mipwatch build
  mipwatch check --strict
  mipwatch serve
  mipwatch sync`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(*cobra.Command, []string) error { return errors.New("a command is required") },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetHelpCommand(newHelp())
	root.AddCommand(newBuild(p), newCheck(p), newServe(p), newSync(p), newLive(p), newVersion(p))
	return root
}

// newHelp is cobra's help command, but for an unknown topic: that is wrong usage here.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show the help of a command",
		Long:    "Show the help of a command, which is what its flag --help shows.",
		Example: "  mipwatch help build",
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("no help for %q", strings.Join(args, " "))
			}
			topic.InitDefaultHelpFlag()
			topic.InitDefaultVersionFlag()
			return topic.Help()
		},
	}
}

// noArguments refuses arguments beside the flags.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q", args[0])
	}
	return nil
}

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
