package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// input is the flags that say what is published, for every command that reads proposals.
type input struct {
	*program
	config    string
	proposals []string
}

// add defines the flags.
func (in *input) add(cmd *cobra.Command) {
	addConfig(cmd, &in.config)
	cmd.Flags().StringArrayVar(&in.proposals, "proposals", nil, "`folder` of proposals, or pattern of their files, instead of those in site.yaml; may repeat")
}

// addConfig defines the flag that names site.yaml.
func addConfig(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "config", "site.yaml", "`file` that describes the site")
}

// options reads the environment and site.yaml, and finds the folders. The error has an exit code.
func (in *input) options() (o build.Options, err error) {
	if o.Epoch, err = in.epoch(); err == nil {
		o.Config = in.config
		if o.Site, err = site.Load(in.config); err == nil {
			err = in.find(&o)
		}
	}
	if err != nil {
		return o, exit(exitUsage, err)
	}
	return o, nil
}

// epoch is the time of SOURCE_DATE_EPOCH (reproducible-builds.org/specs/source-date-epoch), nil when that is unset or
// empty: a workflow cannot unset one. Signs, blanks and fractions are refused, as the specification has whole seconds.
func (in *input) epoch() (*time.Time, error) {
	const name, last = "SOURCE_DATE_EPOCH", 253402300799 // of the year 9999, the last that RFC 3339 can write
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

// source is a folder of proposals and, unless its texts are all Markdown files directly in it, the pattern of their names.
type source struct{ folder, pattern string }

// find reads the logo and sets the folders of proposals, each once, with their patterns and kinds. The error is an
// [*site.InvalidError] with all those that are none.
func (in *input) find(o *build.Options) error {
	o.Patterns, o.KindOf = map[string][]string{}, map[string]string{}
	var infos []fs.FileInfo
	problems := o.Site.ReadLogo(in.config)
	for _, src := range in.sources(o.Site.Proposals) {
		dir := src.folder
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			problems = append(problems, in.problem(o.Site, "no-folder", "no proposals folder %q", dir))
			continue
		case err != nil:
			problems = append(problems, in.problem(o.Site, "no-folder", "the proposals folder %q: %v", dir, err))
			continue
		case !info.IsDir():
			problems = append(problems, in.problem(o.Site, "not-a-folder", "%q is a file; want a folder of proposals", dir))
			continue
		}
		// A folder that is named twice, or by a link, would publish each proposal twice.
		i := slices.IndexFunc(infos, func(other fs.FileInfo) bool { return os.SameFile(info, other) })
		if i < 0 {
			i = len(infos)
			o.Folders, infos = append(o.Folders, dir), append(infos, info)
		}
		dir = filepath.Clean(o.Folders[i])
		o.Patterns[dir] = append(o.Patterns[dir], src.pattern)
	}
	if len(problems) > 0 {
		return &site.InvalidError{Problems: mip.SortProblems(problems)}
	}
	// A file that does not say what it is belongs to the first kind that names its folder.
	for _, k := range o.Site.AllKinds() {
		for _, src := range in.beside(k.Proposals) {
			dir := filepath.Clean(src.folder)
			o.KindOf[dir] = cmp.Or(o.KindOf[dir], k.Prefix)
		}
	}
	return nil
}

// sources are what the flag names, else what site.yaml does. Relative paths in site.yaml begin at its folder, those of the
// flag at the working directory.
func (in *input) sources(named []string) (out []source) {
	if len(in.proposals) == 0 {
		return in.beside(named)
	}
	for _, name := range in.proposals {
		dir, pattern := folder.Locate("", filepath.ToSlash(name))
		out = append(out, source{dir, pattern})
	}
	return out
}

// beside are those of site.yaml as the process sees them.
func (in *input) beside(named []string) (out []source) {
	for _, name := range named {
		dir, pattern := folder.Locate(filepath.Dir(in.config), name)
		out = append(out, source{dir, pattern})
	}
	return out
}

// problem is about the folders: of the flag, or of the line in site.yaml that names them.
func (in *input) problem(s *site.Site, code, format string, args ...any) mip.Problem {
	// The line is that of the key proposals, 0 where site.yaml has none.
	p := mip.Problem{Level: mip.Error, Code: code, Message: fmt.Sprintf(format, args...), File: "--proposals"}
	if len(in.proposals) == 0 {
		p.File, p.Line = filepath.ToSlash(in.config), s.ProposalsLine()
	}
	return p
}

// load reads the proposals. Folders without any proposal, sound or not, are a mistake in the
// configuration. The error is about the configuration and has an exit code; problems of proposals are in the content.
func (in *input) load(ctx context.Context, o build.Options, progress *progress) (*build.Content, error) {
	progress.doing("reading proposals…")
	c, err := build.Load(ctx, o)
	if err != nil {
		return nil, exit(exitUsage, err)
	}
	if len(c.Proposals) == 0 && count(c.Problems).Errors == 0 {
		none := in.problem(o.Site, "no-proposals", "no proposal in %s; want files such as %s-1.md", strings.Join(o.Folders, ", "), o.Site.Prefix)
		// Notices of skipped files explain why nothing is left.
		return nil, exit(exitUsage, &site.InvalidError{Problems: append(c.Problems, none)})
	}
	return c, nil
}
