package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// choice is the value of a flag that takes one of a few words, the first of which is the default.
type choice struct {
	words []string
	word  string
}

func newChoice(words ...string) *choice { return &choice{words: words, word: words[0]} }

// String, Set and Type make choice a pflag.Value.
func (c *choice) String() string { return c.word }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.words, s) {
		return errors.New("want one of " + strings.Join(c.words, ", "))
	}
	c.word = s
	return nil
}

func (c *choice) Type() string { return strings.Join(c.words, "|") }

// add defines the flag with completion of its words.
func (c *choice) add(cmd *cobra.Command, name, usage string) {
	cmd.Flags().Var(c, name, usage)
	complete := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return c.words, cobra.ShellCompDirectiveNoFileComp
	}
	// The only error is a second registration of the flag.
	if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(err)
	}
}
