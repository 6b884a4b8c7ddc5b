package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// input has the flags that select the site and its proposals. Every command that reads proposals
// has them.
type input struct {
	*program
	config    string
	proposals []string
}

// add defines the flags.
func (in *input) add(cmd *cobra.Command) {
	addConfig(cmd, &in.config)
	cmd.Flags().StringArrayVar(&in.proposals, "proposals", nil,
		"`folder` of proposals, or pattern of their files, instead of those in site.yaml; "+
			"may repeat")
}

// addConfig defines the flag that names site.yaml.
func addConfig(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "config", "site.yaml", "`file` that describes the site")
}

// options reads the environment and site.yaml, and finds the folders. The error has an exit code.
func (in *input) options() (o build.Options, err error) {
	if o.Epoch, err = in.epoch(); err == nil {
		if o.Site, err = site.Load(in.config); err == nil {
			err = in.find(o.Site)
		}
	}
	if err != nil {
		return o, exit(exitUsage, err)
	}
	return o, nil
}

// epoch is the time of SOURCE_DATE_EPOCH (reproducible-builds.org/specs/source-date-epoch), or nil
// if it is unset or empty: a workflow cannot unset a variable. Signs, blanks and fractions are
// refused, since the specification requires whole seconds.
func (in *input) epoch() (*time.Time, error) {
	// of the year 9999, the last that RFC 3339 can express
	const name, last = "SOURCE_DATE_EPOCH", 253402300799
	text, _ := in.env(name)
	if text == "" {
		return nil, nil
	}
	seconds, err := strconv.ParseUint(text, 10, 63)
	if err != nil || seconds > last {
		return nil, fmt.Errorf("%s: want unix seconds from 0 to %d, got %q", name, last, text)
	}
	return new(time.Unix(int64(seconds), 0).UTC()), nil
}

// find reads the logo and finds the folders of proposals. The error is an [*site.InvalidError] with
// all missing folders.
func (in *input) find(s *site.Site) error {
	problems := s.Find(in.proposals)
	for i := range problems {
		in.place(&problems[i], s)
	}
	if problems = append(problems, s.ReadLogo()...); len(problems) > 0 {
		return &site.InvalidError{Problems: mip.SortProblems(problems)}
	}
	return nil
}

// place sets the place of a folder's problem: the flag, or the line of site.yaml that names the
// folder.
func (in *input) place(p *mip.Problem, s *site.Site) {
	if p.File = "--proposals"; len(in.proposals) == 0 {
		p.File, p.Line = filepath.ToSlash(s.File), s.ProposalsLine()
	}
}

// load reads the proposals. Folders without any proposal, sound or faulty, are a mistake in the
// configuration. The error is about the configuration and has an exit code. Problems of proposals
// are in the content.
func (in *input) load(
	ctx context.Context, o build.Options, progress *progress,
) (*build.Content, error) {
	progress.doing("reading proposals…")
	c, err := build.Load(ctx, o)
	if err != nil {
		return nil, exit(exitUsage, err)
	}
	if len(c.Proposals) == 0 && count(c.Problems).Errors == 0 {
		none := mip.Problem{Level: mip.Error, Code: "no-proposals", Message: fmt.Sprintf(
			"no proposal in %s; want files such as %s-1.md", strings.Join(c.Folders, ", "),
			o.Site.Prefix)}
		in.place(&none, o.Site)
		// Notices of skipped files explain why no proposal is left.
		return nil, exit(exitUsage, &site.InvalidError{Problems: append(c.Problems, none)})
	}
	return c, nil
}
