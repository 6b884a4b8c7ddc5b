package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/internal/release"
)

// help holds a file for each command: its description and, after a line "Examples:", examples.
//
//go:embed help/*.txt
var help embed.FS

// newCommand returns a command without arguments, with its help. The first word of use is its name.
func newCommand(use, short string, run func(context.Context, []string) error) *cobra.Command {
	name, _, _ := strings.Cut(use, " ")
	text, err := help.ReadFile("help/" + name + ".txt")
	must(err)
	// The file has one blank line before the examples, cobra prints its own heading.
	long, examples, _ := strings.Cut(string(text), "\n\nExamples:\n")
	return &cobra.Command{
		Use: use, Short: short, Long: long, Example: strings.TrimSuffix(examples, "\n"),
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) },
		Args: func(_ *cobra.Command, args []string) error {
			// cobra's own message would name the command twice.
			if len(args) > 0 {
				return fmt.Errorf("unexpected argument %q", args[0])
			}
			return nil
		},
	}
}

// must is for what fails only by a mistake in this package, such as a flag that is there twice.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// newRoot returns the program with all its commands. Errors are printed by report, not by cobra.
func newRoot(p *program) *cobra.Command {
	root := newCommand("mipwatch", "Publish improvement proposals for people, programs and AI agents",
		func(context.Context, []string) error { return errors.New("a command is required") })
	root.Args = nil // cobra knows the commands
	root.Version = version()
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetHelpCommand(newHelp())
	root.AddCommand(newBuild(p), newCheck(p), newServe(p), newSync(p), newLive(p), newVersion(p))
	return root
}

// newHelp is cobra's help command, but for an unknown topic: that is wrong usage here.
func newHelp() *cobra.Command {
	cmd := newCommand("help [COMMAND]", "Show the help of a command", nil)
	cmd.Args = nil
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		topic, rest, err := cmd.Root().Find(args)
		if err != nil || len(rest) > 0 {
			return fmt.Errorf("no help for %q", strings.Join(args, " "))
		}
		// cobra adds these flags when a command runs, and this one does not.
		topic.InitDefaultHelpFlag()
		topic.InitDefaultVersionFlag()
		return topic.Help()
	}
	return cmd
}

// newVersion returns the command mipwatch version.
func newVersion(p *program) *cobra.Command {
	return newCommand("version", "Print the version of this program", func(context.Context, []string) error {
		fmt.Fprintln(p.stdout, version())
		return nil
	})
}

// version is the line that --version prints.
func version() string { return "mipwatch " + release.Current().String() }
