package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// epochVariable fixes the time of every change: reproducible-builds.org/specs/source-date-epoch.
const epochVariable = "SOURCE_DATE_EPOCH"

const epochHelp = `
Environment:
  SOURCE_DATE_EPOCH  unix seconds that stand for every time that git would give`

// maxEpoch is the last second of the year 9999, the last that RFC 3339 can write.
const maxEpoch = 253402300799

// input is the flags that say what is published.
type input struct {
	config    string
	proposals []string
	live      string // file with the figures of a moment; empty: none
}

func (in *input) add(cmd *cobra.Command) {
	addConfig(cmd, &in.config)
	cmd.Flags().StringArrayVar(&in.proposals, "proposals", nil, "`folder` of proposals, instead of those in site.yaml; may repeat")
	// The only error is an unknown flag.
	if err := cmd.MarkFlagDirname("proposals"); err != nil {
		panic(err)
	}
}

// addConfig defines the flag that names site.yaml.
func addConfig(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "config", "site.yaml", "`file` that describes the site")
	if err := cmd.MarkFlagFilename("config", "yaml", "yml"); err != nil {
		panic(err) // as above
	}
}

// options reads the configuration and finds the folders. Errors have an exit code.
func (in *input) options(env func(string) (string, bool)) (build.Options, error) {
	epoch, err := readEpoch(env)
	if err != nil {
		return build.Options{}, exit(exitUsage, err)
	}
	s, err := site.Load(in.config)
	if err != nil {
		return build.Options{}, exit(exitUsage, err)
	}
	folders, err := in.folders(s)
	if err != nil {
		return build.Options{}, exit(exitUsage, err)
	}
	return build.Options{Site: s, Folders: folders, Epoch: epoch}, nil
}

// readEpoch returns the time of SOURCE_DATE_EPOCH, or nil when that is unset or empty.
func readEpoch(env func(string) (string, bool)) (*time.Time, error) {
	text, _ := env(epochVariable)
	if text == "" {
		return nil, nil
	}
	seconds, err := strconv.ParseUint(text, 10, 63)
	if err != nil || seconds > maxEpoch {
		return nil, fmt.Errorf("%s: want unix seconds from 0 to %d, got %q", epochVariable, maxEpoch, text)
	}
	t := time.Unix(int64(seconds), 0).UTC()
	return &t, nil
}

// folders are the proposals' folders as the process sees them, each once. The error is an
// [*site.InvalidError] with all those that are none.
func (in *input) folders(s *site.Site) ([]string, error) {
	var out []string
	var infos []fs.FileInfo
	var problems []mip.Problem
	for _, dir := range in.candidates(s) {
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			problems = append(problems, in.problem(s, "no-folder", fmt.Sprintf("no proposals folder %q", dir)))
		case err != nil:
			problems = append(problems, in.problem(s, "no-folder", fmt.Sprintf("the proposals folder %q: %v", dir, err)))
		case !info.IsDir():
			problems = append(problems, in.problem(s, "not-a-folder", fmt.Sprintf("%q is a file; want a folder of proposals", dir)))
		case !slices.ContainsFunc(infos, func(other fs.FileInfo) bool { return os.SameFile(info, other) }):
			out, infos = append(out, dir), append(infos, info)
		}
	}
	if len(problems) > 0 {
		return nil, &site.InvalidError{Problems: mip.SortProblems(problems)}
	}
	return out, nil
}

func (in *input) candidates(s *site.Site) []string {
	if len(in.proposals) > 0 {
		return in.proposals
	}
	dirs := make([]string, len(s.Proposals))
	for i, dir := range s.Proposals {
		dir = filepath.FromSlash(dir)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(in.config), dir)
		}
		dirs[i] = dir
	}
	return dirs
}

// problem is about the folders: of the flag, or of the line in site.yaml that names them.
func (in *input) problem(s *site.Site, code, message string) mip.Problem {
	p := mip.Problem{Level: mip.Error, Code: code, Message: message, File: "--proposals"}
	if len(in.proposals) == 0 {
		p.File, p.Line = filepath.ToSlash(in.config), s.ProposalsLine
	}
	return p
}

// corpus loads the proposals. Folders without any proposal, sound or not, are a mistake in the
// configuration. Errors have an exit code.
func (in *input) corpus(ctx context.Context, o build.Options) (*build.Content, error) {
	c, err := build.Load(ctx, o)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, exit(exitWrite, err)
	case err != nil:
		return nil, exit(exitUsage, err)
	case len(c.Proposals) == 0 && count(c.Problems).Errors == 0:
		message := fmt.Sprintf("no proposal in %s; want files such as %s-1.md", strings.Join(o.Folders, ", "), o.Site.Prefix)
		// What was skipped says why nothing is left.
		return nil, exit(exitUsage, &site.InvalidError{Problems: append(c.Problems, in.problem(o.Site, "no-proposals", message))})
	}
	return c, nil
}

// producer names this program exactly; empty when its executable cannot be read.
func producer() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	if id := buildID(f); id != "" {
		return id
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// buildID is the note in which the Go linker leaves a hash of all that an ELF program was made from;
// empty for other formats, and for a program that was linked without one.
func buildID(f io.ReaderAt) string {
	program, err := elf.NewFile(f)
	if err != nil {
		return ""
	}
	note := program.Section(".note.go.buildid")
	if note == nil {
		return ""
	}
	data, err := note.Data()
	if err != nil || bytes.Count(data, []byte("/")) != 3 { // action/action/content/content
		return ""
	}
	return hex.EncodeToString(data)
}
